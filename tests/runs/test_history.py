"""What is kept for replay."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from mapelites.runs.errors import DamagedError
from mapelites.runs.history import LINGER_SECONDS, MOST_BYTES, MOST_MOMENTS, History, Moment, most_even, thin_curve


def after(evaluations: list[int], size: int = 100) -> History:
    history = History()
    for version, n in enumerate(evaluations):
        history = history.add(Moment(version, n, n / 1000, 1, None), size, now=0.0)
    return history


def test_at_most_200_moments_are_kept_with_the_first_and_the_last() -> None:
    history = after(list(range(5, 7_000, 7)))
    kept = [moment.evaluations for moment in history.moments]
    assert len(kept) == MOST_MOMENTS
    assert (kept[0], kept[-1]) == (5, 6_998)
    assert kept == sorted(kept)


def test_moments_are_spread_evenly_over_the_logarithm_of_evaluations() -> None:
    kept = [moment.evaluations for moment in after(list(range(100, 300_000, 100))).moments]
    ideal = np.log(kept[-1] / kept[0]) / (MOST_MOMENTS - 1)
    for before, now in pairwise(kept):
        assert now - before == 100 or np.log(now / before) <= 2.5 * ideal  # nothing lies within a hundred


def test_every_decade_of_a_long_run_has_about_as_many_moments() -> None:
    evaluations = np.unique(np.geomspace(1, 1e8, 3_000).astype(int)).tolist()
    kept = np.log10([moment.evaluations for moment in after(evaluations).moments])
    later = np.histogram(kept, bins=[2, 3, 4, 5, 6, 7, 8])[0]
    assert later.max() <= 2 * later.min()


def test_a_moment_that_is_lived_through_again_replaces_what_came_after_it() -> None:
    history = after([10, 20, 30, 40, 25])
    assert [moment.evaluations for moment in history.moments] == [10, 20, 25]
    assert [version for version, _, _ in history.leaving] == [2, 3]


def test_a_snapshot_that_left_is_deleted_only_after_a_while() -> None:
    history = after([10, 20, 15])
    early, gone = history.without_gone(LINGER_SECONDS - 1)
    assert (early.versions, gone) == ([0, 2, 1], [])
    late, gone = history.without_gone(LINGER_SECONDS + 1)
    assert (late.versions, gone) == ([0, 2], [1])


def test_a_run_with_large_snapshots_keeps_fewer_of_them() -> None:
    history = after(list(range(1, 400)), size=MOST_BYTES // 50)
    assert len(history.moments) == 50


def test_the_history_reads_back_as_it_was_written() -> None:
    history = after([1, 5, 3])
    assert History.from_table(history.as_table()) == history


def test_a_history_that_was_changed_from_outside_is_refused() -> None:
    with pytest.raises(DamagedError, match="a run's history must be a list of moments, but it was not"):
        History.from_table({"moments": [[1, "many"]], "leaving": []})


def test_the_curve_keeps_a_bounded_number_of_points_and_both_ends() -> None:
    curve = np.stack([np.arange(1.0, 5_001.0)] * 3, axis=1)
    shorter = thin_curve(curve)
    assert len(shorter) == 400
    assert (shorter[0, 0], shorter[-1, 0]) == (1.0, 5_000.0)


def test_few_places_are_all_kept() -> None:
    assert most_even([3, 4], 2) == [0, 1]


def test_what_left_before_the_clock_was_set_back_goes_all_the_same() -> None:
    history = History(leaving=((1, 1e9, 10), (2, 1e9 + 1, 10)))
    later, gone = history.without_gone(1e9 - 86_400)
    assert (later.leaving, gone) == ((), [1, 2])


def test_what_a_change_needs_stays_as_long_as_the_change_does() -> None:
    history = History().add(Moment(1, 10, 0.0, 1, None), 900, now=0.0)
    history = history.add(Moment(2, 20, 0.0, 1, None), 10, now=0.0, base=1)
    history = history.add(Moment(3, 15, 0.0, 1, None), 900, now=0.0)  # lived through again: 2 leaves
    history = history.add(Moment(4, 5, 0.0, 1, None), 900, now=0.0)  # and once more: all others leave
    assert history.without_gone(LINGER_SECONDS - 1)[1] == []
    later, gone = history.without_gone(LINGER_SECONDS + 1)
    assert (gone, later.size) == ([2, 3], 1_800)
    latest, gone = later.without_gone(LINGER_SECONDS + 1)
    assert (gone, latest.versions, latest.size) == ([1], [4], 900)


def test_a_whole_snapshot_that_left_the_replay_is_on_disk_for_its_changes() -> None:
    history = History()
    for version in range(1, 2_001):
        base = None if version % 10 == 1 else version - (version - 1) % 10
        history = history.add(Moment(version, 100 * version, 0.0, 1, None), 10 if base else 900, float(version), base)
        history, gone = history.without_gone(float(version))
        assert not set(gone) & {base for _, base in history.bases}
    changes, on_disk = dict(history.bases), history.versions
    assert all(changes[moment.version] in on_disk for moment in history.moments if moment.version in changes)
    assert set(changes) <= set(on_disk), "nothing is remembered of what is gone"
    assert len(history.moments) == MOST_MOMENTS
    assert History.from_table(history.as_table()) == history


def test_the_room_of_whole_snapshots_counts_however_small_the_changes_are() -> None:
    history = History()
    for version in range(1, 1_001):
        base = None if version % 4 == 1 else version - (version - 1) % 4
        size = 10 if base else MOST_BYTES // 40
        history = history.add(Moment(version, 100 * version, 0.0, 1, None), size, float(version), base)
        history, _ = history.without_gone(float(version))
    assert history.size < 1.5 * MOST_BYTES
    assert len(history.moments) > 30
