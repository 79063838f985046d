"""Levels to bins to cells: how violations are cut into the places of the map."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mapelites.errors import InputError
from mapelites.problem import Problem

PAPER_LEVELS = (0.0, 1e-4, 1e-2, 1.0)
# What a problem has that nobody chose levels for: the first of these whose cells can be numbered.
DEFAULT_LEVELS = (PAPER_LEVELS, (0.0, 1e-4, 1.0), (0.0, 1e-4), (0.0,))
MOST_LEVELS = 40
MOST_CELLS = 2**63 - 1  # cells have 64-bit numbers

Levels = tuple[float, ...]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Tolerances:
    """The tolerance levels of every constraint of a problem.

    >>> tolerances = Tolerances(("g1",), ((0, 0.5),))
    >>> tolerances.labels(0)
    ('{0}', '(0, 0.5]', '(0.5, ∞)')
    >>> tolerances.bins([[0.5]])
    array([[1]])
    """

    names: tuple[str, ...]
    levels: tuple[Levels, ...]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.levels):
            raise InputError(
                f"tolerances: {len(self.names)} constraints need {len(self.names)} lists of levels, "
                f"but there were {len(self.levels)}"
            )
        levels = tuple(check_levels(name, each) for name, each in zip(self.names, self.levels, strict=True))
        object.__setattr__(self, "levels", levels)
        if self.cells > MOST_CELLS:
            raise InputError(
                f"tolerances: the levels of {', '.join(self.names)} make {self.cells:,} cells, "
                f"but a map has at most {MOST_CELLS:,}; take fewer levels"
            )

    @classmethod
    def default(cls, problem: Problem) -> Tolerances:
        """The paper's levels for every constraint (section 4), or as many of them as so many constraints allow."""
        return cls.same(problem, default_levels(len(problem.constraints)))

    @classmethod
    def same(cls, problem: Problem, levels: Iterable[float]) -> Tolerances:
        """One set of levels for every constraint."""
        names = tuple(constraint.name for constraint in problem.constraints)
        return cls(names, (tuple(levels),) * len(names))

    @classmethod
    def of(cls, problem: Problem, levels: Mapping[str, Iterable[float]]) -> Tolerances:
        """Levels by constraint name; one that is not named gets those of `default`."""
        names = tuple(constraint.name for constraint in problem.constraints)
        for name in levels:
            if name not in names:
                raise InputError(f"tolerances: {problem.name} has constraints {', '.join(names)}, but not {name!r}")
        default = default_levels(len(names))
        return cls(names, tuple(tuple(levels.get(name, default)) for name in names))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of bins of each constraint."""
        return tuple(len(levels) + 1 for levels in self.levels)

    @property
    def cells(self) -> int:
        """The number of cells of the whole map."""
        return math.prod(self.shape)

    def bins(self, violations: ArrayLike) -> Indices:
        """The bin of each violation: (batch, constraints) numbers to (batch, constraints) indices."""
        values = np.asarray(violations, dtype=np.float64)
        columns = [np.searchsorted(levels, values[:, i], side="left") for i, levels in enumerate(self.levels)]
        return np.stack(columns, axis=1).astype(np.int64)

    def cell(self, bins: ArrayLike) -> Indices:
        """The flat index of the cell of each row of bins."""
        columns = np.asarray(bins, dtype=np.int64).T
        return np.asarray(np.ravel_multi_index(tuple(columns), self.shape), dtype=np.int64)

    def bins_of(self, cells: ArrayLike) -> Indices:
        """The bins of each flat cell index, the inverse of `cell`."""
        return np.stack(np.unravel_index(np.asarray(cells, dtype=np.int64), self.shape), axis=-1)

    def labels(self, constraint: int) -> tuple[str, ...]:
        """The bins of one constraint in words, `{0}`, `(0, 0.0001]` and so on."""
        levels = self.levels[constraint]
        inner = [f"({short(low)}, {short(high)}]" for low, high in pairwise(levels)]
        return ("{0}", *inner, f"({short(levels[-1])}, ∞)")

    def possible(self, problem: Problem, bins: Mapping[int, ArrayLike] | None = None) -> NDArray[np.bool_]:
        """Which cells can exist, given the relations between constraints: an array of shape `shape`.

        Constraints whose `bins` are given have no axis of their own: the array says whether any cell can exist with
        one of these bins. So a part of a map can be asked for that is too large as a whole.
        """
        named = {i: np.asarray(each, dtype=np.int64) for i, each in (bins or {}).items()}
        shown = [i for i in range(len(self.names)) if i not in named]
        mask = np.ones([self.shape[i] for i in shown], dtype=bool)
        for members, part in self._related(problem):
            for axis, i in enumerate(members):
                if i in named:
                    part = np.asarray(np.take(part, named[i], axis=axis).any(axis=axis, keepdims=True))
            # Members ascend and so do the axes, so the sizes alone put each in its place.
            mask &= part.reshape([self.shape[i] if i in members else 1 for i in shown])
        return mask

    def possible_cells(self, problem: Problem) -> int:
        """How many cells can exist, given the relations between constraints."""
        found = self.cells
        for members, part in self._related(problem):
            found = found // math.prod(self.shape[i] for i in members) * int(part.sum())
        return found

    def _related(self, problem: Problem) -> list[tuple[tuple[int, ...], NDArray[np.bool_]]]:
        """The groups of constraints that depend on each other, with which of their bins can be together."""
        groups: list[set[int]] = []
        pairs = [(self.names.index(each.first), self.names.index(each.second), each) for each in problem.relations]
        for i, j, _ in pairs:
            met = [group for group in groups if i in group or j in group]
            groups = [group for group in groups if group not in met] + [{i, j}.union(*met)]
        found = []
        for group in groups:
            members = tuple(sorted(group))
            mask = np.ones([self.shape[i] for i in members], dtype=bool)
            for i, j, relation in pairs:
                if i in group:
                    together = np.zeros(mask.shape, dtype=bool)
                    view = np.moveaxis(together, (members.index(i), members.index(j)), (0, 1))
                    for a, b in self._pairs(i, j, relation.total, problem):
                        view[a, b] = True
                    mask &= together
            found.append((members, mask))
        return found

    def _pairs(self, i: int, j: int, total: float, problem: Problem) -> set[tuple[int, int]]:
        """The pairs of bins met when the first constraint's value runs over all real numbers."""
        inequality_i, inequality_j = i < problem.inequalities, j < problem.inequalities
        ends = {0.0}
        for level in (*self.levels[i], *self.levels[j]):
            ends |= {level, -level, total - level, total + level}
        edges = sorted(ends)
        between = [(a + b) / 2 for a, b in pairwise(edges)]
        found = set()
        for value in (*edges, *between, edges[0] - 1.0, edges[-1] + 1.0):
            other = total - value
            a = max(0.0, value) if inequality_i else abs(value)
            b = max(0.0, other) if inequality_j else abs(other)
            found.add((int(np.searchsorted(self.levels[i], a)), int(np.searchsorted(self.levels[j], b))))
        return found

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """All levels in one array, padded with infinity: what the compiled loop searches."""
        width = max(len(levels) for levels in self.levels)
        table = np.full((len(self.levels), width), np.inf)
        for row, levels in zip(table, self.levels, strict=True):
            row[: len(levels)] = levels
        return table


