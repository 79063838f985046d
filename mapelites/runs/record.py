"""A run as people see it, and the record of it that the store keeps in one small entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, get_args

from mapelites.core.errors import InputError
from mapelites.runs.errors import DamagedError
from mapelites.runs.labels import Labels
from mapelites.runs.request import RunRequest
from mapelites.snapshot.engine import EngineVersion

State = Literal["queued", "running", "paused", "finished", "stopped", "failed"]
STATES: tuple[str, ...] = get_args(State)
OVER = ("finished", "stopped", "failed")
Wish = Literal["pause", "stop"]
REALS = ("created", "started", "finished", "seconds", "best", "best_feasible", "deleted")
MOST_WHOLE = 2**53  # what every reader of JSON can hold
MOST_ENGINES = 100
MOST_SECONDS = 2e11  # since 1970: some six thousand years


@dataclass(frozen=True)
class Run:
    """One search: what was asked for, its state, and how far it is. Times are seconds since 1970."""

    id: str
    request: RunRequest
    state: State
    reason: str | None = None
    traceback: str | None = None
    created: float = 0.0
    started: float | None = None
    finished: float | None = None
    seconds: float = 0.0  # computed, waiting for a slow pace left out
    evaluations: int = 0
    occupied: int = 0
    best_feasible: float | None = None
    best: float | None = None
    refused: int = 0
    version: int = 0
    size: int = 0  # bytes in the store
    deleted: float | None = None
    failures: Mapping[str, tuple[int, str]] = field(default_factory=dict)  # evaluations by workers, by kind
    labels: Labels = field(default_factory=Labels)
    engines: tuple[
        EngineVersion, ...
    ] = ()  # that searched, one after the other; none where an earlier version did not say
    findings: int = 0  # version of what jobs found, 0 for nothing


@dataclass(frozen=True)
class Checkpoint:
    """Where a run can be taken up again: the version under which its state lies, and how far it was."""

    version: int
    evaluations: int
    size: int


@dataclass(frozen=True)
class Record(Run):
    """A run with what the store and the worker keep about it for themselves."""

    wish: Wish | None = None  # what a running run is asked to do
    claim: str | None = None  # which process may write progress
    snapshot: int | None = None  # version of the newest snapshot
    checkpoints: tuple[Checkpoint, ...] = ()  # the newest ones, oldest first
    died_at: int = -1  # the evaluations of the checkpoint that the last dead process had
    deaths: int = 0  # how many died there in a row
    agreed: str | None = None  # the engine that shall go on, though another one began

    @cached_property
    def run(self) -> Run:
        """What people see."""
        return Run(**{each.name: getattr(self, each.name) for each in fields(Run)})

    def as_table(self) -> dict[str, Any]:
        """Plain values for the store."""
        table = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "labels"}
        return {
            **table,
            **({"labels": self.labels.as_table()} if self.labels != Labels() else {}),
            "request": self.request.text,
            "checkpoints": [list(astuple(each)) for each in self.checkpoints],
            "engines": [each.as_table() for each in self.engines],
            "failures": {kind: list(each) for kind, each in self.failures.items()},
        }

    @property
    def resumes_at(self) -> int:
        """The evaluations of the newest checkpoint."""
        return self.checkpoints[-1].evaluations if self.checkpoints else 0

    @classmethod
    def from_table(cls, run_id: str, table: Mapping[str, Any]) -> Record:
        """A record from plain values, each checked."""
        try:
            values = dict(table)
            values["request"] = RunRequest.from_text(values["request"])
            values["failures"] = {
                str(kind): (int(count), str(words)) for kind, (count, words) in values.get("failures", {}).items()
            }
            values["engines"] = tuple(
                EngineVersion.from_table(each) for each in values.get("engines", ())[:MOST_ENGINES]
            )
            values["labels"] = Labels.from_table(values.get("labels", {}))
            # A text may say whole numbers of any length for them.
            values |= {name: float(values[name]) for name in REALS if isinstance(values.get(name), int)}
            values["checkpoints"] = tuple(Checkpoint(*map(int, each)) for each in values["checkpoints"])
            record = cls(**values)
            record._check(run_id)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise DamagedError(f"run {run_id}: its entry in the store is damaged ({error})") from None
        return record

    def _check(self, run_id: str) -> None:
        if self.id != run_id or self.state not in STATES or self.wish not in (None, *get_args(Wish)):
            raise InputError(f"it says id {self.id!r}, state {self.state!r}, wish {self.wish!r}")
        wholes = ("evaluations", "occupied", "refused", "version", "size", "died_at", "deaths", "findings")
        texts = ("reason", "traceback", "claim", "agreed")
        for names, kinds in ((wholes, (int,)), (REALS, (float, type(None))), (texts, (str, type(None)))):
            for name in names:
                if not isinstance(getattr(self, name), kinds):
                    raise InputError(f"{name} is {getattr(self, name)!r}")
        if not isinstance(self.snapshot, (int, type(None))):
            raise InputError(f"snapshot is {self.snapshot!r}")
        for name in (*wholes, "snapshot"):
            check_range(name, getattr(self, name), MOST_WHOLE)
        for name in ("created", "started", "finished", "deleted", "seconds"):
            check_range(name, getattr(self, name), MOST_SECONDS)
        for checkpoint in self.checkpoints:
            for name, value in asdict(checkpoint).items():
                check_range(name, value, MOST_WHOLE)
        for kind, (count, _) in self.failures.items():
            check_range(kind, count, MOST_WHOLE)


def check_range(name: str, value: float | None, most: float) -> None:
    """An `InputError` for a number that no run has: a file from somewhere may claim anything."""
    if value is not None and not -1 <= value <= most:
        raise InputError(f"{name} is {value!r}")


@dataclass(frozen=True)
class WorkerStatus:
    """Whether somebody works on the queue, since when, on which runs, and what hinders it (in words)."""

    alive: bool
    since: float | None
    running: tuple[str, ...]
    problem: str | None = None
