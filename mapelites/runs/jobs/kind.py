"""What a kind of job is, and what it gets to work with."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mapelites.core.archive import Archive
from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Problem
from mapelites.core.question import question_vector
from mapelites.core.tolerances import Tolerances
from mapelites.runs.jobs.board import JobBoard
from mapelites.runs.jobs.job import Job, StoppedError
from mapelites.runs.record import Record
from mapelites.snapshot.findings import Findings

TELL_SECONDS = 0.3
KEEP_SECONDS = 2.0
LOOK_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True)
class JobKind:
    """One kind of work: `check` looks at a request and completes it, `work` does it and says what came of it.

    `missing` says what is not installed that it needs, or nothing.
    """

    name: str
    order: int
    title: str
    check: Callable[[Mapping[str, Any], Record], dict[str, Any]]
    work: Callable[[JobContext], str]
    missing: Callable[[], str] = lambda: ""


class JobContext:
    """What a job works with: the run as it is, and where it puts what it finds.

    `should_stop` has to be asked often; once it is true the work should come to its end.
    """

    def __init__(self, board: JobBoard, job: Job, leaving: Callable[[], bool]) -> None:
        self.board, self.job, self._leaving = board, job, leaving
        self.record = board.entries.record(job.run_id)
        self.problem: Problem = self.record.request.get_problem()
        self.findings = board.findings(job.run_id)
        self._began = time.monotonic()
        self._told = self._kept = self._looked = float("-inf")
        self._stop = False
        self._unkept = Findings.none(self.problem)

    @property
    def tolerances(self) -> Tolerances:
        """The levels that the request is about: its own, or else the run's."""
        levels, hard = self.job.request.get("levels"), self.job.request.get("hard")
        own = self.record.request.tolerances
        if levels is None:
            return own
        return Tolerances(own.names, tuple(map(tuple, levels)), tuple(hard or ()), own.places)

    @property
    def question(self) -> Array:
        """The tolerances that the request is about."""
        said = self.job.request.get("tolerances") or [0.0] * len(self.problem.constraints)
        return question_vector(self.problem, [np.inf if each is None else each for each in said], "job")

    def archive(self) -> Archive:
        """The run's map at this moment, with all that jobs have found."""
        snapshot = self.board.newest(self.job.run_id)
        return self.record.request.spec.empty_archive() if snapshot is None else snapshot.archive()

    @property
    def spent(self) -> float:
        """The seconds that the job has worked, those of a process that died included."""
        return self.job.spent + time.monotonic() - self._began

    @property
    def seconds_left(self) -> float:
        """The seconds that the request leaves it."""
        return max(0.0, float(self.job.request["seconds"]) - self.spent)

    def should_stop(self) -> bool:
        """Whether it is to come to an end: it was cancelled, or the process has to leave."""
        now = time.monotonic()
        if not self._stop and now - self._looked > LOOK_SECONDS:
            self._looked = now
            self._stop = self._leaving() or self.board.is_cancelled(self.job)
        return self._stop

    def raise_if_stopping(self) -> None:
        """Leave the work where it is to come to an end."""
        if self.should_stop():
            raise StoppedError

    def report_progress(self, done: int, total: int, said: str) -> None:
        """How far it is; written now and then."""
        now = time.monotonic()
        if now - self._told < TELL_SECONDS:
            return
        self._told = now
        worked = now - self._began
        guess = worked / done * (total - done) if done else self.seconds_left
        left = min(self.seconds_left, guess)
        self.board.note(self.job, done=done, total=total, said=said, seconds_left=left, spent=self.spent)

    def keep_found(self, found: Findings, *, at_once: bool = False) -> None:
        """Put down what was found; written now and then, and always in the end."""
        self._unkept = self._unkept.and_(found)
        self.findings = self.findings.and_(found)
        now = time.monotonic()
        if at_once or now - self._kept > KEEP_SECONDS:
            self._kept = now
            self.flush()

    def flush(self) -> None:
        """Write what is not written yet."""
        self.board.add(self.job, self._unkept)
        self._unkept = Findings.none(self.problem)


def completed_levels(request: Mapping[str, Any], record: Record) -> dict[str, Any]:
    """Tolerances and levels of a request, checked: those that it does not name are the run's."""
    problem, own = record.request.get_problem(), record.request.tolerances
    done: dict[str, Any] = {}
    if request.get("tolerances") is not None:
        said = request["tolerances"]
        if not isinstance(said, (list, tuple, Mapping)):
            raise InputError(f"job: tolerances must be a list or a table, but they were {said!r}")
        asked = said if isinstance(said, Mapping) else [np.inf if each is None else each for each in said]
        vector = question_vector(problem, asked, "job")
        done["tolerances"] = [float(each) if np.isfinite(each) else None for each in vector]
    if request.get("levels") is not None:
        found = Tolerances(
            own.names, tuple(map(tuple, request["levels"])), tuple(request.get("hard") or ()), own.places
        )
        done |= {"levels": [list(each) for each in found.levels], "hard": list(found.hard)}
    return done
