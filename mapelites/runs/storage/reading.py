"""The diskcache of a store where nothing can be written: a full disk, a folder that is read-only."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path
from urllib.parse import quote

from diskcache import Cache, Disk

from mapelites.runs.storage.disk import readable_text


class ReadOnlyCache(Cache):  # type: ignore[misc]
    """What was written can be read out; whoever wants to write is refused by the database.

    A cache notes its settings when it is opened, and a database that nobody has open makes an index beside it first.
    Here neither is done.
    """

    def __init__(self, directory: Path, timeout: float, disk: Disk) -> None:
        self._directory, self._timeout, self._disk = str(directory), timeout, disk
        self._local, self._txn_id = threading.local(), None
        self.statistics, self.eviction_policy = 0, "none"
        ((self._page_size,),) = self._sql("PRAGMA page_size").fetchall()

    @property
    def _con(self) -> sqlite3.Connection:
        if getattr(self._local, "pid", None) != os.getpid():
            self.close()
            self._local.pid = os.getpid()
        if getattr(self._local, "con", None) is None:
            self._local.con = self._opened()
            self._local.con.text_factory = readable_text
        connection: sqlite3.Connection = self._local.con
        return connection

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connected("mode=ro")
        except sqlite3.Error:
            return self._connected("immutable=1")  # nobody has it open, so there is nothing beside it to be read

    def _connected(self, how: str) -> sqlite3.Connection:
        place = quote(str(Path(self._directory, "cache.db")))
        connection = sqlite3.connect(f"file:{place}?{how}", self._timeout, isolation_level=None, uri=True)
        try:
            connection.execute("SELECT COUNT(*) FROM Settings").fetchall()
        except sqlite3.Error:
            connection.close()
            raise
        return connection
