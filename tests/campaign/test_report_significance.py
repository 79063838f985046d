"""Wilcoxon's rank-sum test on the competition's order, against values from the tables of the exact distribution."""

import pytest

from mapelites.campaign.report.significance import SearchComparison, count_wins, rank_sum
from mapelites.campaign.statistics import FinalSolution
from mapelites.core.errors import InputError


def finals(*values):
    """Feasible runs with these objectives."""
    return [FinalSolution("", 0, float(f), (0.0,)) for f in values]


def infeasible(*violations):
    return [FinalSolution("", 0, -100.0, (float(v),)) for v in violations]


def test_four_runs_all_below_four_others_win_with_the_smallest_exact_p():
    p, outcome = rank_sum(finals(1, 2, 3, 4), finals(5, 6, 7, 8))
    assert p == pytest.approx(2 / 70)  # one of the C(8, 4) = 70 orders, on either side
    assert outcome == "win"


def test_turned_round_it_is_a_loss_with_the_same_p():
    p, outcome = rank_sum(finals(5, 6, 7, 8), finals(1, 2, 3, 4))
    assert (p, outcome) == (pytest.approx(2 / 70), "loss")


def test_three_against_three_can_never_be_significant():
    p, outcome = rank_sum(finals(1, 2, 3), finals(4, 5, 6))
    assert (p, outcome) == (pytest.approx(0.1), "tie")


def test_infeasible_runs_rank_behind_feasible_ones_whatever_their_objective():
    assert rank_sum(finals(90, 91, 92, 93), infeasible(0.1, 0.2, 0.3, 0.4))[1] == "win"


def test_infeasible_runs_rank_by_mean_violation():
    assert rank_sum(infeasible(0.1, 0.2, 0.3, 0.4), infeasible(1, 2, 3, 4))[1] == "win"


def test_equal_runs_tie_with_p_1():
    assert rank_sum(finals(0, 0, 0), finals(0, 0, 0)) == (1.0, "tie")


def test_no_runs_are_refused():
    with pytest.raises(InputError, match="needs runs of both searches, but one had none"):
        rank_sum([], finals(1))


def test_wins_ties_and_losses_are_counted():
    outcomes = ("win", "loss", "win", "tie")
    counts = count_wins(SearchComparison("C01", 10, "a", "b", 0.01, outcome) for outcome in outcomes)
    assert counts == {"win": 2, "tie": 1, "loss": 1}
