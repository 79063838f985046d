"""How the supervisor of a store shows that it is there, and how others see it: a lock and a pulse."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from mapelites.system.files import SMALL, json_of, read_file
from mapelites.system.locks import is_locked, try_lock

FILE = "supervisor.lock"
SILENT_SECONDS = 15.0


class SupervisorLock:
    """Held by the supervisor, and through the fork by its processes: free again when all are gone."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._file, self._descriptor = path / FILE, descriptor
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"process": os.getpid(), "since": time.time()}).encode(), 0)

    @classmethod
    def acquire(cls, path: Path) -> SupervisorLock | None:
        """Be the supervisor of this store, unless there is one."""
        descriptor = try_lock(path / FILE)
        return None if descriptor is None else cls(path, descriptor)

    def refresh(self) -> bool:
        """Show that we still move: the time of the file, which needs no room even on a full disk.

        Whether the file is still ours: in another folder of the same name it is not.
        """
        os.utime(self._file)
        return os.path.samestat(os.stat(self._file), os.fstat(self._descriptor))

    def release(self) -> None:
        """Let go."""
        os.close(self._descriptor)


def supervisor_presence(path: Path) -> tuple[bool, float | None]:
    """Whether a supervisor is there and moves, and since when."""
    file = path / FILE
    if not is_locked(file):
        return False, None
    try:
        table = json_of(read_file(file, SMALL))
        # Either way: a clock that was set back makes the last pulse one of the future.
        moved = abs(time.time() - file.stat().st_mtime) < SILENT_SECONDS
        return moved, float(table["since"])
    except (OSError, ValueError, KeyError, TypeError):
        return True, None


def process_of(path: Path) -> int | None:
    """The process id of the supervisor that is there."""
    try:
        return int(json_of(read_file(path / FILE, SMALL))["process"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
