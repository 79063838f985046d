"""The right of one process to advance one run, and what it may write while it has that right.

Whoever takes a run gets a claim with a token; every write checks, in the same transaction, that the
token is still the run's. A process that was given up for dead can therefore write nothing more.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites import problems
from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.evaluation.answer import RunServices
from mapelites.runs.entries import RunEntries
from mapelites.runs.errors import ClaimLostError, DamagedError, UnknownRunError
from mapelites.runs.evaluations import EvaluationLog
from mapelites.runs.history import History, Moment
from mapelites.runs.record import OVER, Checkpoint, Record, State, Wish
from mapelites.search import Illumination
from mapelites.snapshot.change import SnapshotChange
from mapelites.snapshot.engine import EngineVersion, present_engine
from mapelites.snapshot.snapshot import Snapshot, pack, unpack

KEPT_CHECKPOINTS = 2
PATIENCE_SECONDS = 0.1  # a search waits no longer for an answer before somebody is listened to
CURVE = "run.curve"  # the one array of a checkpoint that is not the search's
MOST_DEATHS = 3
LONGEST_TRACE = 8_000
WISHED: dict[str, State] = {"pause": "paused", "stop": "stopped"}


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ResumedSearch:
    """A search taken up again: itself, the seconds it computed before, and its curve so far."""

    search: Illumination
    seconds: float
    curve: NDArray[np.float64]


class Claim:
    """One process's hold on one run."""

    def __init__(self, entries: RunEntries, run_id: str, token: str, history: History) -> None:
        self.entries, self.run_id, self.token = entries, run_id, token
        self._history = history  # nobody else writes it while the claim holds
        self._written: Record | None = None

    @classmethod
    def take(cls, entries: RunEntries, run_id: str, token: str | None = None) -> Claim | None:
        """Make a queued run, or a running one whose process is gone, ours; None where it is neither.

        With the token of an earlier claim it is that of a process which is still there.
        """
        with entries.database.writing():
            record = entries.record(run_id)
            if record.deleted is not None or record.state not in ("queued", "running") or record.claim:
                return None
            if record.wish:
                entries.write(ended_record(record, WISHED[record.wish]))
                return None
            try:
                history = entries.history(run_id)
            except DamagedError as error:
                entries.write(ended_record(record, "failed", str(error)))
                return None
            if (words := of_another_engine(record)) and record.agreed != present_engine().key:
                entries.write(ended_record(record, "paused", words))
                return None
            token = token or secrets.token_hex(8)
            started = time.time() if record.started is None else record.started
            record = replace(record, state="running", claim=token, started=started, reason=None, traceback=None)
            entries.write(replace(record, engines=_engines(record)))
        return cls(entries, run_id, token, history)

    def record(self) -> Record:
        """The run's record, if the run is still ours."""
        try:
            record = self.entries.record(self.run_id)
        except UnknownRunError:
            raise ClaimLostError(self.run_id) from None
        if record.claim != self.token:
            raise ClaimLostError(self.run_id)
        return record

    def resume(self, record: Record) -> ResumedSearch:
        """The search at the newest checkpoint that can be used, or at its beginning."""
        problem = problems.own_problems.loaded(record.request.get_problem())
        outside = RunServices(EvaluationLog(self.entries.log_path(self.run_id), record.request), PATIENCE_SECONDS)
        for checkpoint in reversed(record.checkpoints):
            try:
                content = self.entries.state_bytes(self.run_id, checkpoint.version)
                if content is not None:
                    return _progress(record, content, problem, outside)
            except (InputError, KeyError) as error:  # an older one, or the beginning, leads to the same archive
                log.warning("run %s: checkpoint %s cannot be used: %s", self.run_id, checkpoint.version, error)
        return ResumedSearch(record.request.begin(problem=problem, outside=outside), 0.0, np.empty((0, 3)))

    def publish(
        self,
        seen: Snapshot | SnapshotChange,
        checkpoint: Mapping[str, NDArray[Any]] | None = None,
        state: State | None = None,
        reason: str | None = None,
        passed: Sequence[Snapshot] = (),
    ) -> Record:
        """Put down a snapshot, whole or as a change, a checkpoint and a new state with its reason, all or nothing.

        Moments that the run has passed through since the last time go into its history. With a checkpoint the run can
        be halted, and is where somebody wishes it at this very moment: what the process heard before may have been
        taken back.
        """
        content, saved = seen.to_bytes(), None
        snapshot, base = (seen.moment, seen.base) if isinstance(seen, SnapshotChange) else (seen, None)
        if checkpoint is not None:
            saved = pack({"seconds": snapshot.seconds}, {**checkpoint, CURVE: snapshot.curve})
        durable = saved is not None or state is not None
        if durable:
            self.entries.sync_log(self.run_id)
        with self.entries.database.writing(durable=durable):
            record, history = self._as_written() or self.record(), self._history
            for each in passed:
                if each.evaluations < snapshot.evaluations:
                    history = self._write_snapshot(history, moment_of(each, record.version + 1), each.to_bytes())
                    record = replace(record, version=record.version + 1)
            moment = moment_of(snapshot, record.version + 1)
            history = self._write_snapshot(history, moment, content, base)
            self.entries.write_history(self.run_id, history)
            record = with_progress(record, moment, snapshot, seen.best)
            if saved is not None:
                record = self._with_checkpoint(record, saved)
                state = WISHED[record.wish] if record.wish and state is None else state
            if state is not None:
                record = ended_record(record, state, None if state == "stopped" else reason)
            if state == "finished":
                record = self._without_checkpoints(record)
            size = history.size + sum(each.size for each in record.checkpoints) + self.entries.log_size(self.run_id)
            record = self.entries.write(replace(record, size=size))
        self._history, self._written = history, record
        return record

    def _as_written(self) -> Record | None:
        """The record that we wrote last, where nobody wrote another since: told by a number, it need not be read."""
        written = self._written
        with suppress(UnknownRunError):
            return written if written is not None and self.entries.version(self.run_id) == written.version else None
        return None

    def _write_snapshot(self, history: History, moment: Moment, content: bytes, base: int | None = None) -> History:
        now = time.time()
        history, gone = history.add(moment, len(content), now, base).without_gone(now)
        database = self.entries.database
        database.put(f"snapshot/{self.run_id}/{moment.version}", content)
        for old in gone:
            database.drop(f"snapshot/{self.run_id}/{old}")
        return history

    def _with_checkpoint(self, record: Record, content: bytes) -> Record:
        version = record.version + 1
        self.entries.database.put(f"state/{self.run_id}/{version}", content)
        kept = (*record.checkpoints, Checkpoint(version, record.evaluations, len(content)))
        for old in kept[:-KEPT_CHECKPOINTS]:
            self.entries.database.drop(f"state/{self.run_id}/{old.version}")
        return replace(record, checkpoints=kept[-KEPT_CHECKPOINTS:])

    def _without_checkpoints(self, record: Record) -> Record:
        for old in record.checkpoints:
            self.entries.database.drop(f"state/{self.run_id}/{old.version}")
        return replace(record, checkpoints=())

    def give_back(self) -> None:
        """Let go of a run that shall go on when somebody takes it up."""
        with self.entries.database.writing():
            self.entries.write(replace(self.record(), claim=None))

    def settle(self, state: State, reason: str, traceback: str | None = None) -> None:
        """Let go of a run in a state of its own, with the reason."""
        with self.entries.database.writing():
            self.entries.write(ended_record(self.record(), state, reason, traceback))

    def halt(self) -> Wish | None:
        """Do what is wished without the run's process; the last checkpoint stands. What that was, if anything."""
        with self.entries.database.writing():
            record = self.record()
            if record.wish:
                self.entries.write(ended_record(record, WISHED[record.wish]))
            return record.wish

    def record_death(self, reason: str, traceback: str | None) -> None:
        """Take down that the process of this claim died; after three times at one place the run has failed."""
        with self.entries.database.writing():
            record = self.record()
            place = record.resumes_at
            deaths = record.deaths + 1 if record.died_at == place else 1
            record = replace(record, claim=None, died_at=place, deaths=deaths)
            if record.wish:
                record = ended_record(record, WISHED[record.wish])
            elif deaths >= MOST_DEATHS:
                said = f"its process died {deaths} times after evaluation {place:,}: {reason}"
                record = ended_record(record, "failed", said, traceback)
            self.entries.write(record)


