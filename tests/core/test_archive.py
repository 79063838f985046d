"""Elites by cell: order, statistics, re-binning."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapelites import Archive, Constraint, Illumination, Problem, Settings, Tolerances, illuminate
from mapelites.core.archive import Elites
from mapelites.core.problem import Relation
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


@pytest.mark.parametrize("spoilt", ["f", "g", "h"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_a_finite_number_is_counted_and_never_placed(spoilt, value):
    good = found(0, 3)
    values = getattr(good, spoilt).copy()
    values[:2] = value
    archive = Archive(PROBLEM, TOLERANCES, replace(good, **{spoilt: values}))
    assert archive.elites.found_at.tolist() == [3]
    assert archive.refused == 2
    assert archive.rebin(TOLERANCES).refused == 2


def test_what_is_added_and_refused_is_counted():
    def steep(x):
        return float(x[0]), [-1.0 / x[0] if x[0] else -np.inf], []

    problem = Problem("steep", [-1.0], [1.0], (Constraint("g1", "inequality"),), steep)
    archive = Archive(problem, Tolerances.default(problem), Elites.empty(problem))
    archive = archive.add([[0.0], [0.5]], 1, "random").add([[0.0]], 2, "random")
    assert (archive.elites.f.tolist(), archive.refused) == ([0.5], 2)


def test_a_search_and_its_archive_count_the_same_candidates_as_refused():
    def steep(x):
        return float(x[0]), [-np.inf if x[0] > 0.5 else -1.0], []

    problem = Problem("steep", [-1.0], [1.0], (Constraint("g1", "inequality"),), steep)
    run = Illumination(problem, Tolerances.default(problem), Settings.of("paper-1", 1, evaluations=200))
    run.advance(200)
    assert run.refused > 0
    assert run.archive().refused == run.refused
    assert run.archive().elites.f.max() <= 0.5


def test_of_equals_the_first_found_stays_in_whatever_order_they_come():
    late = Archive(PROBLEM, TOLERANCES, found(1, 1)).elites.rows([0])
    early = replace(late, found_at=np.array([0]))
    for first, second in ((late, early), (early, late)):
        both = Archive(PROBLEM, TOLERANCES, first.and_(second))
        assert both.elites.found_at.tolist() == [0]


def test_elites_leave_the_arrays_that_they_were_made_of_as_they_were():
    x, f = np.zeros((1, 10)), np.zeros(1)
    elites = Elites(x, f, np.zeros((1, 2)), np.zeros((1, 1)), np.array([1]), np.array(["random"]))
    x[0, 0] = f[0] = 7.0
    assert (elites.x[0, 0], elites.f[0]) == (0.0, 0.0)


def test_an_occupied_cell_counts_as_possible_even_where_a_relation_does_not_hold():
    def unrelated(x):
        return float(x[0]), [], [x[0], x[1]]

    equalities = (Constraint("h1", "equality"), Constraint("h2", "equality"))
    problem = Problem("wrong", [-9.0] * 2, [9.0] * 2, equalities, unrelated, relations=(Relation("h1", "h2", 0.0),))
    tolerances = Tolerances.default(problem)
    archive = Archive(problem, tolerances, Elites.empty(problem)).add([[0.0, 5.0], [5.0, 5.0]], 1, "random")
    assert archive.possible[0, 4]
    assert int(archive.possible.sum()) == archive.statistics.possible == 6
