"""One piece of work on a run: what was asked for, its state, and how far it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from mapelites.core.errors import InputError
from mapelites.runs.errors import DamagedError

JobState = Literal["queued", "running", "finished", "cancelled", "failed"]
JOB_STATES: tuple[str, ...] = get_args(JobState)
WAITING = ("queued", "running")


@dataclass(frozen=True)
class Job:
    """Times are seconds since 1970, `spent` and `seconds_left` are seconds.

    `said` is what it is doing, and in the end what came of it. `done` of `total` are pieces of whatever it counts.
    """

    id: str
    run_id: str
    kind: str
    request: Mapping[str, Any] = field(default_factory=dict)
    state: JobState = "queued"
    created: float = 0.0
    started: float | None = None
    finished: float | None = None
    done: int = 0
    total: int = 0
    seconds_left: float | None = None
    said: str = ""
    spent: float = 0.0
    cancel: bool = False  # somebody wishes it to end
    claim: str | None = None  # which process works on it
    deaths: int = 0

    @property
    def over(self) -> bool:
        """Whether nothing will come any more."""
        return self.state not in WAITING

    @property
    def key(self) -> str:
        """Under which it lies in the store."""
        return f"job/{self.run_id}/{self.id}"

    def as_table(self) -> dict[str, Any]:
        """Plain values for the store."""
        return {**asdict(self), "request": dict(self.request)}

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Job:
        """A job from plain values, looked at."""
        try:
            job = cls(**table)
            numbers = (job.created, job.started, job.finished, job.seconds_left, job.spent)
            whole = (job.done, job.total, job.deaths)
            right = (
                all(isinstance(each, str) for each in (job.id, job.run_id, job.kind, job.said))
                and all(each is None or (isinstance(each, (int, float)) and math.isfinite(each)) for each in numbers)
                and all(isinstance(each, int) for each in whole)
                and isinstance(job.request, dict)
                and job.state in JOB_STATES
            )
        except TypeError as error:
            raise DamagedError(f"store: a job is damaged ({error})") from None
        if not right:
            raise DamagedError(f"store: job {job.id!r} is damaged")
        return job


class StoppedError(Exception):
    """The job was cancelled, or its process has to leave: what is kept is kept."""


def number_within(request: Mapping[str, Any], name: str, default: float, least: float, most: float) -> float:
    """A number of a request within bounds; an `InputError` where it is something else."""
    value = request.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise InputError(f"job: {name} must be a number from {least:g} to {most:g}, but it was {value!r}")
    return float(value)