def default_levels(constraints: int) -> Levels:
    """The levels of each of so many constraints where nobody chose any.

    >>> default_levels(4), default_levels(38)
    ((0.0, 0.0001, 0.01, 1.0), (0.0, 0.0001))
    """
    fitting = (levels for levels in DEFAULT_LEVELS if (len(levels) + 1) ** constraints <= MOST_CELLS)
    return next(fitting, DEFAULT_LEVELS[-1])


def check_levels(name: str, levels: Iterable[float]) -> Levels:
    """The levels of one constraint, with 0 put in front where it is missing; or an error in words."""
    values = tuple(_number(name, level) for level in levels)
    for value in values:
        if not np.isfinite(value):
            raise InputError(f"{name}: a level must be a finite number, but one was {value}")
        if value < 0:
            raise InputError(f"{name}: a level must not be negative, but one was {short(value)}")
    for low, high in pairwise(values):
        if low == high:
            raise InputError(f"{name}: level {short(low)} is there twice")
        if low > high:
            raise InputError(f"{name}: levels must ascend, but {short(low)} comes before {short(high)}")
    if not values or values[0] > 0:
        values = (0.0, *values)
    if len(values) > MOST_LEVELS:
        raise InputError(f"{name}: at most {MOST_LEVELS} levels are possible, but there were {len(values)}")
    return (0.0, *values[1:])


def _number(name: str, level: object) -> float:
    try:
        if isinstance(level, (bool, complex)):
            raise TypeError
        return float(level)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: a level must be a number, but one was {level!r}") from None


def short(value: float) -> str:
    """A level as people write it: the shortest text that reads back as the same number."""
    text = repr(float(value))
    plain = text.removesuffix(".0")
    if ("e" not in text and 1e-3 <= abs(value) < 1e5) or value == 0:
        return plain
    mantissa, exponent = f"{value:e}".split("e")
    for digits in range(17):
        mantissa, exponent = f"{value:.{digits}e}".split("e")
        if float(f"{mantissa}e{exponent}") == value:
            break
    return f"{mantissa}e{int(exponent)}"
