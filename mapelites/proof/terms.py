"""What a formula has become on its way into the solver: an expression of the solver's, and between what it lies."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from mapelites.core.errors import InputError
from mapelites.proof.intervals import Interval, point

ORDINARY = 1e-3, 1e6  # numbers between these are told to the solver as they are
LARGEST_SIZE = 1e100


class UnprovableError(InputError):
    """The solver cannot be told a problem exactly; the message says what of it, and where that stands."""

    def __init__(self, what: str, where: str) -> None:
        self.what, self.where = what, where
        super().__init__(f"cannot be proven, because of {what} in {where}")

    def __reduce__(self) -> tuple[type[UnprovableError], tuple[str, str]]:
        return UnprovableError, (self.what, self.where)


@dataclass(frozen=True)
class Term:
    """A part of a formula: a number or an expression of the solver's, the interval it lies in, and its nature.

    Its value is the expression times `size`: the solver takes numbers near 1 for what they are, but 1e-12 for 0. The
    interval is of the value.
    `stepped` says whether it depends on a variable that takes only some values: then what happens at a single point,
    such as a division by zero, is not the limit of what happens beside it.
    `huge` says that it may be above what the solver takes for infinity.
    """

    expression: Any
    interval: Interval
    stepped: bool = False
    size: float = 1.0
    huge: bool = False

    @property
    def value(self) -> float | None:
        """The number it is, where it is one."""
        return self.expression if isinstance(self.expression, float) else None

    @property
    def whole(self) -> Term:
        """It with a size of 1."""
        return self if self.size == 1.0 else replace(self, expression=self.in_size(1.0), size=1.0)

    def in_size(self, size: float) -> Any:
        """The expression, or number, that gives its value when it is multiplied by a size."""
        share = self.size / size
        return self.expression if share == 1.0 else self.expression * share

    @property
    def may_jump(self) -> bool:
        """Whether it may be infinite at a point that stands alone, which the solver leaves out and we do not."""
        return self.stepped and not self.interval.bounded


def number(value: float) -> Term:
    """A number as a term."""
    return Term(float(value), point(float(value)))


def size_of(magnitude: float) -> float:
    """The size in which the solver is told something as large as this: 1, or a power of two where that is far off."""
    if magnitude == 0 or not math.isfinite(magnitude) or ORDINARY[0] <= magnitude <= ORDINARY[1]:
        return 1.0
    return 2.0 ** round(math.log2(magnitude))


def multiplied(a: Term, b: Term) -> Term:
    """The product of two, which are not both numbers."""
    (x, of_x), (y, of_y) = _apart(a), _apart(b)
    expression = y if isinstance(x, float) and x == 1.0 else x if isinstance(y, float) and y == 1.0 else x * y
    return _sized(Term(expression, a.interval * b.interval, a.stepped or b.stepped), of_x * of_y)


def divided(a: Term, b: Term) -> Term:
    """One by another that is no number."""
    x, of_x = _apart(a)
    return _sized(Term(x / b.expression, a.interval * b.interval.inverse(), a.stepped or b.stepped), of_x / b.size)


def raised(base: Term, exponent: float) -> Term:
    """One that is no number to the power of a number."""
    term = Term(base.expression**exponent, base.interval.to_the(exponent), base.stepped)
    return _sized(term, base.size**exponent)


def in_one_size(a: Term, b: Term) -> tuple[Any, Any, float]:
    """The expressions of two in the larger of their sizes, and that size; a number is as large as it is."""
    if a.size == b.size == 1.0:
        return a.expression, b.expression, 1.0
    size = max(each.size if each.value is None else abs(each.value) for each in (a, b))
    return a.in_size(size), b.in_size(size), size


def _apart(term: Term) -> tuple[Any, float]:
    """An expression and its size; of a number that is far from 1 its sign and how large it is."""
    if term.value is None:
        return term.expression, term.size
    large = abs(term.value)
    ordinary = large == 0 or not math.isfinite(large) or ORDINARY[0] <= large <= ORDINARY[1]
    return (term.value, 1.0) if ordinary else (math.copysign(1.0, term.value), large)


def _sized(term: Term, size: float) -> Term:
    """A term of a size, unless the size itself is out of reach."""
    sized = replace(term, size=size)
    return sized if 1.0 / LARGEST_SIZE < size < LARGEST_SIZE else sized.whole
