"""A store and run files that were written before runs had one description still open, and stay as they were."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from mapelites.problems import own_problems
from mapelites.runs import Store
from mapelites.snapshot.snapshot import Snapshot
from mapelites.snapshot.spec import RunSpec
from tests.runs.tools import assert_same, assert_true_to_itself

BEFORE = Path(__file__).parents[2] / "data" / "before_rooms"
FILES = ("C16.npz", "can.npz", "pressure-vessel.npz")


@pytest.fixture
def old(tmp_path: Path) -> Store:
    with tarfile.open(BEFORE / "store.tar.gz") as packed:
        packed.extractall(tmp_path, filter="data")
    return Store(tmp_path / "store")


def test_its_runs_are_listed_and_every_elite_has_the_values_of_its_solution(old: Store) -> None:
    runs = old.runs()
    assert [(run.state, run.evaluations) for run in runs] == [
        ("finished", 2_000),
        ("finished", 5_000),
        ("finished", 5_000),
    ]
    for run in runs:
        snapshot = old.snapshot(run.id)
        assert snapshot is not None
        assert snapshot.spec == run.request.spec
        assert RunSpec.from_table(run.request.spec.as_table()) == run.request.spec
        archive = snapshot.archive()
        assert len(archive) == run.occupied
        assert own_problems.loaded(archive.problem) is archive.problem  # none is from a Python file
        assert_true_to_itself(archive)


@pytest.mark.parametrize("name", FILES)
def test_a_run_file_is_taken_in_and_given_out_with_the_same_map(tmp_path: Path, name: str) -> None:
    content = (BEFORE / name).read_bytes()
    before = Snapshot.from_bytes(content)
    assert_true_to_itself(before.archive())
    store = Store(tmp_path / "store")
    run_id = store.import_run(content)
    assert store.run(run_id).request.spec == before.spec
    again = Snapshot.from_bytes(store.export(run_id))
    assert again.spec == before.spec
    assert_same(again.archive(), before.archive())


def test_what_the_store_gives_out_another_one_takes_in(old: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    for run in old.runs():
        run_id = other.import_run(old.export(run.id))
        one, two = old.snapshot(run.id), other.snapshot(run_id)
        assert one is not None
        assert two is not None
        assert other.run(run_id).request == run.request
        assert_same(one.archive(), two.archive())
