"""Steps from a linear model of evaluated solutions: right where the functions are linear."""

import numpy as np
import pytest

from mapelites import Constraint, Problem, Tolerances
from mapelites.search.directed.memory import new_work
from mapelites.search.parallel import asked, modelled
from mapelites.search.state import make_map, new_state

RNG = np.random.default_rng(5)
SLOPES = np.array([[1.0, -2.0, 0.5], [3.0, 1.0, 0.0], [0.0, 1.0, 1.0]])  # of f, g1 and h1
BASE = np.array([0.0, 4.0, 0.3])
PROBLEM = Problem(
    "linear",
    [-4.0] * 3,
    [4.0] * 3,
    (Constraint("g1", "inequality"), Constraint("h1", "equality")),
    lambda x: (None, [], []),  # never called: the tests answer by `values_of`
)


def values_of(x):
    return SLOPES @ x + BASE


def told(points):
    """A state, and what it knows, after these solutions were answered."""
    m, nearby = make_map(PROBLEM, Tolerances.default(PROBLEM)), modelled.new_nearby(3, 2)
    state = new_state(PROBLEM, Tolerances.default(PROBLEM), 1)
    for x in points:
        asked.tell(state, m, np.zeros(1), x, values_of(x), 0)
        modelled.remember_solution(nearby, x, values_of(x))
    return state, m, nearby


def made(state, m, nearby, kind, count=1):
    """So many candidates of one kind."""
    rows = np.full((count, 3), np.nan)
    modelled.modelled_rows(state, m, nearby, new_work(3, 2), kind, rows)
    return rows


def test_a_repair_of_linear_constraints_goes_straight_to_where_they_are_kept():
    state, m, nearby = told(RNG.uniform(1.0, 3.0, (12, 3)))  # all far beyond both
    before = min(values_of(each)[1:].sum() for each in state.x[1:2])
    found = []
    for _ in range(40):
        [x] = made(state, m, nearby, modelled.REPAIR)
        g, h = values_of(x)[1:]
        found.append(max(g, 0.0) + abs(h))
    assert min(found) < 0.1 * before


def test_a_polish_lowers_f_and_keeps_the_constraints():
    inside = np.array([-2.5, 0.2, -0.5])
    assert values_of(inside)[1] < 0.0
    assert abs(values_of(inside)[2]) < 1e-4
    state, m, nearby = told([inside, *(inside + RNG.normal(0.0, 0.3, (12, 3)))])
    fell = 0
    for _ in range(60):
        [x] = made(state, m, nearby, modelled.POLISH)
        fell += values_of(x)[0] < values_of(inside)[0]
    assert fell > 40


@pytest.mark.parametrize("kind", [modelled.REPAIR, modelled.POLISH, modelled.AIM])
def test_before_enough_is_known_there_is_a_candidate_all_the_same(kind):
    state, m, nearby = told(RNG.uniform(-1.0, 1.0, (2, 3)))
    x = made(state, m, nearby, kind, 2)
    assert (np.abs(x) <= 4.0).all()


def test_only_the_solutions_evaluated_last_are_remembered():
    nearby = modelled.new_nearby(1, 1)
    for number in range(1, 100):
        modelled.remember_solution(nearby, np.array([float(number)]), np.zeros(2))
    assert sorted(nearby.x[:, 0]) == list(range(60, 100))
