"""Words, numbers and signs: the first step in reading a problem that is written as formulas."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from mapelites.core.errors import InputError

LONGEST_TEXT = 20_000
SPELLINGS = {"**": "^", "==": "=", "≤": "<=", "≥": ">=", "−": "-", "·": "*", "×": "*", "÷": "/", "π": "pi"}
MISSPELLED = {"=>": ">=", "=<": "<="}
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
WORDS = frozenset({
    "problem", "about", "source", "best", "variable", "from", "to", "step", "integer", "let", "minimise", "minimize",
    "maximise", "maximize", "subject", "tolerance",
})  # fmt: skip
OPENING, CLOSING = "(", ")"
GOES_ON = frozenset({"+", "-", "*", "/", "^", "<=", ">=", "=", ",", ":"})
PATTERN = re.compile(
    r"""(?P<space>[ \t\r\f\v\u00a0]+)
      | (?P<comment>\#[^\n]*)
      | (?P<newline>\n)
      | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
      | (?P<name>π|[A-Za-z_][A-Za-z0-9_]*)
      | (?P<unit>\[[^\[\]\n]*\])
      | (?P<text>"[^"\n]*")
      | (?P<sign>\*\*|<=|>=|==|=>|=<|[-+*/^(),:=<>≤≥−·×÷])
    """,
    re.VERBOSE | re.ASCII,
)


class FormulaError(InputError):
    """Something in the text is not understood: what, and at which character, counted from 0."""

    def __init__(self, said: str, text: str, at: int) -> None:
        self.said, self.at = said, min(at, len(text))
        start = text.rfind("\n", 0, self.at) + 1
        self.line = text.count("\n", 0, self.at) + 1
        self.column = self.at - start + 1
        self.shown = text[start:].split("\n", 1)[0]
        super().__init__(f"line {self.line}, column {self.column}: {said}")


@dataclass(frozen=True)
class Token:
    """One piece of the text: its kind, how it is spelled, and where it begins."""

    kind: str  # number, name, unit, text, sign, newline or end
    text: str
    at: int

    @property
    def spoken(self) -> str:
        """The token as an error message names it."""
        return {"newline": "the end of the line", "end": "the end of the text"}.get(self.kind, f"'{self.text}'")


def tokens(text: str, start: int = 0) -> list[Token]:
    """All tokens from a place on. A line goes on where a parenthesis is open or its last sign asks for more."""
    if len(text) > LONGEST_TEXT:
        raise FormulaError(f"the text must be at most {LONGEST_TEXT:,} characters long", text, LONGEST_TEXT)
    found: list[Token] = []
    open_parentheses, at = 0, start
    while at < len(text):
        match = PATTERN.match(text, at)
        if match is None:
            raise FormulaError(_unknown(text[at]), text, at)
        kind = str(match.lastgroup)
        spelled = SPELLINGS.get(match.group(), match.group())
        if spelled in MISSPELLED:
            raise FormulaError(f"write {MISSPELLED[spelled]} instead of {spelled}", text, at)
        if kind == "newline":
            if not open_parentheses and not (found and found[-1].text in GOES_ON):
                found.append(Token("newline", "\n", at))
        elif kind == "raised":  # x² is x^2
            found += [Token("sign", "^", at), Token("number", spelled.translate(RAISED), at)]
        elif kind not in ("space", "comment"):
            found.append(Token(kind, spelled, at))
            if kind == "sign":
                open_parentheses = max(0, open_parentheses + (spelled == OPENING) - (spelled == CLOSING))
        at = match.end()
    return [*found, Token("newline", "\n", len(text)), Token("end", "", len(text))]


def in_small_letters(found: list[Token], names: Collection[str]) -> list[Token]:
    """The same with keywords in small letters, unless it is the name of something or of a constraint."""
    pairs = zip(found, [*found[1:], None], strict=True)
    return [
        replace(token, text=token.text.lower())
        if token.kind == "name" and token.text.lower() in WORDS and token.text not in names
        and not (after is not None and after.text == ":")
        else token
        for token, after in pairs
    ]  # fmt: skip


def _unknown(character: str) -> str:
    if character in "\"'":
        return "a text in quotes must end on the same line"
    if character in "[]":
        return "a unit must stand in one pair of square brackets, such as [mm]"
    if character in "%°µΩ$€":
        return f"'{character}' can only be part of a unit, which stands in square brackets, such as [%]"
    if character in "{}":
        return "use round parentheses ( )"
    if character == ";":
        return "write each statement on a line of its own, without ;"
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return f"'{shown}' means nothing here: use numbers, names, + - * / ^ ( ) and functions such as sqrt"
