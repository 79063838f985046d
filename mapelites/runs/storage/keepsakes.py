"""What the list of runs can be made again from, outside of the database: a small file for each run.

It has the run's record as it was when the run was asked for or came to rest, its history, and the newest snapshot and
checkpoint where these are not files of their own. It is written once the database has all that, and deleted before a
run is erased there: so a file without its run means that the run is missing.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from mapelites.runs.errors import DamagedError
from mapelites.runs.storage.seal import read_sealed, with_heading
from mapelites.system.files import read_file, sync_folder, write_whole

KEEPSAKES = "runs"


class Keepsakes:
    """The keepsakes of a store."""

    def __init__(self, path: Path) -> None:
        self.folder = path / KEEPSAKES

    def ids(self) -> set[str]:
        """The runs that have one."""
        try:
            return {name for name in os.listdir(self.folder) if not name.startswith(".")}
        except FileNotFoundError:
            return set()

    def write(self, run_id: str, content: bytes) -> None:
        """Put one down, so that it outlives a power cut."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        write_whole(self.folder / run_id, b"".join(with_heading(f"{KEEPSAKES}/{run_id}", content)))

    def read(self, run_id: str) -> bytes:
        """The content of one; a `DamagedError` where it is not what was written."""
        key, content = read_sealed(read_file(self.folder / run_id))
        if key != f"{KEEPSAKES}/{run_id}":
            raise DamagedError(f"must be the file of run {run_id}, but it is {key}")
        return content

    def forget(self, run_id: str) -> None:
        """Delete one for good, before its run goes."""
        with suppress(FileNotFoundError):
            (self.folder / run_id).unlink()
            sync_folder(self.folder)
