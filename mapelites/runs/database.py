"""The store's folder: a diskcache of plain values, opened with care, and its few small files beside it.

format            the number of the store's format
lock              held shared while something is written, exclusively while the cache is made or checked
supervisor.lock   held by the supervisor and its processes
reserve           room kept for saying that the disk is full
reserve-2         room kept for deleting runs then
cache/            the diskcache, mode 0700
"""

from __future__ import annotations

import os
import sqlite3
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson
from diskcache import Cache, Timeout

from mapelites.runs.disk import CACHED_PAGES, PlainDisk
from mapelites.runs.errors import RESERVE, DamagedError, StoreError, disk_error, gone, trouble
from mapelites.runs.locks import EXCLUSIVE, SHARED, locked
from mapelites.runs.reading import ReadingCache

FORMAT = 2  # 1 had no snapshots that are changes of others; all else is the same
BUSY_SECONDS = 20
FILE_FROM = 2**16  # bytes; what is overwritten must stay shorter, see `put`
DISK_ERRORS = (OSError, sqlite3.Error, Timeout)
FOR_WORDS, FOR_DELETING = "reserve", "reserve-2"


class Database:
    """Values by key in one folder, shared by any number of processes."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._file = str(self.path / "cache" / "cache.db")
        with self._in_words():
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self.path / "lock", EXCLUSIVE):
                self._check_format()
                try:
                    self._cache = self._open()
                except DISK_ERRORS:
                    if not os.path.exists(self._file):
                        raise
                    self._cache = ReadingCache(self.path / "cache", BUSY_SECONDS, PlainDisk(str(self.path / "cache")))
        self._opened = threading.local()

    def _open(self) -> Cache:
        if self._format() != str(FORMAT):  # what is written from now on, earlier versions do not know
            (self.path / "format").write_text(f"{FORMAT}\n")
        (self.path / "cache").mkdir(mode=0o700, exist_ok=True)
        (self.path / "cache").chmod(0o700)
        return Cache(
            str(self.path / "cache"), timeout=BUSY_SECONDS, disk=PlainDisk, eviction_policy="none",
            cull_limit=0, statistics=0, disk_min_file_size=FILE_FROM, sqlite_cache_size=CACHED_PAGES,
        )  # fmt: skip

    def get(self, key: str) -> Any:
        """The value of a key, or None."""
        with self._in_words():
            try:
                return self._cache.get(key)
            except DamagedError as error:
                raise DamagedError(f"store: the entry {key} {error}") from None

    def get_table(self, key: str) -> dict[str, Any] | None:
        """The JSON table of a key, or None."""
        text = self.get(key)
        if text is None:
            return None
        try:
            table = orjson.loads(text)
        except (ValueError, TypeError) as error:
            raise DamagedError(f"store: the entry {key} must be JSON, but it was something else ({error})") from None
        if not isinstance(table, dict):
            raise DamagedError(f"store: the entry {key} must be a JSON table, but it was {type(table).__name__}")
        return table

    def put(self, key: str, value: str | int | bytes) -> None:
        """Write a value, inside of `writing`. Long bytes go to a key of their own and are never overwritten."""
        self._cache.set(key, value)

    def put_table(self, key: str, table: dict[str, Any]) -> None:
        """Write a JSON table, inside of `writing`."""
        self.put(key, orjson.dumps(table).decode())

    def drop(self, key: str) -> None:
        """Delete a key, inside of `writing`; one that is not there is fine."""
        self._cache.delete(key)

    def keys(self, prefix: str) -> Iterator[str]:
        """The keys that begin with `prefix`, ascending; quick where no other prefixes come before it."""
        with self._in_words():
            for key in self._cache.iterkeys():
                if key.startswith(prefix):
                    yield key
                elif key > prefix:  # they come in order
                    return

    def changes(self) -> tuple[int, ...]:
        """Numbers that are others once anybody has written anything, and that cost less than any entry.

        That the database itself is another one is left to those who read and write entries.
        """
        connection = self._cache._con
        try:
            ((version,),) = connection.execute("PRAGMA data_version").fetchall()
        except DISK_ERRORS as error:
            raise disk_error(self.path, error) from error
        return getattr(self._opened, "file", 0), version, connection.total_changes

    def volume(self) -> int:
        """Bytes on disk."""
        with self._in_words():
            return int(self._cache.volume())

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All or nothing: what is read and written in here happens at one moment for everybody else."""
        with self._in_words():
            if isinstance(self._cache, ReadingCache):
                self._cache = self._open()
        with self._in_words(), locked(self.path / "lock", SHARED), self._cache.disk.all_or_nothing():
            try:
                with self._cache.transact():
                    yield
            except DISK_ERRORS:
                self._cache._con.rollback()  # where it was the end that failed, it is still open
                raise

    @contextmanager
    def freeing(self) -> Iterator[None]:
        """Like `writing`, for what makes room: on a full disk the room that is kept for it is given up."""
        if trouble(self.path):
            with self._in_words():
                (self.path / FOR_DELETING).unlink(missing_ok=True)
        with self.writing():
            yield

    @contextmanager
    def still(self) -> Iterator[None]:
        """Nobody writes meanwhile: for reading things that belong together, also where nothing can be written."""
        with self._in_words(), locked(self.path / "lock", EXCLUSIVE):
            yield

    def repair(self) -> None:
        """Put right what a killed writer left behind, and keep room for bad times. Nobody writes meanwhile."""
        with self._in_words(), locked(self.path / "lock", EXCLUSIVE), warnings.catch_warnings():
            warnings.simplefilter("always")
            self._cache.check(fix=True)
        self.keep_reserve()

    def keep_reserve(self) -> None:
        """Take hold of some room on the disk, where there is plenty."""
        with self._in_words():
            for reserve in (self.path / FOR_WORDS, self.path / FOR_DELETING):
                space = os.statvfs(self.path)
                if not reserve.exists() and space.f_bavail * space.f_frsize > 2 * RESERVE:
                    reserve.write_bytes(bytes(RESERVE))

    def free_reserve(self) -> None:
        """Give that room back, so that a full disk can still take down what happened."""
        with self._in_words():
            (self.path / FOR_WORDS).unlink(missing_ok=True)

    def close(self) -> None:
        """Close this thread's connection; the next use opens another. Needed before a fork."""
        self._cache.close()

    def _look_again(self) -> None:
        """Leave a database that was deleted or put elsewhere since this thread opened it: it could still be read
        and written, but nobody would ever see it again.
        """
        try:
            now = os.stat(self._file).st_ino
        except FileNotFoundError:
            raise gone(self.path) from None
        if getattr(self._opened, "file", now) != now:
            self._cache.close()
        if isinstance(self._cache, ReadingCache) and not trouble(self.path):
            with suppress(*DISK_ERRORS):
                self._cache = self._open()
        self._opened.file = now

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            if hasattr(self, "_opened"):
                self._look_again()
            yield
        except DISK_ERRORS as error:
            raise disk_error(self.path, error) from error

    def _format(self) -> str:
        file = self.path / "format"
        return file.read_text().strip() if file.exists() else ""

    def _check_format(self) -> None:
        number = self._format()
        if not number:
            return
        if not number.isdecimal() or int(number) < 1:
            file = self.path / "format"
            raise StoreError(f"store: {file} must hold the number of the store's format, but it holds {number!r}")
        if int(number) > FORMAT:
            raise StoreError(
                f"store: {self.path} is of format {number}, made by a newer version, but this version knows formats "
                f"up to {FORMAT}; use the newer version, or another folder with --data"
            )
