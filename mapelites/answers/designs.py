"""The solutions an archive holds, as one list that questions are asked of; never the grid of cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mapelites.archive import Archive, Elites
from mapelites.errors import InputError, unknown
from mapelites.problem import Array, Problem
from mapelites.tolerances import Tolerances

Mask = NDArray[np.bool_]
NEGLIGIBLE = 1e-12  # of the best feasible objective, or of the differences between objectives where these are below 1


@dataclass(frozen=True)
class Designs:
    """All solutions of an archive that keep the hard constraints, one per row.

    These are its elites, and the best feasible solution where a wider cell hides it.
    """

    problem: Problem
    tolerances: Tolerances
    found: Elites
    cells: NDArray[np.int64]
    hard: frozenset[str]
    hidden: int | None = None  # the row of the best feasible solution, where it shares its cell with an elite

    @classmethod
    def of(cls, archive: Archive, hard: Iterable[str] = ()) -> Designs:
        """The designs of a map; whatever violates a hard constraint is left out of every answer."""
        names = archive.tolerances.names
        chosen = frozenset(hard)
        for name in sorted(chosen):
            if name not in names:
                raise unknown("hard: a constraint", name, names)
        found = archive.everything()
        hidden = archive.best(feasible=True) if len(found) > len(archive) else None
        cells = archive.elites.cell if hidden is None else np.append(archive.elites.cell, hidden.cell)
        last = None if hidden is None else len(found) - 1
        if chosen:
            fixed = [names.index(name) for name in chosen]
            keeps = (found.violations[:, fixed] <= archive.problem.feasible_up_to[fixed]).all(axis=1)
            found, cells = found.rows(keeps), cells[keeps]
            last = None if last is None else len(found) - 1  # feasible, it keeps them all, and stays the last
        return cls(archive.problem, archive.tolerances, found, cells, chosen, last)

    def __len__(self) -> int:
        return len(self.found)

    @property
    def names(self) -> tuple[str, ...]:
        """The constraints."""
        return self.tolerances.names

    @property
    def f(self) -> Array:
        """The objectives."""
        return self.found.f

    @property
    def violations(self) -> Array:
        """(k, constraints)."""
        return self.found.violations

    @cached_property
    def values(self) -> Array:
        """The raw values of all constraints, (k, constraints), inequalities first."""
        return np.concatenate([self.found.g, self.found.h], axis=1)

    @property
    def satisfied(self) -> Array:
        """The largest violations that count as none."""
        return self.problem.feasible_up_to

    @cached_property
    def scale(self) -> Array:
        """What one unit of relative tolerance is: the last level of each constraint, or 1 where that is 0."""
        return np.array([levels[-1] or 1.0 for levels in self.tolerances.levels])

    @cached_property
    def feasible(self) -> Mask:
        """Which designs are feasible."""
        return self.problem.feasible(self.violations)

    @cached_property
    def negligible(self) -> float:
        """A gain up to this one is rounding; the worst objectives of a map, often above 1e10, say nothing of it."""
        if not len(self):
            return 0.0
        best = self.best(self.satisfied)
        size = 0.0 if best is None else abs(float(self.f[best]))
        return NEGLIGIBLE * max(size, min(float(np.ptp(self.f)), 1.0))

    @cached_property
    def by_objective(self) -> NDArray[np.int64]:
        """All rows, the lowest objective first; of equals, the one found first."""
        return np.lexsort((self.found.found_at, self.f))

    def steps(self, constraint: int) -> tuple[float, ...]:
        """The tolerances at which a constraint can be asked about: its levels, what counts as satisfied, and any."""
        return (*sorted({*self.tolerances.levels[constraint], float(self.satisfied[constraint])}), math.inf)

    def limits(self, allowed: Mapping[str, float]) -> Array:
        """One tolerance per constraint: as allowed, satisfied where nothing is said; a hard one stays satisfied."""
        limits = self.satisfied.copy()
        for name, tolerance in allowed.items():
            if name not in self.names:
                raise unknown("allow: a constraint", name, self.names)
            if math.isnan(tolerance) or tolerance < 0:
                raise InputError(f"allow: a tolerance of {name} must be a number from 0 on, but it was {tolerance}")
            if name not in self.hard:
                limits[self.names.index(name)] = tolerance
        return limits

    def best(self, limits: Array) -> int | None:
        """The row of the best design within these tolerances; None where none was found."""
        inside = np.all(self.violations <= limits, axis=1)[self.by_objective]
        return int(self.by_objective[np.argmax(inside)]) if inside.any() else None

    def row_of(self, cell: int | None) -> int | None:
        """The row of the elite of a cell, or None."""
        rows = np.flatnonzero(self.cells == cell).tolist() if cell is not None else []
        return next((row for row in rows if row != self.hidden), None)

    def behind(self, cell: int | None) -> int | None:
        """The row of the best feasible solution where an elite of this cell hides it, or None."""
        return self.hidden if self.hidden is not None and self.cells[self.hidden] == cell else None
