"""Every door of the store fails once: nothing acknowledged is lost, no number is wrong, and what failed says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapelites.core.archive import Archive
from tests.runs.storage.injector import KINDS, Injector, check, right_archives, use

PART = 2  # of each kind, here; `make faults` has all of them


@pytest.fixture(scope="module")
def archives() -> dict[object, Archive]:
    return right_archives()


def strike(injector: Injector, folder: Path, archives: dict[object, Archive]) -> None:
    """Use a store with that fault, and look at it without."""
    with pytest.MonkeyPatch.context() as patch:
        injector.install(patch)
        done = use(folder / "store", folder / "again")
    check(folder / "store", done, archives)


def test_without_faults_all_is_done_and_every_door_is_used(tmp_path: Path, archives: dict[object, Archive]) -> None:
    injector = Injector()
    with pytest.MonkeyPatch.context() as patch:
        injector.install(patch)
        done = use(tmp_path / "store", tmp_path / "again")
    assert (done.refused, list(done.states.values()), len(done.erased)) == ([], [("finished",), ("finished",)], 1)
    assert all(injector.counted[kind] >= PART for kind in KINDS), injector.counted
    check(tmp_path / "store", done, archives)
    check(tmp_path / "again", done, archives)


@pytest.mark.parametrize("kind", KINDS)
def test_a_door_that_fails_once_costs_nothing_that_was_acknowledged(
    kind: str, tmp_path: Path, archives: dict[object, Archive]
) -> None:
    counter = Injector()
    with pytest.MonkeyPatch.context() as patch:
        counter.install(patch)
        use(tmp_path / "count" / "store", tmp_path / "count" / "again")
    for part in range(PART):
        injector = Injector(kind, 1 + (part * counter.counted[kind]) // PART, seed=part)
        strike(injector, tmp_path / str(part), archives)
        assert injector.happened
