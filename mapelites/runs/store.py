"""All runs on disk: what the dashboard and the command line read, and where they put what they want."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from mapelites.core.archive import Elites
from mapelites.core.errors import InputError
from mapelites.runs import presence, transfer
from mapelites.runs.claim import ended_record, of_another_engine
from mapelites.runs.entries import RunEntries
from mapelites.runs.errors import DamagedError, UnknownRunError, store_trouble
from mapelites.runs.evaluations import all_evaluations, count_damaged, sound_records
from mapelites.runs.history import Moment
from mapelites.runs.jobs.board import JobBoard
from mapelites.runs.labels import Labels
from mapelites.runs.record import OVER, Record, Run, State, Wish, WorkerStatus
from mapelites.runs.repair import RepairReport, repair
from mapelites.runs.request import RunRequest, check_pace, check_watch
from mapelites.runs.storage import backup
from mapelites.runs.storage.database import Database
from mapelites.snapshot.engine import present_engine
from mapelites.snapshot.snapshot import Snapshot

DATA_VARIABLE = "MAPELITES_DATA"
UNDO_SECONDS = 600.0
READ_TRIES = 20


Check = Callable[[RunRequest], None]  # an `InputError` for a run that is not wanted


def accept_all(request: RunRequest) -> None:
    """Every run is wanted."""


class Store:
    """Runs, their states, snapshots and checkpoints in one folder, for any number of processes and threads.

    >>> import tempfile
    >>> from mapelites import Settings, Tolerances
    >>> from mapelites.problems import get
    >>> from mapelites.snapshot.spec import RunSpec
    >>> tolerances, settings = Tolerances.default(get("C17", 10)), Settings.of("paper-3", 10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     run_id = store.create(RunRequest(RunSpec("C17", 10, tolerances, settings)))
    ...     store.run(run_id).state
    'queued'
    """

    def __init__(self, path: Path | str) -> None:
        self._database = Database(Path(path).expanduser())
        self.entries = RunEntries(self._database)
        self._seen_deleted: dict[str, float] = {}  # since when, on a clock that nobody sets

    @staticmethod
    def default_path() -> Path:
        """The folder named by MAPELITES_DATA, or a data folder of the user's."""
        if named := os.environ.get(DATA_VARIABLE):
            return Path(named)
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
        return Path(base) / "mapelites"

    @property
    def path(self) -> Path:
        """The store's folder."""
        return self._database.path

    # What is there

    def run(self, run_id: str) -> Run:
        """One run."""
        return self.entries.record(run_id).run

    def runs(self) -> list[Run]:
        """All runs, the newest first, without deleted and damaged ones."""
        return [record.run for record in self.records() if record.deleted is None]

    def deleted(self) -> list[Run]:
        """The runs that can be brought back."""
        return [record.run for record in self.records() if record.deleted is not None]

    def damaged(self) -> dict[str, str]:
        """The runs whose entries cannot be used, and why."""
        return {run_id: str(found) for run_id, found in self.entries.all() if isinstance(found, InputError)}

    def lost(self) -> dict[str, str]:
        """The runs whose newest map cannot be read, and why; every one is read for that."""
        found: dict[str, str] = {}
        for run in self.runs():
            try:
                self._snapshot(run.id, None)
            except UnknownRunError:
                continue  # erased since
            except DamagedError as error:
                found[run.id] = str(error)
        return found

    def version(self, run_id: str) -> int:
        """A number that changes whenever the run's state, progress or snapshot does; almost free."""
        return self.entries.version(run_id)

    def snapshot(self, run_id: str, version: int | None = None) -> Snapshot | None:
        """The newest snapshot, or that of a version; None where there is none (yet, or any more)."""
        try:
            return self._snapshot(run_id, version)
        except DamagedError as error:
            raise DamagedError(f"{error}; its seed makes the same map again: `again {run_id}`, or Run again") from None

    def again(self, run_id: str, check: Check = accept_all) -> str:
        """Queue a run with the same request, from its seed on, as where a map was lost; its id."""
        return self.create(self.entries.record(run_id).request.renewed(), check)

    def _snapshot(self, run_id: str, version: int | None) -> Snapshot | None:
        if version is not None:
            self.entries.record(run_id)
            there = self.entries.snapshot(run_id, version)
            if there is not None and version == self.entries.record(run_id).snapshot:
                return self._joined(run_id, there)
            if there is None and version in [moment.version for moment in self.entries.history(run_id).moments]:
                raise DamagedError(f"run {run_id}: its history must have snapshot {version}, but that is missing")
            return there
        tried = None
        for _ in range(READ_TRIES):
            newest = self.entries.record(run_id).snapshot
            found = None if newest is None else self.entries.snapshot(run_id, newest)
            if found is not None or newest is None:
                return None if found is None else self._joined(run_id, found)
            if newest == tried:
                time.sleep(0.01)
            tried = newest  # between the two readings it was replaced and deleted: there is a newer one
        raise DamagedError(f"run {run_id}: its newest snapshot should be number {tried}, but that is missing")

    @property
    def jobs(self) -> JobBoard:
        """Work on runs that are there, such as proofs."""
        return JobBoard(self.entries)

    def _joined(self, run_id: str, snapshot: Snapshot) -> Snapshot:
        """The newest snapshot with the solutions that jobs found."""
        return self.jobs.findings(run_id).joined(snapshot)

    def evaluations(self, run_id: str, up_to: int | None = None) -> Elites | None:
        """Every solution that workers evaluated for a run, or the first so many; None where none was logged."""
        record = self.entries.record(run_id)
        content = self.entries.log_bytes(run_id)
        if content is None:
            return None
        return all_evaluations(content, record.request, up_to)

    def damaged_evaluations(self, run_id: str) -> int:
        """How many of a run's evaluations by workers are not in its log any more as they were written."""
        record, content = self.entries.record(run_id), self.entries.log_bytes(run_id)
        if not record.request.settings.workers or (content is None and not record.engines):  # a map without its run
            return 0
        problem = record.request.get_problem()
        if problem.compiled:  # it needs no workers
            return 0
        content = content or b""
        return max(count_damaged(content, problem), record.evaluations - len(sound_records(content, problem)))

    def history(self, run_id: str) -> tuple[Moment, ...]:
        """The moments that can be replayed, ascending."""
        self.entries.record(run_id)
        return self.entries.history(run_id).moments

    def worker(self) -> WorkerStatus:
        """Whether the queue is being worked on."""
        running = tuple(
            run_id
            for run_id, found in self.entries.all()
            if isinstance(found, Record) and found.state == "running" and found.deleted is None
        )
        alive, since = presence.supervisor_presence(self.path)
        return WorkerStatus(alive, since, running, store_trouble(self.path))

    # What somebody wants

    def create(self, request: RunRequest, check: Check = accept_all) -> str:
        """Queue a run and return its id; `check` may refuse it."""
        check(request)
        request.spec.check()
        with self._database.writing():
            record = Record(self.entries.new_id(), request, "queued", created=time.time())
            return self._changed(record).id

    def pause(self, run_id: str) -> None:
        """Halt a run so that it can go on later."""
        self._end(run_id, "pause", "paused", ("queued", "running"), ("paused",))

    def stop(self, run_id: str) -> None:
        """End a run before its budget is spent."""
        self._end(run_id, "stop", "stopped", ("queued", "running", "paused"), ("stopped",))

    def resume(self, run_id: str, check: Check = accept_all) -> None:
        """Let a run go on that was paused or stopped or has failed."""
        with self._database.writing():
            record = self._alive(run_id)
            check(record.request)
            if record.state == "running" and record.wish:
                self._changed(replace(record, wish=None))
            elif record.state in ("paused", "stopped", "failed"):
                # Whoever was told that another engine began it, and resumes it all the same, has agreed.
                told = record.reason is not None and record.reason == of_another_engine(record)
                agreed = present_engine().key if told else record.agreed
                self._changed(replace(ended_record(record, "queued"), died_at=-1, deaths=0, agreed=agreed))
            elif record.state == "finished":
                raise _cannot(record, "resumed", "paused, stopped or failed")

    def set_pace(self, run_id: str, evaluations_per_second: float | None, watch: float | None = None) -> None:
        """Slow a run down to so many evaluations per second, or let it go as fast as it can.

        `watch` is the seconds to spend the budget in, slowly at first, instead of a pace that stays the same.
        """
        check_pace(evaluations_per_second)
        check_watch(watch, evaluations_per_second)
        with self._database.writing():
            record = self._alive(run_id)
            request = replace(record.request, pace=evaluations_per_second, watch=watch, unseen=False)
            self.entries.write(replace(record, request=request))

    def label(self, run_id: str, **changes: Any) -> Labels:
        """Give a run another name, star, note or tags; what they were before is returned."""
        with self._database.writing():
            record = self.entries.record(run_id)
            labels = replace(record.labels, **changes)
            if labels != record.labels:
                self.entries.write(replace(record, labels=labels))
        return record.labels

    def delete(self, run_id: str) -> None:
        """Put a run away; for a while it can be brought back, but a damaged one is erased at once."""
        with self._database.freeing():
            try:
                record = self.entries.record(run_id)
            except DamagedError:
                self.entries.erase(run_id)
                return
            if record.deleted is None:
                record = self._wishing(record, "pause", "paused") if record.state == "running" else record
                self._changed(replace(record, deleted=time.time()))

    def undelete(self, run_id: str) -> None:
        """Bring a deleted run back."""
        with self._database.writing():
            record = self.entries.record(run_id)
            if record.deleted is not None:
                self._changed(replace(record, deleted=None))

    def purge(self, before: float | None = None) -> int:
        """Erase the runs deleted before then (by default those past undoing) for good; how many.

        By default they must have been seen deleted for as long by this process too: a clock that is put forward makes
        nothing older.
        """
        limit, now, erased = time.time() - UNDO_SECONDS if before is None else before, time.monotonic(), 0
        deleted = self.deleted()
        self._seen_deleted = {run.id: self._seen_deleted.get(run.id, now) for run in deleted}
        for run in deleted:
            if run.deleted is None or run.deleted >= limit:
                continue
            if before is None and now - self._seen_deleted[run.id] < UNDO_SECONDS:
                continue
            # One that was damaged or erased since must not keep the others.
            with suppress(DamagedError, UnknownRunError), self._database.freeing():
                record = self.entries.record(run.id)
                if record.deleted is not None and record.deleted < limit and not record.claim:
                    self.entries.erase(run.id)
                    erased += 1
        return erased

    # Files and room

    def export(self, run_id: str) -> bytes:
        """The whole run, with its history and what it needs to go on, as the content of one `.npz` file."""
        content = io.BytesIO()
        self.export_to(run_id, content)
        return content.getvalue()

    def export_to(self, run_id: str, file: IO[bytes]) -> None:
        """Write that file piece by piece."""
        transfer.export(self.entries, run_id, file)

    def import_run(self, content: bytes, check: Check = accept_all, seconds: float | None = None) -> str:
        """Take in what `export` gave, or a saved map; the id is kept where it is free.

        It is refused where it takes more than so many seconds to evaluate what it holds.
        """
        return transfer.take_in(self.entries, content, check, seconds)

    def backup(self, file: Path) -> int:
        """Write the whole store to a file while runs go on; how many files it has."""
        return backup.backup(self._database, file)

    @staticmethod
    def restore(file: Path, folder: Path) -> int:
        """Make a store from such a file in a new folder; how many files it has."""
        return backup.restore(file, folder.expanduser().absolute())

    def size(self) -> int:
        """Bytes on disk."""
        return self._database.volume() + self.entries.logs_size()

    @property
    def limit(self) -> int | None:
        """How large the store should get; None for no limit."""
        value = self._database.get("limit")
        return value if isinstance(value, int) and value > 0 else None

    def set_limit(self, limit: int | None) -> None:
        """Set how large the store should get."""
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or not 0 < limit < 9e18):
            raise InputError(
                f"limit must be a whole number of bytes above 0 and below 9e18, or none, but it was {limit!r}"
            )
        with self._database.writing():
            self._database.put("limit", limit or 0)

    def over_limit(self) -> list[Run]:
        """The oldest runs that are over, as many as must go to get below the limit; nothing is deleted.

        What is deleted already counts as gone, though it can still be brought back.
        """
        limit, offered = self.limit, []
        excess = 0 if limit is None else self.size() - limit - sum(run.size for run in self.deleted())
        for run in sorted(self.runs(), key=lambda each: each.finished or each.created):
            if excess > 0 and run.state in OVER:
                offered.append(run)
                excess -= run.size
        return offered

    def repair(self) -> RepairReport:
        """Put right what killed processes and damage left behind, and say what that was; nothing is lost by it."""
        repaired = repair(self.entries)
        self._database.keep_reserve()
        return repaired

    def check_writable(self) -> None:
        """An error in words where the store can only be read at the moment."""
        with self._database.writing():
            pass

    def keep_reserve(self) -> None:
        """Hold some room on the disk for bad times."""
        self._database.keep_reserve()

    def close(self) -> None:
        """Close this thread's connection; the next use opens another. Needed before a fork."""
        self._database.close()

    def records(self) -> list[Record]:
        """All runs with what the supervisor needs to know of them, the newest first, without damaged ones."""
        records = [found for _, found in self.entries.all() if isinstance(found, Record)]
        return sorted(records, key=lambda record: (record.created, record.id), reverse=True)

    # Inside

    def _alive(self, run_id: str) -> Record:
        record = self.entries.record(run_id)
        if record.deleted is not None:
            raise InputError(f"run {run_id}: it must not be deleted, but it is; bring it back first")
        return record

    def _end(self, run_id: str, wish: Wish, state: State, possible: tuple[str, ...], already: tuple[str, ...]) -> None:
        with self._database.writing():
            record = self._alive(run_id)
            if record.state in possible:
                self._changed(self._wishing(record, wish, state))
            elif record.state not in already:
                raise _cannot(record, state, f"{', '.join(possible[:-1])} or {possible[-1]}")

    def _changed(self, record: Record) -> Record:
        """Write a record in which the supervisor may see something to do."""
        self.entries.announce()
        return self.entries.write(record)

    def _wishing(self, record: Record, wish: Wish, state: State) -> Record:
        """Ask the run's process for it, or do it at once where no process has the run."""
        if record.claim and presence.supervisor_presence(self.path)[0]:
            return replace(record, wish=wish)
        return ended_record(record, state)


def _cannot(record: Record, verb: str, expected: str) -> InputError:
    return InputError(f"run {record.id}: to be {verb} it must be {expected}, but it is {record.state}")
