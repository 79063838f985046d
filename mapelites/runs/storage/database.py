"""The store's folder: a diskcache of plain values, opened with care, and its few small files beside it.

format            the number of the store's format; the database knows it too
lock              held shared while something is written, exclusively while the cache is made or checked
supervisor.lock   held by the supervisor and its processes
reserve           room kept for saying that the disk is full
reserve-2         room kept for deleting runs then
cache/            the diskcache, mode 0700
runs/             what the list of runs can be made again from, `keepsakes.py`
damaged/          what was put aside when the database had to be made again, `rebuild.py`

Every value has a check sum over itself and its key, in the column `tag`, that is compared whenever it is read.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import orjson
from diskcache import Cache, Timeout
from diskcache.core import MODE_BINARY

from mapelites.runs.errors import (
    LOST,
    RESERVE,
    CorruptError,
    DamagedError,
    StoreError,
    disk_error,
    folder_gone_error,
    is_corrupt,
    store_trouble,
)
from mapelites.runs.storage import rebuild
from mapelites.runs.storage.disk import CACHED_PAGES, FILE_NAME, PlainCache, PlainDisk
from mapelites.runs.storage.reading import ReadOnlyCache
from mapelites.runs.storage.seal import seal_of
from mapelites.system.files import SMALL, read_file, write_whole
from mapelites.system.locks import EXCLUSIVE, SHARED, hold_lock

FORMAT = 3  # 1 had no snapshots that are changes of others, 2 no check sums; all else is the same
BUSY_SECONDS = 20
FILE_FROM = 2**16  # bytes; what is overwritten must stay shorter, see `put`
DISK_ERRORS = (OSError, sqlite3.Error, Timeout)
FOR_WORDS, FOR_DELETING = "reserve", "reserve-2"
AT_ONCE, SOON = 2, 1  # whether a commit waits until it would outlive a power cut (SQLite: synchronous)

MUCH_EMPTY = 4_096  # pages
REMEDY = "what can be read is kept, and `doctor --repair` says what cannot"

T = TypeVar("T")


class Database:
    """Values by key in one folder, shared by any number of processes."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._file = str(self.path / "cache" / "cache.db")
        self.remade = 0  # how often it had to be made again here
        with self._in_words():
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            with hold_lock(self.path / "lock", EXCLUSIVE):
                self._check_file()
                self._check_format()
                try:
                    self._cache = self._open_or_rebuild()
                except DISK_ERRORS:
                    if not os.path.exists(self._file):
                        raise
                    self._cache = ReadOnlyCache(self.path / "cache", BUSY_SECONDS, PlainDisk(str(self.path / "cache")))
        self._opened = threading.local()

    def _open_or_rebuild(self) -> Cache:
        if not rebuild.is_lost(self.path):
            try:
                return self._open()
            except sqlite3.DatabaseError as error:
                if not is_corrupt(error):
                    raise
        self._rebuild()
        return self._open()

    def _rebuild(self) -> None:
        rebuild.rebuild(self.path)
        self.remade += 1

    def _open(self) -> Cache:
        if self._format() != str(FORMAT):  # what is written from now on, earlier versions do not know
            write_whole(self.path / "format", f"{FORMAT}\n".encode())
        (self.path / "cache").mkdir(mode=0o700, exist_ok=True)
        (self.path / "cache").chmod(0o700)
        cache = PlainCache(
            str(self.path / "cache"), timeout=BUSY_SECONDS, disk=PlainDisk, eviction_policy="none",
            cull_limit=0, statistics=0, disk_min_file_size=FILE_FROM, sqlite_cache_size=CACHED_PAGES,
        )  # fmt: skip
        if cache._sql("PRAGMA user_version").fetchall() != [(FORMAT,)]:
            cache._sql(f"PRAGMA user_version = {FORMAT}")
        return cache

    def get(self, key: str) -> Any:
        """The value of a key, or None; a `DamagedError` where it is not what was written there."""
        try:
            return self._twice(lambda: self._checked(key))
        except DamagedError as error:
            raise DamagedError(f"store: the entry {key} {error}") from None

    def _checked(self, key: str) -> Any:
        statement = "SELECT mode, filename, value, tag FROM Cache WHERE key = ? AND raw = 1"
        tried = None
        while True:
            rows = self._cache._con.execute(statement, (key,)).fetchall()
            if not rows:
                return None
            ((mode, name, plain, check_sum),) = rows
            try:
                value = self._cache.disk.fetch(mode, name, plain, False)
            except FileNotFoundError:
                if name == tried:  # it was not replaced just now
                    raise DamagedError(f"must have a file, {name}, but that is missing") from None
                tried = name
                continue
            if check_sum is not None and check_sum != seal_of(key, value):  # earlier versions wrote none
                raise DamagedError("must be as it was written, but its check sum is another")
            return value

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

    def raw(self, key: str) -> bytes:
        """What lies under a key as it is, damaged or not; nothing where that is neither text nor bytes."""
        statement = "SELECT value, filename FROM Cache WHERE key = ?"
        content = b""
        for value, name in self._twice(lambda: self._cache._con.execute(statement, (key,)).fetchall()):
            if isinstance(name, str) and FILE_NAME.fullmatch(name):
                with suppress(OSError):
                    content += read_file(self.path / "cache" / name)
            elif isinstance(value, (str, bytes)):
                content += value if isinstance(value, bytes) else value.encode(errors="surrogateescape")
        return content

    def put_aside(self, key: str) -> None:
        """Keep what is left of a damaged entry in `damaged/`: somebody may make something of it."""
        left = self.raw(key)
        if left:
            folder = self.path / rebuild.ASIDE
            folder.mkdir(mode=0o700, exist_ok=True)
            write_whole(folder / f"{key.replace('/', '-')}-{secrets.token_hex(4)}", left)

    def put(self, key: str, value: str | int | bytes) -> None:
        """Write a value, inside of `writing`. Long bytes go to a key of their own and are never overwritten."""
        self._cache.set(key, value, tag=seal_of(key, value))

    def put_table(self, key: str, table: dict[str, Any]) -> None:
        """Write a JSON table, inside of `writing`."""
        self.put(key, orjson.dumps(table).decode())

    def drop(self, key: str) -> None:
        """Delete a key, inside of `writing`; one that is not there is fine."""
        self._cache.delete(key)

    def keys(self, prefix: str) -> list[str]:
        """The keys that begin with `prefix`, ascending."""
        return [key for key, _ in self._rows(prefix, "key, 0")]

    def stamps(self, prefix: str) -> dict[str, Any]:
        """For each of these keys something that is another with every value; quicker than to read them."""
        return {key: stamp for key, *stamp in self._rows(prefix, "key, store_time, value, rowid")}

    def _rows(self, prefix: str, columns: str) -> list[tuple[Any, ...]]:
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1) if prefix else "\U0010ffff"
        statement = f"SELECT {columns} FROM Cache WHERE key >= ? AND key < ? AND raw = 1 ORDER BY key"
        return self._twice(lambda: self._cache._con.execute(statement, (prefix, end)).fetchall())

    def changes(self) -> tuple[int, ...]:
        """Numbers that are others once anybody has written anything, and that cost less than any entry.

        They are those of this thread. That the database itself is another one is left to those who read and write
        entries.
        """
        try:
            return self._changes()
        except DISK_ERRORS as error:
            if not is_corrupt(error):
                raise disk_error(self.path, error) from error
        return self._twice(self._changes)

    def _changes(self) -> tuple[int, ...]:
        connection = self._cache._con
        ((version,),) = connection.execute("PRAGMA data_version").fetchall()
        if getattr(self._opened, "connection", None) is not connection:  # another one counts from the beginning
            self._opened.connection, self._opened.number = connection, getattr(self._opened, "number", 0) + 1
        return self._opened.number, getattr(self._opened, "file", 0), version, connection.total_changes

    def volume(self) -> int:
        """Bytes on disk."""
        with self._in_words():
            return int(self._cache.volume())

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[None]:
        """All or nothing: what is read and written in here happens at one moment for everybody else.

        Where it is `durable`, it outlives a power cut as soon as this is left, and with it all that came before.
        """
        with self._in_words():
            if isinstance(self._cache, ReadOnlyCache):
                self._cache = self._open()
        afterwards: list[Callable[[], None]] = []
        with self._rescuing(), self._in_words(), hold_lock(self.path / "lock", SHARED):
            self._look_again()  # while we waited for the lock it may have been made again
            self._cache._sql(f"PRAGMA synchronous = {AT_ONCE if durable else SOON}")
            self._opened.afterwards = afterwards
            try:
                with self._cache.disk.all_or_nothing(), self._cache.transact():
                    yield
                    if durable:
                        self._cache.disk.sync()
            except DISK_ERRORS:
                with suppress(sqlite3.Error):
                    self._cache._con.rollback()  # where it was the end that failed, it is still open
                raise
            finally:
                del self._opened.afterwards
            for each in afterwards:
                each()

    @property
    def is_writing(self) -> bool:
        """Whether this thread is inside of `writing`."""
        return hasattr(self._opened, "afterwards")

    def afterwards(self, act: Callable[[], None]) -> None:
        """Inside of `writing`: do this when all has been written, before anybody else writes with the lock alone."""
        self._opened.afterwards.append(act)

    @contextmanager
    def freeing(self) -> Iterator[None]:
        """Like `writing`, for what makes room: on a full disk the room that is kept for it is given up."""
        if store_trouble(self.path):
            with self._in_words():
                (self.path / FOR_DELETING).unlink(missing_ok=True)
        with self.writing():
            yield

    @contextmanager
    def still(self) -> Iterator[None]:
        """Nobody writes meanwhile: for reading things that belong together, also where nothing can be written."""
        with self._in_words(), hold_lock(self.path / "lock", EXCLUSIVE):
            yield

    def check(self) -> str | None:
        """What is wrong with the database as a whole, in words; None where nothing is. Nobody writes meanwhile."""
        with self.still():
            return rebuild.trouble_of(self._file)

    def make_again(self) -> None:
        """Make the database again from all that can be read, now."""
        with self._in_words(), hold_lock(self.path / "lock", EXCLUSIVE):
            self._cache.close()
            self._rebuild()
            self._cache = self._open()

    def copy_to(self, file: Path) -> None:
        """Write the database to another file, while nobody else writes."""
        with self._in_words():
            other = sqlite3.connect(file)
            try:
                self._cache._con.backup(other)
                other.execute("PRAGMA journal_mode = DELETE").fetchall()
            finally:
                other.close()

    def value_files(self) -> tuple[set[str], set[str]]:
        """The files of long values that there are, and those that the database knows; for a repair."""
        folder = self.path / "cache"
        with self._in_words():
            there = {str(each.relative_to(folder)) for each in folder.glob("*/**/*.val")}
            known = self._cache._con.execute("SELECT filename FROM Cache WHERE filename IS NOT NULL").fetchall()
        return there, {name for (name,) in known}

    def adopt(self, key: str, name: str, size: int, check_sum: str) -> None:
        """Inside of `writing`: have a key mean the value of a file that is there already."""
        self._cache._row_insert(key, True, time.time(), (None, check_sum, size, MODE_BINARY, name, None))

    def tidy(self) -> None:
        """Count anew what diskcache counts, and give back room in the database where much is empty."""
        with self._in_words(), hold_lock(self.path / "lock", EXCLUSIVE):
            sql = self._cache._sql
            for name, what in (("count", "COUNT(key)"), ("size", "COALESCE(SUM(size), 0)")):
                sql(f"UPDATE Settings SET value = (SELECT {what} FROM Cache) WHERE key = ?", (name,))
            ((empty,),), ((pages,),) = (sql(f"PRAGMA {each}").fetchall() for each in ("freelist_count", "page_count"))
            if empty > max(MUCH_EMPTY, pages // 2):
                sql("VACUUM")

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
            if rebuild.is_lost(self.path):
                raise sqlite3.DatabaseError(LOST) from None
            raise folder_gone_error(self.path) from None
        if getattr(self._opened, "file", now) != now:
            self._cache.close()
        if isinstance(self._cache, ReadOnlyCache) and not store_trouble(self.path):
            with suppress(*DISK_ERRORS):
                self._cache = self._open()
        self._opened.file = now

    def _twice(self, read: Callable[[], T]) -> T:
        """What is read; once more where the database was damaged and could be made again."""
        try:
            with self._in_words():
                return read()
        except CorruptError:
            self._rescue()
            with self._in_words():
                return read()

    @contextmanager
    def _rescuing(self) -> Iterator[None]:
        """Make a damaged database again, so that whoever writes can do so at the next attempt."""
        try:
            yield
        except CorruptError:
            self._rescue()
            raise

    def _rescue(self) -> None:
        """Make the database again where it is damaged and nobody else has done so; within `writing` only fail."""
        if self.is_writing or isinstance(self._cache, ReadOnlyCache):
            raise CorruptError(f"store: {self.path} has a damaged database; {REMEDY}")
        with self._in_words(), hold_lock(self.path / "lock", EXCLUSIVE):
            self._cache.close()
            if rebuild.trouble_of(self._file):
                self._rebuild()
            self._cache = self._open()

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            if hasattr(self, "_opened"):
                self._look_again()
            yield
        except DISK_ERRORS as error:
            if is_corrupt(error):
                raise CorruptError(f"store: {self.path} has a damaged database ({error}); {REMEDY}") from error
            raise disk_error(self.path, error) from error

    def _format(self) -> str:
        file = self.path / "format"
        return read_file(file, SMALL).decode(errors="backslashreplace").strip() if file.exists() else ""

    def _check_file(self) -> None:
        """Refuse what SQLite would wait for, such as a pipe."""
        if os.path.exists(self._file) and not os.path.isfile(self._file):
            raise StoreError(
                f"store: {self._file} must be a file, but it is something else; "
                "move it away, and the runs are brought back from what lies beside it"
            )

    def _check_format(self) -> None:
        """Refuse a store of a newer version. A flipped bit in one of its two witnesses is none."""
        number = self._format()
        if not number or (number.isascii() and number.isdecimal() and 1 <= int(number[:20]) <= FORMAT):
            return
        if 1 <= rebuild.version_of(self._file) <= FORMAT:
            return
        if not number.isascii() or not number.isdecimal() or int(number[:20]) < 1:
            file = self.path / "format"
            raise StoreError(f"store: {file} must hold the number of the store's format, but it holds {number[:40]!r}")
        raise StoreError(
            f"store: {self.path} is of format {number[:20]}, made by a newer version, but this version knows formats "
            f"up to {FORMAT}; use the newer version, or another folder with --data"
        )
