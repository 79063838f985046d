"""Names, stars, notes and tags of runs: kept, checked, and never lost to the process that searches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mapelites import InputError
from mapelites.runs import Labels, Store
from mapelites.runs.claim import Claim
from mapelites.runs.worker import RunWorker
from tests.runs.tools import request

WRITTEN = Labels("Final beam", True, "Shear up to 5 %.\nAsk Ann.", ("thesis", "beam"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data")


def test_labels_survive_the_search_and_the_way_through_a_file(store: Store) -> None:
    run_id = store.create(request(evaluations=2_000))
    claim = Claim.take(store.entries, run_id)
    assert claim is not None
    looks = iter(range(2))
    worker = RunWorker(claim, lambda: next(looks, None) is None)
    before = store.label(run_id, name="Final beam", starred=True)
    worker.work()
    assert before == Labels()
    assert store.label(run_id, note=WRITTEN.note, tags=WRITTEN.tags) == Labels("Final beam", starred=True)
    assert store.run(run_id).labels == WRITTEN
    copied = store.import_run(store.export(run_id))
    assert copied != run_id
    assert store.run(copied).labels == WRITTEN


def test_a_run_that_nobody_labelled_is_stored_as_before_there_were_labels(store: Store) -> None:
    run_id = store.create(request())
    assert "labels" not in store.entries.record(run_id).as_table()
    version = store.version(run_id)
    store.label(run_id, name="")
    assert store.version(run_id) == version, "what changes nothing wakes no page"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"name": 5}, "name must be a text, but it was 5"),
        ({"name": "x" * 121}, "name has at most 120 characters, but this one has 121"),
        ({"note": "x" * 4_001}, "note has at most 4,000 characters, but this one has 4,001"),
        ({"name": "a\x00b"}, "name must be text that can be shown"),
        ({"starred": 1}, "starred must be true or false, but it was 1"),
        ({"tags": "beam"}, "tags must be a list of texts, but they were 'beam'"),
        ({"tags": [["beam"]]}, "a tag must be a text"),
        ({"tags": [f"t{i}" for i in range(21)]}, "a run has at most 20 tags, but these are 21"),
    ],
)
def test_labels_that_no_run_can_have_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Labels(**given)
