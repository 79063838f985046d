"""What a formula has become on its way into the solver: an expression of the solver's, and between what it lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mapelites.core.errors import InputError
from mapelites.proof.intervals import Interval, point


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

    `stepped` says whether it depends on a variable that takes only some values: then what happens at a single point,
    such as a division by zero, is not the limit of what happens beside it.
    """

    expression: Any
    interval: Interval
    stepped: bool = False

    @property
    def value(self) -> float | None:
        """The number it is, where it is one."""
        return self.expression if isinstance(self.expression, float) else None

    @property
    def may_jump(self) -> bool:
        """Whether it may be infinite at a point that stands alone, which the solver leaves out and we do not."""
        return self.stepped and not self.interval.bounded


def number(value: float) -> Term:
    """A number as a term."""
    return Term(float(value), point(float(value)))