def of_another_engine(record: Record) -> str | None:
    """Why a run should not simply go on, in words, where another engine than this one began it."""
    if not record.checkpoints or not record.engines or record.engines[-1].key == present_engine().key:
        return None
    return (
        f"another engine began it, {record.engines[-1].words()}, and this is {present_engine().words()}: resumed once "
        "more it goes on with this one, to a map that neither makes alone; run again, this one makes its own"
    )


def _engines(record: Record) -> tuple[EngineVersion, ...]:
    """Those that searched, with the one that does now."""
    if not record.checkpoints:
        return (present_engine(),)  # from the beginning
    return record.engines if record.engines[-1:] == (present_engine(),) else (*record.engines, present_engine())


def ended_record(record: Record, state: State, reason: str | None = None, traceback: str | None = None) -> Record:
    """The record in a state in which no process works on it."""
    trace = _shortened(traceback) if traceback else None
    finished = time.time() if state in OVER else None
    return replace(record, state=state, reason=reason, traceback=trace, finished=finished, wish=None, claim=None)


def _shortened(text: str) -> str:
    """The beginning, which says what happened, and the end, which says where."""
    half = LONGEST_TRACE // 2
    return text if len(text) <= LONGEST_TRACE else f"{text[:half]}\n...\n{text[-half:]}"


def moment_of(snapshot: Snapshot, version: int) -> Moment:
    """A snapshot's place in the history."""
    _, occupied, feasible = snapshot.curve[-1] if len(snapshot.curve) else (0, 0, np.nan)
    best = None if np.isnan(feasible) else float(feasible)
    return Moment(version, snapshot.evaluations, snapshot.seconds, int(occupied), best)


def with_progress(record: Record, moment: Moment, snapshot: Snapshot, best: float | None) -> Record:
    """The record of a run whose newest snapshot is this one."""
    return replace(
        record,
        snapshot=moment.version,
        evaluations=moment.evaluations,
        seconds=moment.seconds,
        occupied=moment.occupied,
        best_feasible=moment.best_feasible,
        best=best,
        refused=snapshot.refused,
        failures=dict(snapshot.failures),
    )


def _progress(record: Record, content: bytes, problem: Problem, outside: RunServices) -> ResumedSearch:
    about, arrays = unpack(content)
    curve = arrays.pop(CURVE)
    return ResumedSearch(record.request.begin(arrays, problem, outside), float(about["seconds"]), curve)
