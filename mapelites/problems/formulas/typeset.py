"""Formulas as typeset mathematics: the text for the typesetter, made from the checked tree alone."""

from __future__ import annotations

from collections.abc import Iterable

from mapelites.problems.formulas.functions import FUNCTIONS
from mapelites.problems.formulas.tree import (
    Call,
    Expression,
    Name,
    Negative,
    Number,
    Power,
    ProblemDocument,
    Product,
    Sum,
    TypedConstraint,
)

GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
    "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
})  # fmt: skip
SIGNS = {"<=": r"\le", ">=": r"\ge", "=": "="}
LOOSE, TIGHT, ATOM = range(3)  # how strongly a formula holds together: a sum, a product, anything else


def typeset_objective(document: ProblemDocument) -> str:
    """What is minimised."""
    text = typeset_formula(document.objective)
    return rf"-\left({text}\right)" if document.maximise else text


def typeset_constraint(each: TypedConstraint) -> str:
    """A constraint as it was typed."""
    return f"{typeset_formula(each.left)} {SIGNS[each.comparison]} {typeset_formula(each.right)}"


def typeset_definitions(document: ProblemDocument) -> tuple[str, ...]:
    """What was defined with `let`: numbers side by side, formulas a line each."""
    numbers = [
        f"{typeset_name(key)} = {typeset_formula(node)}" for key, node in document.lets if isinstance(node, Number)
    ]
    others = [
        f"{typeset_name(key)} = {typeset_formula(node)}" for key, node in document.lets if not isinstance(node, Number)
    ]
    return (*([r",\quad ".join(numbers)] if numbers else []), *others)


def typeset_name(text: str) -> str:
    """A name: letters before digits or a low line are the name, the rest is its index.

    >>> typeset_name("x12"), typeset_name("sigma_max"), typeset_name("width")
    ('x_{12}', '\\\\sigma_{\\\\mathrm{max}}', '\\\\mathit{width}')
    """
    plain = text.strip("_") or "x"
    head, _, index = plain.partition("_")
    if not index and head.rstrip("0123456789") != head and head.rstrip("0123456789"):
        index = head[len(head.rstrip("0123456789")) :]
        head = head[: -len(index)]
    letter = f"\\{head}" if head in GREEK else head if len(head) == 1 else rf"\mathit{{{head}}}"
    if not index:
        return letter
    index = index.replace("_", r"\_")
    return f"{letter}_{{{index}}}" if index.isdigit() or len(index) == 1 else rf"{letter}_{{\mathrm{{{index}}}}}"


def typeset_formula(node: Expression) -> str:
    """An expression."""
    return _written(node)[0]


def _written(node: Expression) -> tuple[str, int]:
    if isinstance(node, Number):
        return _number(node)
    if isinstance(node, Name):
        return typeset_name(node.name), ATOM
    if isinstance(node, Negative):
        return f"-{_held(node.inner, TIGHT)}", LOOSE
    if isinstance(node, Power):
        return f"{_held(node.base, ATOM, power=True)}^{{{typeset_formula(node.exponent)}}}", ATOM
    if isinstance(node, Call):
        return FUNCTIONS[node.function].typeset.format(", ".join(map(typeset_formula, node.arguments))), ATOM
    if isinstance(node, Sum):
        first, *others = node.terms
        rest = (f" {'-' if minus else '+'} {_held(each, TIGHT)}" for each, minus in others)
        return typeset_formula(first[0]) + "".join(rest), LOOSE
    return _product(node)


def _product(node: Product) -> tuple[str, int]:
    first = node.factors[0][0]
    if isinstance(first, Negative):  # the sign of the first factor is that of the whole product
        text, _ = _product(Product(((first.inner, False), *node.factors[1:])))
        return f"-{text}", LOOSE
    last = max((place for place, (_, below) in enumerate(node.factors) if below), default=-1)
    above = [each for each, below in node.factors[: last + 1] if not below]
    under = [each for each, below in node.factors if below]
    beside = [each for each, _ in node.factors[last + 1 :]]  # what comes after the last division stands beside it
    if not under:
        return _side_by_side(beside), TIGHT
    top = typeset_formula(above[0]) if len(above) == 1 else _side_by_side(above)
    bottom = typeset_formula(under[0]) if len(under) == 1 else _side_by_side(under)
    fraction = rf"\frac{{{top}}}{{{bottom}}}"
    return fraction + (rf"\,{_side_by_side(beside)}" if beside else ""), TIGHT


def _side_by_side(factors: Iterable[Expression]) -> str:
    text, last = "", ""
    for each in factors:
        new = _held(each, TIGHT)
        # Two numbers side by side would read as one.
        text += new if not text else (r" \cdot " if new[0].isdigit() and last[-1:].isdigit() else r"\,") + new
        last = new
    return text


def _held(node: Expression, by: int, *, power: bool = False) -> str:
    text, strength = _written(node)
    apart = strength < by or (power and isinstance(node, (Power, Call, Product)) and not _closed(node))
    return rf"\left({text}\right)" if apart else text


def _closed(node: Expression) -> bool:
    """Whether a function's form ends in parentheses or lines of its own, so that a power can stand behind it."""
    return isinstance(node, Call) and node.function != "sqrt"


def _number(node: Number) -> tuple[str, int]:
    mantissa, _, exponent = node.text.lower().partition("e")
    if not exponent:
        return mantissa, ATOM
    # As text: somebody may have typed more digits than Python makes a number of.
    digits = exponent.lstrip("+-").lstrip("0") or "0"
    power = rf"10^{{{'-' if exponent.startswith('-') and digits != '0' else ''}{digits}}}"
    return (power, TIGHT) if float(mantissa) == 1.0 else (rf"{mantissa} \cdot {power}", TIGHT)
