"""A run knows which engine searched; another one says so before it goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mapelites.runs import Store, claim
from mapelites.runs import store as store_module
from mapelites.runs.worker import RunWorker
from mapelites.snapshot.engine import EngineVersion, engine_mark, present_engine
from tests.runs.test_store import begin, finish, take
from tests.runs.tools import request

NEWER = replace(present_engine(), mark="0123456789ab", version="9.9.9")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data")


def become(monkeypatch: pytest.MonkeyPatch, engine: EngineVersion) -> None:
    for module in (claim, store_module):
        monkeypatch.setattr(module, "present_engine", lambda: engine)


def test_a_run_says_which_engine_and_processor_made_it_also_after_a_file(store: Store, tmp_path: Path) -> None:
    run_id = finish(store, request(evaluations=3_000))
    (engine,) = store.run(run_id).engines
    assert engine == present_engine()
    assert engine.mark == engine_mark()
    assert all(engine.as_table().values())
    other = Store(tmp_path / "other")
    assert other.run(other.import_run(store.export(run_id))).engines == (engine,)


def test_another_engine_says_so_before_it_goes_on_and_goes_on_where_somebody_wants_it_all_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = begin(store, request("C16", 150_000))
    become(monkeypatch, NEWER)
    assert claim.Claim.take(store.entries, run_id) is None
    run = store.run(run_id)
    assert run.state == "paused"
    assert run.reason is not None
    assert present_engine().words() in run.reason
    assert NEWER.words() in run.reason
    store.resume(run_id)
    RunWorker(take(store, run_id), lambda: False).work()
    assert store.run(run_id).state == "finished"
    assert store.run(run_id).engines == (present_engine(), NEWER)


def test_a_run_that_was_paused_before_the_engine_changed_is_not_resumed_without_a_word(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = begin(store, request("C16", 150_000))
    store.pause(run_id)
    become(monkeypatch, NEWER)
    store.resume(run_id)
    assert claim.Claim.take(store.entries, run_id) is None
    assert "another engine began it" in (store.run(run_id).reason or "")


def test_a_run_without_a_checkpoint_begins_with_the_engine_that_is_there(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = store.create(request())
    become(monkeypatch, NEWER)
    take(store, run_id)
    assert store.run(run_id).engines == (NEWER,)
