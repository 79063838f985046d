"""The solutions an archive holds, as one list that questions are asked of; never the grid of cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mapelites.core.archive import Archive, Elites
from mapelites.core.errors import InputError, unknown
from mapelites.core.problem import Array, Problem
from mapelites.core.tolerances import Tolerances

Mask = NDArray[np.bool_]
ROUNDING = 1e-12  # of the best feasible objective
UNSEEN = 1e-9  # of the differences between objectives where these are below 1, else this itself


@dataclass(frozen=True)
class Designs:
    """All solutions of an archive that satisfy the hard constraints, one per row.

    These are its elites, and those that an elite of the same cell hides, such as the best feasible one.
    """

    problem: Problem
    tolerances: Tolerances
    found: Elites
    cells: NDArray[np.int64]
    hard: frozenset[str]
    on_map: Mask  # which of them are elites of the map

    @classmethod
    def of(cls, archive: Archive, hard: Iterable[str] = ()) -> Designs:
        """The designs of a map; whatever violates a hard constraint is left out of every answer."""
        archive = archive.by_axis
        names = archive.tolerances.names
        chosen = frozenset(hard)
        for name in sorted(chosen):
            if name not in names:
                raise unknown("hard: a constraint", name, names)
        chosen = chosen.union(archive.tolerances.hard)
        found = archive.everything()
        on_map = np.zeros(len(found), dtype=bool)
        on_map[archive.elite_rows] = True
        if chosen:
            fixed = [names.index(name) for name in chosen]
            keeps = (found.violations[:, fixed] <= archive.problem.feasible_up_to[fixed]).all(axis=1)
            found, on_map = found.rows(keeps), on_map[keeps]
        cells = archive.tolerances.cell(archive.tolerances.bins(found.violations))
        return cls(archive.problem, archive.tolerances, found, cells, chosen, on_map)

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
    def shown_f(self) -> Array:
        """The objectives as people mean them: where something is maximised, f is minus that."""
        return -self.f if self.problem.maximise else self.f

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
    def hundred(self) -> Array:
        """What 100 % of a violation is: the limit or typical size of each constraint.

        Where that is not known it is the last level; beside constraints of which it is known, ten times the last level,
        because 10 % of a limit is the last level that a constraint has by default.
        """
        references = [each.reference for each in self.problem.constraints]
        known = [each is not None for each in references]
        unknown = self.scale * (10.0 if any(known) else 1.0)
        return np.where(known, np.array([each or 1.0 for each in references]), unknown)

    @cached_property
    def within_allowance(self) -> Mask:
        """Which designs break no constraint by more than its last level."""
        allowed = np.maximum(self.tolerances.allowance, self.satisfied)
        inside: Mask = np.all(self.violations <= allowed, axis=1)
        return inside

    @cached_property
    def feasible(self) -> Mask:
        """Which designs are feasible."""
        return self.problem.feasible(self.violations)

    @cached_property
    def negligible(self) -> float:
        """A gain up to this one is rounding, or what a search leaves where the best objective is 0.

        The worst objectives of a map, often above 1e10, say nothing of it.
        """
        if not len(self):
            return 0.0
        best = self.best(self.satisfied)
        size = 0.0 if best is None else abs(float(self.f[best]))
        return max(ROUNDING * size, UNSEEN * min(float(np.ptp(self.f)), 1.0))

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
        rows = np.flatnonzero(self.on_map & (self.cells == cell)).tolist() if cell is not None else []
        return next(iter(rows), None)

    @cached_property
    def hidden(self) -> int | None:
        """The row of the best feasible solution where a better elite of its cell hides it, or None."""
        best = self.best(self.satisfied)
        return None if best is None or self.on_map[best] else best

    def behind(self, cell: int | None) -> int | None:
        """The row of the best feasible solution where an elite of this cell hides it, or None."""
        return self.hidden if self.hidden is not None and self.cells[self.hidden] == cell else None
