"""Evaluation in the process that searches, for functions that need no other: a whole batch at a time."""

from __future__ import annotations

import numpy as np

from mapelites.core.problem import Problem
from mapelites.evaluation.answer import Answer, Array
from mapelites.evaluation.member import evaluate
from mapelites.evaluation.pool import EvaluationAtWork


class HereEvaluator:
    """What a pool of workers is to a search, without workers.

    >>> from mapelites.core.problem import Constraint
    >>> problem = Problem("line", [0.0], [1.0], (Constraint("g1", "inequality"),), lambda x: (x[0], [-x[0]], []))
    >>> here = HereEvaluator(problem)
    >>> here.submit(7, np.array([0.5]))
    >>> [(number, answer.values.tolist()) for number, answer in here.collect()]
    [(7, [0.5, -0.5])]
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._waiting: list[tuple[int, Array]] = []

    @property
    def at_work(self) -> int:
        """Nothing is under way between two calls."""
        return 0

    def details(self) -> list[EvaluationAtWork]:
        """Likewise."""
        return []

    def submit(self, number: int, x: Array) -> None:
        """Have a candidate evaluated by the next `collect`."""
        self._waiting.append((number, x))

    def hand_out(self) -> None:
        """There is nobody to hand anything to."""

    def collect(self, seconds: float | None = None, *, hand_out: bool = True) -> list[tuple[int, Answer]]:
        """The answers to everything that was submitted; a function that takes batches is given it as one."""
        waiting, self._waiting = self._waiting, []
        if len(waiting) > 1 and hasattr(self.problem.function, "rows"):
            found = self._as_batch(np.array([x for _, x in waiting]))
            if found is not None:
                return [(number, Answer(row)) for (number, _), row in zip(waiting, found, strict=True)]
        return [(number, evaluate(self.problem, x)) for number, x in waiting]

    def _as_batch(self, x: Array) -> Array | None:
        """All values, or None where something went wrong: then one at a time tells what."""
        try:
            found = self.problem.values(x)
        except Exception:
            return None
        return found if np.isfinite(found).all() else None

    def close(self) -> None:
        """Forget what was not evaluated yet."""
        self._waiting.clear()
