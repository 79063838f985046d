"""Evaluation in the process that searches, for functions that need no other: a whole batch at a time."""

from __future__ import annotations

import numpy as np

from mapelites.core.problem import Problem
from mapelites.evaluation.answer import FINE, Answer, Array
from mapelites.evaluation.member import answer_of, evaluate
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
        if not waiting:
            return []
        values, wrong = evaluate_batch(self.problem, np.array([x for _, x in waiting]))
        return [(number, wrong.get(row, Answer(values[row]))) for row, (number, _) in enumerate(waiting)]

    def close(self) -> None:
        """Forget what was not evaluated yet."""
        self._waiting.clear()


def evaluate_batch(problem: Problem, x: Array) -> tuple[Array, dict[int, Answer]]:
    """f, g and h of many solutions, and the answers of those, by row, that did not go well.

    A function that takes batches is called once. Where it raises, one at a time tells who is to blame.
    """
    takes_batches = getattr(problem.function, "batch", hasattr(problem.function, "rows"))
    if takes_batches is None and len(x) > 1:  # the first call tells
        parts = [evaluate_batch(problem, each) for each in (x[:1], x[1:])]
        return np.concatenate([each for each, _ in parts]), {
            **parts[0][1],
            **{1 + k: v for k, v in parts[1][1].items()},
        }
    if takes_batches:
        try:
            values = problem.values(x)
        except Exception:  # said by the calls below
            pass
        else:
            rows = np.flatnonzero(~np.isfinite(values).all(axis=1))
            return values, {int(row): answer_of(problem, values[row]) for row in rows}
    answers = [evaluate(problem, each) for each in x]
    wrong = {row: answer for row, answer in enumerate(answers) if answer.status != FINE}
    return np.array([answer.values for answer in answers]), wrong
