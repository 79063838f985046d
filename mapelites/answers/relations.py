"""Constraints that are functions of each other, recognised from their values: C16's h1 = -h2, C18's g1 = -h1."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mapelites.answers.designs import Designs
from mapelites.core.problem import Array, Problem
from mapelites.core.tolerances import short

FEWEST = 8  # designs and points below which nothing is claimed
EXACT = 1e-9  # how far, relative to the numbers involved, a relation may be missed by rounding
SEED = 2019


@dataclass(frozen=True)
class RecognisedRelation:
    """`second = factor * first + offset`, true for all designs and for so many random points beside them."""

    first: int
    second: int
    factor: float
    offset: float
    designs: int
    points: int

    def in_words(self, names: tuple[str, ...]) -> str:
        """The relation as people write it."""
        one, two = names[self.first], names[self.second]
        if self.factor == -1 and self.offset:
            return f"{one} + {two} = {short(self.offset)}"
        factor = {1.0: "", -1.0: "-"}.get(self.factor, f"{short(self.factor)} ")
        sign = "+" if self.offset > 0 else "-"
        rest = f" {sign} {short(abs(self.offset))}" if self.offset else ""
        return f"{two} = {factor}{one}{rest}"

    def spare(self, problem: Problem) -> int | None:
        """The constraint whose axis says little beside the other one's; None for neither.

        With an equality the other's value is known at 0, and near it nearly so; of two inequalities that rise
        together, one violation gives away the other.
        """
        if self.offset:
            return None
        equality = [problem.constraints[i].kind == "equality" for i in (self.first, self.second)]
        if equality[0]:
            return self.second
        if equality[1]:
            return self.first
        return self.second if self.factor > 0 else None


def recognise_relations(designs: Designs, points: int = 0) -> tuple[RecognisedRelation, ...]:
    """All pairs that fit a straight line on every design, and on so many random points where they may be spent."""
    values = designs.values
    if points:
        problem = designs.problem
        places = np.random.default_rng(SEED).uniform(size=(points, problem.dimension))
        drawn = problem.values(problem.lower + places * (problem.upper - problem.lower))[:, 1:]
        values = np.concatenate([values, drawn[np.isfinite(drawn).all(axis=1)]])
    if len(values) < FEWEST:
        return ()
    found = []
    for i, j in combinations(range(values.shape[1]), 2):
        line = _line(values[:, i], values[:, j])
        if line is not None:
            found.append(RecognisedRelation(i, j, *line, len(designs), points))
    return tuple(found)


def _line(x: Array, y: Array) -> tuple[float, float] | None:
    """Factor and offset of `y = factor * x + offset`, where that holds everywhere up to rounding."""
    low, high = int(np.argmin(x)), int(np.argmax(x))
    if x[low] == x[high] or y[low] == y[high]:
        return None
    # The two points farthest apart give the slope with the least rounding, the one nearest to 0 the offset.
    factor = _round((y[high] - y[low]) / (x[high] - x[low]))
    middle = int(np.argmin(np.abs(x)))
    offset = _round(y[middle] - factor * x[middle])
    if abs(offset) < EXACT * max(abs(y[low]), abs(y[high])):
        offset = 0.0
    size = np.maximum(np.maximum(np.abs(factor * x), np.abs(y)), abs(offset))
    missed = np.abs(y - (factor * x + offset))
    # Where both values are tiny, they are differences of larger numbers, and only those are exact.
    return (factor, offset) if (missed <= EXACT * size + EXACT * 1e-3).all() else None


def _round(value: float) -> float:
    """The number people would write where this one is it up to rounding."""
    plain = float(f"{value:.6g}")
    return plain if abs(plain - value) <= EXACT * abs(value) else float(value)
