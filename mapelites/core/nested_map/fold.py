"""Folds a map of up to four constraints into rows and columns, and says which cell lies at which place.

The order of the constraints decides where they sit: the first is the outer one along x, the second the outer
one along y, the third and the fourth the inner ones. Further constraints are folded away, and so is every one that
is named with a semicolon before it, and every hard one: a place then shows the best solution that violates these by no
more than somebody allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.core.archive import Archive
from mapelites.core.errors import InputError
from mapelites.core.nested_map.reading import NO_ROW, Reading, best_rows, violations_read
from mapelites.core.problem import Array, Problem
from mapelites.core.tolerances import Tolerances

SHOWN = 4
AWAY = ";"  # before the name of a constraint that is taken off the map; no name has one
EMPTY = NO_ROW
MOST_EQUAL = 1_000  # places that show the same best solution, of which the least relaxed is told


@dataclass(frozen=True)
class Axis:
    """One direction of the folded map: the outer constraint, then the inner one; both may be missing."""

    constraints: tuple[int, ...]
    bins: tuple[int, ...]

    @property
    def length(self) -> int:
        """The number of rows or columns."""
        return int(np.prod(self.bins, dtype=int))

    @property
    def inner(self) -> int:
        """The number of bins within one outer bin."""
        return self.bins[1] if len(self.bins) > 1 else 1

    def place(self, bins: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row or column of each row of bins, (batch, constraints) to (batch,)."""
        place = np.zeros(len(bins), dtype=np.int64)
        for constraint, size in zip(self.constraints, self.bins, strict=True):
            place = place * size + bins[:, constraint]
        return place


