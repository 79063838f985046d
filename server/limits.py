"""What one client may ask for: how many runs that wait or run, how many new ones in a minute, how large, and where."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from flask import has_request_context, request

from components.shared.queue import RunQueue
from mapelites.campaign import Campaign
from mapelites.core.errors import InputError
from mapelites.core.settings import MOST_EVALUATIONS
from mapelites.core.tolerances import MOST_CELLS
from mapelites.runs import RunRequest, Store
from mapelites.runs.errors import UnknownRunError

MINUTE = 60.0
UNFINISHED = ("queued", "running")


@dataclass(frozen=True)
class ClientLimits:
    """The most that one client may ask for."""

    unfinished: int = 100  # runs that wait or run
    per_minute: int = 60  # runs, imports and campaigns begun
    evaluations: int = MOST_EVALUATIONS  # of one run
    cells: int = MOST_CELLS  # of one map

    def __post_init__(self) -> None:
        for name in ("unfinished", "per_minute", "evaluations", "cells"):
            if getattr(self, name) < 1:
                raise InputError(f"a limit must be 1 or more, but that on {name} was {getattr(self, name):,}")

    def check_size(self, evaluations: int, cells: int) -> None:
        """An `InputError` for a run that is too large here."""
        for name, most, asked in (("evaluations", self.evaluations, evaluations), ("cells", self.cells, cells)):
            if asked > most:
                raise InputError(f"{name}: a run here has at most {most:,}, but this one asks for {asked:,}")


USUAL = ClientLimits()  # on one's own machine: as large as the engine can
SHARED = ClientLimits(
    evaluations=10**10, cells=10**9
)  # where others can come: hours of searching, and every built-in design


@dataclass
class BeginTimes:
    """What one client began: when, within the last minute, and which runs may still be unfinished."""

    times: deque[float] = field(default_factory=deque)
    runs: list[str] = field(default_factory=list)


class LimitedQueue(RunQueue):
    """Where the pages begin runs: what a client wants to begin is counted first, and refused where it is too much."""

    def __init__(
        self,
        store: Store,
        limits: ClientLimits,
        schedulers: Sequence[str] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(store, schedulers)
        self.limits, self._now = limits, now
        self._clients: dict[str, BeginTimes] = {}
        self._lock = threading.Lock()

    def create(self, request: RunRequest) -> str:
        """Queue a run and return its id."""
        with self._room_for_one() as unfinished:
            run_id = super().create(request)
            unfinished.append(run_id)
        return run_id

    def resume(self, run_id: str) -> None:
        """Let a run go on that was paused or stopped or has failed."""
        with self._room_for_one(run_id) as unfinished:
            super().resume(run_id)
            unfinished.append(run_id)

    def import_run(self, content: bytes) -> str:
        """Take in what `export` gave, or a saved map."""
        self.admit()
        return super().import_run(content)

    def admit_campaign(self, campaign: Campaign) -> None:
        """Count a campaign that the client of this request begins, and refuse one whose runs are too large here."""
        for task in (campaign.task(instance, 1) for instance in campaign.instances):
            self.limits.check_size(task.spec.settings.evaluations, task.spec.tolerances.cells)
        self.admit()

    def admit(self) -> None:
        """Count something else that the client of this request begins, such as a campaign."""
        who = client_address()
        if who is not None:
            with self._lock:
                self._admit(who)

    def check(self, request: RunRequest) -> None:
        """An `InputError` for a run that is too large here, or that a scheduler of the client's would work on."""
        self.limits.check_size(request.settings.evaluations, request.tolerances.cells)
        super().check(request)

    @contextmanager
    def _room_for_one(self, run_id: str = "") -> Iterator[list[str]]:
        """The unfinished runs of this request's client without this one; an `InputError` where there are too many."""
        who = client_address()
        if who is None:
            yield []
            return
        with self._lock:
            begun = self._admit(who)
            begun.runs = [each for each in begun.runs if each != run_id and self._is_unfinished(each)]
            if len(begun.runs) >= self.limits.unfinished:
                raise InputError(
                    f"at most {self.limits.unfinished:,} runs of one client may wait or run, and {len(begun.runs):,} "
                    "do; let some finish or stop them first"
                )
            yield begun.runs

    def _admit(self, who: str) -> BeginTimes:
        """The client's account with one more thing begun; an `InputError` where there were too many."""
        now = self._now()
        for each in [name for name, begun in self._clients.items() if not begun.runs and _is_past(begun, now)]:
            del self._clients[each]
        begun = self._clients.setdefault(who, BeginTimes())
        while begun.times and now - begun.times[0] > MINUTE:
            begun.times.popleft()
        if len(begun.times) >= self.limits.per_minute:
            wait = MINUTE - (now - begun.times[0])
            raise InputError(
                f"at most {self.limits.per_minute:,} runs, imports and campaigns may be begun in a minute; "
                f"wait {wait:.0f} s"
            )
        begun.times.append(now)
        return begun

    def _is_unfinished(self, run_id: str) -> bool:
        try:
            return self.store.run(run_id).state in UNFINISHED
        except UnknownRunError:
            return False


def _is_past(begun: BeginTimes, now: float) -> bool:
    return not begun.times or now - begun.times[-1] > MINUTE


def client_address() -> str | None:
    """Who sent the request that is being answered; None outside of one."""
    return (request.remote_addr or "unknown") if has_request_context() else None
