"""What is drawn is made once and never pickled."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from flask import Flask

from components.cache import DiskCache, Memory, memory


@pytest.fixture
def remembered(tmp_path: Path) -> Memory:
    return memory(Flask("test"), tmp_path / "figures")


def test_a_thing_is_made_once_per_key(remembered: Memory) -> None:
    made: list[str] = []

    def make(name: str) -> dict[str, list[float]]:
        made.append(name)
        return {"z": [1.5, 2.0]}

    for _ in range(3):
        assert remembered.remember(("map", "a", 1), lambda: make("a")) == {"z": [1.5, 2.0]}
    assert remembered.remember(("map", "a", 2), lambda: make("b")) == {"z": [1.5, 2.0]}
    assert made == ["a", "b"]


def test_twenty_who_ask_at_once_cost_one(remembered: Memory) -> None:
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
    first = memory(Flask("test"), tmp_path / "figures")
    first.remember_bytes(("picture",), lambda: b"old")
    again = memory(Flask("test"), tmp_path / "figures")
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
    remembered: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object, **__: object) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("diskcache.Cache.set", full)
    assert remembered.remember(("map",), lambda: [1, 2]) == [1, 2]
    assert "what was drawn could not be kept" in caplog.text