@dataclass(frozen=True)
class Fold:
    """Where the cells of tolerances lie on the folded map."""

    tolerances: Tolerances
    order: tuple[int, ...]
    limits: tuple[float, ...] = ()  # the most that each may be violated where it is folded away; none for any
    above: tuple[float, ...] = ()  # and by how much it must be violated more, in one block read exactly; none for 0
    shown: int = SHOWN  # how many of them, the first ones, are axes
    reading: Reading = "exact"

    def __post_init__(self) -> None:
        if sorted(self.order) != list(range(len(self.tolerances.names))):
            raise InputError(
                f"axes: every constraint of {', '.join(self.tolerances.names)} must be there once, "
                f"but the order was {self.order}"
            )

    @classmethod
    def of(
        cls,
        tolerances: Tolerances,
        names: Sequence[str] | None = None,
        limits: Sequence[float] = (),
        reading: Reading = "exact",
    ) -> Fold:
        """The fold that puts the named constraints first, in this order, then the others, and last those taken off.

        A hard constraint has no axis, so it is always taken off, unless there is no other one.

        >>> fold = Fold.of(Tolerances(("g1", "g2", "h1"), ((0, 1),) * 3), ["h1", ";g1"])
        >>> fold.order, fold.hidden
        ((2, 1, 0), (0,))
        """
        known = tolerances.names
        for name in names or ():
            if name.removeprefix(AWAY) not in known:
                raise InputError(f"axes: a constraint must be one of {', '.join(known)}, but it was {name!r}")
        named = dict.fromkeys(names or ())
        away = [known.index(name.removeprefix(AWAY)) for name in named if name.startswith(AWAY)]
        hard = [i for i in range(len(known)) if i not in tolerances.negotiable and tolerances.negotiable]
        if known and (len(away) == len(known) or {*away, *hard} == set(range(len(known)))):
            raise InputError(f"axes: a map needs one constraint at least, but all of {', '.join(known)} were taken off")
        first = [known.index(name) for name in named if name in known and AWAY + name not in named]
        first = [i for i in first if i not in hard]
        others = [i for i in range(len(known)) if i not in first and i not in away and i not in hard]
        shown = min(SHOWN, len(first) + len(others))
        away = [i for i in away if i not in hard]
        return cls(tolerances, (*first, *others, *away, *hard), tuple(limits), (), shown, reading)

    @property
    def blocks(self) -> tuple[int, int]:
        """How many blocks there are up and across: outer bins that have inner ones; (1, 1) where nothing is nested."""
        if self.shown < 3:
            return 1, 1
        return self.y.bins[0] if len(self.y.bins) > 1 else 1, self.x.bins[0]

    def block(self, up: int, right: int) -> Fold:
        """One block alone: its outer bins are held, its inner ones are the axes."""
        rows, columns = self.blocks
        if self.shown < 3 or not (0 <= right < columns and 0 <= up < rows):
            raise InputError(
                f"block: the map has {rows} rows and {columns} columns of blocks, but it was {up}, {right}"
            )
        limits = list(self.limits or [np.inf] * len(self.order))
        above = list(self.above or [-np.inf] * len(self.order))
        kept = []
        for axis, outer in ((self.x, right), (self.y, up)):
            if len(axis.constraints) > 1:
                i = axis.constraints[0]
                levels = self.tolerances.levels[i]
                limits[i] = levels[outer] if outer < len(levels) else np.inf
                above[i] = levels[outer - 1] if self.reading == "exact" and outer else -np.inf
            # The inner constraint of each direction is an axis of the block; the outer one is folded away at its bin.
            kept.append(axis.constraints[-1])
        rest = [i for i in self.order if i not in kept]
        return Fold(self.tolerances, (*kept, *rest), tuple(limits), tuple(above), len(kept), self.reading)

    def summary(self) -> Fold:
        """The outer bins alone: a place is a whole block, and shows the best of it within the inner allowances."""
        inner = [axis.constraints[1] for axis in (self.x, self.y) if len(axis.constraints) > 1]
        limits = list(self.limits or [np.inf] * len(self.order))
        for i in inner:
            limits[i] = self.tolerances.levels[i][-1]
        rest = [i for i in self.order if i not in inner]
        return Fold(self.tolerances, (*rest, *inner), tuple(limits), self.above, self.shown - len(inner), self.reading)

    @cached_property
    def x(self) -> Axis:
        """The axis from left to right."""
        # The first and the third constraint lie along x, the second and the fourth along y.
        return self._axis(self.order[0 : self.shown : 2])

    @cached_property
    def y(self) -> Axis:
        """The axis from the bottom up."""
        return self._axis(self.order[1 : self.shown : 2])

    @property
    def hidden(self) -> tuple[int, ...]:
        """The constraints that are folded away."""
        return self.order[self.shown :]

    @cached_property
    def counted(self) -> dict[int, range]:
        """The bins of each constraint that is folded away in which something may count."""
        return {i: self._counted(i) for i in self.hidden}

    def _counted(self, constraint: int) -> range:
        size, levels = self.tolerances.shape[constraint], self.tolerances.levels[constraint]
        if size == 1 or not self.limits:
            return range(size)
        # A bin counts where some violation in it exceeds `above` and is at most the limit; bins are closed on the
        # right.
        low = int(np.searchsorted(levels, self.above[constraint], side="right")) if self.above else 0
        return range(low, int(np.searchsorted(levels, self.limits[constraint], side="left")) + 1)

    def counts(self, violations: Array, satisfied: Array) -> NDArray[np.bool_]:
        """Which of these rows of violations are among those that are shown."""
        least, most = self._ends(satisfied)
        return np.asarray(np.all((violations <= most) & (violations > least), axis=1))

    def _ends(self, satisfied: Array) -> tuple[Array, Array]:
        """What the violations must exceed, and the most they may be, for every constraint."""
        size = len(self.order)
        least, most = np.full(size, -np.inf), np.full(size, np.inf)
        for i in self.hidden:
            if self.tolerances.names[i] in self.tolerances.hard:
                most[i] = satisfied[i]
            elif self.limits:
                most[i] = self.limits[i]
            if self.above:
                least[i] = self.above[i]
        return least, most

    def tolerances_at(self, satisfied: Array) -> Array:
        """The most that each place allows where it is read up to, (rows, columns, constraints)."""
        _, most = self._ends(satisfied)
        found = np.tile(most, (*self.shape, 1))
        for axis, places in zip((self.y, self.x), np.indices(self.shape), strict=True):
            for constraint, size in zip(reversed(axis.constraints), reversed(axis.bins), strict=True):
                # The last bin has no upper level: whoever stands there allows anything.
                uppers = np.array([*self.tolerances.levels[constraint], np.inf])
                places, bins = np.divmod(places, size)
                found[..., constraint] = uppers[bins]
        return np.asarray(np.maximum(found, satisfied))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.y.length, self.x.length

    def places(self, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The row and the column of each cell."""
        bins = self.tolerances.bins_of(cells)
        return self.y.place(bins), self.x.place(bins)

    def place(self, cell: int) -> tuple[int, int]:
        """The row and the column of one cell."""
        row, column = self.places(np.array([cell]))
        return int(row[0]), int(column[0])

    def rows_of(self, archive: Archive) -> NDArray[np.int64]:
        """For every place, the row of what it shows among `archive.everything()`, or EMPTY."""
        least, most = self._ends(archive.problem.feasible_up_to)
        found, kept = archive.everything(), None
        if np.isfinite(least).any():
            kept = np.flatnonzero(np.all(found.violations > least, axis=1))
            found = found.rows(kept)
        violations = violations_read(found.violations, archive.problem, self.reading)
        axes = (*self.y.constraints, *self.x.constraints)
        grid = best_rows(found, violations, self.tolerances, axes, most, self.reading)
        rows = grid.reshape(self.shape)
        return rows if kept is None else np.asarray(np.append(kept, NO_ROW)[rows], dtype=np.int64)

    def best_place(self, archive: Archive, at: NDArray[np.int64]) -> list[int] | None:
        """Where the best of what is shown within the allowances is, least relaxed; beyond them where none is within."""
        shown = at != EMPTY
        within = shown & ~self.beyond()
        places = np.argwhere(within if within.any() else shown)
        if not len(places):
            return None
        f = archive.everything().f[at[tuple(places.T)]]
        # Read up to, one design shows at every looser place too; the strictest of these is where it belongs.
        equal = places[f == f.min()][:MOST_EQUAL]
        relaxed = [sum(self.bins_at(*place)) for place in equal.tolist()]
        return [int(each) for each in equal[int(np.argmin(relaxed))]]

    def bins_at(self, row: int, column: int) -> list[int]:
        """The bins at a place; of what is folded away the first that counts."""
        rows, columns = self.shape
        if not (0 <= row < rows and 0 <= column < columns):
            raise InputError(f"cell: the map has {rows} rows and {columns} columns, but it was {row}, {column}")
        bins = [0] * len(self.order)
        for i, counted in self.counted.items():
            bins[i] = counted.start
        for axis, place in ((self.x, column), (self.y, row)):
            for constraint, size in zip(reversed(axis.constraints), reversed(axis.bins), strict=True):
                place, bins[constraint] = divmod(place, size)
        return bins

    def cell_at(self, archive: Archive, row: int, column: int) -> int:
        """The cell at a place: where constraints are folded away that of what is shown there, if anything is."""
        bins = self.bins_at(row, column)
        if self.hidden and self.reading == "exact":
            shown = int(self.rows_of(archive)[row, column])
            if shown != EMPTY:
                violations = archive.everything().violations[[shown]]
                return int(self.tolerances.cell(self.tolerances.bins(violations))[0])
        return int(self.tolerances.cell([bins])[0])

    def impossible(self, archive: Archive) -> NDArray[np.bool_]:
        """Which places no solution can have."""
        kept = sorted(self.order[: self.shown])
        possible = archive.possible_with(self.counted)
        # `possible` has its axes in the constraints' own order; the map's rows and columns want the fold's.
        arranged = np.transpose(possible, [kept.index(i) for i in (*self.y.constraints, *self.x.constraints)])
        if self.reading == "up-to":
            for axis in range(arranged.ndim):
                arranged = np.logical_or.accumulate(arranged, axis=axis)
        return np.asarray(~arranged.reshape(self.shape) & (self.rows_of(archive) == EMPTY))

    def beyond(self) -> NDArray[np.bool_]:
        """The places that allow more of some constraint than its last level, its allowance."""
        parts = []
        for axis in (self.y, self.x):
            last = np.zeros(axis.bins, dtype=bool)
            for i in range(len(axis.bins)):
                # The last bin of any constraint of this direction lies beyond its allowance.
                last[(slice(None),) * i + (-1,)] = True
            parts.append(last.reshape(-1))
        return np.asarray(parts[0][:, None] | parts[1][None, :])

    def feasible_boxes(self, problem: Problem) -> list[tuple[int, int, int, int]]:
        """The places that hold nothing but feasible solutions: boxes (left, bottom, right, top)."""
        feasible_up_to = problem.feasible_up_to
        if any(self._breaks(problem, i) for i in self.hidden):
            return []
        runs = [self._feasible_runs(axis, feasible_up_to) for axis in (self.x, self.y)]
        return [(left, bottom, right, top) for left, right in runs[0] for bottom, top in runs[1]]

    def _breaks(self, problem: Problem, hidden: int) -> bool:
        """Whether a solution that keeps all constraints shown can break this one, which is not, and count."""
        if self.limits and self.limits[hidden] <= problem.feasible_up_to[hidden]:
            return False
        counted, kept = self.counted[hidden], self._kept(hidden, problem.feasible_up_to)
        broken = range(max(counted.start, kept), counted.stop)
        if not broken:
            return False
        possible = self.tolerances.possible(problem, {**self.counted, hidden: broken})
        shown = sorted(self.order[: self.shown])
        return bool(possible[tuple(slice(self._kept(i, problem.feasible_up_to)) for i in shown)].any())

    def _feasible_runs(self, axis: Axis, feasible_up_to: NDArray[np.float64]) -> list[tuple[int, int]]:
        """The stretches of one axis within which its constraints are kept."""
        kept = [self._kept(c, feasible_up_to) for c in axis.constraints]
        if len(kept) < 2 or kept[1] == axis.inner:
            return [(0, (kept[0] if kept else 1) * axis.inner)]
        return [(outer * axis.inner, outer * axis.inner + kept[1]) for outer in range(kept[0])]

    def _kept(self, constraint: int, feasible_up_to: NDArray[np.float64]) -> int:
        """How many bins of a constraint hold nothing but what counts as feasible."""
        if self.tolerances.shape[constraint] == 1:
            return 1
        levels = self.tolerances.levels[constraint]
        return int(np.searchsorted(levels, feasible_up_to[constraint], side="right"))

    def _axis(self, constraints: tuple[int, ...]) -> Axis:
        return Axis(constraints, tuple(self.tolerances.shape[i] for i in constraints))

    def as_table(self) -> dict[str, Any]:
        """What a browser needs to say in words which cell lies where."""
        tolerances = self.tolerances
        return {
            "names": list(tolerances.names),
            "shape": list(tolerances.shape),
            "x": list(self.x.constraints),
            "y": list(self.y.constraints),
            "hidden": [[i, counted.start] for i, counted in self.counted.items()],
            "reading": self.reading,
            "rows": self.shape[0],
            "columns": self.shape[1],
        }
