"""Snapshots told as what changed: together with the whole one before them they are the moment itself, bit for bit."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mapelites.core.errors import InputError
from mapelites.runs import RunRequest, Store
from mapelites.runs.claim import Claim
from mapelites.runs.errors import DamagedError
from mapelites.runs.pacing import StrideLength
from mapelites.runs.record import Record
from mapelites.runs.worker import RunWorker
from mapelites.snapshot.change import MOST_CHANGES, SnapshotChange, SnapshotSeries, whole_snapshot
from mapelites.snapshot.snapshot import Snapshot, pack, unpack
from tests.runs.tools import assert_same, large_request, request, undisturbed

CURVE = np.array([[1.0, 1.0, np.nan]])


def moments(asked: RunRequest, first: int, then: int) -> tuple[Snapshot, SnapshotChange, Snapshot]:
    """A search after so many evaluations as a whole, and some later as a change and as a whole."""
    search = asked.begin()
    search.advance(first)
    before = Snapshot.of(search, 1.0, CURVE)
    search.advance(then)
    return before, SnapshotChange.of(search, 2.0, CURVE, 7, before.evaluations), Snapshot.of(search, 2.0, CURVE)


@pytest.mark.parametrize(
    "asked",
    [
        large_request(60_000),
        request("C16", 60_000, search="directed"),
        request("C17", 60_000),  # from no feasible solution to one that is no elite
        request("C01", 60_000, archive="centroids", centroids=50),
    ],
    ids=["large", "directed", "C17", "centroids"],
)
@pytest.mark.parametrize("first", [0, 10, 3_000, 30_000])
def test_a_change_and_what_it_is_a_change_of_are_the_whole_moment(asked: RunRequest, first: int) -> None:
    before, change, after = moments(asked, first, 20_000)
    told = whole_snapshot(change.to_bytes(), {7: before.to_bytes()}.get)
    assert told is not None
    assert told.to_bytes() == after.to_bytes()
    assert (change.best, change.solutions) == (after.best, len(after.elites))


def test_where_nothing_was_found_a_change_is_empty() -> None:
    before, change, after = moments(large_request(60_000), 30_000, 0)
    assert len(change.places) == int(len(before.elites) > len(before.archive()))  # the best feasible one moves
    told = whole_snapshot(change.to_bytes(), {7: before.to_bytes()}.get)
    assert told is not None
    assert told.to_bytes() == after.to_bytes()


def test_the_change_of_a_snapshot_that_is_gone_is_no_snapshot() -> None:
    _, change, _ = moments(large_request(60_000), 3_000, 100)
    assert whole_snapshot(change.to_bytes(), {}.get) is None


def test_a_change_is_not_taken_for_a_run_file() -> None:
    _, change, _ = moments(large_request(60_000), 3_000, 100)
    with pytest.raises(InputError, match="not a run file, because its format is change"):
        Snapshot.from_bytes(change.to_bytes())


@pytest.mark.parametrize(
    ("about", "arrays", "words"),
    [
        ({"base": "seven"}, {}, "base of a change must be a whole number, but it was 'seven'"),
        ({"base": 8}, {}, "at most 8 others, but there are more"),
        ({"solutions": None}, {}, "solutions of a change must be a whole number, but it was None"),
        ({"solutions": -1}, {}, "solutions of a change must be a whole number, but it was -1"),
        ({"solutions": 10**12}, {}, "must have the new ones"),
        ({"solutions": 1}, {}, "must be 0 to 0"),
        ({}, {"places": np.zeros(3, dtype=np.int64)}, "must be ascending"),
        ({}, {"places": np.zeros((1, 1))}, "must be ascending"),
        ({}, {"places": None}, "must be ascending"),
        ({}, {"places": np.array([-1])}, "must be 0 to"),
        ({}, {"f": np.zeros(2)}, "f of a change must be"),
        ({}, {"x": None}, "x of a change must be"),
        ({}, {"curve": None}, "the curve must have three columns"),
    ],
)
def test_a_change_that_was_tampered_with_is_refused(about: object, arrays: object, words: str) -> None:
    before, change, _ = moments(large_request(60_000), 3_000, 1_000)
    said, had = unpack(change.to_bytes())
    had = {name: each for name, each in {**had, **arrays}.items() if each is not None}  # type: ignore[dict-item]
    with pytest.raises(InputError, match=re.escape(words)):
        whole_snapshot(pack({**said, **about}, had), {7: before.to_bytes(), 8: _of_itself(change)}.get)  # type: ignore[dict-item]


def _of_itself(change: SnapshotChange) -> bytes:
    return replace(change, base=8).to_bytes()


class Steps(StrideLength):
    """Pieces of one size."""

    def learn(self, evaluations: int, seconds: float, computed: float) -> None:
        self.size = 1_500


class Eager(RunWorker):
    """Puts down every piece, as a whole or as a change, and remembers the whole of each."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim, lambda: False)
        self._stride = Steps()
        self.wholes: dict[int, Snapshot] = {}
        self.kinds: list[type] = []

    def _publish_if_due(self) -> None:
        self._put_down(saved=False)

    def _follow_record(self, record: Record) -> None:
        super()._follow_record(record)
        if record.snapshot is not None:
            self.wholes[record.snapshot] = Snapshot.of(self.search, 0.0, CURVE)

    def _changed_or_whole(self) -> Snapshot | SnapshotChange:
        seen = super()._changed_or_whole()
        self.kinds.append(type(seen))
        return seen


