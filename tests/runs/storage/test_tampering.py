"""Rows that somebody else wrote into the store: refused, never run, and no harm to the other runs."""

from __future__ import annotations

import json
import pickle
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mapelites.runs import Store
from mapelites.runs.errors import DamagedError
from mapelites.runs.storage.disk import PlainDisk
from mapelites.runs.supervisor import Supervisor
from tests.runs.test_store import finish
from tests.runs.tools import request, supervised, wait_for_state

MODE_BINARY, MODE_PICKLE = 2, 4


class Trap:
    """Unpickled, it would make a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(self.path), "w")


def sql(store: Store, statement: str, values: tuple[Any, ...] = ()) -> None:
    connection = sqlite3.connect(store.path / "cache" / "cache.db")
    with connection:
        assert connection.execute(statement, values).rowcount > 0
    connection.close()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data")


@pytest.mark.parametrize(
    ("entry", "read"),
    [
        ("entry/{}", Store.run),
        ("history/{}", Store.history),
        ("snapshot/{}/%", Store.snapshot),
        ("version/{}", Store.version),
        ("snapshot/{}/%", Store.export),
    ],
)
def test_a_pickled_value_is_never_unpickled_and_the_other_runs_stay_usable(
    store: Store, tmp_path: Path, entry: str, read: Callable[[Store, str], object]
) -> None:
    victim, other = (finish(store, request(evaluations=3_000, seed=seed)) for seed in (1, 2))
    trap = pickle.dumps(Trap(tmp_path / "sprung"))
    statement = "UPDATE Cache SET tag = NULL, mode = ?, filename = NULL, value = ? WHERE key LIKE ?"
    sql(store, statement, (MODE_PICKLE, trap, entry.format(victim)))
    with pytest.raises(DamagedError, match="must be plain text, a number or bytes, but it was something else"):
        read(store, victim)
    assert not (tmp_path / "sprung").exists()
    assert other in [run.id for run in store.runs()]
    assert store.snapshot(other) is not None


def test_a_pickled_key_is_never_unpickled(store: Store, tmp_path: Path) -> None:
    run_id = store.create(request())
    trap = pickle.dumps(Trap(tmp_path / "sprung"))
    for key in (trap, "a", "entry/zzzzzzzz", 5):
        sql(store, "INSERT INTO Cache (key, raw, store_time, mode, value) VALUES (?, 0, 0, 1, 'x')", (key,))
    assert [run.id for run in store.runs()] == [run_id]
    assert not (tmp_path / "sprung").exists()


def test_a_row_that_points_outside_of_the_store_is_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    run_id = finish(store, request(evaluations=3_000))
    outside = "UPDATE Cache SET mode = ?, filename = '../../secret' WHERE key LIKE 'snapshot/%'"
    sql(store, outside, (MODE_BINARY,))
    with pytest.raises(DamagedError, match="but it was something else"):
        store.snapshot(run_id)
    store.delete(run_id)
    store.purge(before=1e12)
    assert (tmp_path / "secret").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"state": "dancing"}, "state 'dancing'"),
        ({"id": "22222222"}, "id '22222222'"),
        ({"evaluations": "many"}, "evaluations is 'many'"),
        ({"request": "{}"}, "'constraints'"),
        ({"labels": {"name": 5}}, "name must be a text, but it was 5"),
        ({"labels": [1]}, "labels must be a table"),
        ({"surprise": 1}, "surprise"),
        ({"checkpoints": [[1]]}, "Checkpoint"),
    ],
)
def test_a_record_with_impossible_values_is_refused_in_words(store: Store, changes: dict[str, Any], said: str) -> None:
    run_id = store.create(request())
    table = {**(store.entries.database.get_table(f"entry/{run_id}") or {}), **changes}
    sql(store, "UPDATE Cache SET tag = NULL, value = ? WHERE key = ?", (json.dumps(table), f"entry/{run_id}"))
    with pytest.raises(DamagedError, match="its entry in the store is damaged") as caught:
        store.run(run_id)
    assert said in str(caught.value)
    assert store.runs() == []
    assert list(store.damaged()) == [run_id]


@pytest.mark.parametrize("text", ["no JSON", "[1, 2]", "", "NaN"])
def test_a_record_that_is_no_table_is_refused_in_words(store: Store, text: str) -> None:
    run_id = store.create(request())
    sql(store, "UPDATE Cache SET tag = NULL, value = ? WHERE key = ?", (text, f"entry/{run_id}"))
    with pytest.raises(DamagedError, match=f"store: the entry entry/{run_id} must be"):
        store.run(run_id)


def test_a_snapshot_with_other_bytes_is_refused_in_words(store: Store) -> None:
    run_id = finish(store, request(evaluations=3_000))
    sql(store, "UPDATE Cache SET tag = NULL, value = ? WHERE key LIKE 'snapshot/%'", (b"PK\x03\x04 and so on",))
    with pytest.raises(DamagedError, match=rf"run {run_id}: its snapshot \d+ is damaged \(not a run file"):
        store.snapshot(run_id)


def test_the_worker_goes_on_with_the_other_runs(store: Store) -> None:
    broken, unread, sound = (store.create(request(evaluations=3_000, seed=seed)) for seed in (1, 2, 3))
    sql(store, "UPDATE Cache SET value = 'x' WHERE key = ?", (f"entry/{broken}",))
    with store.entries.database.writing():
        store.entries.database.put(f"history/{unread}", "x")
    with supervised(store.path):
        wait_for_state(store, sound, "finished")
        run = wait_for_state(store, unread, "failed")
    assert run.reason is not None
    assert f"the entry history/{unread} must be JSON" in run.reason
    assert store.run(broken).state in ("queued", "running", "finished"), (
        "what stood beside the database brought it back"
    )


def test_a_deleted_run_that_is_damaged_is_erased_in_its_time_and_keeps_no_other_run_waiting(store: Store) -> None:
    deleted = finish(store, request(evaluations=3_000))
    store.delete(deleted)
    with store.entries.database.writing():
        store.entries.database.put(f"history/{deleted}", "x")
        store.entries.write(replace(store.entries.record(deleted), deleted=1.0))  # far past undoing
    queued = store.create(request(evaluations=3_000))
    with supervised(store.path) as supervisor:
        wait_for_state(store, queued, "finished")
        assert supervisor.poll() is None
    assert store.purge(before=2.0) == 1
    assert not keys_of(store, deleted)


def test_a_run_whose_record_is_damaged_can_be_deleted_and_leaves_nothing_behind(store: Store) -> None:
    broken, sound = (finish(store, request(evaluations=3_000, seed=seed)) for seed in (1, 2))
    sql(store, "UPDATE Cache SET value = 'x' WHERE key = ?", (f"entry/{broken}",))
    store.delete(broken)
    assert store.damaged() == {}
    assert not keys_of(store, broken)
    assert store.snapshot(sound) is not None


def test_a_run_that_is_damaged_after_it_was_listed_does_not_stop_the_worker(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = store.create(request())
    supervisor, listed = Supervisor(store.path), store.records()
    monkeypatch.setattr(supervisor.store, "records", lambda: listed)
    sql(store, "UPDATE Cache SET value = 'x' WHERE key = ?", (f"entry/{run_id}",))
    supervisor._start_runs()
    store.delete(run_id)
    supervisor._start_runs()
    assert supervisor._jobs == {}


def keys_of(store: Store, run_id: str) -> list[str]:
    """What is left of a run in the database, but for the word that its id is used up."""
    return [key for key in store.entries.database.keys("") if run_id in key and key != f"erased/{run_id}"]


def test_only_plain_values_under_text_keys_go_to_the_disk(tmp_path: Path) -> None:
    disk = PlainDisk(str(tmp_path), min_file_size=10)
    with pytest.raises(TypeError, match="a key must be text, but it was 3"):
        disk.put(3)
    with pytest.raises(TypeError, match="a value must be text, a number or bytes, but it was a list"):
        disk.store([1], read=False)
