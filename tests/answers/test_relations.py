"""Constraints that are functions of each other are recognised on the problems that are known to have them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from mapelites import Archive, Constraint, Problem, Tolerances
from mapelites.answers import Designs, multipliers_at, recognise_relations
from mapelites.answers.multipliers import nonnegative_least_squares
from mapelites.core.archive import Elites
from mapelites.problems import get
from mapelites.problems.suites.cec2010 import NAMES


def designs_of(name: str, number: int = 60) -> Designs:
    problem = get(name, 10)
    points = np.random.default_rng(1).uniform(problem.lower, problem.upper, (number, problem.dimension))
    return Designs.of(Archive(problem, Tolerances.default(problem), Elites.empty(problem)).add(points, 0, "random"))


@pytest.mark.parametrize(
    ("name", "words", "spare"),
    [
        ("C16", ["h2 = -h1"], ["h2"]),
        ("C18", ["h1 = -g1"], ["g1"]),
        ("C02", ["g1 + g2 = -5"], [None]),
        ("C14", ["g1 + g2 = -20"], [None]),
    ],
)
def test_relations_of_the_competition_are_named_with_the_axis_that_can_go(
    name: str, words: list[str], spare: list[str | None]
) -> None:
    designs = designs_of(name)
    found = recognise_relations(designs, points=64)
    known = [each for each in found if each.in_words(designs.names) in words]
    assert [each.in_words(designs.names) for each in known] == words
    at = [each.spare(designs.problem) for each in known]
    assert [None if each is None else designs.names[each] for each in at] == spare


@pytest.mark.parametrize("name", NAMES)
def test_exactly_the_declared_relations_are_recognised(name: str) -> None:
    designs = designs_of(name)
    found = {
        frozenset((designs.names[each.first], designs.names[each.second])) for each in recognise_relations(designs, 64)
    }
    assert found == {frozenset((each.first, each.second)) for each in designs.problem.relations}


def test_two_points_on_a_line_are_no_relation() -> None:
    assert recognise_relations(designs_of("C16", 4)) == ()


def test_a_general_line_is_written_as_people_write_it() -> None:
    def function(x: np.ndarray) -> tuple[float, list[float], list[float]]:
        return float(x[0]), [float(x[0] - 1), float(2.5 * (x[0] - 1) - 3), float(x[1])], []

    constraints = tuple(Constraint(f"g{i}", "inequality") for i in (1, 2, 3))
    problem = Problem("line", [0.0, 0.0], [4.0, 4.0], constraints, function)
    empty = Archive(problem, Tolerances.same(problem, (0.0, 0.5, 1.0)), Elites.empty(problem))
    designs = Designs.of(empty.add(np.random.default_rng(1).uniform(0, 4, (50, 2)), 0, "random"))
    (found,) = recognise_relations(designs, 32)
    assert found.in_words(designs.names) == "g2 = 2.5 g1 - 3"
    assert found.points == 32


def test_the_multiplier_of_an_equality_is_what_a_tolerance_on_it_buys() -> None:
    def function(x: np.ndarray) -> tuple[float, list[float], list[float]]:
        return float(x[0] ** 2 + x[1] ** 2), [], [float(x[0] + x[1] - 1)]

    problem = Problem("line", [-2.0, -2.0], [2.0, 2.0], (Constraint("h1", "equality"),), function)
    for tolerance in (0.0, 0.2):  # |h| <= t gives (1 - t)^2 / 2, whose slope is t - 1
        half = (1 - tolerance) / 2
        found = multipliers_at(problem, np.array([half, half]))
        assert found is not None
        assert found.sound
        assert found.values == pytest.approx([1 - tolerance], abs=1e-6)


def test_a_design_that_nothing_holds_has_no_multipliers_to_trust() -> None:
    def function(x: np.ndarray) -> tuple[float, list[float], list[float]]:
        return float(x[0] - x[1]), [float(x[0] - 1)], []

    problem = Problem("slope", [0.0, 0.0], [2.0, 2.0], (Constraint("g1", "inequality"),), function)
    loose = multipliers_at(problem, np.array([0.5, 0.5]))
    assert loose is not None
    assert not loose.sound
    held_by_bounds = multipliers_at(problem, np.array([0.0, 2.0]))
    assert held_by_bounds is not None
    assert held_by_bounds.sound
    assert held_by_bounds.values.tolist() == [0.0]


def test_a_problem_that_breaks_down_beside_a_design_gives_no_multipliers() -> None:
    def function(x: np.ndarray) -> tuple[float, list[float], list[float]]:
        return float(np.log(x[0])) if x[0] > 0.5 else float("nan"), [float(x[0] - 1)], []

    problem = Problem("log", [0.0], [2.0], (Constraint("g1", "inequality"),), function)
    assert multipliers_at(problem, np.array([0.5])) is None
    flat = Problem("flat", [0.0], [2.0], (Constraint("g1", "inequality"),), lambda x: (1.0, [x[0] - 1], []))
    assert multipliers_at(flat, np.array([0.5])) is None


@pytest.mark.parametrize("seed", range(20))
def test_the_closest_sum_without_negative_amounts_agrees_with_an_independent_library(seed: int) -> None:
    random = np.random.default_rng(seed)
    columns, target = random.normal(size=(6, 9)), random.normal(size=6)
    _, distance = nnls(columns, target)
    found = nonnegative_least_squares(columns, target)
    assert (found >= 0).all()
    assert np.linalg.norm(columns @ found - target) == pytest.approx(distance, abs=1e-9)
