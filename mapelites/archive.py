"""Elites by cell: what a search found, where it lies on the map, and how much of the map it fills."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mapelites.problem import Array, Evaluation, Problem, violations
from mapelites.tolerances import Tolerances

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Elite:
    """One solution with its raw numbers, its place on the map, when it was found and by what."""

    x: Array
    f: float
    g: Array
    h: Array
    violations: Array
    cell: int
    bins: tuple[int, ...]
    feasible: bool
    found_at: int
    operator: str


@dataclass(frozen=True)
class Elites:
    """Many elites, one per row: x (k, n), f (k,), g (k, m), h (k, p), found_at and operator (k,)."""

    x: Array
    f: Array
    g: Array
    h: Array
    found_at: Integers
    operator: NDArray[np.str_]

    def __post_init__(self) -> None:
        for each in fields(self):
            array = getattr(self, each.name)
            if array.flags.writeable or not array.flags.owndata:  # the caller's stays writable
                array = array.copy()
                array.flags.writeable = False
            object.__setattr__(self, each.name, array)

    @classmethod
    def empty(cls, problem: Problem) -> Elites:
        """No elites of this problem."""
        m, p = problem.inequalities, problem.equalities
        none = np.empty(0, dtype=np.int64)
        return cls(
            np.empty((0, problem.dimension)),
            np.empty(0),
            np.empty((0, m)),
            np.empty((0, p)),
            none,
            np.empty(0, dtype="U16"),
        )

    def __len__(self) -> int:
        return len(self.f)

    def rows(self, index: ArrayLike) -> Elites:
        """The elites at these places, in this order."""
        at = np.asarray(index)
        return Elites(self.x[at], self.f[at], self.g[at], self.h[at], self.found_at[at], self.operator[at])

    def and_(self, others: Elites) -> Elites:
        """These elites, then the others."""
        pairs = ((getattr(self, name), getattr(others, name)) for name in ("x", "f", "g", "h", "found_at", "operator"))
        return Elites(*(np.concatenate(pair) for pair in pairs))

    @cached_property
    def violations(self) -> Array:
        """(k, m + p): inequalities first."""
        return violations(self.g, self.h)


@dataclass(frozen=True)
class PlacedElites(Elites):
    """Elites with the cell each lies in, in ascending order of cells."""

    cell: Integers = field(kw_only=True)


@dataclass(frozen=True)
class Statistics:
    """How much of the map is filled, and how well.

    `qd_score` adds, for every occupied cell, 1/2 - arctan(arsinh f) / π: a number between 0 and 1 that
    grows as f falls, over any number of orders of magnitude. A new cell and a better elite both raise the
    sum, so it never falls as the map improves.
    """

    occupied: int
    cells: int
    possible: int
    coverage: float
    coverage_of_possible: float
    qd_score: float
    best: float | None
    best_feasible: float | None


class Archive:
    """The elites of a problem at given tolerances; nothing in it changes.

    `refused` counts the candidates with a value that is not a finite number; none of them is an elite.

    >>> from mapelites import Tolerances, illuminate
    >>> from mapelites.problems import get
    >>> problem = get("C17", 10)
    >>> archive = illuminate(problem, Tolerances.default(problem), search="paper-3", evaluations=5_000, seed=1)
    >>> bool((problem.evaluate(archive.elites.x).f == archive.elites.f).all())
    True
    """

    def __init__(self, problem: Problem, tolerances: Tolerances, found: Elites, refused: int = 0) -> None:
        """Place what was found: the best per cell, the first found of equals, and the best feasible one.

        `refused` is how many candidates were refused before.
        """
        self.problem, self.tolerances = problem, tolerances
        finite = np.isfinite(np.column_stack([found.f, found.g, found.h])).all(axis=1)
        self.refused = refused + int(np.sum(~finite))
        found = found.rows(finite)
        cells = tolerances.cell(tolerances.bins(found.violations))
        order = np.lexsort((found.found_at, found.f, cells))
        first = np.r_[True, np.diff(cells[order]) > 0][: len(order)]
        chosen = order[first]
        kept = found.rows(chosen)
        self.elites = PlacedElites(kept.x, kept.f, kept.g, kept.h, kept.found_at, kept.operator, cell=cells[chosen])
        feasible = np.flatnonzero(problem.feasible(found.violations))
        best = feasible[np.lexsort((found.found_at[feasible], found.f[feasible]))[:1]]
        self._feasible = found.rows(best)

    def __len__(self) -> int:
        return len(self.elites)

    def __iter__(self) -> Iterator[Elite]:
        return (self._elite(self.elites, row) for row in range(len(self)))

    def at(self, cell: int) -> Elite | None:
        """The elite of a cell, or None where the cell is empty."""
        row = int(np.searchsorted(self.elites.cell, cell))
        if row == len(self) or self.elites.cell[row] != cell:
            return None
        return self._elite(self.elites, row)

    def best(self, feasible: bool = False) -> Elite | None:
        """The elite with the lowest f, of all or of the feasible ones; None where there is none."""
        if feasible:
            return self._elite(self._feasible, 0) if len(self._feasible) else None
        return self._elite(self.elites, int(np.argmin(self.elites.f))) if len(self) else None

    def add(self, x: ArrayLike, found_at: ArrayLike, operator: str) -> Archive:
        """A new archive that has also seen these solutions, an (batch, n) array.

        A solution replaces an elite where its f is lower, or where f is the same and it was found earlier: of equals
        the first found stays, in whatever order they are added.
        """
        points = self.problem.rounded(x)
        values: Evaluation = self.problem.evaluate(points)
        when = np.broadcast_to(np.asarray(found_at, dtype=np.int64), len(points)).copy()
        new = Elites(points, values.f, values.g, values.h, when, np.full(len(points), operator, dtype="U16"))
        return Archive(self.problem, self.tolerances, self.everything().and_(new), self.refused)

    def rebin(self, tolerances: Tolerances) -> Archive:
        """The same elites at other tolerances: a new archive with each in its right cell."""
        return Archive(self.problem, tolerances, self.everything(), self.refused)

    def everything(self) -> Elites:
        """All solutions the archive holds: its elites, and the best feasible one where it is not among them."""
        e = self.elites
        plain = Elites(e.x, e.f, e.g, e.h, e.found_at, e.operator)
        best = self.best(feasible=True)
        inside = best is None or np.any((e.cell == best.cell) & (e.f == best.f) & (e.found_at == best.found_at))
        return plain if inside else plain.and_(self._feasible)

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """Which cells can exist at all, as an array of the map's shape: for maps that are not too large for one."""
        mask = self.tolerances.possible(self.problem)
        mask.flat[self.elites.cell] = True  # whatever the problem says of its constraints
        return mask

    @cached_property
    def statistics(self) -> Statistics:
        """Counts, coverage, QD score and the best values."""
        cells, occupied = self.tolerances.cells, len(self)
        expected = self.tolerances.can_exist(self.problem, self.tolerances.bins_of(self.elites.cell))
        possible = self.tolerances.possible_cells(self.problem) + int(np.sum(~expected))
        best, feasible = self.best(), self.best(feasible=True)
        score = np.sum(0.5 - np.arctan(np.arcsinh(self.elites.f)) / np.pi)
        return Statistics(
            occupied,
            cells,
            possible,
            occupied / cells,
            occupied / possible,
            float(score),
            best.f if best else None,
            feasible.f if feasible else None,
        )

    def _elite(self, of: Elites, row: int) -> Elite:
        violation = of.violations[row]
        bins = self.tolerances.bins(violation[None])[0]
        return Elite(
            x=of.x[row].copy(),
            f=float(of.f[row]),
            g=of.g[row].copy(),
            h=of.h[row].copy(),
            violations=violation.copy(),
            cell=int(self.tolerances.cell(bins[None])[0]),
            bins=tuple(int(b) for b in bins),
            feasible=bool(self.problem.feasible(violation)),
            found_at=int(of.found_at[row]),
            operator=str(of.operator[row]),
        )
