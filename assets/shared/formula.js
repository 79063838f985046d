// The browser's half of `components/shared/formula.py`: puts MathML into the page, which the browser draws by itself.
window.illuminate = {
  Formula: ({ mathml }) => window.React.createElement("span", { dangerouslySetInnerHTML: { __html: mathml } }),
};
