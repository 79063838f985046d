"""The competition's rules on cases small enough to work out by hand."""

import math

import numpy as np
import pytest

from mapelites.campaign.statistics import FinalSolution, final_solution, rank_finals, summarise_finals
from mapelites.core.archive import Elites
from mapelites.core.errors import InputError
from mapelites.core.problem import Constraint, Problem
from mapelites.core.statistics import counted_violations

PROBLEM = Problem(
    "two", [0.0], [1.0], (Constraint("g1", "inequality"), Constraint("h1", "equality")), lambda x: (0.0, [0.0], [0.0])
)


def final(f, *violations, run=""):
    return FinalSolution(run, 0, f, violations)


def elites(*rows):
    """Each row is f, g, h."""
    table = np.array(rows, dtype=float)
    k = len(table)
    return Elites(
        np.zeros((k, 1)),
        table[:, 0].copy(),
        table[:, 1:2].copy(),
        table[:, 2:].copy(),
        np.arange(k),
        np.full(k, "random"),
    )


def test_a_satisfied_inequality_adds_nothing_however_negative_it_is():
    chosen = final_solution(PROBLEM, elites((1.0, -1e6, 0.5)))
    assert chosen.violations == (0.0, 0.5)
    assert chosen.mean_violation == 0.25


def test_an_equality_within_its_tolerance_counts_as_satisfied_and_just_beyond_it_counts_whole():
    beyond = math.nextafter(1e-4, 1)
    assert counted_violations(PROBLEM, np.array([0.0, 1e-4])).tolist() == [0.0, 0.0]
    assert counted_violations(PROBLEM, np.array([0.0, beyond])).tolist() == [0.0, beyond]


def test_an_inequality_has_no_tolerance():
    assert counted_violations(PROBLEM, np.array([1e-12, 0.0])).tolist() == [1e-12, 0.0]


def test_a_runs_final_solution_is_its_best_feasible_one_even_if_an_infeasible_one_is_lower():
    chosen = final_solution(PROBLEM, elites((-9.0, 0.1, 0.0), (3.0, 0.0, 1e-4), (2.0, -1.0, -5e-5)))
    assert (chosen.f, chosen.feasible) == (2.0, True)


def test_without_a_feasible_one_it_is_the_one_with_the_smallest_mean_violation():
    chosen = final_solution(PROBLEM, elites((-9.0, 0.4, 0.0), (5.0, 0.1, -0.1), (0.0, 0.0, 0.3)))
    assert (chosen.f, chosen.mean_violation) == (5.0, 0.1)


def test_of_equal_mean_violations_the_lower_objective_is_final():
    assert final_solution(PROBLEM, elites((5.0, 0.2, 0.0), (4.0, 0.0, 0.2))).f == 4.0


def test_a_run_without_solutions_is_refused_in_words():
    with pytest.raises(InputError, match="r1: it must hold at least one solution, but it holds none"):
        final_solution(PROBLEM, Elites.empty(PROBLEM), run="r1")


def test_c_counts_violations_above_1_then_above_a_hundredth_then_above_a_ten_thousandth():
    assert final(0.0, 2.0, 0.5, 0.001, 0.0).counts == (1, 2, 3)
    assert final(0.0, 1.0, 0.01, 0.0001).counts == (0, 1, 2)


def test_feasible_come_before_infeasible_by_objective_and_infeasible_by_mean_violation():
    order = rank_finals([final(1.0, 0.5), final(9.0, 0.0), final(-5.0, 0.1), final(2.0, 0.0)])
    assert [each.f for each in order] == [2.0, 9.0, -5.0, 1.0]


def test_a_summary_of_five_runs_worked_out_by_hand():
    runs = [final(4.0, 0.0, 0.0), final(-10.0, 3.0, 0.02), final(1.0, 0.0, 0.0), final(7.0, 0.0, 0.5), final(3.0, 0, 0)]
    row = summarise_finals(runs)
    assert (row.best.f, row.median.f, row.worst.f) == (1.0, 4.0, -10.0)  # 1, 3, 4 feasible; then v̄ 0.25; then 1.51
    assert (row.worst.violated, row.worst.mean_violation) == (2, 1.51)
    assert (row.counts, row.mean_violation) == ((0, 0, 0), 0.0)
    assert row.mean == pytest.approx(1.0)  # (4 - 10 + 1 + 7 + 3) / 5
    assert row.std == pytest.approx(math.sqrt(34.0))  # sqrt((9 + 121 + 0 + 36 + 4) / 5)
    assert row.feasibility_rate == 0.6
    assert row.quartiles == (2.0, 3.5)  # of 1, 3 and 4


def test_the_median_of_an_even_number_is_the_better_of_the_two_in_the_middle():
    assert summarise_finals([final(f, 0.0) for f in (4.0, 1.0, 3.0, 2.0)]).median.f == 2.0


def test_one_run_is_its_own_best_median_and_worst():
    row = summarise_finals([final(2.5, 0.3)])
    assert row.best is row.median is row.worst
    assert (row.mean, row.std, row.feasibility_rate, row.quartiles) == (2.5, 0.0, 0.0, None)


def test_mean_and_deviation_of_objectives_near_the_largest_number_stay_finite():
    row = summarise_finals([final(1e300, 0.0), final(3e300, 0.0)])
    assert row.mean == pytest.approx(2e300)
    assert row.std == pytest.approx(1e300)


def test_a_summary_of_nothing_is_refused():
    with pytest.raises(InputError, match="at least one run, but there was none"):
        summarise_finals([])
