"""Which entries a run has in the database, and how they are read and written.

entry/<id>                 its record, one small table
version/<id>               a number that grows with every change
history/<id>               which snapshots there are
snapshot/<id>/<version>    one snapshot, whole or as the change of another; written once, never changed
state/<id>/<version>       one checkpoint, likewise
findings/<id>/<version>    what jobs found, likewise; `jobs/board.py`
job/<id>/<job>             one job, a small table

Beside the database, evaluations/<id> is a file that only grows: what workers were asked, and what they answered; and
runs/<id> is what the run can be made again from where its entries are lost (`storage/keepsakes.py`).
"""

from __future__ import annotations

import logging
import re
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from mapelites.core.errors import InputError
from mapelites.runs.errors import DamagedError, UnknownRunError, disk_error
from mapelites.runs.history import History
from mapelites.runs.record import Record
from mapelites.runs.storage.database import FILE_FROM, Database
from mapelites.runs.storage.keepsakes import Keepsakes
from mapelites.snapshot.change import whole_snapshot
from mapelites.snapshot.snapshot import Snapshot, pack, unpack
from mapelites.system.files import read_file, sync_file, sync_folder, write_whole

LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # none that is easily taken for another
ID = re.compile(f"[{LETTERS}]{{8}}")
RECORD = "entry/"
LONGEST_KEPT = 64 * 2**20  # bytes of JSON in a keepsake, which has all jobs of its run
Found = tuple[str, Record | InputError]

log = logging.getLogger(__name__)


