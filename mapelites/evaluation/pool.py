"""Processes that evaluate candidates side by side; one that crashes or hangs costs its candidate only."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from multiprocessing.connection import wait
from typing import NamedTuple

from mapelites.core.problem import Problem
from mapelites.evaluation.answer import TOO_SLOW, TRIED_AGAIN, Answer, Array
from mapelites.evaluation.member import LocalWorker


@dataclass(frozen=True)
class PendingEvaluation:
    """A candidate on its way, and how often it was begun."""

    number: int
    x: Array
    tries: int = 0
    started: float = 0.0  # seconds since 1970


class EvaluationAtWork(NamedTuple):
    """A candidate that somebody evaluates at this moment: since when, where, and whether it is not the first try."""

    number: int
    started: float
    where: str
    tries: int


class WorkerPool:
    """So many processes at most, each with one candidate at a time; they start when they are needed.

    A time limit of 0 lets an evaluation take as long as it takes.

    >>> from mapelites.core.problem import Constraint, Problem
    >>> problem = Problem("line", [0.0], [1.0], (Constraint("g1", "inequality"),), lambda x: (x[0], [-x[0]], []))
    >>> import numpy as np
    >>> crew = WorkerPool(problem, workers=2)
    >>> crew.submit(7, np.array([0.5]))
    >>> [(number, answer.values.tolist()) for number, answer in crew.collect()]
    [(7, [0.5, -0.5])]
    >>> crew.close()
    """

    def __init__(
        self,
        problem: Problem,
        workers: int,
        time_limit: float = 0.0,
        retries: int = 0,
        hire: Callable[[Problem, Iterable[LocalWorker]], LocalWorker] = LocalWorker,
    ) -> None:
        self.problem, self.workers, self.time_limit, self.retries = problem, workers, time_limit or math.inf, retries
        self._hire = hire
        self._waiting: deque[PendingEvaluation] = deque()
        self._idle: list[LocalWorker] = []
        self._busy: dict[
            LocalWorker, tuple[PendingEvaluation, float]
        ] = {}  # with the moment at which its answer comes too late

    @property
    def at_work(self) -> int:
        """How many candidates are being evaluated."""
        return len(self._busy)

    def details(self) -> list[EvaluationAtWork]:
        """What is being evaluated."""
        busy = ((member, task) for member, (task, _) in self._busy.items())
        return [EvaluationAtWork(task.number, task.started, member.where, task.tries) for member, task in busy]

    def submit(self, number: int, x: Array) -> None:
        """Have a candidate evaluated, after those that came before."""
        self._waiting.append(PendingEvaluation(number, x))
        self.hand_out()

    def collect(self, seconds: float | None = None, *, hand_out: bool = True) -> list[tuple[int, Answer]]:
        """The answers that are there, at least one unless so many seconds pass first.

        Where nothing more is handed out, those at work end what they have. Whoever answered waits for the next
        `hand_out`, so that nothing begins before the answers are in safety.
        """
        until = None if seconds is None else time.monotonic() + seconds
        found: list[tuple[int, Answer]] = []
        while not found:
            if hand_out:
                self.hand_out()
            if not self._busy:
                break
            ready = wait([member.connection for member in self._busy], self._longest_wait(until))
            for member in [each for each in self._busy if each.connection in ready]:
                found += self._answered(member, member.receive())
            found += self._too_slow()
            if until is not None and time.monotonic() >= until:
                break
        return found

    def close(self) -> None:
        """End all processes at once; what they were at is lost."""
        for member in (*self._idle, *self._busy):
            member.end()
        self._waiting.clear()
        self._idle.clear()
        self._busy.clear()

    def hand_out(self) -> None:
        """Let everybody who is idle begin with what waits."""
        while self._waiting and len(self._busy) < self.workers:
            member = self._idle.pop() if self._idle else self._hire(self.problem, (*self._busy, *self._idle))
            task = self._waiting.popleft()
            begun = replace(task, tries=task.tries + 1, started=time.time())
            self._busy[member] = begun, member.send(task.x, self.time_limit)

    def _longest_wait(self, until: float | None) -> float | None:
        end = min([*(late for _, late in self._busy.values()), math.inf if until is None else until])
        return None if end == math.inf else max(0.0, end - time.monotonic())

    def _too_slow(self) -> list[tuple[int, Answer]]:
        now, found = time.monotonic(), list[tuple[int, Answer]]()
        for member, (_, late) in list(self._busy.items()):
            if now >= late and not member.connection.poll():
                member.end()
                words = f"no answer within {self.time_limit:g} s"
                found += self._answered(member, Answer.without_values(member.width, TOO_SLOW, words))
        return found

    def _answered(self, member: LocalWorker, answer: Answer) -> list[tuple[int, Answer]]:
        """Take a member's answer; none comes of it where the candidate is tried once more."""
        task, _ = self._busy.pop(member)
        if not member.connection.closed:
            self._idle.append(member)
        if answer.status in TRIED_AGAIN and task.tries <= self.retries:
            self._waiting.appendleft(task)
            return []
        seconds = max(0.0, time.time() - task.started)
        return [(task.number, replace(answer, seconds=seconds, where=answer.where or member.where))]
