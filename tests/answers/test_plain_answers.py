"""Every answer equals what a naive loop over all designs says, on maps of points anywhere."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from mapelites.answers import (
    Designs,
    almost_feasible,
    least_relaxations,
    notable_designs,
    price_bands,
    price_of,
    rank_constraints,
    rank_correlation,
    read_margin,
    trade_off_front,
)
from mapelites.answers.correlation import average_ranks
from mapelites.answers.front import MEASURES
from mapelites.answers.words import worth_sentence as in_words
from mapelites.campaign.statistics import final_solution, summarise_finals
from mapelites.core.archive import Archive, Elites
from mapelites.core.errors import InputError
from mapelites.core.problem import Constraint, Problem
from mapelites.core.statistics import quartile_places
from mapelites.core.tolerances import Tolerances
from mapelites.problems.formulas import problem_of
from tests.answers.known import hiding_map, random_map

SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_within_any_tolerances_is_the_lowest_of_those_that_keep_them(seed: int) -> None:
    designs = Designs.of(random_map(seed))
    for allowed in product((0.0, 0.25, 1.0, np.inf), repeat=3):
        limits = np.array(allowed)
        inside = [row for row in range(len(designs)) if all(designs.violations[row] <= limits)]
        lowest = min((designs.f[row] for row in inside), default=None)
        best = designs.best(limits)
        assert (best is None) == (lowest is None)
        assert best is None or designs.f[best] == lowest


@pytest.mark.parametrize("seed", SEEDS)
def test_a_price_and_its_verdict_say_what_each_level_gives(seed: int) -> None:
    designs = Designs.of(random_map(seed))
    limits = designs.satisfied
    for worth in rank_constraints(designs, limits):
        i = worth.constraint
        for step in price_of(designs, i, limits).steps:
            changed = limits.copy()
            changed[i] = step.tolerance
            assert step.row == designs.best(changed)
        start = worth.start.f
        later = [step.f for step in price_of(designs, i, limits).steps if step.tolerance > limits[i]]
        better = [f for f in later if f is not None and (start is None or f < start)]
        if start is not None:
            others = np.delete(designs.violations <= limits, i, axis=1).all(axis=1)
            assert worth.alone == (others & (designs.violations[:, i] > limits[i])).sum()
            none = "free" if worth.alone else "unknown"
            assert worth.verdict == (none if not better else "binding" if later[0] in better else "later")
        else:
            kept = (designs.violations[:, i] <= limits[i]).any()
            assert worth.verdict == ("unmet" if not kept else "blocking" if better else "together")
    helping = [worth for worth in rank_constraints(designs, limits) if worth.verdict in ("binding", "later")]
    gains = [worth.most for worth in helping]  # what the allowances buy, as the sentence ranks them
    assert gains == sorted(gains, reverse=True)


def test_a_gain_within_rounding_is_next_to_nothing_and_no_constraint_is_binding_for_it() -> None:
    problem = problem_of("variable x from 0 to 2\nminimise x\nsubject to low: 1 <= x")
    rows = np.array([[1.0], [0.0], [2.0]])
    found = Elites(rows, np.array([-15.0, np.nextafter(-15.0, -16.0), 200.0]), np.array([[0.0], [1e-5], [1.5]]),
                   np.empty((3, 0)), np.arange(1, 4), np.full(3, "random"))  # fmt: skip
    designs = Designs.of(Archive(problem, Tolerances.same(problem, (0.0, 1e-4)), found))
    (worth,) = rank_constraints(designs, designs.satisfied)
    assert (worth.verdict, worth.first) == ("free", None)
    said = in_words(problem.constraints[0], worth)
    assert said == "Relaxing low buys next to nothing: the objective stays at about -15."


@pytest.mark.parametrize("seed", SEEDS)
def test_the_least_to_relax_beats_every_other_way(seed: int) -> None:
    designs = Designs.of(random_map(seed))
    below = float(np.quantile(designs.f, 0.3))
    ways = least_relaxations(designs, below, most=100)
    relaxed = designs.violations > designs.satisfied
    costs = (relaxed * designs.violations / designs.scale).sum(axis=1)
    costs += 1e6 * ~(designs.violations <= designs.tolerances.allowance).all(axis=1)  # what is beyond them comes last
    good = [row for row in range(len(designs)) if designs.f[row] < below]
    assert pytest.approx(min(costs[row] for row in good)) == ways[0].relative + 1e6 * (not ways[0].within)
    order = [(not way.within, way.relative) for way in ways]
    assert order == sorted(order)
    if ways[0].needed:
        sets = {frozenset(np.flatnonzero(relaxed[row])) for row in good}
        cost = {each: min(costs[r] for r in good if frozenset(np.flatnonzero(relaxed[r])) == each) for each in sets}
        told = {each for each in sets if not any(other < each and cost[other] <= cost[each] for other in sets)}
        assert {frozenset(np.flatnonzero(relaxed[way.row])) for way in ways} == told
    for way in ways:
        assert all(each.violation <= each.level for each in way.needed)


def test_violations_in_different_units_are_taken_together_in_per_cent_of_their_limits() -> None:
    constraints = (
        Constraint("stress", "inequality", limit=13_600.0, sense="<=", unit="psi"),
        Constraint("bend", "inequality", limit=0.25, sense="<=", unit="in"),
    )
    problem = Problem("bar", [0.0], [1.0], constraints, lambda x: (0.0, [0.0, 0.0], []))
    g = np.array([[0.0, 0.0], [680.0, 0.005]])
    found = Elites(np.zeros((2, 1)), np.array([2.0, 1.0]), g, np.empty((2, 0)), np.array([1, 2]), np.full(2, "random"))
    front = trade_off_front(Designs.of(Archive(problem, Tolerances.default(problem), found)))
    assert (front.unit, front.violation.tolist()) == ("%", [0.0, pytest.approx(7.0)])


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_beats_the_front_and_the_front_beats_the_rest(seed: int, measure: str) -> None:
    designs = Designs.of(random_map(seed))
    found = trade_off_front(designs, measure)
    points = list(zip(found.violation, designs.f, strict=True))

    def beaten(row: int) -> bool:
        v, f = points[row]
        return any(a <= v and b <= f and (a, b) != (v, f) for a, b in points)

    assert not any(beaten(row) for row in found.rows)
    on = {points[row] for row in found.rows}
    assert all(beaten(row) or points[row] in on for row in range(len(designs)))
    feasible = designs.feasible
    assert (found.violation[feasible] == 0).all()
    assert (found.violation[~feasible] > 0).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_rank_correlations_agree_with_an_independent_library(seed: int) -> None:
    designs = Designs.of(random_map(seed))
    table = np.column_stack([designs.f, designs.violations])
    assert average_ranks(table[:, 1]).tolist() == rankdata(table[:, 1]).tolist()
    expected = spearmanr(table).statistic
    assert rank_correlation(designs).matrix == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert rank_correlation(designs).designs == len(designs)


@pytest.mark.parametrize("hard", [("c0",), ("c0", "c2")])
@pytest.mark.parametrize("seed", SEEDS)
def test_hard_constraints_stay_satisfied_in_every_answer(seed: int, hard: tuple[str, ...]) -> None:
    designs = Designs.of(random_map(seed), hard)
    limits = designs.limits({"c0": np.inf, "c1": np.inf, "c2": np.inf})
    rows = {*range(len(designs))}
    told = [row for way in least_relaxations(designs, np.inf) for row in [way.row]]
    told += [each.row for each in notable_designs(designs, limits)]
    told += trade_off_front(designs).rows
    assert set(told) <= rows
    for name in hard:
        i = designs.names.index(name)
        assert (designs.violations[:, i] <= designs.satisfied[i]).all()
        assert limits[i] == designs.satisfied[i]
        assert next(worth for worth in rank_constraints(designs, limits) if worth.constraint == i).verdict == "hard"


@pytest.mark.parametrize("seed", SEEDS)
def test_almost_feasible_designs_beat_the_feasible_one_and_break_little(seed: int) -> None:
    designs = Designs.of(random_map(seed))
    best = designs.best(designs.satisfied)
    rows = almost_feasible(designs, read_margin("0.5", designs), 1, most=1_000)
    if best is None:
        assert rows is None
        return
    broken = designs.violations > designs.satisfied
    expected = {
        row
        for row in range(len(designs))
        if designs.f[row] < designs.f[best]
        and broken[row].sum() == 1
        and designs.violations[row][broken[row]].max() <= 0.5
    }
    assert rows is not None
    assert set(rows) == expected


def test_a_margin_is_a_number_or_a_share_of_the_last_level() -> None:
    designs = Designs.of(random_map(0))
    assert read_margin("0.02", designs).tolist() == [0.02] * 3
    assert read_margin("1,000", designs).tolist() == [1000.0] * 3
    assert read_margin("5 %", designs) == pytest.approx([0.05] * 3)
    for text in ("", "much", "-1", "nan", "0 %", "0,01"):
        with pytest.raises(InputError, match="the margin must be a number above 0, or a percentage such as 5 %"):
            read_margin(text, designs)


def test_tolerances_that_make_no_sense_are_refused_in_words() -> None:
    designs = Designs.of(random_map(0))
    with pytest.raises(InputError, match="allow: a constraint must be one of c0, c1, c2, but it was 'c9'"):
        designs.limits({"c9": 1.0})
    with pytest.raises(InputError, match="allow: a tolerance of c0 must be a number from 0 on, but it was -1"):
        designs.limits({"c0": -1.0})
    with pytest.raises(InputError, match="hard: a constraint must be one of c0, c1, c2, but it was 'c9'"):
        Designs.of(random_map(0), ("c9",))
    with pytest.raises(InputError, match="measure must be one of total, mean, maximal, relative, but it was 'most'"):
        trade_off_front(designs, "most")


def test_bands_over_runs_are_quartiles_and_a_run_without_a_design_counts_as_the_worst() -> None:
    runs = [Designs.of(random_map(seed, designs=12)) for seed in range(9)]
    found = price_bands(runs, 0)
    values = np.array(
        [[np.inf if s.f is None else s.f for s in price_of(each, 0, each.satisfied).steps] for each in runs]
    )
    expected = np.sort(values, axis=0)[[2, 4, 6]]
    assert np.isinf(expected).any()
    assert found.quartiles == pytest.approx(np.where(np.isinf(expected), np.nan, expected), nan_ok=True)
    assert found.found.tolist() == np.isfinite(values).sum(axis=0).tolist()


@pytest.mark.parametrize("number", [1, 2, 3, 4, 8, 25])
def test_the_median_of_a_band_is_that_of_the_table_and_names_its_run(number: int) -> None:
    runs = [Designs.of(random_map(seed, designs=400)) for seed in range(number)]
    finals = [final_solution(each.problem, each.found, str(i)) for i, each in enumerate(runs)]
    assert all(final.feasible for final in finals)
    found = price_bands(runs, 2)
    step = found.tolerances.index(runs[0].satisfied[2])
    median = summarise_finals(finals).median
    assert (found.quartiles[1, step], str(found.behind[1, step])) == (median.f, median.run)
    for share, place in zip((0.25, 0.5, 0.75), quartile_places(number), strict=True):
        assert place == np.quantile(np.arange(number), share, method="inverted_cdf")


def test_a_best_feasible_design_behind_an_infeasible_elite_is_not_forgotten() -> None:
    archive = hiding_map()
    designs = Designs.of(archive)
    assert len(designs) == len(archive) + 1
    row = designs.best(designs.satisfied)
    assert row is not None
    cell = int(designs.cells[row])
    assert (designs.f[row], row, designs.behind(cell)) == (-5e-5, designs.hidden, row)
    elite = designs.row_of(cell)
    assert elite is not None
    assert designs.f[elite] == -0.5
    hard = Designs.of(archive, ("h1",))  # the elite breaks it, the best feasible one cannot
    assert (hard.row_of(cell), hard.behind(cell), len(hard)) == (None, 0, 1)


def test_an_empty_map_has_no_answers_and_says_so() -> None:
    designs = Designs.of(random_map(0, designs=0))
    assert designs.best(designs.satisfied) is None
    assert {worth.verdict for worth in rank_constraints(designs, designs.satisfied)} == {"unmet"}
    assert trade_off_front(designs).rows == ()
    assert notable_designs(designs, designs.satisfied) == ()
    assert least_relaxations(designs, 0.0) == ()
