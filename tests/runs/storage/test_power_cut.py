"""What somebody was told is done outlives a power cut: a copy of the store with only what was synced has it all."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from mapelites.runs import Store
from mapelites.runs.storage import disk
from mapelites.system import files
from tests.runs.test_store import begin, finish, take
from tests.runs.tools import assert_same, large_request, undisturbed


class SyncedFiles:
    """Which files and folders the project had the system write out, with the bytes that they had then."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.contents: dict[Path, bytes] = {}
        self.folders: set[Path] = set()
        self._sync = files.sync_file
        monkeypatch.setattr(disk, "sync_file", self.sync_file)
        monkeypatch.setattr(disk, "sync_folder", self.folders.add)

    def sync_file(self, path: Path) -> None:
        self._sync(path)
        self.contents[path] = path.read_bytes()

    def copy(self, store: Store, place: Path) -> Store:
        """The store after a power cut: a value whose file or folder was not synced is gone."""
        shutil.copytree(store.path, place)
        for file in (store.path / "cache").glob("*/*.val"):
            there = file.parent in self.folders and file.parent.parent in self.folders
            copied = place / file.relative_to(store.path)
            copied.write_bytes(self.contents.get(file, b"") if there else b"")
        return Store(place)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data")


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> SyncedFiles:
    return SyncedFiles(monkeypatch)


def test_a_finished_run_and_one_taken_in_outlive_a_power_cut(store: Store, synced: SyncedFiles, tmp_path: Path) -> None:
    asked = large_request(40_000)
    run_id = finish(store, asked)
    twin = store.import_run(store.export(run_id))
    after = synced.copy(store, tmp_path / "after")
    for each in (run_id, twin):
        assert after.run(each).state == "finished"
        snapshot = after.snapshot(each)
        assert snapshot is not None
        assert_same(snapshot.archive(), undisturbed(asked))
        assert len([after.snapshot(each, moment.version) for moment in after.history(each)]) > 0


def test_a_run_at_a_checkpoint_goes_on_from_there_after_a_power_cut(
    store: Store, synced: SyncedFiles, tmp_path: Path
) -> None:
    run_id = begin(store, large_request(200_000), leave_after=12)
    after = synced.copy(store, tmp_path / "after")
    (*_, checkpoint) = after.entries.record(run_id).checkpoints
    resumed = take(after, run_id).resume(after.entries.record(run_id))
    assert resumed.search.evaluations == checkpoint.evaluations > 0


@pytest.mark.parametrize("act", [Store.delete, Store.pause, Store.stop, Store.check_writable])
def test_what_is_promised_is_committed_in_the_way_that_outlives_a_power_cut(
    store: Store, act: Callable[..., None]
) -> None:
    run_id = store.create(large_request(40_000))
    connection = store.entries.database._cache._con
    levels: list[int] = []

    def note(statement: str) -> None:
        if statement == "COMMIT":
            levels.extend(number for (number,) in sqlite3_level(connection))

    connection.set_trace_callback(note)
    act(*((store,) if act is Store.check_writable else (store, run_id)))
    connection.set_trace_callback(None)
    assert levels == [2]


def sqlite3_level(connection: sqlite3.Connection) -> list[tuple[int]]:
    connection.set_trace_callback(None)
    return connection.execute("PRAGMA synchronous").fetchall()
