"""What can go wrong with a store, in words for a person."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from mapelites.core.errors import InputError

LEAST_FREE = 64 * 1024
LOST = "the database of the runs is missing"
CORRUPT_WORDS = ("no such table", "no such column", "malformed", "not a database", "unsupported file format", LOST)
RESERVE = 4 * 2**20  # bytes kept for bad times in a file of the store's


class StoreError(InputError):
    """The store cannot be read or written just now; the message says why and what helps."""


class DamagedError(InputError):
    """One entry of the store is not what was written there; the others stay usable."""


class CorruptError(StoreError):
    """The database as a whole cannot be read; it can be made again from its parts."""


class UnknownRunError(InputError):
    """There is no run of that id."""


class ClaimLostError(Exception):
    """The run belongs to another process by now, or is gone: whoever gets this must stop writing."""


def is_corrupt(error: BaseException) -> bool:
    """Whether it is the content of the database that cannot be read, and not the disk, or a lock."""
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    said = str(error)
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or any(each in said for each in CORRUPT_WORDS)


def disk_error(path: Path, error: BaseException) -> StoreError:
    """A failed reading or writing of the store in words."""
    if os.path.lexists(path) and not os.path.isdir(path):  # a `Path` would raise where it cannot look
        return StoreError(f"store: {path} must be a folder, but there is a file of that name")
    known = store_trouble(path)
    if known:
        return StoreError(known)
    number = getattr(error, "errno", None)
    text = str(error).lower()
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or "full" in text:
        return StoreError(_full(path))
    if number in (errno.EROFS, errno.EACCES, errno.EPERM) or "readonly" in text or "read-only" in text:
        return StoreError(_read_only(path))
    why = str(error) or type(error).__name__
    return StoreError(f"store: {path} should be readable and writable, but the system said: {why}")


def folder_gone_error(path: Path) -> StoreError:
    """The store's folder was there and is no longer."""
    return StoreError(f"store: {path} is gone; put it back and the runs go on, or start anew with an empty one")


def store_trouble(path: Path) -> str | None:
    """What keeps the store from being written at this moment, found out without writing."""
    try:
        for folder in (path, path / "cache"):
            if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
                return _read_only(folder)
        space = os.statvfs(path)
    except OSError:
        return None
    free = space.f_bavail * space.f_frsize
    # The room for bad times is in use.
    used_up = os.path.exists(path / "cache") and not os.path.exists(path / "reserve")
    if free < (2 * RESERVE if used_up else LEAST_FREE):
        return _full(path)
    return None


def _full(path: Path) -> str:
    return f"store: the disk that holds {path} is full; make room there, then resume the paused runs"


def _read_only(path: Path) -> str:
    return f"store: {path} must be writable, but it is read-only; put that right, then resume the paused runs"
