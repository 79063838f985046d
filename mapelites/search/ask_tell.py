"""Ask for candidates, evaluate them however you like, tell what came of it.

>>> from mapelites.problems import get
>>> problem = get("welded-beam")
>>> search = Search(problem, evaluations=80)
>>> while not search.done:
...     x = search.ask(2)
...     found = problem.evaluate(x)
...     search.tell(x, found.f, found.g, found.h)
>>> search.archive().best(feasible=True).f < 2.0
True
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mapelites.core.archive import Archive, Elites
from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Problem
from mapelites.core.settings import SLOW_SEARCH, Settings
from mapelites.core.tolerances import Tolerances
from mapelites.evaluation.known import KnownPoints, designs_of
from mapelites.search.outlook import Outlook

KNOWN = "known"


class Search:
    """The search `surrogate` for whoever has a loop, a queue or a laboratory of one's own.

    Nothing is ever evaluated here, so the problem's function may be None. What is asked may be told in any order, in
    part, or never; a candidate with a NaN, or with `f=None`, has failed. `evaluations` is how many there will be about;
    more may be asked for.
    """

    def __init__(
        self, problem: Problem, tolerances: Tolerances | None = None, evaluations: int | None = None, seed: int = 1,
        *, start: Any = None, known: Any = None,
    ) -> None:  # fmt: skip
        from mapelites.search.surrogate.planner import PURPOSES, Planner  # compiled when it is first needed

        self.operators = PURPOSES
        self.problem, self.tolerances = problem, tolerances or Tolerances.default(problem)
        self.tolerances.check_for(problem)
        self.settings = Settings.of(SLOW_SEARCH, problem.dimension, evaluations=evaluations, seed=seed)
        searched = self.tolerances.searched(problem, SLOW_SEARCH)
        self._planner = Planner(
            problem, self.tolerances, searched, seed, self.settings.evaluations, self.settings.initial
        )
        self._asked: dict[bytes, int] = {}  # the row of each candidate that waits for its answer
        self._order: list[int] = []  # the rows that were told, as they were
        self._purposes: dict[int, int] = {}
        if known is not None:
            points = KnownPoints.of(problem, known)
            for x, values in zip(points.x, points.values, strict=True):
                self._take(x, values)
        if start is not None:
            designs = problem.rounded(designs_of(problem, start))
            self._planner.start_from([self._planner.space.to_unit(each) for each in designs])

    @property
    def evaluations(self) -> int:
        """How many candidates were asked for and told."""
        return sum(row in self._purposes for row in self._order)

    @property
    def waiting(self) -> Array:
        """The candidates that were asked for and not told yet, a (k, n) array."""
        found = [np.frombuffer(each, dtype=np.float64) for each in self._asked]
        return np.array(found).reshape(-1, self.problem.dimension)

    @property
    def done(self) -> bool:
        """Whether as many were told as there should be."""
        return self.evaluations >= self.settings.evaluations

    def ask(self, n: int = 1) -> Array:
        """The next n candidates, an (n, dimension) array."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise InputError(f"ask: how many must be a whole number of at least 1, but it was {n!r}")
        found = np.empty((n, self.problem.dimension))
        for place in range(n):
            row, u, purpose = self._planner.ask()
            found[place] = self.problem.rounded(self._planner.space.from_unit(u)[None])[0]
            self._asked[found[place].tobytes()] = row
            self._purposes[row] = purpose
        return found

    def tell(
        self, candidates: ArrayLike, f: ArrayLike | None, g: ArrayLike | None = None, h: ArrayLike | None = None,
        gradients: ArrayLike | None = None,
    ) -> None:  # fmt: skip
        """What came of some candidates: f (k,), g (k, m) and h (k, p). Others than were asked for are welcome too.

        `gradients` (k, 1 + m + p, n) are those of f, then each g, then each h, where the function gives them.
        """
        x = np.atleast_2d(np.array(candidates, dtype=np.float64))
        if x.ndim != 2 or x.shape[1] != self.problem.dimension:
            raise InputError(
                f"tell: candidates must have shape (k, {self.problem.dimension}), but it was {np.shape(candidates)}"
            )
        m, p = self.problem.inequalities, self.problem.equalities
        if f is None:
            values = np.full((len(x), 1 + m + p), np.nan)
        else:
            parts = [self._part("f", f, len(x), 1), self._part("g", g, len(x), m), self._part("h", h, len(x), p)]
            values = np.concatenate(parts, axis=1)
        slopes = None if gradients is None else self._slopes(gradients, len(x))
        for place, (point, found) in enumerate(zip(x, values, strict=True)):
            row = self._take(point, found)
            if slopes is not None:
                self._planner.take_slopes(row, slopes[place])

    def archive(self) -> Archive:
        """The map of what was told."""
        points, problem = self._planner.points, self.problem
        rows = np.array([row for row in self._order if np.isfinite(points.values[row]).all()], dtype=np.int64)
        rows = rows[points.status[rows] == 0] if len(rows) else rows
        values, m = points.values[rows], problem.inequalities
        x = problem.rounded(self._planner.space.from_unit(points.x[rows]))
        names = [self.operators[self._purposes[row]] if row in self._purposes else KNOWN for row in rows]
        place = {row: number for number, row in enumerate(self._order, start=1)}
        found = Elites(
            x, values[:, 0].copy(), values[:, 1 : 1 + m].copy(), values[:, 1 + m :].copy(),
            np.array([place[row] for row in rows], dtype=np.int64), np.array(names, dtype="U16"),
        )  # fmt: skip
        return Archive(problem, self.tolerances, found, len(self._order) - len(rows), len(self._order))

    def outlook(self) -> Outlook | None:
        """What the models expect of the map, and how far they were off lately; None before anything is known."""
        return self._planner.outlook()

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything needed to go on from here, as arrays that `numpy.savez` can keep."""
        arrays, plan = self._planner.packed()
        own = {
            "plan": plan, "order": self._order, "purposes": {str(row): each for row, each in self._purposes.items()},
            "asked": {each.hex(): row for each, row in self._asked.items()},
        }  # fmt: skip
        return {**arrays, "search": np.frombuffer(json.dumps(own).encode(), dtype=np.uint8).copy()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `state` gave, in a search that was made in the same way."""
        own = json.loads(state["search"].tobytes())
        names = ("x", "values", "expected", "status", "design", "sloped", "slopes")
        arrays = {name: np.asarray(state[name]) for name in names if name in state}
        self._planner.restore(arrays, own["plan"])
        self._order = list(own["order"])
        self._purposes = {int(row): purpose for row, purpose in own["purposes"].items()}
        self._asked = {bytes.fromhex(each): row for each, row in own["asked"].items()}

    def _part(self, name: str, given: ArrayLike | None, rows: int, width: int) -> Array:
        found = np.array([] if given is None else given, dtype=np.float64)
        try:
            return found.reshape(rows, width)
        except ValueError:
            raise InputError(f"tell: {name} must have shape ({rows}, {width}), but it was {found.shape}") from None

    def _slopes(self, given: ArrayLike, rows: int) -> Array:
        """Gradients as the planner has them, in the unit box."""
        shape = rows, 1 + len(self.problem.constraints), self.problem.dimension
        found = np.array(given, dtype=np.float64)
        if found.shape != shape:
            raise InputError(f"tell: gradients must have shape {shape}, but it was {found.shape}")
        return np.asarray(found * self._planner.space.width)

    def _take(self, x: Array, values: Array) -> int:
        """One answer; returns its row."""
        row = self._asked.pop(x.tobytes(), None)
        if row is not None:
            self._planner.tell(row, values)
            self._order.append(row)
            return row
        if not ((x >= self.problem.lower) & (x <= self.problem.upper)).all():
            raise InputError(f"tell: a solution must lie within the bounds, but one was {x.tolist()}")
        u = self._planner.space.to_unit(x)
        before = self._planner.points.count
        if not self._planner.points.is_new(u):
            raise InputError(f"tell: {x.tolist()} was told before")
        self._planner.add_known(u, values)
        self._order.append(before)
        return before


