"""Folds a map of up to four constraints into rows and columns, and says which cell lies at which place.

The order of the constraints decides where they sit: the first is the outer one along x, the second the outer
one along y, the third and the fourth the inner ones. Further constraints are folded away, and so is every one that
is named with a semicolon before it: a place then shows the best elite over those of their bins that somebody
lets count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from components.many_rest import ANY, bins_of
from mapelites.archive import Archive
from mapelites.errors import InputError
from mapelites.problem import Problem
from mapelites.tolerances import Tolerances

SHOWN = 4
AWAY = ";"  # before the name of a constraint that is taken off the map; no name has one
EMPTY = -1


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
    rest: tuple[str, ...] = ()  # which bins count, for every constraint where it is folded away; none for all
    shown: int = SHOWN  # how many of them, the first ones, are axes

    def __post_init__(self) -> None:
        if sorted(self.order) != list(range(len(self.tolerances.names))):
            raise InputError(
                f"axes: every constraint of {', '.join(self.tolerances.names)} must be there once, "
                f"but the order was {self.order}"
            )

    @classmethod
    def of(cls, tolerances: Tolerances, names: Sequence[str] | None = None, rest: Sequence[str] = ()) -> Fold:
        """The fold that puts the named constraints first, in this order, then the others, and last those taken off.

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
        if len(away) == len(known):
            raise InputError(f"axes: a map needs one constraint at least, but all of {', '.join(known)} were taken off")
        first = [known.index(name) for name in named if name in known and AWAY + name not in named]
        others = [i for i in range(len(known)) if i not in first and i not in away]
        shown = min(SHOWN, len(known) - len(away))
        return cls(tolerances, (*first, *others, *away), tuple(rest), shown)

    @cached_property
    def x(self) -> Axis:
        """The axis from left to right."""
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
        """The bins that count of each constraint that is folded away."""
        return {i: bins_of(self.rest[i] if self.rest else ANY, self.tolerances, i) for i in self.hidden}

    def counts(self, cells: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these cells are folded into a place that is shown."""
        if not self.rest or not self.hidden:
            return np.ones(len(cells), dtype=bool)
        bins = self.tolerances.bins_of(cells)
        inside = [(bins[:, i] >= each.start) & (bins[:, i] < each.stop) for i, each in self.counted.items()]
        return np.asarray(np.all(inside, axis=0))

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

    def rows_of_elites(self, archive: Archive) -> NDArray[np.int64]:
        """For every place, the row of its elite among the archive's elites, or EMPTY."""
        grid = np.full(self.shape, EMPTY, dtype=np.int64)
        worst_first = np.argsort(-archive.elites.f, kind="stable")
        worst_first = worst_first[self.counts(archive.elites.cell[worst_first])]
        row, column = self.places(archive.elites.cell[worst_first])
        grid[row, column] = worst_first  # of several at one place the last one written, the best, stays
        return grid

    def cell_at(self, archive: Archive, row: int, column: int) -> int:
        """The cell at a place: that of the elite shown there, or else the first of those folded together."""
        rows, columns = self.shape
        if not (0 <= row < rows and 0 <= column < columns):
            raise InputError(f"cell: the map has {rows} rows and {columns} columns, but it was {row}, {column}")
        if self.hidden:
            shown = int(self.rows_of_elites(archive)[row, column])
            if shown != EMPTY:
                return int(archive.elites.cell[shown])
        bins = np.zeros(len(self.order), dtype=np.int64)
        for i, counted in self.counted.items():
            bins[i] = counted.start
        for axis, place in ((self.x, column), (self.y, row)):
            for constraint, size in zip(reversed(axis.constraints), reversed(axis.bins), strict=True):
                place, bins[constraint] = divmod(place, size)
        return int(self.tolerances.cell(bins[None])[0])

    def impossible(self, archive: Archive) -> NDArray[np.bool_]:
        """Which places no solution can have."""
        kept = sorted(self.order[: self.shown])
        possible = self.tolerances.possible(archive.problem, self.counted)
        arranged = np.transpose(possible, [kept.index(i) for i in (*self.y.constraints, *self.x.constraints)])
        return np.asarray(~arranged.reshape(self.shape) & (self.rows_of_elites(archive) == EMPTY))

    def feasible_boxes(self, problem: Problem) -> list[tuple[int, int, int, int]]:
        """The places that hold nothing but feasible solutions: boxes (left, bottom, right, top)."""
        feasible_up_to = problem.feasible_up_to
        if any(self._breaks(problem, i) for i in self.hidden):
            return []
        runs = [self._feasible_runs(axis, feasible_up_to) for axis in (self.x, self.y)]
        return [(left, bottom, right, top) for left, right in runs[0] for bottom, top in runs[1]]

    def _breaks(self, problem: Problem, hidden: int) -> bool:
        """Whether a solution that keeps all constraints shown can break this one, which is not, and count."""
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
            "rows": self.shape[0],
            "columns": self.shape[1],
        }
