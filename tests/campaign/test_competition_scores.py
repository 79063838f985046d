"""The scores and ranks of the competitions, against the tables that their organisers published."""

from __future__ import annotations

import math

import pytest

from mapelites import InputError
from mapelites.campaign import Campaign
from mapelites.campaign.report.formats import FORMATS
from mapelites.campaign.report.ranks import Averages, averages_of, published_averages, rank_sums
from mapelites.campaign.report.scores import (
    FINAL_RANKING,
    EntrantFigures,
    entrants,
    problem_dimensions,
    published_standings,
    standing_of,
    weighted_scores,
)
from mapelites.campaign.report.table import CampaignReport, TableRow, ranks_with_published
from mapelites.campaign.statistics import FinalSolution, summarise_finals

FIRST_RANKING = ("SASS", "COLSHADE", "sCMAgES", "EnMODE", "BiPop", "VMCH", "DEQL", "FCHA")


@pytest.mark.parametrize(("table", "names"), [
    ("slides of the organisers (July 2020, last)", FINAL_RANKING),
    ("file Scoring.txt in the archive", FIRST_RANKING),
])  # fmt: skip
def test_both_published_tables_come_out_to_all_printed_digits(table, names):
    scores = weighted_scores(published_standings(names), problem_dimensions())
    published = entrants()["published"][table]
    assert {name.removesuffix("_resubmitted"): list(each.printed) for name, each in scores.items()} == published


def test_the_winner_of_everything_scores_zero_and_an_infeasible_one_is_behind_every_feasible_one():
    feasible, better = EntrantFigures(2.0, 0.0, 2.0, 0.0, 2.0, 0.0), EntrantFigures(1.0, 0.0, 1.0, 0.0, 1.0, 0.0)
    broken = EntrantFigures(0.0, 1.0, 0.0, 1.0, 0.0, 1.0)
    scores = weighted_scores({"a": {"p": better}, "b": {"p": feasible}, "c": {"p": broken}}, {"p": 5})
    assert scores["a"].total == 0.0
    assert scores["b"].best == pytest.approx(0.008 / 2)
    assert scores["c"].total == pytest.approx(0.008)


def test_who_reports_nothing_on_a_problem_scores_as_the_worst():
    known = EntrantFigures(1.0, 0.0, 1.0, 0.0, 1.0, 0.0)
    scores = weighted_scores({"a": {"p": known}, "b": {}}, {"p": 200})
    assert (scores["a"].total, scores["b"].total) == (0.0, pytest.approx(0.04))


def test_a_row_with_one_infeasible_run_has_no_feasible_mean():
    finals = [FinalSolution("a", 1, 1.0, (0.0, 0.0)), FinalSolution("b", 2, 3.0, (0.5, 0.0))]
    standing = standing_of(summarise_finals(finals))
    assert (standing.best, standing.best_violation, standing.mean, standing.mean_violation) == (1.0, 0.0, 2.0, 0.125)
    assert averages_of(summarise_finals(finals)).by_means == (-0.5, 0.125, 2.0)


def test_ranks_go_by_feasibility_then_violation_then_objective_and_equals_share_them():
    often, seldom = Averages(9.0, 0.1, 9.0, 0.0, 0.9), Averages(1.0, 0.0, 1.0, 0.0, 0.5)
    sums = rank_sums({"often": {"p": often, "q": often}, "seldom": {"p": seldom, "q": often}})
    assert sums == {"often": 1 + 2 + 1.5 + 1.5, "seldom": 2 + 1 + 1.5 + 1.5}


def test_published_results_of_older_problems_are_left_out():
    assert len(published_averages(30)) == 28
    assert len(published_averages(10)) == 25
    assert "2017-C15" not in published_averages(50)
    assert math.isclose(published_averages(30)["2017-C01"].median, 0.0, abs_tol=1e-12)
    assert published_averages(20) == {}


def report_of_finals(campaign: Campaign, f: float) -> CampaignReport:
    """A report in which every run of a campaign ended feasible with the same objective."""
    rows = []
    for instance in campaign.instances:
        finals = [FinalSolution(f"{i}", i, f, (0.0,)) for i in range(campaign.runs)]
        rows.append(TableRow(instance, summarise_finals(finals), tuple(finals), 0, None, None))
    return CampaignReport(campaign, tuple(rows), (), (), "0")


def test_a_campaign_takes_the_budget_of_each_problems_competition():
    campaign = Campaign(
        ("g01", "RC19", "RC36", "2017-C01"), (30,), ("paper-1",), runs=2, budget="competition"
    )  # fmt: skip
    spent = {task.spec.problem: task.spec.settings.evaluations for task in campaign.tasks}
    assert spent == {"g01": 500_000, "RC19": 100_000, "RC36": 1_000_000, "2017-C01": 600_000}
    assert campaign.evaluations == 2 * sum(spent.values())
    assert campaign.tables == (30, 0)
    assert [str(each) for each in campaign.instances] == [
        "2017-C01 30D paper-1", "g01 13D paper-1", "RC19 4D paper-1", "RC36 158D paper-1",
    ]  # fmt: skip
    assert Campaign.from_json(campaign.to_json()) == campaign
    assert campaign.command.endswith("--budget competition")
    with pytest.raises(InputError, match=r"^budget must be one of competition, but it was 'all'$"):
        Campaign(("C01",), (10,), ("paper-1",), budget="all")


@pytest.mark.parametrize("format_name", ["terminal", "markdown", "latex"])
def test_a_report_places_the_searches_among_the_entrants(format_name):
    text = FORMATS[format_name](report_of_finals(Campaign(("RC08", "RC20"), (10,), ("paper-1",), runs=3), 2.0))
    lines = text[text.index("CEC 2020's score among its entrants, on 2 of 57 problems") :].splitlines()
    named = [name for line in lines for name in ("paper-1", "SASS", "FCHA", "EnMODE") if name in line.split("&")[0]]
    assert named[0] == "paper-1"  # 2.0 is far below what RC20 can have
    assert named[-1] == "FCHA"


def test_a_report_ranks_the_searches_beside_the_published_results():
    report = report_of_finals(Campaign(("2017-C04",), (30,), ("paper-1", "paper-2"), runs=3), 0.0)
    assert ranks_with_published(report) == {30: {"paper-1": 3.0, "paper-2": 3.0, "CL-SRDE": 6.0}}
    assert "CEC 2017's sum of ranks in 30D" in FORMATS["terminal"](report)
