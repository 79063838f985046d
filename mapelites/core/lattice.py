"""The questions that tolerance levels ask: one tolerance for each constraint, and which solution answers each.

Tolerances that grow can only admit better solutions, so the answer of a question is one to every looser question. That
order makes the answers of the whole lattice a running minimum along each constraint.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mapelites.core.errors import InputError
from mapelites.core.problem import Array

Indices = NDArray[np.int64]

MOST_DENSE = 2_000_000  # questions beyond which no table of all of them is kept
NOBODY = -1


@dataclass(frozen=True)
class Lattice:
    """The questions that a map's levels ask: each constraint held at one of its `tolerances`, in ascending order.

    A question is a row of places, one per constraint; place 0 everywhere is the feasible corner.

    >>> lattice = Lattice(("g1", "h1"), ((0.0, 0.5), (1e-4, 0.1)))
    >>> lattice.tolerances_of([[1, 0]])
    array([[5.e-01, 1.e-04]])
    >>> lattice.singles().tolist(), lattice.pairs().tolist(), lattice.alike().tolist()
    ([[1, 0], [0, 1]], [[1, 1]], [[1, 1]])
    """

    names: tuple[str, ...]
    tolerances: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, names: Sequence[str], levels: Sequence[Sequence[float]], satisfied: ArrayLike) -> Lattice:
        """The lattice of levels; a level below what counts as `satisfied` asks for no more than that."""
        least = np.broadcast_to(np.asarray(satisfied, dtype=np.float64), len(levels))
        # Level 0 and whatever else lies below what counts as satisfied ask the same question: it stands there once.
        each = (
            sorted({max(float(level), float(low)) for level in (0.0, *row)})
            for row, low in zip(levels, least, strict=True)
        )
        return cls(tuple(names), tuple(tuple(row) for row in each))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of tolerances of each constraint."""
        return tuple(len(each) for each in self.tolerances)

    @property
    def size(self) -> int:
        """How many questions there are."""
        return math.prod(self.shape)

    @cached_property
    def edges(self) -> Array:
        """All tolerances in one (constraints, most) array, padded with infinity."""
        table = np.full((len(self.tolerances), max(self.shape, default=0)), np.inf)
        for row, each in zip(table, self.tolerances, strict=True):
            row[: len(each)] = each
        return table

    def tolerances_of(self, places: ArrayLike) -> Array:
        """The tolerances of questions: (batch, constraints) places to (batch, constraints) numbers."""
        rows = np.atleast_2d(np.asarray(places, dtype=np.int64))
        return np.asarray(np.take_along_axis(self.edges[None], rows[:, :, None], axis=2)[:, :, 0])

    def strictest(self, violations: ArrayLike) -> Indices:
        """The strictest question that each row of violations answers; a place beyond the last where there is none."""
        values = np.asarray(violations, dtype=np.float64)
        # Bins are closed on the right, so a violation that equals a tolerance is still within it: side "left".
        columns = [np.searchsorted(each, values[:, i], side="left") for i, each in enumerate(self.tolerances)]
        return np.stack(columns, axis=1).astype(np.int64) if columns else np.zeros((len(values), 0), dtype=np.int64)

    def all(self) -> Indices:
        """Every question, for lattices that are not too large to list."""
        return np.indices(self.shape).reshape(len(self.shape), -1).T.astype(np.int64)

    def singles(self) -> Indices:
        """Each constraint relaxed alone, to each of its tolerances."""
        return self._relaxing(1)

    def pairs(self) -> Indices:
        """Each two constraints relaxed together, to each two of their tolerances."""
        return self._relaxing(2)

    def alike(self) -> Indices:
        """All constraints relaxed by equally many steps, as far as each goes."""
        most = np.array(self.shape, dtype=np.int64) - 1
        steps = np.arange(1, max(self.shape, default=0), dtype=np.int64)
        return np.minimum(steps[:, None], most)

    def first(self, most: int) -> Indices:
        """The questions asked first, at most so many: the corner, one constraint, all alike, two; then any others."""
        corner = np.zeros((1, len(self.shape)), dtype=np.int64)
        pairs = self.pairs() if len(self.shape) > 1 else corner[:0]
        # Two constraints relaxed by equally many steps come before uneven pairs, which are many.
        alike = (pairs == pairs.max(axis=1, keepdims=True, initial=0)) | (pairs == 0)
        even = alike.all(axis=1)
        singles = self.singles()
        singles = singles[np.argsort(singles.max(axis=1), kind="stable")]
        rows = [corner, singles, self.alike(), pairs[even], pairs[~even]]
        if self.size <= most:
            rows.append(self.all())
        return _once(np.concatenate(rows))[:most]

    def _relaxing(self, count: int) -> Indices:
        rows = []
        for group in combinations(range(len(self.shape)), count):
            block = np.indices([self.shape[i] - 1 for i in group]).reshape(count, -1).T + 1
            full = np.zeros((len(block), len(self.shape)), dtype=np.int64)
            full[:, group] = block
            rows.append(full)
        return np.concatenate(rows) if rows else np.empty((0, len(self.shape)), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Answers:
    """Which solution answers each question of a lattice.

    `f` and `row` take questions as places and give the objective (infinite where nothing is known) and the row of the
    solution among those that were given (-1). Nothing is stored per question where the lattice is too large.
    """

    lattice: Lattice
    objectives: Array  # (k,): of the solutions
    violations: Array  # (k, constraints)
    found_at: Indices

    @cached_property
    def order(self) -> Indices:
        """The solutions from the lowest objective up; of equals the one found first."""
        return np.lexsort((self.found_at, self.objectives))

    @cached_property
    def table(self) -> Indices:
        """The row of every question's answer as an array of the lattice's shape, -1 where nothing is known."""
        if self.lattice.size > MOST_DENSE:
            raise InputError(
                f"answers: a table of all questions holds at most {MOST_DENSE:,}, but there are {self.lattice.size:,}: "
                "ask for the ones that matter with `row`"
            )
        last = len(self.objectives)
        # Ranks by objective instead of objectives: a minimum of ranks also settles which of two equals counts.
        ranks = np.full(self.lattice.shape, last, dtype=np.int64)
        strictest = self.lattice.strictest(self.violations[self.order])
        inside = np.flatnonzero((strictest < np.array(self.lattice.shape)).all(axis=1))
        if ranks.ndim:
            np.minimum.at(ranks, tuple(strictest[inside].T), inside)
        elif len(inside):  # one question
            ranks[()] = 0
        # Whoever answers a question answers every looser one, so the best so far is carried along each axis in turn.
        for axis in range(ranks.ndim):
            np.minimum.accumulate(ranks, axis=axis, out=ranks)
        # Rank `last` stands for no solution; the entry appended to the order turns it into NOBODY.
        found: Indices = np.asarray(np.append(self.order, NOBODY)[ranks])
        found.flags.writeable = False
        return found

    def row(self, places: ArrayLike) -> Indices:
        """The rows of the answers of questions, a (batch, constraints) array of places."""
        asked = np.atleast_2d(np.asarray(places, dtype=np.int64))
        if asked.shape[1] != len(self.lattice.shape) or (asked < 0).any() or (asked >= self.lattice.shape).any():
            raise InputError(
                f"answers: a question has one place for each of {', '.join(self.lattice.names)}, each below "
                f"{self.lattice.shape}, but they were {asked.tolist()[:3]}"
            )
        if self.lattice.size <= MOST_DENSE:
            return np.asarray(self.table[tuple(asked.T)])
        return np.array([self.within(each) for each in self.lattice.tolerances_of(asked)], dtype=np.int64)

    def f(self, places: ArrayLike) -> Array:
        """The objectives of the answers of questions, infinite where nothing is known."""
        return np.append(self.objectives, np.inf)[self.row(places)]

    def within(self, tolerances: Array) -> int:
        """The row of the best solution within any tolerances, or -1."""
        inside = np.all(self.violations <= tolerances, axis=1)[self.order]
        return int(self.order[np.argmax(inside)]) if inside.any() else NOBODY


def _once(rows: Indices) -> Indices:
    """The rows in their order, each once."""
    return rows[np.sort(np.unique(rows, axis=0, return_index=True)[1])]
