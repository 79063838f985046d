// plotly.js with the few kinds of traces that the pages draw: a quarter of the whole, and of the time to begin with it.
const fs = require("node:fs");
const path = require("node:path");
const { build } = require("esbuild");
const { environmentPlugin } = require("esbuild-plugin-environment");
const { glsl } = require("esbuild-plugin-glsl");

const { version } = require("plotly.js/package.json");
const licence = fs.readFileSync(path.join(path.dirname(require.resolve("plotly.js/package.json")), "LICENSE"), "utf8");

// The library of street maps, of which the core wants a style sheet.
const noStreets = {
  name: "no-streets",
  setup(building) {
    building.onResolve({ filter: /maplibre-gl/ }, () => ({ path: "none", namespace: "none" }));
    building.onLoad({ filter: /.*/, namespace: "none" }, () => ({ contents: "" }));
  },
};

build({
  entryPoints: [path.join(__dirname, "traces.js")],
  outfile: path.join(__dirname, "..", "..", "assets", "plotly", "plotly.min.js"),
  format: "iife",
  globalName: "Plotly",
  bundle: true,
  minify: true,
  plugins: [noStreets, glsl({ minify: true }), environmentPlugin({ NODE_DEBUG: false })],
  alias: { regl: "@plotly/regl", stream: "stream-browserify" },
  define: { global: "window", "define.amd": "false" },
  target: "es2020",
  legalComments: "eof",
  banner: { js: `/*\nplotly.js v${version}: its core, bar, box and heatmap, built by tools/plotly\n\n${licence}*/` },
});
