"""Reads one expression: arithmetic and known functions, by recursive descent, nothing else.

sum     = product { ("+" | "-") product }
product = signed { ("*" | "/") signed }
signed  = ("+" | "-") signed | power
power   = atom [ "^" signed ]
atom    = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
"""

from __future__ import annotations

import math
from collections.abc import Collection, Container
from difflib import get_close_matches

from mapelites.problems.formulas.functions import CONSTANTS, FUNCTIONS
from mapelites.problems.formulas.tokens import GOES_ON, WORDS, FormulaError, Token, in_small_letters, tokens
from mapelites.problems.formulas.tree import Call, Expression, Name, Negative, Number, Power, Product, Sum

DEEPEST = 60


class ExpressionReader:
    """Goes through the tokens of a text, and reads expressions of the names that are known."""

    def __init__(self, text: str, code: str, names: Collection[str] = ()) -> None:
        """Read `code`, which is `text` with everything blanked out that is not for us; `names` are no keywords."""
        self.text = text
        self._names = frozenset(names)
        self.tokens = in_small_letters(tokens(code), names)
        self.place = 0
        self._depth = 0

    @property
    def next(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.place]

    def take(self) -> Token:
        """The next token, and on to the one after it."""
        token = self.next
        self.place += token.kind != "end"
        return token

    def took(self, *spelled: str) -> str:
        """The next token's text if it is one of these, and on; otherwise nothing."""
        return self.take().text if self.next.kind in ("sign", "name") and self.next.text in spelled else ""

    def error(self, said: str, at: int | None = None) -> FormulaError:
        """An error at the next token, or at a place."""
        return FormulaError(said, self.text, self.next.at if at is None else at)

    def expect(self, spelled: str, where: str) -> None:
        """Go past a sign that has to be there."""
        if not self.took(spelled):
            raise self.error(f"expected '{spelled}' {where}, but there was {self.next.spoken}")

    def end_of_line(self) -> None:
        """Go past the end of a statement."""
        if self.next.kind not in ("newline", "end"):
            operator = self.next.kind in ("name", "number") or self.next.text == "("
            hint = ": is an operator such as * missing?" if operator else ""
            if self.next.kind == "name" and self.next.text not in self._names:
                hint = f": a unit stands in square brackets, such as [{self.next.text}]"
            raise self.error(f"expected the end of the line, but there was {self.next.spoken}{hint}")
        self.take()

    def expression(self, known: Container[str]) -> Expression:
        """A sum."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.error(f"at most {DEEPEST} parentheses, powers or signs can stand inside of each other")
        terms = [(self._product(known), False)]
        while sign := self.took("+", "-"):
            terms.append((self._product(known), sign == "-"))
        self._depth -= 1
        return terms[0][0] if len(terms) == 1 else Sum(tuple(terms))

    def _product(self, known: Container[str]) -> Expression:
        factors = [(self._signed(known), False)]
        while sign := self.took("*", "/"):
            factors.append((self._signed(known), sign == "/"))
        return factors[0][0] if len(factors) == 1 else Product(tuple(factors))

    def _signed(self, known: Container[str]) -> Expression:
        negative = False
        while sign := self.took("+", "-"):
            negative ^= sign == "-"
        found = self._power(known)
        return Negative(found) if negative else found

    def _power(self, known: Container[str]) -> Expression:
        base = self._atom(known)
        if not self.took("^"):
            return base
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.error(f"at most {DEEPEST} parentheses, powers or signs can stand inside of each other")
        exponent = self._signed(known)
        self._depth -= 1
        return Power(base, exponent)

    def _atom(self, known: Container[str]) -> Expression:
        self._expect_more()
        token = self.take()
        if token.kind == "number":
            value = float(token.text)
            if not math.isfinite(value):
                raise self.error(f"'{token.text}' is too large for a number", token.at)
            return Number(value, token.text)
        if token.kind == "name" and self.next.text == "(" and self.next.kind == "sign":
            return self._call(token, known)
        if token.kind == "name":
            return self._name(token, known)
        if token.text == "(":
            inner = self.expression(known)
            self._close(token, "the parenthesis")
            return inner
        raise self.error(f"expected a number, a name or a parenthesis, but there was {token.spoken}", token.at)

    def _expect_more(self) -> None:
        """A line that ends with a sign goes on, but not with the next statement: the error is at the sign."""
        before, token = self.tokens[self.place - 1], self.next
        statement = token.text in WORDS or self.tokens[min(self.place + 1, len(self.tokens) - 1)].text == ":"
        over = token.kind in ("newline", "end") or (token.kind == "name" and statement)
        if over and before.text in GOES_ON and "\n" in self.text[before.at : token.at]:
            raise self.error(f"this line ends with '{before.text}', but nothing follows it", before.at)

    def _close(self, opened: Token, what: str) -> None:
        """Go past a closing parenthesis; where the line ended without one, the error is at the opening one."""
        if self.took(")"):
            return
        if self.next.kind == "end" or "\n" in self.text[opened.at : self.next.at]:
            raise self.error(f"{what} is not closed: a ')' is missing", opened.at)
        operator = self.next.kind in ("name", "number") or self.next.text == "("
        hint = ": is an operator such as * missing?" if operator else ""
        raise self.error(f"expected ')' to close {what}, but there was {self.next.spoken}{hint}")

    def _name(self, token: Token, known: Container[str]) -> Expression:
        if token.text in FUNCTIONS:
            raise self.error(f"'{token.text}' is a function: write {token.text}( ... )", token.at)
        if token.text not in known and token.text not in CONSTANTS:
            names = [*(known if isinstance(known, (dict, set, tuple, list)) else ()), *CONSTANTS]
            close = get_close_matches(token.text, names, 1)
            hint = f"did you mean {close[0]}?" if close else f"declare it with: variable {token.text} from 0 to 1"
            raise self.error(f"'{token.text}' is not known here: {hint}", token.at)
        return Name(token.text)

    def _call(self, token: Token, known: Container[str]) -> Expression:
        function = FUNCTIONS.get(token.text)
        if function is None:
            close = get_close_matches(token.text, FUNCTIONS, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(FUNCTIONS)}"
            star = f"; to multiply, write {token.text}*(" if token.text in known else ""
            raise self.error(f"'{token.text}' is not a function: {hint}{star}", token.at)
        self.take()
        arguments = [self.expression(known)]
        while self.took(","):
            arguments.append(self.expression(known))
        self._close(token, f"{token.text}(")
        wanted = function.arguments or 2
        if len(arguments) != wanted and not (function.arguments == 0 and len(arguments) > wanted):
            said = f"'{token.text}' takes {'at least ' if function.arguments == 0 else ''}{wanted}"
            raise self.error(f"{said}, but it was given {len(arguments)}", token.at)
        return Call(token.text, tuple(arguments))
