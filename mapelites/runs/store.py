"""All runs on disk: what the dashboard and the command line read, and where they put what they want."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from mapelites.archive import Elites
from mapelites.errors import InputError
from mapelites.runs import presence, transfer
from mapelites.runs.claim import over
from mapelites.runs.database import Database
from mapelites.runs.entries import Entries
from mapelites.runs.errors import DamagedError, UnknownRunError, trouble
from mapelites.runs.evaluations import everything
from mapelites.runs.history import Moment
from mapelites.runs.record import OVER, Record, Run, State, Wish, WorkerStatus
from mapelites.runs.request import RunRequest, check_pace, check_watch
from mapelites.snapshot import Snapshot

DATA_VARIABLE = "MAPELITES_DATA"
UNDO_SECONDS = 600.0
READ_TRIES = 20


class Store:
    """Runs, their states, snapshots and checkpoints in one folder, for any number of processes and threads.

    >>> import tempfile
    >>> from mapelites import Settings, Tolerances
    >>> from mapelites.problems import get
    >>> tolerances, settings = Tolerances.default(get("C17", 10)), Settings.of("paper-3", 10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     run_id = store.create(RunRequest("C17", 10, tolerances, settings))
    ...     store.run(run_id).state
    'queued'
    """

    def __init__(self, path: Path | str) -> None:
        self._database = Database(Path(path).expanduser())
        self.entries = Entries(self._database)

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
        return self.entries.record(run_id).as_run()

    def runs(self) -> list[Run]:
        """All runs, the newest first, without deleted and damaged ones."""
        return [record.as_run() for record in self.records() if record.deleted is None]

    def deleted(self) -> list[Run]:
        """The runs that can be brought back."""
        return [record.as_run() for record in self.records() if record.deleted is not None]

    def damaged(self) -> dict[str, str]:
        """The runs whose entries cannot be used, and why."""
        return {run_id: str(found) for run_id, found in self._found() if isinstance(found, InputError)}

    def version(self, run_id: str) -> int:
        """A number that changes whenever the run's state, progress or snapshot does; almost free."""
        return self.entries.version(run_id)

    def snapshot(self, run_id: str, version: int | None = None) -> Snapshot | None:
        """The newest snapshot, or that of a version; None where there is none (yet, or any more)."""
        if version is not None:
            self.entries.record(run_id)
            return self.entries.snapshot(run_id, version)
        tried = None
        for _ in range(READ_TRIES):
            newest = self.entries.record(run_id).snapshot
            found = None if newest is None else self.entries.snapshot(run_id, newest)
            if found is not None or newest is None:
                return found
            if newest == tried:
                time.sleep(0.01)
            tried = newest  # between the two readings it was replaced and deleted: there is a newer one
        raise DamagedError(f"run {run_id}: its newest snapshot should be number {tried}, but that is missing")

    def evaluations(self, run_id: str, up_to: int | None = None) -> Elites | None:
        """Every solution that workers evaluated for a run, or the first so many; None where none was logged."""
        record = self.entries.record(run_id)
        content = self.entries.log_bytes(run_id)
        if content is None:
            return None
        return everything(content, record.request, up_to)

    def history(self, run_id: str) -> tuple[Moment, ...]:
        """The moments that can be replayed, ascending."""
        self.entries.record(run_id)
        return self.entries.history(run_id).moments

    def worker(self) -> WorkerStatus:
        """Whether the queue is being worked on."""
        running = tuple(run.id for run in self.runs() if run.state == "running")
        alive, since = presence.of(self.path)
        return WorkerStatus(alive, since, running, trouble(self.path))

    # What somebody wants

    def check(self, request: RunRequest) -> None:
        """What a run must pass to be queued, resumed or taken in; here everything does."""

    def create(self, request: RunRequest) -> str:
        """Queue a run and return its id."""
        self.check(request)
        request.begin()  # the constraints must be those of the problem
        with self._database.writing():
            record = Record(self.entries.new_id(), request, "queued", created=time.time())
            return self._changed(record).id

    def pause(self, run_id: str) -> None:
        """Halt a run so that it can go on later."""
        self._end(run_id, "pause", "paused", ("queued", "running"), ("paused",))

    def stop(self, run_id: str) -> None:
        """End a run before its budget is spent."""
        self._end(run_id, "stop", "stopped", ("queued", "running", "paused"), ("stopped",))

    def resume(self, run_id: str) -> None:
        """Let a run go on that was paused or stopped or has failed."""
        with self._database.writing():
            record = self._alive(run_id)
            self.check(record.request)
            if record.state == "running" and record.wish:
                self._changed(replace(record, wish=None))
            elif record.state in ("paused", "stopped", "failed"):
                self._changed(replace(over(record, "queued"), died_at=-1, deaths=0))
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
            request = replace(record.request, pace=evaluations_per_second, watch=watch)
            self.entries.write(replace(record, request=request))

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
        """Erase the runs deleted before then (by default those past undoing) for good; how many."""
        limit = time.time() - UNDO_SECONDS if before is None else before
        erased = 0
        for run in self.deleted():
            if run.deleted is None or run.deleted >= limit:
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
        return transfer.export(self.entries, run_id)

    def import_run(self, content: bytes) -> str:
        """Take in what `export` gave, or a saved map; the id is kept where it is free."""
        return transfer.take_in(self.entries, content, self.check)

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

    def repair(self) -> None:
        """Put right what killed processes left behind; for the supervisor, before it starts any."""
        self._database.repair()

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
        records = [found for _, found in self._found() if isinstance(found, Record)]
        return sorted(records, key=lambda record: (record.created, record.id), reverse=True)

    # Inside

    def _found(self) -> list[tuple[str, Record | InputError]]:
        found: list[tuple[str, Record | InputError]] = []
        for run_id in self.entries.ids():
            try:
                found.append((run_id, self.entries.record(run_id)))
            except DamagedError as error:
                found.append((run_id, error))
            except UnknownRunError:
                continue  # erased since its id was read
        return found

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
        if record.claim and presence.of(self.path)[0]:
            return replace(record, wish=wish)
        return over(record, state)


def _cannot(record: Record, verb: str, expected: str) -> InputError:
    return InputError(f"run {record.id}: to be {verb} it must be {expected}, but it is {record.state}")
