"""Elites by cell: what a search found, where it lies on the map, and how much of the map it fills."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mapelites.core.archive.elites import Elite, Elites, Integers, PlacedElites
from mapelites.core.archive.empty import MOST_CELLS, EmptyBlocks
from mapelites.core.archive.records import elite_columns
from mapelites.core.archive.result import Result
from mapelites.core.errors import InputError
from mapelites.core.grouping import axis_of_each, worst_values
from mapelites.core.lattice import NOBODY, Answers, Lattice
from mapelites.core.problem import Evaluation, Problem
from mapelites.core.question import Question, question_vector
from mapelites.core.settings import DEFAULT_SEARCH
from mapelites.core.tolerances import Indices, Tolerances


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

    Its elites are what is shown: the best solution of each cell that satisfies the hard constraints. It keeps all
    solutions that it was given, so other levels and other hard constraints can be looked at without a new search.
    `refused` counts the candidates with a value that is not a finite number; none of them is kept.

    >>> from mapelites import Tolerances, illuminate
    >>> from mapelites.problems import get
    >>> problem = get("C17", 10)
    >>> archive = illuminate(problem, Tolerances.default(problem), search="paper-3", evaluations=5_000, seed=1)
    >>> bool((problem.evaluate(archive.elites.x).f == archive.elites.f).all())
    True
    """

    def __init__(
        self,
        problem: Problem,
        tolerances: Tolerances,
        found: Elites,
        refused: int = 0,
        evaluations: int | None = None,
        proven_empty: Mapping[Tolerances, EmptyBlocks] | None = None,
    ) -> None:
        """Place what was found: the best per cell, the first found of equals, and the best feasible one.

        `refused` is how many candidates were refused before; `evaluations` how many it took to find these, where that
        is known. `proven_empty` are the cells in which nothing can lie, by the levels that make them.
        """
        self.problem, self.tolerances, self.evaluations = problem, tolerances, evaluations
        self.proven_empty = dict(proven_empty or {})
        finite = np.isfinite(np.column_stack([found.f, found.g, found.h])).all(axis=1)
        self.refused = refused + int(np.sum(~finite))
        self._found = found if finite.all() else found.rows(finite)
        chosen, cells = _winners(tolerances, self._found, _satisfies_hard(problem, tolerances, self._found))
        self.elite_rows = chosen  # of all that is kept
        kept = self._found.rows(chosen)
        self.elites = PlacedElites(kept.x, kept.f, kept.g, kept.h, kept.found_at, kept.operator, cell=cells)
        feasible = np.flatnonzero(problem.feasible(self._found.violations))
        best = feasible[np.lexsort((self._found.found_at[feasible], self._found.f[feasible]))[:1]]
        self._feasible = self._found.rows(best)

    def __len__(self) -> int:
        return len(self.elites)

    def __repr__(self) -> str:
        return f"<Archive of {self.problem.name}: {len(self):,} of {self.tolerances.cells:,} cells are occupied>"

    def __iter__(self) -> Iterator[Elite]:
        return (self._elite(self.elites, row) for row in range(len(self)))

    def elite(self, row: int) -> Elite:
        """The elite of one row of `elites`."""
        return self._elite(self.elites, row)

    def at(self, cell: int) -> Elite | None:
        """The elite of a cell, or None where the cell is empty."""
        row = int(np.searchsorted(self.elites.cell, cell))
        if row == len(self) or self.elites.cell[row] != cell:
            return None
        return self._elite(self.elites, row)

    def solution(self, row: int) -> Elite:
        """One of the solutions it holds, by its row among `everything()`."""
        return self._elite(self._found, row)

    def best(self, feasible: bool = False) -> Elite | None:
        """The elite with the lowest f, of all or of the feasible ones; None where there is none."""
        if feasible:
            return self._elite(self._feasible, 0) if len(self._feasible) else None
        return self._elite(self.elites, int(np.argmin(self.elites.f))) if len(self) else None

    def best_within_allowance(self) -> Elite | None:
        """The elite with the lowest f among those that break no constraint by more than its last level."""
        rows = np.flatnonzero(self.within_allowance)
        return self._elite(self.elites, int(rows[np.argmin(self.elites.f[rows])])) if len(rows) else None

    @cached_property
    def within_allowance(self) -> NDArray[np.bool_]:
        """Which elites break no constraint by more than its last level."""
        bins = self.tolerances.bins_of(self.elites.cell)
        inside: NDArray[np.bool_] = np.all(bins <= self.tolerances.last_bins, axis=1)
        return inside

    def add(self, x: ArrayLike, found_at: ArrayLike, operator: str) -> Archive:
        """A new archive that has also seen these solutions, an (batch, n) array.

        A solution replaces an elite where its f is lower, or where f is the same and it was found earlier: of equals
        the first found stays, in whatever order they are added. What is best nowhere, neither in a cell that is shown
        nor in one that a search tells apart, is not kept.
        """
        points = self.problem.rounded(x)
        values: Evaluation = self.problem.evaluate(points)
        when = np.broadcast_to(np.asarray(found_at, dtype=np.int64), len(points)).copy()
        new = Elites(points, values.f, values.g, values.h, when, np.full(len(points), operator, dtype="U16"))
        spent = None if self.evaluations is None else self.evaluations + len(points)
        both = Archive(self.problem, self.tolerances, self._found.and_(new), self.refused)
        return Archive(self.problem, self.tolerances, both._winning(), both.refused, spent, self.proven_empty)

    def rebin(self, tolerances: Tolerances) -> Archive:
        """The same solutions at other tolerances: a new archive with each in its right cell."""
        return Archive(self.problem, tolerances, self._found, self.refused, self.evaluations, self.proven_empty)

    def everything(self) -> Elites:
        """All solutions the archive holds: its elites, and those that other levels would show."""
        return self._found

    def _winning(self) -> Elites:
        """What is best in a cell that is shown, in one that a search tells apart, or of all that is feasible."""
        found, finer = self._found, self.tolerances.searched(self.problem, DEFAULT_SEARCH)
        everywhere = np.ones(len(found), dtype=bool)
        shown, _ = _winners(self.tolerances, found, _satisfies_hard(self.problem, self.tolerances, found))
        rows = np.union1d(shown, _winners(finer, found, everywhere)[0])
        feasible = np.flatnonzero(self.problem.feasible(found.violations))
        best = feasible[np.lexsort((found.found_at[feasible], found.f[feasible]))[:1]]
        return found.rows(np.union1d(rows, best))

    def answer(self, tolerances: Question) -> Elite | None:
        """The best known solution within these tolerances, or None where none is known.

        They are numbers, "5%" or "680 psi" by the constraints' names, where one that is not named has to be satisfied,
        or one of these for each constraint. A tolerance below what counts as satisfied asks for no more than that, and
        a hard constraint is satisfied whatever is asked.

        >>> from mapelites import illuminate
        >>> from mapelites.problems import get
        >>> archive = illuminate(get("C17", 10), search="paper-3", evaluations=5_000)
        >>> archive.answer({"h1": 1.0}).f <= archive.answer({"h1": 0.01}).f
        True
        """
        asked = question_vector(self.problem, tolerances, "answer")
        each = axis_of_each(self.tolerances.places) if self.tolerances.places else np.arange(len(asked))
        hard = np.array([name in self.tolerances.hard for name in self.tolerances.names], dtype=bool)[each]
        row = self._every_constraint.within(np.where(hard, self.problem.feasible_up_to, asked))
        return None if row == NOBODY else self._elite(self._all, row)

    def answers(self) -> Answers:
        """The answers of every question that the levels ask."""
        return self._answers

    @cached_property
    def _all(self) -> Elites:
        return self.everything()

    @cached_property
    def _every_constraint(self) -> Answers:
        """The answers to questions with a tolerance for each constraint, whether or not some share an axis."""
        if not self.tolerances.places:
            return self._answers
        return Answers(self._answers.lattice, self._all.f, self._all.violations, self._all.found_at)

    @cached_property
    def _answers(self) -> Answers:
        satisfied = self.tolerances.largest(self.problem.feasible_up_to[None])[0]
        lattice = Lattice.of(self.tolerances.names, self.tolerances.levels, satisfied)
        return Answers(lattice, self._all.f, self.tolerances.largest(self._all.violations), self._all.found_at)

    @cached_property
    def by_axis(self) -> Archive:
        """The same elites with one constraint for each axis of the map: where some are grouped, the worst of each."""
        places = self.tolerances.places
        if not places:
            return self
        problem = self.tolerances.problem_by_axis(self.problem)
        e, m = self._found, problem.inequalities
        values = worst_values(self.problem, np.hstack([e.g, e.h]), places)
        found = Elites(e.x, e.f, values[:, :m], values[:, m:], e.found_at, e.operator)
        empty = {replace(each, places=()): blocks for each, blocks in self.proven_empty.items()}
        return Archive(problem, replace(self.tolerances, places=()), found, self.refused, self.evaluations, empty)

    def possible_with(self, counted: Mapping[int, ArrayLike]) -> NDArray[np.bool_]:
        """Which cells can exist by what relations say and what is proven; `counted` as in `Tolerances.possible`."""
        mask = self.tolerances.possible(self.problem, counted)
        empty = self.proven_empty.get(self.tolerances)
        return mask if empty is None else mask & empty.possible(counted)

    def can_exist(self, bins: Indices) -> NDArray[np.bool_]:
        """Which rows of bins are of a cell that can exist by what relations say and what is proven."""
        found = self.tolerances.can_exist(self.problem, bins)
        empty = self.proven_empty.get(self.tolerances)
        return found if empty is None else found & ~empty.hold(bins)

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """Which cells can exist at all, as an array of the map's shape: for maps that are not too large for one."""
        mask = self.possible_with({})
        mask.flat[self.elites.cell] = True  # whatever the problem says of its constraints
        return mask

    @cached_property
    def statistics(self) -> Statistics:
        """Counts, coverage, QD score and the best values."""
        cells, occupied = self.tolerances.cells, len(self)
        expected = self.tolerances.can_exist(self.problem, self.tolerances.bins_of(self.elites.cell))
        possible = self.tolerances.possible_cells(self.problem) + int(np.sum(~expected))
        if self.tolerances in self.proven_empty and cells <= MOST_CELLS:
            possible = int(np.sum(self.possible))
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

    def result(self) -> Result:
        """The design to take, as SciPy's optimisers tell theirs: `.x .fun .success .message .nfev`."""
        best = self.best(feasible=True)
        if best is not None:
            return Result(best.x, best.f, True, "A feasible design was found.", self.evaluations, best.violations, best)
        if not len(self):
            said = "No design was found: the map is empty."
            return Result(None, None, False, said, self.evaluations, None, None)
        total = self.elites.violations.sum(axis=1)
        least = self._elite(self.elites, int(np.lexsort((self.elites.f, total))[0]))
        said = "No feasible design was found; this one breaks its constraints least, by the sum of its violations."
        return Result(least.x, least.f, False, said, self.evaluations, least.violations, least)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with one row per elite and named columns, those of an exported file."""
        try:
            import pandas
        except ImportError:
            raise InputError("to_pandas needs the package pandas, but it is missing: pip install pandas") from None
        e = self.elites
        table = elite_columns(self.problem, self.tolerances, e.x, e.f, e.g, e.h, e.cell, e.found_at, e.operator)
        return pandas.DataFrame({name: column.copy() for name, column in table.items()})

    def figure(self, order: Sequence[str] = (), *, dark: bool = False) -> Any:
        """The nested map as a Plotly figure; the constraints named in `order` come first, as on the page."""
        from mapelites.core.nested_map.plotly_figure import plotly_figure  # which itself needs an archive

        return plotly_figure(self, order, dark=dark)

    def _repr_html_(self) -> str:
        """What a notebook shows: the map as a picture, and its best designs."""
        from mapelites.core.nested_map.html import as_html

        return as_html(self)

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


def _winners(tolerances: Tolerances, found: Elites, among: NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """The rows of the best solution of each cell, in ascending order of cells, and these cells."""
    rows = np.flatnonzero(among)
    cells = tolerances.cell(tolerances.bins(found.violations[rows]))
    order = np.lexsort((found.found_at[rows], found.f[rows], cells))
    first = order[np.r_[True, np.diff(cells[order]) > 0][: len(order)]]
    return rows[first], cells[first]


def _satisfies_hard(problem: Problem, tolerances: Tolerances, found: Elites) -> NDArray[np.bool_]:
    """Which solutions satisfy every hard constraint."""
    hard = [i for i in range(len(tolerances.names)) if i not in tolerances.negotiable]
    violations = tolerances.largest(found.violations)[:, hard]
    inside: NDArray[np.bool_] = np.all(violations <= tolerances.largest(problem.feasible_up_to[None])[:, hard], axis=1)
    return inside
