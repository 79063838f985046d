"""What a suite of problems is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mapelites.core.errors import InputError
from mapelites.core.problem import Problem

PREFERRED_DIMENSION = 10


def always() -> bool:
    """A suite that needs nothing besides."""
    return True


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Problems that are listed together under a title; the suite with the lowest `order` is listed first.

    `get(name)` makes a problem, and `get(name, dimension)` where `dimensions(name)` leaves the choice.
    `budget(name, n)` is how many evaluations the competition gives a run in n dimensions.
    `group(name)` is a heading within the title, where the problems come in families.
    """

    title: str
    order: int
    names: tuple[str, ...]
    get: Callable[..., Problem]
    dimensions: Callable[[str], tuple[int, ...]] | None = None
    available: Callable[[], bool] = always
    group: Callable[[str], str] | None = None
    budget: Callable[[str, int], int] | None = None

    def dimensions_of(self, name: str) -> tuple[int, ...]:
        """The dimensions that a problem can have."""
        return (self.problem(name).dimension,) if self.dimensions is None else self.dimensions(name)

    def problem(self, name: str, dimension: int | None = None) -> Problem:
        """A problem, in its preferred dimension where none is asked for."""
        if self.dimensions is not None:
            possible = self.dimensions(name)
            usual = PREFERRED_DIMENSION if PREFERRED_DIMENSION in possible else possible[0]
            return self.get(name, usual if dimension is None else dimension)
        problem = self.get(name)
        if dimension is not None and dimension != problem.dimension:
            raise InputError(f"{name}: the dimension must be {problem.dimension}, but it was {dimension}")
        return problem
