"""Formulas: the typesetter's text as MathML, which browsers draw by themselves, in no time and for screen readers too.

Of the typesetter's language it knows what the problems are written in; an unknown command is shown as it is.
"""

from __future__ import annotations

import re
import unicodedata
from string import ascii_lowercase, ascii_uppercase

from markupsafe import Markup

from mapelites.problems.formulas.typeset import GREEK

TOKEN = re.compile(r"\\text\{[^{}]*\}|\\[A-Za-z]+|\\.|[0-9]+(?:\.[0-9]+)?|\S")
SIGNS = {
    r"\le": "≤", r"\ge": "≥", r"\cdot": "·", r"\sum": "∑", r"\prod": "∏", r"\lfloor": "⌊", r"\rfloor": "⌋",
    r"\lceil": "⌈", r"\rceil": "⌉", r"\_": "_", "-": "−", r"\ldots": "…",
}  # fmt: skip
THIN = "0.17em"
SPACES = {r"\,": THIN, r"\;": "0.28em", r"\quad": "1em"}
WORDS = {
    f"\\{name}"
    for name in (
        "exp", "ln", "log", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "min", "max",
    )
}  # fmt: skip
BRACKETS = {*"()[]|", r"\lfloor", r"\rfloor", r"\lceil", r"\rceil"}
NAMED = {r"\mathit", r"\mathrm", r"\operatorname"}
ITALIC = {ord(letter): chr(0x1D434 + place) for place, letter in enumerate(ascii_uppercase)}
ITALIC |= {ord(letter): chr(0x1D44E + place) for place, letter in enumerate(ascii_lowercase)} | {ord("h"): "ℎ"}
LIMITS = {r"\sum", r"\prod", r"\min", r"\max"}  # what stands below and above them is there in a line of its own


def mathml(formula: str, *, large: bool = False) -> Markup:
    r"""A formula in one line of text, or `large` in a line of its own.

    >>> print(mathml(r"x_3 \le \sqrt{2}"))
    <math><msub><mi>x</mi><mn>3</mn></msub><mo>≤</mo><msqrt><mrow><mn>2</mn></mrow></msqrt></math>
    """
    begin = Markup('<math displaystyle="true">' if large else "<math>")
    return begin + _Reader(TOKEN.findall(formula)).row("") + Markup("</math>")


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
        kind = ("munder", "mover") if self._tokens[-1] in LIMITS else ("msub", "msup")
        base = self._thing()
        below = above = None
        while self._tokens and self._tokens[-1] in ("_", "^"):
            if self._tokens.pop() == "_":
                below = self._argument()
            else:
                above = self._argument()
        if below is None and above is None:
            return base
        tag = kind[below is None] if below is None or above is None else kind[0] + kind[1].removeprefix("m")
        scripts = Markup("").join(each for each in (below, above) if each is not None)
        return Markup("<{0}>{1}{2}</{0}>").format(tag, base, scripts)

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
            first, inside = self._bracket(), self.row(r"\right")
            return Markup("<mrow>{}{}{}</mrow>").format(first, inside, self._bracket())
        if token == r"\overline":
            return Markup('<mover>{}<mo stretchy="true">‾</mo></mover>').format(self._argument())
        if token == r"\phantom":
            return Markup("<mphantom>{}</mphantom>").format(self._argument())
        if token.startswith(r"\text{"):
            return Markup("<mtext>{}</mtext>").format(token[6:-1].replace(" ", "\N{NO-BREAK SPACE}"))
        if token in NAMED:
            text = self._text()
            return Markup("<mi>{}</mi>").format(text.translate(ITALIC) if token == r"\mathit" else text)
        if token in WORDS and token not in LIMITS:
            after = "0" if self._tokens and self._tokens[-1] in ("(", r"\left") else THIN
            return Markup('<mo lspace="{}" rspace="{}">{}</mo>').format(THIN, after, token[1:])
        if token in SPACES:
            return Markup('<mspace width="{}"></mspace>').format(SPACES[token])
        return _plain(token)

    def _bracket(self) -> Markup:
        """One that is as large as what it holds; all others are as large as a letter."""
        return Markup("<mo>{}</mo>").format(_sign(self._tokens.pop())) if self._tokens else Markup("")

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
        return Markup('<mo movablelimits="true">{}</mo>').format(name)
    if token[0].isdigit():
        return Markup("<mn>{}</mn>").format(token)
    if token.isalpha():
        return Markup("<mi>{}</mi>").format(token)
    if token.startswith("\\") and token not in SIGNS:
        return Markup("<mtext>{}</mtext>").format(token)
    if token in BRACKETS:
        return Markup('<mo stretchy="false">{}</mo>').format(_sign(token))
    return Markup("<mo>{}</mo>").format(_sign(token))


def _sign(token: str) -> str:
    return SIGNS.get(token, token)


def greek(name: str) -> str:
    """A Greek letter by its name.

    >>> greek("tau"), greek("Omega")
    ('τ', 'Ω')
    """
    spelled = name.upper().replace("LAMBDA", "LAMDA")  # as Unicode has it
    return unicodedata.lookup(f"GREEK {'CAPITAL' if name[0].isupper() else 'SMALL'} LETTER {spelled}")
