"""What diskcache may put on disk and take from it: text, numbers and bytes, and never a pickle.

diskcache unpickles whatever a row claims to be pickled, so a tampered row would run code. Here such a
row, and one whose file lies outside the cache, is refused. Text that is damaged is no error of the whole database.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from diskcache import UNKNOWN, Cache, Disk
from diskcache.core import MODE_BINARY, MODE_RAW

from mapelites.runs.errors import DamagedError
from mapelites.runs.storage.seal import heading_size, with_heading
from mapelites.system.files import read_file, sync_file, sync_folder

CACHED_PAGES = 2**9  # that sqlite keeps in memory, for every thread that reads: diskcache's 2**13 are 32 MB for each
PLAIN = (str, int, float, bytes)
REFUSED_KEY = "\0refused"
FILE_NAME = re.compile(r"[0-9a-f]{2}/(?:[0-9a-f]{2}/)?[0-9a-f]{28}\.val")  # earlier versions had two folders


def readable_text(text: bytes) -> str:
    """Text of a row, whatever its bytes are: one that is damaged concerns nobody but its reader."""
    return text.decode(errors="surrogateescape")


class PlainCache(Cache):  # type: ignore[misc]
    """A diskcache in which a flipped bit of a text is not an error for whoever reads the rows beside it."""

    @property
    def _con(self) -> sqlite3.Connection:
        connection: sqlite3.Connection = super()._con
        connection.text_factory = readable_text
        return connection


class PlainDisk(Disk):  # type: ignore[misc]
    """Keys are text; values are text, numbers and bytes, the larger ones of the bytes in files."""

    def __init__(self, directory: str, min_file_size: int = 0, pickle_protocol: int = 0) -> None:
        super().__init__(directory, min_file_size, pickle_protocol)
        self._changes = threading.local()
        self._unsynced: set[str] = set()  # files that a power cut would take away
        self._new_folders: set[str] = set()

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Around a transaction, since files know nothing of those.

        The files that it no longer needs go when it has ended well, those that it made where it has failed. diskcache
        deletes as soon as a row is gone, and were the transaction not to end well, the row would be back without it.
        """
        made, unneeded = self._changes.made, self._changes.unneeded = list[str](), list[str]()
        going: list[str] = []  # after an interruption that may have come when all was done, nothing
        try:
            yield
            going = unneeded
        except Exception:
            going = made
            raise
        finally:
            del self._changes.made, self._changes.unneeded
            for name in going:
                self.remove(name)

    def filename(self, key: Any = UNKNOWN, value: Any = UNKNOWN) -> tuple[str, str]:
        """A new name for a value's file, and its path: in one of 256 folders, which stay.

        To make and to remove two of them for every file, as diskcache does, costs more than the file itself.
        """
        folder, name = secrets.token_hex(1), secrets.token_hex(14)
        file = f"{folder}/{name}.val"
        return file, str(Path(self._directory, file))

    def _write(self, full_path: str, iterator: Iterator[bytes], mode: str, encoding: str | None = None) -> int:
        """What diskcache does, which would make the whole path where somebody has moved the cache away."""
        path = Path(full_path)
        try:
            path.parent.mkdir()
            self._new_folders.add(str(path.parent))
        except FileExistsError:
            pass
        with open(path, mode, encoding=encoding) as file:
            return sum(file.write(each) for each in iterator)

    def put(self, key: Any) -> tuple[str, bool]:
        """The key as it is."""
        if type(key) is not str:
            raise TypeError(f"a key must be text, but it was {key!r}")
        return key, True

    def get(self, key: Any, raw: bool) -> str:
        """The key of a row, or a name that no entry has where the row was not written by us."""
        return key if raw and type(key) is str else REFUSED_KEY

    def store(self, value: Any, read: bool, key: Any = UNKNOWN) -> tuple[int, int, str | None, Any]:
        """Plain values in the row, long bytes in a file of their own."""
        if read or type(value) not in PLAIN:
            raise TypeError(f"a value must be text, a number or bytes, but it was a {type(value).__name__}")
        if type(value) is not bytes or len(value) < self.min_file_size:
            return 0, MODE_RAW, None, value
        name, path = self.filename(key, value)
        try:
            self._write(path, iter(with_heading(str(key), value)), "xb")
        except OSError:
            self._unlink(name)  # half a file would take what little room there is
            raise
        getattr(self._changes, "made", []).append(name)
        self._unsynced.add(name)
        return len(value), MODE_BINARY, name, None

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        """A value that `store` wrote; anything else is refused."""
        if mode == MODE_RAW and type(value) in PLAIN:
            return value
        if mode == MODE_BINARY and type(filename) is str and FILE_NAME.fullmatch(filename):
            content = read_file(Path(self._directory, filename))
            return content[heading_size(content) :]
        raise DamagedError("must be plain text, a number or bytes, but it was something else (changed from outside?)")

    def remove(self, file_path: str) -> None:
        """Delete a value's file, in `all_or_nothing` at its end; a name that is not one of ours is left alone."""
        if type(file_path) is not str or not FILE_NAME.fullmatch(file_path):
            return
        if hasattr(self._changes, "unneeded"):
            self._changes.unneeded.append(file_path)
        else:
            self._unlink(file_path)

    def sync(self) -> None:
        """Have every file that this process wrote outlive a power cut."""
        waiting = list(self._unsynced)
        for name in waiting:
            with suppress(FileNotFoundError):  # no longer needed
                sync_file(Path(self._directory, name))
        for folder in {name[:2] for name in waiting}:
            sync_folder(Path(self._directory, folder))
        if self._new_folders:
            sync_folder(Path(self._directory))
            self._new_folders.clear()
        self._unsynced.difference_update(waiting)

    def _unlink(self, name: str) -> None:
        self._unsynced.discard(name)
        with suppress(OSError):  # two processes may want that at the same time
            os.unlink(Path(self._directory, name))
