"""Making a damaged or lost database again from all that can be read: its pages, the files of values, the keepsakes.

Nothing is deleted: the database that was there is put aside into `damaged/`, with the time. What belongs to a run that
was erased may still lie on unused pages; so only runs that have a keepsake are taken, unless no run has one, as in
stores of earlier versions.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path

import orjson
from diskcache.core import MODE_BINARY, MODE_RAW

from mapelites.runs.errors import DamagedError
from mapelites.runs.storage.disk import FILE_NAME, PlainCache, PlainDisk
from mapelites.runs.storage.keepsakes import Keepsakes
from mapelites.runs.storage.salvage import CacheRow, rows_of
from mapelites.runs.storage.seal import read_sealed, seal_of
from mapelites.system.files import read_file, sync_file, sync_folder

ASIDE = "damaged"
RECORD, OF_RUNS = "entry/", ("entry/", "version/", "history/", "snapshot/", "state/", "findings/", "job/")
PARTS = ("cache.db", "cache.db-wal", "cache.db-shm")

log = logging.getLogger(__name__)


def is_lost(path: Path) -> bool:
    """Whether the database is missing or empty, though there are runs."""
    file = path / "cache" / "cache.db"
    try:
        if file.stat().st_size > 0:
            return False
        log_size = file.with_name("cache.db-wal").stat().st_size
    except FileNotFoundError:
        log_size = 0
    return log_size == 0 and bool(Keepsakes(path).ids())


def version_of(file: str) -> int:
    """The number of the format that the database says itself; 0 where it says none."""
    try:
        connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    except sqlite3.Error:
        return 0
    try:
        ((number,),) = connection.execute("PRAGMA user_version").fetchall()
        return int(number)
    except sqlite3.Error:
        return 0
    finally:
        connection.close()


def trouble_of(file: str) -> str | None:
    """What SQLite finds wrong with a database, or None."""
    try:
        connection = sqlite3.connect(f"file:{file}?mode=rw", uri=True)
        try:
            ((said,),) = connection.execute("PRAGMA integrity_check(1)").fetchall()
            connection.execute("SELECT key FROM Cache LIMIT 1").fetchall()
        finally:
            connection.close()
    except sqlite3.Error as error:
        return str(error)
    return None if said == "ok" else str(said)


def rebuild(path: Path) -> None:
    """Put a database that is made again in the place of the present one. The caller has the store's lock."""
    started = time.time()
    files = (path / "cache" / "cache.db", path / "cache-new" / "cache.db")  # the second of an attempt that was cut off
    rows = _newest(row for file in files for row in rows_of(file))
    known = Keepsakes(path).ids()
    if known:
        rows = {key: row for key, row in rows.items() if not key.startswith(OF_RUNS) or key.split("/")[1] in known}
    there = {row.name for row in rows.values() if row.name}
    rows = {**{row.key: row for row in _rows_of_files(path, known) if row.name not in there}, **rows}
    _put_in_place(path, rows.values(), started)
    runs = sum(key.startswith(RECORD) for key in rows)
    log.warning("the database of the runs was damaged and has been made again: %d entries, %d runs", len(rows), runs)


def _newest(rows: Iterable[CacheRow]) -> dict[str, CacheRow]:
    """The newest row of each key: records count their versions, and of all others the time tells."""
    found: dict[str, CacheRow] = {}
    for row in rows:
        before = found.get(row.key)
        if before is None or _age(row) >= _age(before):
            found[row.key] = row
    return found


def _age(row: CacheRow) -> tuple[float, float]:
    if not row.key.startswith(RECORD):
        return 0.0, row.stored
    try:
        return float(orjson.loads(row.value)["version"]), row.stored
    except (ValueError, KeyError, TypeError):
        return -1.0, row.stored


def _rows_of_files(path: Path, known: set[str]) -> Iterable[CacheRow]:
    """A row for each file of a value that says under which key it lay."""
    folder = path / "cache"
    for file in sorted(folder.glob("*/*.val")):
        name = str(file.relative_to(folder))
        try:
            key, value = read_sealed(read_file(file))
        except (OSError, DamagedError):
            continue
        if FILE_NAME.fullmatch(name) and key.startswith(OF_RUNS) and key.split("/")[1] in known:
            yield CacheRow(key, file.stat().st_mtime, seal_of(key, value), len(value), MODE_BINARY, name, None)


def _put_in_place(path: Path, rows: Iterable[CacheRow], started: float) -> None:
    new = path / "cache-new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(mode=0o700)
    made = PlainCache(str(new), disk=PlainDisk, eviction_policy="none", cull_limit=0, statistics=0)
    with made.transact():
        for row in rows:
            mode = MODE_RAW if row.name is None else MODE_BINARY
            made._row_insert(row.key, True, row.stored, (None, row.check_sum, row.size, mode, row.name, row.value))
    made._sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    made.close()
    sync_file(new / "cache.db")
    aside = path / ASIDE / time.strftime("%Y%m%d-%H%M%S", time.gmtime(started))
    while aside.exists():
        aside = aside.with_name(f"{aside.name}-again")
    aside.mkdir(mode=0o700, parents=True)
    for name in PARTS:
        if (path / "cache" / name).exists():
            os.link(path / "cache" / name, aside / name)
    (path / "cache").mkdir(mode=0o700, exist_ok=True)
    for name in PARTS[1:]:  # SQLite would take them for those of the new one
        (path / "cache" / name).unlink(missing_ok=True)
    os.replace(new / "cache.db", path / "cache" / "cache.db")
    for folder in (path / "cache", aside, path):
        sync_folder(folder)
    shutil.rmtree(new, ignore_errors=True)
