"""Levels to bins to cells: how violations are cut into the places of the map."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mapelites.core.errors import InputError, unknown
from mapelites.core.grouping import Places, axes_of, axis_of_each, check_places, grouped_problem, grouping, largest
from mapelites.core.levels import (
    MOST_CELLS,
    MOST_LEVELS,
    PAPER_LEVELS,
    Levels,
    check_levels,
    default_levels,
    levels_by_default,
    read_level,
    short,
)
from mapelites.core.problem import MOST_CONSTRAINTS, Array, Constraint, Kind, Problem

__all__ = [
    "FINER", "GRID_RULES", "MOST_CELLS", "MOST_LEVELS", "PAPER_LEVELS", "SATISFIED", "GridRule", "Indices", "Levels",
    "Tolerances", "check_levels", "default_levels", "searched_levels", "short",
]  # fmt: skip

SATISFIED = "satisfied"  # the one bin of a hard constraint
GridRule = Literal["levels", "finer"]  # what a search tells apart: the levels themselves, as in version 0.1, or more
FINER: GridRule = "finer"
GRID_RULES: tuple[GridRule, ...] = get_args(GridRule)
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Tolerances:
    """The tolerance levels of every constraint of a problem.

    >>> tolerances = Tolerances(("g1",), ((0, 0.5),))
    >>> tolerances.labels(0)
    ('{0}', '(0, 0.5]', '(0.5, ∞)')
    >>> tolerances.bins([[0.5]])
    array([[1]])

    A constraint in `hard` is satisfied by every elite, so it has one bin and is no axis. Its levels are only those
    of what is satisfied: 0, and for an equality the problem's tolerance.

    >>> Tolerances(("g1", "g2"), ((0, 0.5), (0,)), hard=("g2",)).shape
    (3, 1)

    Where constraints are grouped, a name is that of an axis, and `places` are the constraints of each.

    >>> Tolerances(("all",), ((0, 0.5),), places=((0, 1),)).bins([[0.0, 0.7]])
    array([[2]])
    """

    names: tuple[str, ...]
    levels: tuple[Levels, ...]
    hard: tuple[str, ...] = ()
    places: Places = ()

    def __post_init__(self) -> None:
        if len(self.names) != len(self.levels):
            raise InputError(
                f"tolerances: {len(self.names)} constraints need {len(self.names)} lists of levels, "
                f"but there were {len(self.levels)}"
            )
        if len(self.names) > MOST_CONSTRAINTS:
            raise InputError(
                f"tolerances: there can be at most {MOST_CONSTRAINTS:,} constraints, but there were {len(self.names):,}"
            )
        levels = tuple(check_levels(name, each) for name, each in zip(self.names, self.levels, strict=True))
        for name in self.hard:
            if name not in self.names:
                raise unknown("tolerances: a hard constraint", name, self.names)
        object.__setattr__(self, "hard", tuple(name for name in self.names if name in self.hard))
        object.__setattr__(self, "levels", levels)
        if self.cells > MOST_CELLS:
            raise InputError(
                f"tolerances: the levels of {', '.join(self.names)} make {self.cells:,} cells, "
                f"but a map has at most {MOST_CELLS:,}; take fewer levels"
            )

    @classmethod
    def default(cls, problem: Problem) -> Tolerances:
        """0, 1, 2, 5 and 10 % of each limit or scale; the paper's levels (section 4) where there is neither."""
        names, places = grouping(problem)
        return cls(names, levels_by_default(axes_of(problem, names, places)), places=places)

    @classmethod
    def same(cls, problem: Problem, levels: Iterable[float]) -> Tolerances:
        """One set of levels for every constraint."""
        names, places = grouping(problem)
        return cls(names, (tuple(levels),) * len(names), places=places)

    @classmethod
    def of(
        cls,
        problem: Problem,
        levels: Mapping[str, Iterable[float | str]],
        hard: Iterable[str] = (),
        groups: Mapping[str, Sequence[str]] | None = None,
    ) -> Tolerances:
        """Levels by constraint name, as numbers, "680 psi" or "5%"; one that is not named gets those of `default`.

        `groups` are constraints that share an axis, by its name; `mapelites.core.grouping` says what holds without.
        """
        names, places = grouping(problem, groups)
        for name in levels:
            if name not in names:
                raise InputError(f"tolerances: {problem.name} has constraints {', '.join(names)}, but not {name!r}")
        axes = axes_of(problem, names, places)
        found = [
            tuple(read_level(each, level) for level in levels[each.name]) if each.name in levels else default
            for each, default in zip(axes, levels_by_default(axes), strict=True)
        ]
        return cls(names, tuple(found), places=places).with_hard(problem, hard)

    def with_hard(self, problem: Problem, hard: Iterable[str]) -> Tolerances:
        """The same levels with these constraints hard, whose levels become those of what is satisfied."""
        names = tuple(hard)
        for name in names:
            if name not in self.names:
                raise unknown("tolerances: a hard constraint", name, self.names)
        levels = (
            _satisfied(problem, each) if each.name in names else own
            for each, own in zip(self.axes(problem), self.levels, strict=True)
        )
        return Tolerances(self.names, tuple(levels), names, self.places)

    def searched(self, problem: Problem, search: str) -> Tolerances:
        """The levels that a search tells apart, of which those shown are a part.

        No constraint is hard there: what breaks it may be on the way to better elites, so it has the levels of what is
        satisfied. The paper's searches have no others. The rest always tell apart what an equality's own tolerance
        allows: else an answer that holds the equalities is lost to a better one in the same bin that does not.
        """
        axes = self.axes(problem)
        plain = [
            _satisfied(problem, each) if each.name in self.hard else own
            for each, own in zip(axes, self.levels, strict=True)
        ]
        if search.startswith("paper-"):
            return Tolerances(self.names, tuple(plain), places=self.places)
        finer = [
            tuple(sorted({*own, problem.equality_tolerance})) if each.kind == "equality" else own
            for each, own in zip(axes, plain, strict=True)
        ]
        small = all(len(levels) <= MOST_LEVELS for levels in finer)
        fits = small and math.prod(len(levels) + 1 for levels in finer) <= MOST_CELLS
        return Tolerances(self.names, tuple(finer if fits else plain), places=self.places)

    def axes(self, problem: Problem) -> tuple[Constraint, ...]:
        """The constraint that stands for each axis, of a group its first."""
        return axes_of(problem, self.names, self.places)

    def problem_by_axis(self, problem: Problem) -> Problem:
        """The problem as the map shows it, with one constraint for each axis."""
        return grouped_problem(problem, self.names, self.places) if self.places else problem

    def largest(self, violations: Array) -> Array:
        """(batch, constraints) violations to (batch, axes): of a group the largest."""
        return largest(violations, self.places)

    def by_constraint(self, by_axis: NDArray[Any]) -> NDArray[Any]:
        """One number for each axis to one for each constraint: those of a group have that of their axis.

        >>> Tolerances(("all",), ((0, 0.5),), places=((0, 1),)).by_constraint(np.array([0.5]))
        array([0.5, 0.5])
        """
        return by_axis[..., axis_of_each(self.places)] if self.places else by_axis

    def with_questions(self, questions: Iterable[Iterable[float]]) -> Tolerances:
        """These levels and the tolerances of questions, so that their answers have cells; or these, if not all fit."""
        rows = [tuple(each) for each in questions]
        for row in rows:
            if len(row) != len(self.names):
                raise InputError(
                    f"questions: there must be a tolerance for each of {', '.join(self.names)}, but one had {len(row)}"
                )
        finer = [tuple(sorted({*own, *(row[i] for row in rows)})) for i, own in enumerate(self.levels)]
        small = all(len(levels) <= MOST_LEVELS for levels in finer)
        fits = small and math.prod(len(levels) + 1 for levels in finer) <= MOST_CELLS
        return Tolerances(self.names, tuple(finer), self.hard, self.places) if rows and fits else self

    @property
    def negotiable(self) -> tuple[int, ...]:
        """The constraints that are not hard, by their places."""
        return tuple(i for i, name in enumerate(self.names) if name not in self.hard)

    @cached_property
    def allowance(self) -> Array:
        """The most that each constraint may be violated: the last level, of a hard one what counts as satisfied."""
        found = np.array([levels[-1] for levels in self.levels])
        found.flags.writeable = False
        return found

    def check_for(self, problem: Problem) -> None:
        """Refuse a problem that has other constraints than these levels are for."""
        names = tuple(constraint.name for constraint in problem.constraints)
        if self.places:
            check_places(problem, self.names, self.places)
            names = tuple(
                name if len(each) > 1 else names[each[0]] for name, each in zip(self.names, self.places, strict=True)
            )
        if self.names != names:
            raise InputError(
                f"tolerances: {problem.title or problem.name} has constraints {', '.join(names)}, "
                f"but the levels were for {', '.join(self.names)}"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of bins of each constraint."""
        pairs = zip(self.names, self.levels, strict=True)
        return tuple(1 if name in self.hard else len(levels) + 1 for name, levels in pairs)

    @cached_property
    def last_bins(self) -> Indices:
        """The last bin of each constraint that lies within its allowance."""
        return np.array([max(size - 2, 0) for size in self.shape], dtype=np.int64)

    @property
    def cells(self) -> int:
        """The number of cells of the whole map."""
        return math.prod(self.shape)

    def bins(self, violations: ArrayLike) -> Indices:
        """The bin of each violation: (batch, constraints) numbers to (batch, constraints) indices."""
        values = self.largest(np.asarray(violations, dtype=np.float64))
        found = np.zeros(values.shape, dtype=np.int64)
        for i in self.negotiable:
            found[:, i] = np.searchsorted(self.levels[i], values[:, i], side="left")
        return found

    def cell(self, bins: ArrayLike) -> Indices:
        """The flat index of the cell of each row of bins."""
        if not self.names:  # one cell
            return np.zeros(len(np.asarray(bins)), dtype=np.int64)
        columns = np.asarray(bins, dtype=np.int64).T
        return np.asarray(np.ravel_multi_index(tuple(columns), self.shape), dtype=np.int64)

    def bins_of(self, cells: ArrayLike) -> Indices:
        """The bins of each flat cell index, the inverse of `cell`."""
        if not self.names:
            return np.zeros((np.size(cells), 0), dtype=np.int64)
        return np.stack(np.unravel_index(np.asarray(cells, dtype=np.int64), self.shape), axis=-1)

    def labels(self, constraint: int) -> tuple[str, ...]:
        """The bins of one constraint in words, `{0}`, `(0, 0.0001]` and so on."""
        levels = self.levels[constraint]
        if self.names[constraint] in self.hard:
            return (SATISFIED,)
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

    def can_exist(self, problem: Problem, bins: Indices) -> NDArray[np.bool_]:
        """Which rows of bins, a (batch, constraints) array, are those of a cell that can exist."""
        found = np.ones(len(bins), dtype=bool)
        for members, part in self._related(problem):
            found &= part[tuple(bins[:, i] for i in members)]
        return found

    def _related(self, problem: Problem) -> list[tuple[tuple[int, ...], NDArray[np.bool_]]]:
        """The groups of constraints that depend on each other, with which of their bins can be together."""
        axes = self.axes(problem)
        groups: list[set[int]] = []
        pairs = [
            (self.names.index(each.first), self.names.index(each.second), each)
            for each in problem.relations
            if each.first in self.names and each.second in self.names
        ]
        for i, j, _ in pairs:
            met = [group for group in groups if i in group or j in group]
            groups = [group for group in groups if group not in met] + [{i, j}.union(*met)]
        found = []
        for group in groups:
            members = tuple(sorted(group))
            mask = np.ones([self.shape[i] for i in members], dtype=bool)
            for i, j, relation in pairs:
                if i in group:
                    kinds = axes[i].kind, axes[j].kind
                    together = _together(self.levels[i], self.levels[j], kinds, relation.total)
                    for axis, k in enumerate((i, j)):
                        if self.shape[k] == 1:  # hard: satisfied is every bin but the last
                            within = np.take(together, range(len(self.levels[k])), axis)
                            together = np.asarray(within.any(axis, keepdims=True))
                    # The axes of the two come first in this view, so the pairs of their bins fit all the others.
                    view = np.moveaxis(mask, (members.index(i), members.index(j)), (0, 1))
                    view &= together.reshape(*together.shape, *[1] * (mask.ndim - 2))
            found.append((members, mask))
        return found

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """All levels in one array, padded with infinity: what the compiled loop searches."""
        width = max((len(levels) for levels in self.levels), default=1)
        table = np.full((len(self.levels), width), np.inf)
        for i in self.negotiable:
            table[i, : len(self.levels[i])] = self.levels[i]
        return table


class _Values(NamedTuple):
    """Numbers between two ends, each of which may belong to them.

    A finite end is a fraction, so that sums are exact; no sum is infinite, so it makes no difference whether an
    infinite end belongs to them.
    """

    low: Fraction | float
    high: Fraction | float
    with_low: bool
    with_high: bool

    def can_add_up(self, other: _Values, total: Fraction) -> bool:
        """Whether one of these and one of the others have this sum."""
        least, most = self.low + other.low, self.high + other.high
        above = least < total or (least == total and self.with_low and other.with_low)
        below = total < most or (total == most and self.with_high and other.with_high)
        return above and below


def _values_of(levels: Levels, kind: Kind) -> list[tuple[_Values, ...]]:
    """The values of a constraint that fall in each of its bins, which for an equality are on both sides of 0."""
    zero = Fraction(0)
    ends: list[Fraction | float] = [*map(Fraction, levels), math.inf]
    found: list[tuple[_Values, ...]] = [(_Values(-math.inf if kind == "inequality" else zero, zero, True, True),)]
    for low, high in pairwise(ends):
        above = _Values(low, high, with_low=False, with_high=True)
        below = _Values(-high, -low, with_low=True, with_high=False)
        found.append((above,) if kind == "inequality" else (above, below))
    return found


@lru_cache(maxsize=256)
def _together(first: Levels, second: Levels, kinds: tuple[Kind, Kind], total: float) -> NDArray[np.bool_]:
    """Which bins of two constraints can be met at once when their values always add up to `total`."""
    rows, columns, exact = _values_of(first, kinds[0]), _values_of(second, kinds[1]), Fraction(total)
    mask = np.array([[any(a.can_add_up(b, exact) for a in row for b in column) for column in columns] for row in rows])
    mask.flags.writeable = False
    return mask


def searched_levels(problem: Problem, tolerances: Tolerances, search: str, grid: GridRule) -> Tolerances:
    """The levels that a search tells apart, by the rule that it was begun with."""
    if grid not in GRID_RULES:
        raise unknown("the grid of a search", grid, GRID_RULES)
    return tolerances if grid == "levels" else tolerances.searched(problem, search)


def _satisfied(problem: Problem, constraint: Constraint) -> Levels:
    """The levels of what counts as satisfied."""
    return (0.0,) if constraint.kind == "inequality" else tuple(sorted({0.0, problem.equality_tolerance}))
