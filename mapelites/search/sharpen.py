"""Sharpen: answer one question better, on demand, from the best solutions that are known.

The same local descents as in the directed search (`directed/questions.py`), all at exactly the tolerances asked for:
from the answer known, from solutions that promise more at its prices, from the other starts, from neighbours on the
grid of steps and after kicks. Every evaluation is counted.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mapelites.core.archive import Elites
from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Problem
from mapelites.core.tolerances import Tolerances
from mapelites.search.state import EVALUATIONS, FOUND_AT, OCCUPIED, grown, make_map, new_state

OPERATOR_NAME = "sharpen"
STARTS = 40  # of those given, the most that are taken: the best within the tolerances, then those least beyond
FRUITLESS = 12  # descents in a row that find nothing better, after which a question is left alone
ROOM = 400  # free slots that a descent of one step can never fill
PIECE = 200  # evaluations


class Sharpening:
    """One question being sharpened. It can be advanced piece by piece and looked at.

    >>> from mapelites.problems import get
    >>> problem = get("three-bar-truss")
    >>> work = Sharpening(problem, [0.0] * 3, problem.upper[None], evaluations=200)
    >>> while not work.done:
    ...     work.advance(50)
    >>> round(float(work.best), 3), work.evaluations <= 200
    (263.896, True)
    """

    def __init__(
        self, problem: Problem, tolerances: ArrayLike, starts: ArrayLike, evaluations: int = 2_000, seed: int = 1
    ) -> None:
        # What is compiled here is only needed once somebody sharpens.
        from mapelites.search.callback import Callback
        from mapelites.search.directed.memory import new_work
        from mapelites.search.directed.quadratic import new_quadratic
        from mapelites.search.directed.questions import Questioner, new_questions
        from mapelites.search.directed.sequential import exact_cost

        asked = np.asarray(tolerances, dtype=np.float64)
        if asked.shape != (len(problem.constraints),) or not (asked >= 0.0).all():
            raise InputError(
                f"sharpen: there must be a tolerance from 0 on for each of {len(problem.constraints)} constraints, "
                f"but they were {asked.tolist()}"
            )
        self.problem, self.budget = problem, evaluations
        self.asked = np.maximum(asked, problem.feasible_up_to)[None]
        levels = [
            tuple(sorted({0.0, float(level), float(low)}))
            for level, low in zip(np.where(np.isfinite(asked), asked, 0.0), problem.feasible_up_to, strict=True)
        ]
        grid = Tolerances(tuple(each.name for each in problem.constraints), tuple(levels))
        self.state, self.map = new_state(problem, grid, seed), make_map(problem, grid)
        n, c = problem.dimension, len(problem.constraints)
        self.work, self.quadratic = new_work(n, c), new_quadratic(n, c)
        self._callback = None if problem.compiled else Callback(problem)
        self.kernel: Any = problem.function if self._callback is None else self._callback.kernel
        self.slopes = self.kernel if problem.jacobian is None else problem.jacobian
        self.cost = exact_cost(problem)
        self._questioner = Questioner(self, new_questions(n, c, 1), 0)
        self._fruitless, self._told = 0, np.inf
        self._offer(self._chosen(np.asarray(starts, dtype=np.float64).reshape(-1, n)))

    @property
    def evaluations(self) -> int:
        """How many solutions have been evaluated."""
        return int(self.state.counters[EVALUATIONS])

    @property
    def best(self) -> float:
        """The best objective within the tolerances, infinite while there is none."""
        found = self.elites()
        inside = (found.violations <= self.asked[0]).all(axis=1)
        return float(found.f[inside].min()) if inside.any() else np.inf

    @property
    def done(self) -> bool:
        """Whether the budget is spent, or nothing better was found for long."""
        nothing = self.state.counters[OCCUPIED] == 0
        return self.evaluations >= self.budget or self._fruitless >= FRUITLESS or bool(nothing)

    def advance(self, evaluations: int = PIECE) -> None:
        """Spend about so many more evaluations, to the end of a descent."""
        until = min(self.evaluations + evaluations, self.budget)
        with nullcontext() if self._callback is None else self._callback.raising():
            while self.evaluations < until and not self.done:
                self._make_room()
                before = self.evaluations
                self._questioner.one(until)
                now = float(self._questioner.memory.answers[0])
                better = now < self._told - 1e-9 * abs(now)
                self._fruitless = (
                    0 if better else self._fruitless + (self._questioner.idle or before == self.evaluations)
                )
                self._told = min(now, self._told)

    def elites(self) -> Elites:
        """What was found: the best solution of each cell that these tolerances cut."""
        used, m = 1 + int(self.state.counters[OCCUPIED]), self.problem.inequalities
        slots = np.arange(0 if np.isfinite(self.state.values[0, 0]) else 1, used)
        values = self.state.values[slots]
        made = np.full(len(slots), OPERATOR_NAME, dtype="U16")
        x = self.problem.rounded(self.state.x[slots])
        return Elites(x, values[:, 0], values[:, 1 : 1 + m], values[:, 1 + m :], self.state.tags[slots, FOUND_AT], made)

    def _chosen(self, starts: Array) -> Array:
        """The starts that are evaluated: all where they are few."""
        if not len(starts):
            rng = np.random.default_rng([0, self.problem.dimension])
            width = self.problem.upper - self.problem.lower
            starts = self.problem.lower + width * rng.random((4, self.problem.dimension))
        return np.clip(starts, self.problem.lower, self.problem.upper)[: min(STARTS, self.budget)]

    def _offer(self, points: NDArray[np.float64]) -> None:
        """Evaluate the starts: what they are is known only to whoever gave them."""
        from mapelites.search.directed.starts import offer_point

        with nullcontext() if self._callback is None else self._callback.raising():
            for x in points:
                self._make_room()
                offer_point(self.kernel, self.state, self.map, self.work, x.copy(), self.budget)

    def _make_room(self) -> None:
        while len(self.state.tags) <= min(int(self.state.counters[OCCUPIED]) + ROOM, len(self.state.slot_of)):
            self.state = grown(self.state, self.map.grid)


def sharpen(
    problem: Problem, tolerances: ArrayLike, starts: ArrayLike, evaluations: int = 2_000, seed: int = 1
) -> Elites:
    """Local solves at exactly these tolerances from the best starts known; what is worth keeping of it.

    `starts` is a (batch, n) array, the best first. `found_at` of what comes back counts from the first evaluation here.
    """
    work = Sharpening(problem, tolerances, starts, evaluations, seed)
    while not work.done:
        work.advance()
    return work.elites()