class Generator:
    """The same as a generator of the gest-api standard: points are dictionaries, by the names of their variables.

    >>> from mapelites.problems import get
    >>> generator = Generator(Search(get("three-bar-truss"), evaluations=20))
    >>> [point] = generator.suggest(1)
    >>> sorted(point)
    ['A1', 'A2']
    >>> f, g, h = get("three-bar-truss")(list(point.values()))
    >>> generator.ingest([{**point, "f": f, "first": g[0], "second": g[1], "third": g[2]}])
    """

    def __init__(self, search: Search) -> None:
        self.search = search

    def suggest(self, num_points: int | None = None) -> list[dict[str, float]]:
        """The next points."""
        names = self.search.problem.variables
        return [dict(zip(names, map(float, x), strict=True)) for x in self.search.ask(num_points or 1)]

    def ingest(self, results: Sequence[Mapping[str, Any]]) -> None:
        """Points with the objective, as `f` or by its name, and raw constraints; where one is missing, it failed."""
        problem = self.search.problem
        for each in results:
            x = [float(each[name]) for name in problem.variables]
            named = float(each.get(problem.objective, np.nan)) * (-1.0 if problem.maximise else 1.0)
            f = float(each.get("f", named))
            values = [float(each.get(one.name, np.nan)) for one in problem.constraints]
            m = problem.inequalities
            self.search.tell([x], [f], [values[:m]], [values[m:]])
