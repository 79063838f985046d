"""Elites by cell: order, statistics, re-binning."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapelites import Archive, Tolerances, illuminate
from mapelites.archive import Elites
from mapelites.problems import get

PROBLEM = get("C17", 10)
TOLERANCES = Tolerances.default(PROBLEM)


def found(seed, count, scale=1.0):
    """Solutions around the best one, so that many cells are met."""
    rng = np.random.default_rng(seed)
    x = np.clip(PROBLEM.data[:10] + scale * rng.normal(size=(count, 10)), -10, 10)
    values = PROBLEM.evaluate(x)
    when = np.arange(1, count + 1)
    return Elites(x, values.f, values.g, values.h, when, np.full(count, "random", dtype="U16"))


@settings(max_examples=50)
@given(st.integers(0, 1000), st.integers(1, 200), st.floats(0.001, 5))
def test_each_cell_keeps_its_best_whatever_the_order_of_arrival(seed, count, scale):
    everything = found(seed, count, scale)
    archive = Archive(PROBLEM, TOLERANCES, everything)
    shuffled = Archive(PROBLEM, TOLERANCES, everything.rows(np.random.default_rng(seed).permutation(count)))
    assert np.array_equal(archive.elites.x, shuffled.elites.x)
    bins = TOLERANCES.bins(everything.violations)
    for elite in archive:
        rivals = everything.f[(bins == elite.bins).all(axis=1)]
        assert elite.f == rivals.min()
    assert set(map(tuple, bins.tolist())) == {elite.bins for elite in archive}


def test_of_equals_the_first_found_stays():
    once = found(1, 1)
    twice = once.and_(Elites(once.x, once.f, once.g, once.h, np.array([9]), once.operator))
    assert Archive(PROBLEM, TOLERANCES, twice).elites.found_at.tolist() == [1]
    again = Archive(PROBLEM, TOLERANCES, once).add(once.x, [9], "mutation")
    assert (again.elites.found_at.tolist(), again.elites.operator.tolist()) == ([1], ["random"])


def test_adding_returns_a_new_archive_and_leaves_the_old_one():
    old = Archive(PROBLEM, TOLERANCES, Elites.empty(PROBLEM))
    new = old.add(PROBLEM.data[:10][None], 5, "random")
    assert (len(old), len(new)) == (0, 1)
    assert new.best(feasible=True).f == 0.0
    assert new.best(feasible=True).found_at == 5


@settings(max_examples=30)
@given(
    st.integers(0, 100),
    st.lists(st.lists(st.floats(1e-9, 1e3), max_size=6, unique=True).map(sorted), min_size=3, max_size=3),
)
def test_after_re_binning_every_elite_lies_in_its_right_cell(seed, levels):
    archive = Archive(PROBLEM, TOLERANCES, found(seed, 200, 0.5))
    other = Tolerances(TOLERANCES.names, tuple(tuple(each) for each in levels))
    moved = archive.rebin(other)
    assert np.array_equal(other.cell(other.bins(moved.elites.violations)), moved.elites.cell)
    assert moved.statistics.best == archive.statistics.best
    assert moved.statistics.best_feasible == archive.statistics.best_feasible
    again = PROBLEM.evaluate(moved.elites.x)
    assert np.array_equal(again.f, moved.elites.f)


def test_re_binning_to_the_same_levels_changes_nothing():
    archive = illuminate(PROBLEM, evaluations=20_000)
    same = archive.rebin(TOLERANCES)
    assert np.array_equal(same.elites.x, archive.elites.x)
    assert np.array_equal(same.elites.cell, archive.elites.cell)


def test_the_qd_score_never_falls_as_the_map_improves():
    archive = Archive(PROBLEM, TOLERANCES, Elites.empty(PROBLEM))
    scores = []
    for seed in range(30):
        archive = archive.add(found(seed, 20, 3.0 / (seed + 1)).x, seed, "random")
        scores.append(archive.statistics.qd_score)
    assert all(a <= b for a, b in pairwise(scores))
    assert scores[0] < scores[-1]
    assert archive.statistics.qd_score <= archive.statistics.occupied


def test_coverage_is_told_of_all_cells_and_of_those_that_can_exist():
    statistics = illuminate(get("C16", 10), evaluations=50_000).statistics
    assert (statistics.cells, statistics.possible) == (625, 125)
    assert statistics.coverage == statistics.occupied / 625
    assert statistics.coverage_of_possible == statistics.occupied / 125


def test_a_cell_gives_its_elite_or_none():
    archive = illuminate(PROBLEM, evaluations=20_000)
    cells = set(archive.elites.cell.tolist())
    for cell in range(TOLERANCES.cells):
        elite = archive.at(cell)
        assert (elite is not None) == (cell in cells)
        assert elite is None or elite.cell == cell


def test_an_empty_archive_has_nothing_to_say():
    archive = Archive(PROBLEM, TOLERANCES, Elites.empty(PROBLEM))
    assert archive.best() is None
    assert archive.best(feasible=True) is None
    assert archive.at(0) is None
    assert archive.statistics.coverage == 0
    assert archive.statistics.best is None


def test_arrays_that_leave_an_archive_cannot_be_written():
    archive = illuminate(PROBLEM, evaluations=5_000)
    for array in (archive.elites.x, archive.elites.f, archive.elites.cell):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    before = archive.best().x.copy()
    archive.best().x[:] = 0.0
    assert np.array_equal(archive.best().x, before)


def test_a_value_that_is_not_a_number_is_never_placed():
    bad = found(0, 3)
    spoilt = Elites(bad.x, np.array([np.nan, np.inf, bad.f[2]]), bad.g, bad.h, bad.found_at, bad.operator)
    assert Archive(PROBLEM, TOLERANCES, spoilt).elites.found_at.tolist() == [3]
