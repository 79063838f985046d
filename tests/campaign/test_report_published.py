"""The published tables as data, and when one of our rows agrees with them."""

import pytest

from mapelites.campaign import Instance
from mapelites.campaign.report.published import (
    compare_with_published,
    edeag_row,
    general_faults,
    known_faults,
    paper_row,
    published_sources,
)
from mapelites.campaign.statistics import FinalSolution, summarise_finals
from mapelites.problems.suites import cec2010

C01 = Instance("C01", 10, "paper-1")  # published: best -0.59, median -0.44, rate 1.0


def row(*finals):
    return summarise_finals([FinalSolution("", 0, f, (v,)) for f, v in finals])


def test_every_problem_has_a_row_in_each_of_the_papers_six_tables_and_in_edeags_two():
    for name in cec2010.NAMES:
        for dimension in (10, 30):
            assert edeag_row(name, dimension) is not None
            assert all(paper_row(Instance(name, dimension, f"paper-{k}")) is not None for k in (1, 2, 3))


def test_a_published_row_is_the_papers():
    found = paper_row(Instance("C02", 10, "paper-1"))
    assert found is not None
    assert (found.best.f, found.worst.violated, found.median.f, found.feasibility_rate) == (0.89, 2, 1.29, 0.52)


def test_the_papers_counts_of_violations_stand_in_the_order_its_text_gives():
    found = paper_row(Instance("C16", 10, "paper-1"))
    assert found is not None
    assert (found.median.violated, found.c) == (4, (3, 1, 0))


def test_other_searches_and_dimensions_have_no_published_row():
    assert paper_row(Instance("C01", 10, "directed")) is None
    assert paper_row(Instance("C01", 20, "paper-1")) is None
    assert edeag_row("C01", 20) is None


def test_edeags_median_on_the_one_problem_it_does_not_solve_is_infeasible():
    found = edeag_row("C12", 30)
    assert found is not None
    assert (found.feasibility_rate, found.median.violated, found.best.violated, found.worst.violated) == (0.12, 1, 0, 1)


def test_twelve_problems_of_the_papers_code_have_faults_of_their_own():
    assert sum(bool(known_faults(name)) for name in cec2010.NAMES) == 12
    assert len(general_faults()) == 4
    assert all(published_sources().values())


def test_a_published_median_between_our_quartiles_agrees():
    found = compare_with_published(row((-0.5, 0.0), (-0.45, 0.0), (-0.4, 0.0)), paper_row(C01))
    assert (found.feasibility, found.objective, found.agrees) == ("agrees", "agrees", True)


@pytest.mark.parametrize(("f", "verdict"), [(-0.5, "ours is better"), (-0.43, "ours is worse")])
def test_a_published_median_outside_our_quartiles_does_not_agree(f, verdict):
    found = compare_with_published(row((-9.0, 0.0), (f, 0.0), (f, 0.0), (f, 0.0), (9.0, 0.0)), paper_row(C01))
    assert (found.objective, found.agrees) == (verdict, False)


def test_infeasible_medians_have_no_objectives_to_compare():
    assert (
        compare_with_published(row((-0.44, 0.0), (-0.44, 0.5), (-0.44, 0.5)), paper_row(C01)).objective
        == "not comparable"
    )


def test_a_feasibility_rate_far_from_the_published_one_does_not_agree():
    none = row(*[(0.0, 1.0)] * 25)
    assert compare_with_published(none, paper_row(C01)).feasibility == "ours is worse"
    every = row(*[(1e14, 0.0)] * 25)
    assert compare_with_published(every, paper_row(Instance("C03", 10, "paper-1"))).feasibility == "ours is better"


def test_24_of_25_feasible_runs_agree_with_a_published_rate_of_one():
    assert compare_with_published(row(*[(-0.44, 0.0)] * 24, (0.0, 1.0)), paper_row(C01)).feasibility == "agrees"
