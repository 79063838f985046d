"""Which entries a run has in the database, and how they are read and written.

entry/<id>                 its record, one small table
version/<id>               a number that grows with every change
history/<id>               which snapshots there are
snapshot/<id>/<version>    one snapshot, whole or as the change of another; written once, never changed
state/<id>/<version>       one checkpoint, likewise

Beside the database, evaluations/<id> is a file that only grows: what workers were asked, and what they answered.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from mapelites.errors import InputError
from mapelites.runs.change import whole
from mapelites.runs.database import Database
from mapelites.runs.errors import DamagedError, UnknownRunError, disk_error
from mapelites.runs.history import History
from mapelites.runs.record import Record
from mapelites.snapshot import Snapshot

LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # none that is easily taken for another
ID = re.compile(f"[{LETTERS}]{{8}}")
RECORD = "entry/"


class Entries:
    """Reads and writes the entries of runs. Everything that writes goes inside of `database.writing()`."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def new_id(self) -> str:
        """An id that no run has."""
        while True:
            run_id = "".join(secrets.choice(LETTERS) for _ in range(8))
            if self.database.get(RECORD + run_id) is None:
                return run_id

    def ids(self) -> list[str]:
        """The ids of all runs, in no particular order."""
        return [key.removeprefix(RECORD) for key in self.database.keys(RECORD)]

    def record(self, run_id: str) -> Record:
        """The record of a run."""
        table = self.database.get_table(RECORD + run_id) if ID.fullmatch(str(run_id)) else None
        if table is None:
            raise UnknownRunError(f"run: the id must be that of a run in the store, but there is no run {run_id!r}")
        return Record.from_table(run_id, table)

    def version(self, run_id: str) -> int:
        """The version number alone."""
        version = self.database.get(f"version/{run_id}") if ID.fullmatch(str(run_id)) else None
        return version if isinstance(version, int) else self.record(run_id).version

    def write(self, record: Record) -> Record:
        """Put the record down under the next version."""
        record = replace(record, version=record.version + 1)
        self.database.put_table(RECORD + record.id, record.as_table())
        self.database.put(f"version/{record.id}", record.version)
        return record

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
            return whole(content, read)
        except InputError as error:
            raise DamagedError(f"run {run_id}: its snapshot {version} is damaged ({error})") from None

    def state_bytes(self, run_id: str, version: int) -> bytes | None:
        """One checkpoint as it was written, or None where it is no longer there."""
        return self._bytes(f"state/{run_id}/{version}")

    def log_path(self, run_id: str) -> Path:
        """Where the evaluations of a run are logged, if they are."""
        return self.database.path / "evaluations" / run_id

    def log_bytes(self, run_id: str) -> bytes | None:
        """The log as it is now, or None where there is none."""
        try:
            return self.log_path(run_id).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise disk_error(self.database.path, error) from error

    def write_log(self, run_id: str, content: bytes) -> None:
        """Put down a log that came from elsewhere."""
        path = self.log_path(run_id)
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o600)
        except OSError as error:
            raise disk_error(self.database.path, error) from error

    def log_size(self, run_id: str) -> int:
        """Its bytes."""
        return _size(self.log_path(run_id))

    def logs_size(self) -> int:
        """The bytes of the logs of all runs."""
        return sum(_size(path) for path in (self.database.path / "evaluations").glob("*"))

    def _bytes(self, key: str) -> bytes | None:
        content = self.database.get(key)
        if content is not None and not isinstance(content, bytes):
            raise DamagedError(f"store: the entry {key} must be bytes, but it was {type(content).__name__}")
        return content

    def erase(self, run_id: str) -> None:
        """Delete a run with everything it has, for good; what its entries say need not be readable for that."""
        for prefix in (f"snapshot/{run_id}/", f"state/{run_id}/"):
            for key in list(self.database.keys(prefix)):
                self.database.drop(key)
        self.log_path(run_id).unlink(missing_ok=True)
        for key in (f"history/{run_id}", f"version/{run_id}", RECORD + run_id):
            self.database.drop(key)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
