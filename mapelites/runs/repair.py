"""Putting a store right: what killed processes left behind, and what damage can be mended.

Nothing is deleted by it but files that are known to be superseded.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path

from mapelites.runs.entries import RunEntries
from mapelites.runs.errors import DamagedError, UnknownRunError, disk_error
from mapelites.runs.storage.seal import read_sealed, seal_of
from mapelites.system.files import read_file

ASIDE = "damaged"
PARTS = ("snapshot", "state", "findings")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RepairReport:
    """What a repair found and did."""

    database: str | None = None  # what was wrong with it; it was made again
    restored: tuple[str, ...] = ()  # runs that were missing, taken from their keepsakes
    adopted: int = 0  # files of values that the database did not know
    aside: tuple[str, ...] = ()  # files that nobody knows, moved to `damaged`
    removed: int = 0  # superseded ones

    @property
    def is_nothing(self) -> bool:
        """Whether all was well; what killed processes leave behind is no damage."""
        return self.database is None and not (self.restored or self.adopted or self.aside)

    def words(self) -> list[str]:
        """One line for each thing that was done."""
        said = [] if self.database is None else [f"the database was damaged ({self.database}) and has been made again"]
        said += [f"run {run_id} was missing or damaged and is back" for run_id in self.restored]
        said += [f"{self.adopted} files of values are known again"] if self.adopted else []
        return said + [f"{name} is nobody's and was put aside into {ASIDE}/" for name in self.aside]


def repair(entries: RunEntries) -> RepairReport:
    """Look at the whole store, put right what can be, and say what that was."""
    database = entries.database
    wrong = database.check()
    if wrong is not None:
        database.make_again()
    restored = _restore_missing(entries)
    adopted, aside, removed = _sort_files(entries)
    _keep_all(entries)
    database.tidy()
    done = RepairReport(wrong, tuple(restored), adopted, tuple(aside), removed)
    for each in done.words():
        log.warning("%s", each)
    return done


def _restore_missing(entries: RunEntries) -> list[str]:
    """Bring runs back whose records are lost or damaged."""
    back, there = [], entries.keepsakes.ids()
    for run_id, found in entries.all():
        if run_id not in there or not isinstance(found, DamagedError):
            continue
        entries.database.put_aside(f"entry/{run_id}")
        if entries.bring_back(run_id):
            back.append(run_id)
    return back


def _sort_files(entries: RunEntries) -> tuple[int, list[str], int]:
    """Take up files of values that a run needs, remove those that are superseded, and put aside all others."""
    adopted, aside, removed = 0, list[str](), 0
    with entries.database.writing():
        there, known = entries.database.value_files()
        for name in sorted(there - known):
            file = entries.database.path / "cache" / name
            try:
                key, value = read_sealed(read_file(file))
            except (DamagedError, OSError):
                key, value = "", b""
            if _is_needed(entries, key):
                entries.database.adopt(key, name, len(value), seal_of(key, value))
                adopted += 1
            elif _is_superseded(entries, key):
                file.unlink(missing_ok=True)
                removed += 1
            else:
                _put_aside(entries.database.path, file)
                aside.append(name)
    return adopted, aside, removed


def _is_needed(entries: RunEntries, key: str) -> bool:
    """Whether a run should have this entry and does not."""
    kind, run_id, version = _parts(key)
    if kind not in PARTS or entries.database.keys(key)[:1] == [key]:
        return False
    try:
        record = entries.record(run_id)
        if kind == "state":
            return version in [each.version for each in record.checkpoints]
        if kind == "findings":
            return version == record.findings
        return version == record.snapshot or version in entries.history(run_id).versions
    except (DamagedError, UnknownRunError):
        return False


def _is_superseded(entries: RunEntries, key: str) -> bool:
    """Whether the run has gone on since, or was erased."""
    kind, run_id, _ = _parts(key)
    if kind not in PARTS:
        return False
    if entries.database.get(f"erased/{run_id}") is not None:
        return True
    try:
        return entries.record(run_id).id == run_id and not _is_needed(entries, key)
    except (DamagedError, UnknownRunError):
        return False


def _parts(key: str) -> tuple[str, str, int]:
    kind, _, rest = key.partition("/")
    run_id, _, version = rest.partition("/")
    return kind, run_id, int(version) if version.isascii() and version.isdecimal() else -1


def _put_aside(path: Path, file: Path) -> None:
    try:
        (path / ASIDE).mkdir(mode=0o700, exist_ok=True)
        os.replace(file, path / ASIDE / file.name)
    except OSError as error:
        raise disk_error(path, error) from error


def _keep_all(entries: RunEntries) -> None:
    """A keepsake for each run that has none, as in stores of earlier versions."""
    there = entries.keepsakes.ids()
    for run_id, record in entries.all():
        if run_id not in there and not isinstance(record, Exception):
            entries.keep(run_id)