def eager(store: Store) -> Eager:
    claim = Claim.take(store.entries, store.create(large_request(60_000)))
    assert claim is not None
    return Eager(claim)


def test_a_change_is_told_of_the_one_that_makes_reading_short() -> None:
    series = SnapshotSeries()
    for version in range(100, 100 + MOST_CHANGES):
        change = SnapshotChange(0, np.zeros(3, dtype=np.int64), 0, None, _at(version))
        series.add(version, change if version > 100 else _at(version))
        base = series.base(elites=1_000)
        number = version - 99
        assert base == (100 + (number & (number - 1)),) * 2
    series.add(200, change)
    assert series.base(elites=1_000) is None, "there were enough"


def test_once_the_changes_were_as_many_as_the_elites_a_whole_one_is_due() -> None:
    series = SnapshotSeries()
    assert series.base(elites=10) is None, "nothing was put down yet"
    series.add(1, _at(1))
    for version in range(2, 5):
        assert series.base(elites=10) is not None
        series.add(version, SnapshotChange(1, np.zeros(4, dtype=np.int64), 10, None, _at(version)))
    assert series.base(elites=10) is None
    series.add(5, _at(5))
    assert series.base(elites=10) == (5, 5)


def _at(evaluations: int) -> Snapshot:
    return replace(Snapshot.of(request().begin(), 0.0), evaluations=evaluations)


def test_every_moment_of_a_run_with_a_large_map_reads_back_as_it_was(tmp_path: Path) -> None:
    store = Store(tmp_path)
    worker = eager(store)
    worker.work()
    assert worker.kinds.count(SnapshotChange) > 20
    assert worker.kinds.count(Snapshot) > 3
    moments = [each for each in store.history(worker.claim.run_id) if each.version in worker.wholes]
    assert len(moments) > 30
    for moment in moments:
        told = store.snapshot(worker.claim.run_id, moment.version)
        assert told is not None
        assert_same(told.archive(), worker.wholes[moment.version].archive())
    last = store.snapshot(worker.claim.run_id)
    assert last is not None
    assert store.history(worker.claim.run_id)[-1].version not in dict(store.entries.history(worker.claim.run_id).bases)
    assert_same(last.archive(), undisturbed(large_request(60_000)))


def test_a_run_whose_snapshots_are_changes_goes_to_a_file_and_back_whole(tmp_path: Path) -> None:
    store, other = Store(tmp_path / "one"), Store(tmp_path / "other")
    worker = eager(store)
    worker.work()
    run_id = worker.claim.run_id
    again = other.import_run(store.export(run_id))
    assert other.history(again) == store.history(run_id)
    for moment in store.history(run_id):
        one, two = store.snapshot(run_id, moment.version), other.snapshot(again, moment.version)
        assert one is not None
        assert two is not None
        assert one.to_bytes() == two.to_bytes()


def test_a_change_whose_whole_was_damaged_is_said_to_be_damaged(tmp_path: Path) -> None:
    store = Store(tmp_path)
    worker = eager(store)
    worker.work()
    run_id = worker.claim.run_id
    version, base = store.entries.history(run_id).bases[-1]
    with store.entries.database.writing():
        store.entries.database.put(f"snapshot/{run_id}/{base}", b"PK no more")
    with pytest.raises(DamagedError, match=f"its snapshot {version} is damaged"):
        store.snapshot(run_id, version)
    assert store.snapshot(run_id) is not None, "the others can be used"