class RunEntries:
    """Reads and writes the entries of runs. Everything that writes goes inside of `database.writing()`."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.keepsakes = Keepsakes(database.path)
        self._seen = threading.local()  # the database's numbers when this thread looked last
        self._listed: list[Found] = []
        self._healed = 0  # how often the database had been made again when missing runs were last brought back
        self._read: dict[str, tuple[Any, Record]] = {}  # by id, with the stamp of its version

    def new_id(self) -> str:
        """An id that no run has."""
        while True:
            run_id = "".join(secrets.choice(LETTERS) for _ in range(8))
            if self.is_free(run_id):
                return run_id

    def is_free(self, run_id: str) -> bool:
        """Whether no run has this id, and none had it that was erased: somebody may still show its map."""
        return self.database.get(RECORD + run_id) is None and self.database.get(f"erased/{run_id}") is None

    def ids(self) -> list[str]:
        """The ids of all runs, in no particular order."""
        return [key.removeprefix(RECORD) for key in self.database.keys(RECORD)]

    def all(self) -> list[Found]:
        """Every run with its record, or with what is wrong with it; what did not change is not read again."""
        changes = self.database.changes()
        if getattr(self._seen, "changes", None) != changes:
            self._listed = self._look()
            self._seen.changes = changes
        return self._listed

    def _look(self) -> list[Found]:
        stamps, ids = self.database.stamps("version/"), self.ids()
        found: list[Found] = []
        for run_id in ids:
            stamp = stamps.get(f"version/{run_id}")
            known = self._read.get(run_id)
            if known is not None and stamp is not None and known[0] == stamp:
                found.append((run_id, known[1]))
                continue
            try:
                record = self.record(run_id)
            except DamagedError as error:
                found.append((run_id, error))
            except UnknownRunError:
                continue  # erased since its id was read
            else:
                found.append((run_id, record))
                self._read[run_id] = stamp, record
        missing = sorted(self.keepsakes.ids() - set(ids))
        if missing and self._is_to_heal():
            self._healed = self.database.remade
            for run_id in missing:
                self.bring_back(run_id)
            return self._look()
        for gone in self._read.keys() - set(ids):
            self._read.pop(gone, None)
        return found + [(run_id, _missing(run_id)) for run_id in missing if ID.fullmatch(run_id)]

    def _is_to_heal(self) -> bool:
        return self.database.remade > self._healed and not self.database.is_writing

    def record(self, run_id: str) -> Record:
        """The record of a run."""
        known = ID.fullmatch(str(run_id)) is not None
        table = self.database.get_table(RECORD + run_id) if known else None
        if table is None and known and run_id in self.keepsakes.ids():
            table = self._healed_table(run_id)
        if table is None:
            raise UnknownRunError(f"run: the id must be that of a run in the store, but there is no run {run_id!r}")
        return Record.from_table(run_id, table)

    def _healed_table(self, run_id: str) -> dict[str, Any]:
        """The record of a run that must be there and is not: brought back where the database was just made again."""
        if self._is_to_heal():
            self._look()
        table = self.database.get_table(RECORD + run_id)
        if table is None:
            raise _missing(run_id)
        return table

    def version(self, run_id: str) -> int:
        """The version number alone."""
        version = self.database.get(f"version/{run_id}") if ID.fullmatch(str(run_id)) else None
        return version if isinstance(version, int) else self.record(run_id).version

    def write(self, record: Record) -> Record:
        """Put the record down under the next version."""
        record = replace(record, version=record.version + 1)
        self.database.put_table(RECORD + record.id, record.as_table())
        self.database.put(f"version/{record.id}", record.version)
        if record.state != "running":  # while it runs, its next rest is near, and its beginning known
            self.keep_afterwards(record.id)
        return record

    def keep_afterwards(self, run_id: str) -> None:
        """Inside of `writing`: put the run down beside the database when all has been written."""
        self.database.afterwards(partial(self.keep, run_id))

    def keep(self, run_id: str) -> None:
        """Put down beside the database what the run can be made again from."""
        try:
            record = self.record(run_id)
            history = orjson.dumps(self.history(run_id).as_table())
            parts = {"history": history, "request": record.request.text.encode()}
            for name, key in _newest_parts(record):
                content = self._sound(key)
                if (
                    isinstance(content, bytes) and len(content) < FILE_FROM
                ):  # longer ones are files that say what they are
                    parts[name] = content
            jobs = {key: self._sound(key) for key in self.database.keys(f"job/{run_id}/")}
            arrays = {name: np.frombuffer(content, dtype=np.uint8) for name, content in parts.items()}
            self.keepsakes.write(run_id, pack({"record": record.as_table(), "jobs": jobs}, arrays))
            if self.database.get(f"erased/{run_id}") is not None:  # while we wrote that
                self.keepsakes.forget(run_id)
        except (InputError, OSError) as error:
            log.warning("run %s: nothing could be put down beside the database: %s", run_id, error)

    def bring_back(self, run_id: str) -> bool:
        """Restore a run in a transaction of its own; whether that could be done."""
        try:
            with self.database.writing():
                self.restore(run_id)
        except (InputError, KeyError, ValueError, TypeError, OSError) as error:
            log.warning("run %s is missing, and what was kept of it cannot be used: %s", run_id, error)
            return False
        return True

    def restore(self, run_id: str) -> None:
        """Take a run whose record is lost from what was put down beside the database, inside of `writing`.

        Its history may still be there, and be longer; its version goes on from the highest that anybody has seen.
        """
        about, arrays = unpack(self.keepsakes.read(run_id), LONGEST_KEPT)
        record = replace(Record.from_table(run_id, about["record"]), claim=None, wish=None)
        history = History.from_table(orjson.loads(arrays["history"].tobytes()))
        with suppress(DamagedError):
            table = self.database.get_table(f"history/{run_id}")
            there = None if table is None else History.from_table(table)
            history = there if there is not None and len(there.moments) >= len(history.moments) else history
        for name, key in _newest_parts(record):
            if name in arrays and self._sound(key) is None:
                self.database.put(key, arrays[name].tobytes())
        for key, job in about.get("jobs", {}).items():
            if job is not None and key.startswith(f"job/{run_id}/") and self._sound(key) is None:
                self.database.put(key, str(job))
        versions = [record.version, *history.versions]
        with suppress(DamagedError):
            versions.append(int(self.database.get(f"version/{run_id}") or 0))
        self.write_history(run_id, history)
        self.write(replace(record, version=max(versions)))

    def announce(self) -> None:
        """Let the supervisor know that a run was changed by somebody else."""
        self.database.put("change", secrets.token_hex(4))

    def change(self) -> str:
        """A text that is another one after every `announce`."""
        try:
            return str(self.database.get("change"))
        except DamagedError:
            return ""  # the next `announce` puts it right

    def history(self, run_id: str) -> History:
        """Which snapshots the run has."""
        table = self.database.get_table(f"history/{run_id}")
        if table is None and self.record(run_id).snapshot is not None:
            raise DamagedError(f"run {run_id}: the store must have its history, but it is missing")
        return History() if table is None else History.from_table(table)

    def write_history(self, run_id: str, history: History) -> None:
        """Put down which snapshots the run has."""
        self.database.put_table(f"history/{run_id}", history.as_table())

    def snapshot_bytes(self, run_id: str, version: int) -> bytes | None:
        """One snapshot as it was written, or None where it is no longer there."""
        return self._bytes(f"snapshot/{run_id}/{version}")

    def snapshot(self, run_id: str, version: int) -> Snapshot | None:
        """One snapshot, or None where it is no longer there."""
        content = self.snapshot_bytes(run_id, version)
        if content is None:
            return None
        return self.put_together(run_id, version, content, lambda base: self.snapshot_bytes(run_id, base))

    def put_together(
        self, run_id: str, version: int, content: bytes, read: Callable[[int], bytes | None]
    ) -> Snapshot | None:
        """The snapshot of a version from its bytes, and from those that `read` returns where it is a change of others.

        None where these are no longer there.
        """
        try:
            return whole_snapshot(content, read)
        except InputError as error:
            raise DamagedError(f"run {run_id}: its snapshot {version} is damaged ({error})") from None

    def state_bytes(self, run_id: str, version: int) -> bytes | None:
        """One checkpoint as it was written, or None where it is no longer there."""
        return self._bytes(f"state/{run_id}/{version}")

    def findings_bytes(self, run_id: str, version: int) -> bytes | None:
        """What jobs found, as it was written, or None where it is no longer there."""
        return self._bytes(f"findings/{run_id}/{version}")

    def log_path(self, run_id: str) -> Path:
        """Where the evaluations of a run are logged, if they are."""
        return self.database.path / "evaluations" / run_id

    def log_bytes(self, run_id: str) -> bytes | None:
        """The log as it is now, or None where there is none."""
        try:
            return read_file(self.log_path(run_id))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise disk_error(self.database.path, error) from error

    def write_log(self, run_id: str, content: bytes) -> None:
        """Put down a log that came from elsewhere."""
        path = self.log_path(run_id)
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            write_whole(path, content)
        except OSError as error:
            raise disk_error(self.database.path, error) from error

    def sync_log(self, run_id: str) -> None:
        """Have what is logged by now outlive a power cut."""
        try:
            with suppress(FileNotFoundError):
                sync_file(self.log_path(run_id))
                sync_folder(self.log_path(run_id).parent)
        except OSError as error:
            raise disk_error(self.database.path, error) from error

    def log_size(self, run_id: str) -> int:
        """Its bytes."""
        return _size(self.log_path(run_id))

    def logs_size(self) -> int:
        """The bytes of the logs of all runs."""
        return sum(_size(path) for path in (self.database.path / "evaluations").glob("*"))

    def _sound(self, key: str) -> Any:
        """The value of a key; None where there is none, or a damaged one."""
        with suppress(DamagedError):
            return self.database.get(key)
        return None

    def _bytes(self, key: str) -> bytes | None:
        content = self.database.get(key)
        if content is not None and not isinstance(content, bytes):
            raise DamagedError(f"store: the entry {key} must be bytes, but it was {type(content).__name__}")
        return content

    def erase(self, run_id: str) -> None:
        """Delete a run with everything it has, for good; what its entries say need not be readable for that."""
        self.keepsakes.forget(run_id)
        self.database.afterwards(partial(self.keepsakes.forget, run_id))  # somebody may just have written another
        self.database.put(f"erased/{run_id}", 1)
        for prefix in (f"snapshot/{run_id}/", f"state/{run_id}/", f"findings/{run_id}/", f"job/{run_id}/"):
            for key in self.database.keys(prefix):
                self.database.drop(key)
        self.log_path(run_id).unlink(missing_ok=True)
        for key in (f"history/{run_id}", f"version/{run_id}", RECORD + run_id):
            self.database.drop(key)


def _newest_parts(record: Record) -> list[tuple[str, str]]:
    """The names and keys of what a run needs to be shown, and to go on."""
    parts = [] if record.snapshot is None else [("snapshot", f"snapshot/{record.id}/{record.snapshot}")]
    parts += [("findings", f"findings/{record.id}/{record.findings}")] if record.findings else []
    return parts + [("checkpoint", f"state/{record.id}/{each.version}") for each in record.checkpoints[-1:]]


def _missing(run_id: str) -> DamagedError:
    return DamagedError(
        f"run {run_id}: the store must have an entry for it, but that is missing; `doctor --repair` brings it back"
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
