"""What is drawn is made once and never pickled."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from mapelites.runs import Store
from server.cache import DiskCache, DrawingMemory, open_memory


@pytest.fixture
def remembered(tmp_path: Path) -> DrawingMemory:
    return open_memory(Flask("test"), tmp_path / "figures")


def test_a_thing_is_made_once_per_key(remembered: DrawingMemory) -> None:
    made: list[str] = []

    def make(name: str) -> dict[str, list[float]]:
        made.append(name)
        return {"z": [1.5, 2.0]}

    for _ in range(3):
        assert remembered.remember(("map", "a", 1), lambda: make("a")) == {"z": [1.5, 2.0]}
    assert remembered.remember(("map", "a", 2), lambda: make("b")) == {"z": [1.5, 2.0]}
    assert made == ["a", "b"]


def test_twenty_who_ask_at_once_cost_one(remembered: DrawingMemory) -> None:
    made: list[int] = []
    start = threading.Barrier(20)

    def ask() -> None:
        start.wait()
        remembered.remember(("map",), lambda: made.append(1))

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_what_would_have_to_be_pickled_is_refused(tmp_path: Path) -> None:
    cache = DiskCache(str(tmp_path))
    with pytest.raises(TypeError, match="must be text, a number or bytes, but it was a set"):
        cache.set("key", {1})


def test_a_pickled_row_from_outside_is_never_loaded(tmp_path: Path) -> None:
    cache = DiskCache(str(tmp_path))
    cache.set("key", b"drawn")
    with sqlite3.connect(tmp_path / "cache.db") as database:
        database.execute("UPDATE Cache SET mode = 4, value = ?", (b"cos\nsystem\n(S'true'\ntR.",))
    with pytest.raises(ValueError, match="must be plain text, a number or bytes"):
        cache.get("key")


def test_the_directory_belongs_to_its_owner_alone_and_starts_empty(tmp_path: Path) -> None:
    first = open_memory(Flask("test"), tmp_path / "figures")
    first.remember_bytes(("picture",), lambda: b"old")
    again = open_memory(Flask("test"), tmp_path / "figures")
    assert again.remember_bytes(("picture",), lambda: b"new") == b"new"
    assert (tmp_path / "figures").stat().st_mode & 0o077 == 0


def test_it_speaks_flask_caching(tmp_path: Path) -> None:
    cache = DiskCache(str(tmp_path))
    assert cache.add("a", "1")
    assert not cache.add("a", "2")
    assert (cache.has("a"), cache.get("a"), cache.delete("a"), cache.has("a")) == (True, "1", True, False)
    cache.set("b", "3")
    assert cache.clear()
    assert cache.get("b") is None


def test_a_full_disk_costs_memory_and_nothing_else(
    remembered: DrawingMemory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object, **__: object) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("diskcache.Cache.set", full)
    for number in range(3):
        assert remembered.remember(("map", number), lambda: [1, 2]) == [1, 2]
    assert caplog.text.count("what was drawn could not be kept") == 1


def asked_by_another(cache: DiskCache, key: str) -> Any:
    """What a thread that has not used the cache before is given."""
    found: list[Any] = []
    other = threading.Thread(target=lambda: found.append(cache.get(key)))
    other.start()
    other.join()
    return found[0]


def damage(folder: Path) -> None:
    for each in folder.glob("cache.db*"):
        each.write_bytes(b"not a database" * 1_000)


LONG = b"drawn" * 20_000  # goes to a file of its own


@pytest.mark.parametrize("harm", [shutil.rmtree, damage])
def test_a_directory_that_was_deleted_or_damaged_costs_a_drawing_and_is_made_anew(
    harm: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = DiskCache(str(tmp_path / "figures"))
    cache.set("old", b"old")
    harm(tmp_path / "figures")
    assert not cache.set("key", LONG)
    assert asked_by_another(cache, "key") is None
    monkeypatch.setattr("server.cache.AGAIN_SECONDS", 0.0)
    assert cache.set("key", LONG)
    assert asked_by_another(cache, "key") == LONG
    assert (tmp_path / "figures").stat().st_mode & 0o077 == 0


def test_it_starts_anew_where_another_left_a_damaged_directory(tmp_path: Path) -> None:
    open_memory(Flask("test"), tmp_path / "figures").remember_bytes(("a",), lambda: b"old")
    damage(tmp_path / "figures")
    assert open_memory(Flask("test"), tmp_path / "figures").remember_bytes(("a",), lambda: b"new") == b"new"


def test_nothing_is_made_in_place_of_a_folder_that_was_moved_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.cache.AGAIN_SECONDS", 0.0)
    (tmp_path / "data").mkdir()
    cache = DiskCache(str(tmp_path / "data" / "figures"))
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    assert not cache.set("key", LONG)
    assert not cache.set("key", LONG)
    assert asked_by_another(cache, "key") is None
    assert not (tmp_path / "data").exists()
    (tmp_path / "elsewhere").rename(tmp_path / "data")
    assert cache.set("key", LONG)
    assert cache.get("key") == LONG


def test_no_thread_that_reads_keeps_much_of_what_it_read_in_memory(tmp_path: Path) -> None:
    store, figures = Store(tmp_path / "store"), DiskCache(str(tmp_path / "figures"))
    for database in (store.entries.database._cache, figures._cache):
        ((pages,),), ((size,),) = (database._sql(f"PRAGMA {name}").fetchall() for name in ("cache_size", "page_size"))
        assert pages * size <= 2 * 2**20
    store.close()
