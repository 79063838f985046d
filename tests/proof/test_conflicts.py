"""Why nothing is feasible, and which constraints are functions of each other."""

from __future__ import annotations

import pytest

from mapelites.problems import get
from mapelites.problems.formulas import problem_of
from mapelites.proof.conflicts import Conflict, Relaxation, WhyNot, why_not, why_not_sentence
from mapelites.proof.prover import Prover
from mapelites.proof.region import Effort
from mapelites.proof.relations import find_relations

EFFORT = Effort(seconds=10)
TIGHT = """
variable x from 0 to 10 [m]
variable y from 0 to 10 [m]
minimise x + y
subject to
    sum: x + y <= 3
    wide: x >= 2.5
    tall: y >= 1
    area: x*y <= 50
    much: 7 - x - y <= 0
"""


def test_the_smallest_sets_of_limits_that_conflict_are_found() -> None:
    problem = problem_of(TIGHT)
    why = why_not(Prover(problem), {}, EFFORT)
    assert why.feasible is False
    assert [(each.constraints, each.smallest) for each in why.conflicts] == [((0, 4), True), ((0, 1, 2), True)]
    least = why.alone[0]
    assert [each.constraints for each in why.alone] == [(0,)]  # only the sum is in both
    assert least.reached is not None
    share = least.bound * (problem.constraints[0].reference or 1.0)
    assert least.bound <= least.reached
    assert share == pytest.approx(4.0, abs=1e-3)
    assert why_not_sentence(problem, why).startswith(
        "sum and much cannot both hold; sum, wide and tall cannot all hold; the least is sum +"
    )


def test_the_least_is_found_and_met_whatever_the_unit() -> None:
    text = (
        "variable c from 1e-12 to 9e-12 [F]\nminimise c\nsubject to\nsmall: c <= 2e-12 [F]\nlarge: c - 3e-12 >= 0 [F]"
    )
    problem = problem_of(text)
    why = why_not(Prover(problem), {}, EFFORT)
    assert why_not_sentence(problem, why) == (
        "small and large cannot both hold; the least is large +33.4 % or small +50 %."
    )


def test_the_least_is_called_so_only_where_a_solution_meets_it() -> None:
    problem = problem_of(TIGHT)
    half_open = WhyNot((0.0,) * 5, False, (Conflict((0, 1), True),), (Relaxation((0,), 0.02139, 0.03),), complete=False)
    assert why_not_sentence(problem, half_open) == (
        "sum and wide cannot both hold; there may be further sets that conflict; the least is sum at least +2.13 %."
    )
    assert WhyNot.from_value(half_open.as_value()) == half_open
    nothing = WhyNot((0.0,) * 5, False, (Conflict((0, 1), True),), (Relaxation((0,), 0.0, None),))
    assert why_not_sentence(problem, nothing) == "sum and wide cannot both hold."


def test_nothing_conflicts_where_the_solver_leaves_everybody_out() -> None:
    # y - y is 0, which min and max make a number of for us; the solver knows no value there.
    problem = problem_of(
        "variable y from 1 to 2\nminimise y\nsubject to\nclipped: min(9, 1/(y - y)) >= 1\nthin: y^3 = 3.7"
    )
    assert why_not(Prover(problem), {}, EFFORT).feasible is None


def test_where_a_solution_exists_nothing_conflicts() -> None:
    problem = problem_of(TIGHT)
    why = why_not(Prover(problem), {"sum": 4.5}, EFFORT)
    assert (why.feasible, why.conflicts) == (True, ())
    assert why_not_sentence(problem, why) == "A solution exists within these tolerances."


def test_no_time_decides_nothing() -> None:
    problem = problem_of(TIGHT)
    why = why_not(Prover(problem), {}, EFFORT, seconds=0)
    assert why.feasible is None
    assert why_not_sentence(problem, why) == (
        "Whether a solution exists within these tolerances was not decided in the time."
    )


def test_relations_are_found_and_proven() -> None:
    found = find_relations(Prover(problem_of(TIGHT)), EFFORT)
    assert [each.words for each in found] == ["sum + much = 4"]
    relation = found[0].as_relation()
    assert relation is not None
    assert (relation.first, relation.second, relation.total) == ("sum", "much", 4.0)
    assert [each.words for each in find_relations(Prover(get("himmelblau")), EFFORT)] == [
        "g1 + g2 = -92", "g3 + g4 = -20", "g5 + g6 = -5",
    ]  # fmt: skip
    assert find_relations(Prover(get("three-bar-truss")), EFFORT) == ()
