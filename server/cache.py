"""What is drawn, remembered: a flask-caching backend over diskcache that never pickles.

Values are text or bytes only. Everything in it can be made again from the store, so it may evict.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from hashlib import sha256
from pathlib import Path
from typing import Any

import diskcache
import orjson
from flask import Flask
from flask_caching import Cache
from flask_caching.backends.base import BaseCache

from components.shared.recent import RecentValues
from mapelites.runs.storage.disk import CACHED_PAGES, PLAIN, PlainCache, PlainDisk
from mapelites.runs.storage.seal import seal_of

LARGEST_CACHE = 256 * 2**20
LOCKS = 64
AGAIN_SECONDS = 10.0
ERRORS = (OSError, sqlite3.Error, diskcache.Timeout)
LONGEST_NAME = 1_000  # characters
KEPT = 32  # of what was asked for last, in memory

log = logging.getLogger("dashboard")


class DiskCache(BaseCache):  # type: ignore[misc]
    """flask-caching's interface over one diskcache directory.

    Where the disk is full, or the directory deleted or damaged, nothing is kept, and nobody need know: it is drawn
    again. Every few seconds it is tried anew, in an empty directory where need be.
    """

    def __init__(self, directory: str, limit: int = LARGEST_CACHE) -> None:
        super().__init__(default_timeout=0)
        self._directory, self._limit = directory, limit
        self._cache = self._open()
        self._failed: float | None = None  # when it last did
        self._lock = threading.Lock()

    @classmethod
    def factory(cls, app: Flask, config: dict[str, Any], args: list[Any], kwargs: dict[str, Any]) -> DiskCache:
        """What flask-caching calls with the app's configuration."""
        return cls(config["CACHE_DIR"])

    def get(self, key: str) -> Any:
        """The value, or None; what was used last is noted in the directory, so that this needs room there too."""
        found = self._tried(lambda: self._cache.get(key, tag=True))
        if found is None or found[0] is None:
            return None
        value, check_sum = found
        return value if check_sum == seal_of(key, value) else None  # damaged: it is drawn again

    def set(self, key: str, value: Any, timeout: int | None = None) -> bool:
        """Keep a value, for ever or for so many seconds."""
        check_sum = seal_of(key, value) if isinstance(value, PLAIN) else None
        return bool(self._tried(lambda: self._cache.set(key, value, expire=timeout or None, tag=check_sum)))

    def _tried(self, use: Callable[[], Any]) -> Any:
        """What comes of it, or None where it failed, which is said once until all is well again."""
        try:
            if self._failed is not None:
                self._recover()
            return None if self._failed is not None else use()
        except ERRORS as error:
            if self._failed is None:
                log.warning("what was drawn could not be kept: %s", error)
            self._failed = time.monotonic()
            return None

    def _recover(self) -> None:
        with self._lock:
            if self._failed is None or time.monotonic() - self._failed < AGAIN_SECONDS:
                return
            self._cache.close()
            self._cache = self._open()
            self._failed = None

    def _open(self) -> diskcache.Cache:
        try:
            # diskcache opens a damaged database without a word and fails at the first use.
            opened = self._opened()
            len(opened)  # one that was damaged may open all the same
            return opened
        except sqlite3.DatabaseError:
            return self._anew()

    def _anew(self) -> diskcache.Cache:
        shutil.rmtree(self._directory, ignore_errors=True)
        return self._opened()

    def _opened(self) -> diskcache.Cache:
        Path(self._directory).mkdir(mode=0o700, exist_ok=True)  # never the folder around it, which may be back soon
        return PlainCache(
            self._directory, disk=PlainDisk, size_limit=self._limit, eviction_policy="least-recently-used",
            sqlite_cache_size=CACHED_PAGES,
        )  # fmt: skip

    def add(self, key: str, value: Any, timeout: int | None = None) -> bool:
        """Keep a value unless there is one."""
        check_sum = seal_of(key, value) if isinstance(value, PLAIN) else None
        return bool(self._cache.add(key, value, expire=timeout or None, tag=check_sum))

    def delete(self, key: str) -> bool:
        """Forget a value."""
        return bool(self._cache.delete(key))

    def has(self, key: str) -> bool:
        """Whether there is a value."""
        return key in self._cache

    def clear(self) -> bool:
        """Forget everything."""
        try:
            self._cache.clear()
        except sqlite3.DatabaseError:
            self._cache = self._anew()
        return True


class DrawingMemory:
    """Makes each derived thing once, however many browsers ask for it at the same time."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._locks = tuple(threading.Lock() for _ in range(LOCKS))
        self._recent = RecentValues[str, bytes](KEPT)

    def remember(self, key: tuple[str | int | float | bool | None, ...], make: Callable[[], Any]) -> Any:
        """What `make` returns, JSON values only, made once per key. Name in the key all it depends on."""
        return orjson.loads(self.remember_bytes(key, lambda: orjson.dumps(make())))

    def remember_bytes(self, key: tuple[str | int | float | bool | None, ...], make: Callable[[], bytes]) -> bytes:
        """Like `remember`, for bytes that need no decoding, such as a picture or finished JSON.

        What `make` does must not remember something itself: it runs while others who want the same wait.
        """
        name = _short(orjson.dumps(key).decode())
        # Finished bytes first: most pages ask for what somebody else was told a moment ago.
        found = self._recent.get(name)
        if found is None:
            # One of a few locks by the key's hash: who wants the same waits, who wants something else seldom does.
            with self._lock(name):
                found = self._cache.get(name)
                if found is None:
                    found = make()
                    self._cache.set(name, found)
            self._recent.put(name, found)
        return found

    def _lock(self, name: str) -> AbstractContextManager[Any]:
        return self._locks[hash(name) % LOCKS]


def _short(name: str) -> str:
    """The name of what is kept, or a digest of one that is too long to stand in a row."""
    return name if len(name) <= LONGEST_NAME else sha256(name.encode()).hexdigest()


def open_memory(server: Flask, directory: Path) -> DrawingMemory:
    """The memory of one app, on disk in a directory that only its owner may read."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    cache = Cache(
        server,
        config={"CACHE_TYPE": "server.cache.DiskCache", "CACHE_DIR": str(directory), "CACHE_NO_NULL_WARNING": True},
    )
    cache.clear()  # another version of the code may have drawn what is in there
    return DrawingMemory(cache)
