"""Formulas for a page that stands alone: the typesetter's text as MathML, which browsers draw by themselves.

Of the typesetter's language it knows what the problems are written in; an unknown command is shown as it is.
"""

from __future__ import annotations

import re
import unicodedata

from markupsafe import Markup, escape

from mapelites.problems.formulas.typeset import GREEK

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[0-9]+(?:\.[0-9]+)?|\S")
SIGNS = {
    r"\le": "≤", r"\ge": "≥", r"\cdot": "·", r"\sum": "∑", r"\prod": "∏", r"\lfloor": "⌊", r"\rfloor": "⌋",
    r"\lceil": "⌈", r"\rceil": "⌉", r"\_": "_", "-": "−",
}  # fmt: skip
SPACES = {r"\,": "0.17em", r"\;": "0.28em", r"\quad": "1em"}
WORDS = {
    f"\\{name}"
    for name in (
        "exp", "ln", "log", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "min", "max",
    )
}  # fmt: skip
NAMED = {r"\mathit", r"\mathrm", r"\operatorname", r"\text"}


def mathml(formula: str) -> Markup:
    r"""A formula in one line.

    >>> print(mathml(r"x_3 \le \sqrt{2}"))
    <math><msub><mi>x</mi><mn>3</mn></msub><mo>≤</mo><msqrt><mrow><mn>2</mn></mrow></msqrt></math>
    """
    return Markup("<math>{}</math>").format(_Reader(TOKEN.findall(formula)).row(""))


class _Reader:
    """Reads tokens from the left to the right."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens[::-1]

    def row(self, end: str) -> Markup:
        """Everything up to a token, or to the end, and that token with it."""
        parts = []
        while self._tokens:
            if self._tokens[-1] == end:
                self._tokens.pop()
                break
            parts.append(self._scripted())
        return Markup("").join(parts)

    def _scripted(self) -> Markup:
        """One thing, with what stands below and above it."""
        base = self._thing()
        below = above = None
        while self._tokens and self._tokens[-1] in ("_", "^"):
            if self._tokens.pop() == "_":
                below = self._argument()
            else:
                above = self._argument()
        if below is not None and above is not None:
            return Markup("<msubsup>{}{}{}</msubsup>").format(base, below, above)
        if below is not None:
            return Markup("<msub>{}{}</msub>").format(base, below)
        return base if above is None else Markup("<msup>{}{}</msup>").format(base, above)

    def _argument(self) -> Markup:
        """What is in braces, or the next thing alone; of a number only its first digit."""
        if not self._tokens:
            return Markup("<mrow></mrow>")
        token = self._tokens[-1]
        if token[0].isdigit() and len(token) > 1:
            self._tokens[-1:] = [token[1:], token[0]]
        return self._thing()

    def _thing(self) -> Markup:
        token = self._tokens.pop()
        if token == "{":
            return Markup("<mrow>{}</mrow>").format(self.row("}"))
        if token in (r"\frac", r"\tfrac"):
            return Markup("<mfrac>{}{}</mfrac>").format(self._argument(), self._argument())
        if token == r"\sqrt":
            return Markup("<msqrt>{}</msqrt>").format(self._argument())
        if token == r"\left":
            first, inside = self._sign(), self.row(r"\right")
            return Markup("<mrow>{}{}{}</mrow>").format(first, inside, self._sign())
        if token in NAMED:
            return Markup("<mi>{}</mi>").format(self._text())
        if token in SPACES:
            return Markup('<mspace width="{}"></mspace>').format(SPACES[token])
        return _plain(token)

    def _sign(self) -> Markup:
        return _plain(self._tokens.pop()) if self._tokens else Markup("")

    def _text(self) -> str:
        """The letters in braces."""
        found = ""
        if self._tokens and self._tokens[-1] == "{":
            self._tokens.pop()
            while self._tokens and (token := self._tokens.pop()) != "}":
                found += SIGNS.get(token, token)
        return found


def _plain(token: str) -> Markup:
    name = token.removeprefix("\\")
    if token.startswith("\\") and name in GREEK:
        return Markup("<mi>{}</mi>").format(greek(name))
    if token in WORDS:
        return Markup("<mi>{}</mi>").format(name)
    if token[0].isdigit():
        return Markup("<mn>{}</mn>").format(token)
    if token.isalpha():
        return Markup("<mi>{}</mi>").format(token)
    if token.startswith("\\") and token not in SIGNS:
        return Markup("<mtext>{}</mtext>").format(token)
    return Markup("<mo>{}</mo>").format(escape(SIGNS.get(token, token)))


def greek(name: str) -> str:
    """A Greek letter by its name.

    >>> greek("tau"), greek("Omega")
    ('τ', 'Ω')
    """
    spelled = name.upper().replace("LAMBDA", "LAMDA")  # as Unicode has it
    return unicodedata.lookup(f"GREEK {'CAPITAL' if name[0].isupper() else 'SMALL'} LETTER {spelled}")
