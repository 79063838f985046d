"""Sharpening: one question, answered on demand at exactly its tolerances."""

import numpy as np
import pytest

from mapelites import Constraint, InputError, Problem, illuminate
from mapelites.problems import get
from mapelites.problems.formulas import problem_of
from mapelites.search.sharpen import Sharpening, sharpen

DISC = problem_of("variable x from -3 to 3\nvariable y from -3 to 3\nminimise x + y\nsubject to g: x^2 + y^2 <= 1")


def best_within(problem, found, tolerances):
    inside = (found.violations <= tolerances).all(axis=1)
    return found.f[inside].min()


@pytest.mark.parametrize("level", [0.0, 0.01, 0.5])
def test_the_answer_is_the_truth_and_lies_within_the_tolerance_itself(level):
    found = sharpen(DISC, [level], [[2.0, -1.0]], evaluations=400)
    assert best_within(DISC, found, [level]) == pytest.approx(-np.sqrt(2 * (1 + level)), rel=1e-6)
    assert set(found.operator) == {"sharpen"}
    assert np.array_equal(DISC.evaluate(found.x).f, found.f)


def test_aiming_inside_costs_next_to_nothing_even_where_a_hair_of_tolerance_is_worth_much():
    dear = problem_of(
        "variable x from 0 to 1\nvariable y from 0 to 1\nminimise 1 + 10000*(x + y - 1)\nsubject to g: x + y >= 1"
    )
    found = sharpen(dear, [0.0], [[0.9, 0.8]], evaluations=200)
    assert best_within(dear, found, [0.0]) == pytest.approx(1.0, abs=1e-5)  # each 1e-8 of g is worth 1e-4


def test_an_equality_is_held_within_what_counts_as_satisfied():
    problem = get("reactor-network")
    archive = illuminate(problem, evaluations=1_000)
    found = sharpen(problem, np.zeros(5), archive.everything().x, evaluations=4_000)
    assert best_within(problem, found, problem.feasible_up_to) < -0.37


def test_a_plain_python_function_is_sharpened_by_differences_and_every_call_is_counted():
    calls = 0

    def function(x):
        nonlocal calls
        calls += 1
        return x[0] + x[1], [x[0] ** 2 + x[1] ** 2 - 1.0], []

    problem = Problem("disc", [-3.0, -3.0], [3.0, 3.0], (Constraint("g", "inequality"),), function)
    work = Sharpening(problem, [0.0], [[2.0, -1.0]], evaluations=150)
    while not work.done:
        work.advance(20)
    assert work.evaluations == calls <= 150
    assert work.best == pytest.approx(-np.sqrt(2.0), rel=1e-6)


def test_neighbours_on_the_grid_of_steps_are_tried():
    text = "variable n from 0 to 20 integer\nvariable x from 0 to 1\nmaximise n + x\nsubject to g: 3*n + 2*x <= 31"
    problem = problem_of(text)
    found = sharpen(problem, [0.0], [[2.0, 0.5]], evaluations=600)
    assert best_within(problem, found, [0.0]) == pytest.approx(-10.5, rel=1e-6)


def test_what_a_function_raises_comes_out():
    def function(x):
        raise ZeroDivisionError("no such beam")

    problem = Problem("beam", [0.0], [1.0], (Constraint("g", "inequality"),), function)
    with pytest.raises(ZeroDivisionError, match="no such beam"):
        sharpen(problem, [0.0], [[0.5]])


def test_a_function_without_any_finite_value_ends_at_once_with_nothing():
    problem = Problem("nowhere", [0.0], [1.0], (Constraint("g", "inequality"),), lambda x: (np.nan, [0.0], []))
    assert len(sharpen(problem, [0.0], [[0.5]])) == 0


def test_tolerances_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="sharpen: there must be a tolerance from 0 on for each of 1 constraints"):
        sharpen(DISC, [0.0, 1.0], [[0.0, 0.0]])
