"""Questions as the unit of search: the exact step, the local solve, and how true the answers of a map are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy.optimize import minimize

from benchmarks.truth import References, asked
from mapelites import Illumination, InputError, Settings, Tolerances, illuminate
from mapelites.core.lattice import Lattice
from mapelites.problems import get
from mapelites.problems.formulas import problem_of
from mapelites.search.directed import credit
from mapelites.search.directed.quadratic import SOLVED, new_quadratic, solve_quadratic, solve_relaxed

solve = njit(lambda q, n: solve_quadratic(q, n))
relaxed = njit(lambda q, n: solve_relaxed(q, n))


def random_model(seed, *, contradictory=False):
    """A bowl, constraints and bounds; without a contradiction some point keeps them all."""
    rng = np.random.default_rng(seed)
    n, c = int(rng.integers(1, 9)), int(rng.integers(1, 8))
    q, root = new_quadratic(n, c), rng.normal(size=(n, n))
    q.bowl[:n, :n] = root @ root.T + 10.0 ** rng.uniform(-3, 0) * np.eye(n)
    q.slope[:n] = 10.0 * rng.normal(size=n)
    q.rows[:, :n] = rng.normal(size=(c, n)) * 10.0 ** rng.uniform(-2, 3, size=(c, 1))
    inside, size = rng.uniform(-0.5, 0.5, n), np.abs(q.rows[:, :n]).sum(axis=1)
    at = q.rows[:, :n] @ inside
    q.above[:], q.below[:] = at + 0.1 * rng.random(c) * size, at - np.where(rng.random(c) < 0.5, np.inf, 0.1 * size)
    q.left[:n], q.right[:n] = np.minimum(-0.3, inside), np.maximum(0.3, inside)
    if contradictory:
        q.rows[0, :n], q.above[0], q.below[0] = np.abs(q.rows[0, :n]), -10.0 * size[0], -np.inf
    return q, n


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_a_step_is_the_lowest_point_of_the_bowl_that_keeps_constraints_and_bounds(seed):
    q, n = random_model(seed)
    bowl, slope, rows = q.bowl[:n, :n].copy(), q.slope[:n].copy(), q.rows[:, :n].copy()
    assert solve(q, n) == SOLVED
    step, size = q.step[:n], np.abs(rows).sum(axis=1)
    assert (rows @ step <= q.above + 1e-7 * size).all()
    assert (rows @ step >= q.below - 1e-7 * size).all()
    assert (step >= q.left[:n] - 1e-9).all()
    assert (step <= q.right[:n] + 1e-9).all()
    pull = bowl @ step + slope + rows.T @ q.multipliers  # is zero but for variables at a bound
    scale = np.abs(slope).max() + np.abs(bowl @ step).max()
    at_left, at_right = step <= q.left[:n] + 1e-9, step >= q.right[:n] - 1e-9
    assert (pull[~at_left] <= 1e-6 * scale).all()
    assert (pull[~at_right] >= -1e-6 * scale).all()


@pytest.mark.parametrize("seed", range(8))
def test_constraints_that_contradict_each_other_are_relaxed_together_as_little_as_possible(seed):
    q, n = random_model(seed, contradictory=True)
    assert solve(q, n) != SOLVED
    said, part = relaxed(q, n)
    assert said == SOLVED
    size, step = np.abs(q.rows[:, :n]).sum(axis=1), q.step[:n]
    lacking = np.maximum(q.rows[:, :n] @ step - q.above, q.below - q.rows[:, :n] @ step) / size
    allowed = part * np.maximum(np.maximum(-q.above, q.below), 0.0) / size
    assert 0.0 < part <= 1.0 + 1e-6
    assert (lacking <= allowed + 1e-6).all()


def test_a_step_keeps_bounds_and_constraints_where_those_depend_on_each_other():
    n, c = 12, 8
    for seed in range(40):
        rng, q = np.random.default_rng(seed), new_quadratic(n, c)
        q.rows[:, :n] = rng.integers(0, 2, (c, n)) * rng.choice([0.5, 1.0], size=(c, 1))
        corner = np.where(rng.random(n) < 0.3, 0.2 * rng.random(n), 0.0)  # more sides meet there than there are axes
        at = q.rows[:, :n] @ corner
        q.above[:], q.below[:], q.right[:n] = at + 1e-7, at - 1e-7, 1.0
        q.slope[:n], q.bowl[:n, :n] = rng.normal(size=n), 0.01 * np.eye(n)
        assert solve(q, n) == SOLVED
        step, size = q.step[:n], np.abs(q.rows[:, :n]).sum(axis=1)
        assert step.min() >= -1e-9
        assert (np.abs(q.rows[:, :n] @ step - at) <= 1e-7 + 1e-9 * size).all()


BOWL = problem_of(
    "variable x from -2 to 2\nvariable y from -2 to 2\nminimise (x - 1)^2 + (y - 1)^2 - 5\n"
    "subject to\n  disc: x^2 + y^2 <= 1\n  line: x + y <= 1\n  far: x - y <= 3"
)


def true_values(problem, lattice, places):
    """What SLSQP says from four starts: the problem is convex."""
    found = []
    for t in lattice.tolerances_of(places):
        constraint = {"type": "ineq", "fun": lambda x, t=t: t - problem.evaluate(x[None]).g[0]}
        starts = [[0.0, 0.0], [0.5, 0.1]]
        solved = [
            minimize(lambda x: problem.evaluate(x[None]).f[0], start, constraints=constraint, bounds=[(-2, 2)] * 2)
            for start in starts
        ]
        found.append(min(each.fun for each in solved))
    return np.array(found)


def test_a_short_run_answers_every_question_of_a_smooth_problem_as_a_re_solve_does():
    archive = illuminate(BOWL, evaluations=1_500)
    answers = archive.answers()
    places = answers.lattice.all()
    truth = true_values(BOWL, answers.lattice, places)
    assert (answers.f(places) - truth <= 1e-5).all()
    assert (answers.f(places) - truth >= -1e-5).all()


def test_questions_alone_make_every_answer_of_a_design_true():
    problem = get("three-bar-truss")
    settings_ = Settings.of("directed", 2, evaluations=4_000, emitters=("questions",))
    run = Illumination(problem, Tolerances.default(problem), settings_)
    run.advance(4_000)
    answers = run.archive().answers()
    places = answers.lattice.all()
    tolerances = answers.lattice.tolerances_of(places)
    side = np.linspace(0.0, 1.0, 1_501)
    grid = np.array(np.meshgrid(side, side)).reshape(2, -1).T * (problem.upper - problem.lower) + problem.lower
    dense = problem.evaluate(grid)
    for f, t in zip(answers.f(places), tolerances, strict=True):
        inside = (dense.violations <= t).all(axis=1)
        assert f <= dense.f[inside].min() * (1 + 1e-9)
        assert f >= dense.f[inside].min() * (1 - 2e-3)  # what lies between the points of the grid


def test_a_budget_of_two_thousand_goes_to_the_questions_and_answers_nearly_all_of_them():
    problem = get("welded-beam-cec2020")
    levels, lattice, places = asked(problem)
    run = Illumination(problem, levels, Settings.of("directed", problem.dimension, evaluations=2_000, seed=5))
    run.advance(2_000)
    truth = References().truth("welded-beam-cec2020", problem, lattice.tolerances_of(places))
    regret = (run.archive().answers().f(places) - truth) / abs(truth[0])
    assert np.mean(regret <= 1e-3) >= 0.95
    assert run.spent["questions"] >= 1_000  # of 1,500 after the random beginning


def test_variables_with_steps_walk_far_and_their_neighbours_on_the_grid_are_tried():
    far = problem_of(
        "variable n from 0 to 400 integer\nvariable k from 0 to 400 integer\nvariable x from 0 to 400\n"
        "minimise (n - 311)^2 + (k - 17.4)^2 + (x - 200.5)^2 - 3*n\nsubject to\n  sum: n + k + x <= 400.25"
    )
    settings_ = Settings.of("directed", 3, evaluations=600, seed=2, emitters=("questions",))
    run = Illumination(far, Tolerances.of(far, {"sum": (0.0, 4.0)}), settings_)
    run.advance(600)
    n, k = np.array(np.meshgrid(np.arange(200, 401), np.arange(0, 60))).reshape(2, -1)
    for tolerance, elite in ((0.0, run.archive().answer([0.0])), (4.0, run.archive().answer([4.0]))):
        x = np.clip(np.minimum(400.25 + tolerance - n - k, 200.5), 0.0, 400.0)
        f = (n - 311.0) ** 2 + (k - 17.4) ** 2 + (x - 200.5) ** 2 - 3.0 * n
        best = f[n + k + x <= 400.25 + tolerance].min()
        assert elite.f == pytest.approx(best, rel=1e-6)


def test_a_better_valley_found_late_is_told_to_the_questions_beside():
    # Two basins: the one with the feasible corner, and a far one that is better only where the limit is relaxed.
    valleys = problem_of(
        "variable x from -4 to 4\nvariable y from -4 to 4\n"
        "minimise min((x + 2)^2 + y^2, (x - 2)^2 + (y - 2)^2 - 1) + 10\n"
        "subject to\n  wall: x + y <= 1\n  side: y - x <= 3"
    )
    levels = {"wall": (0.0, 0.5, 1.0, 2.0), "side": (0.0, 0.5, 1.0)}
    archive = illuminate(valleys, Tolerances.of(valleys, levels), evaluations=3_000, seed=4)
    answers = archive.answers()
    side = np.linspace(-4, 4, 1_601)
    dense = valleys.evaluate(np.array(np.meshgrid(side, side)).reshape(2, -1).T)
    for place, t in zip(answers.lattice.all(), answers.lattice.tolerances_of(answers.lattice.all()), strict=True):
        assert answers.f(place)[0] <= dense.f[(dense.violations <= t).all(axis=1)].min() + 1e-6


def test_wished_questions_are_answered_at_tolerances_that_are_no_levels():
    wished = [{"disc": 0.037, "line": 0.013}, [0.0, 0.5, 0.0]]
    archive = illuminate(BOWL, evaluations=1_500, questions=wished)
    # (x, y) = (0.5, 0.5) scaled to the edge of what is allowed: the line binds before the disc does.
    assert archive.answer(wished[0]).f == pytest.approx(2 * (1 - 1.013 / 2) ** 2 - 5, rel=1e-6)
    assert archive.answer(wished[1]).f == pytest.approx(2 * (1 - np.sqrt(0.5)) ** 2 - 5, rel=1e-6)


def test_wished_questions_that_make_no_sense_are_refused_in_words():
    with pytest.raises(InputError, match="questions: a constraint must be one of disc, line, far, but it was 'x'"):
        illuminate(BOWL, evaluations=100, questions=[{"x": 1.0}])
    with pytest.raises(InputError, match="questions must be lists of tolerances"):
        Settings.of("directed", 2, questions=(1.0,))
    with pytest.raises(InputError, match="questions: each must have a finite tolerance from 0 on"):
        Settings.of("directed", 2, questions=((1.0, -1.0),))
    settings_ = Settings.of("directed", 2, questions=((1.0, 1.0),))
    with pytest.raises(InputError, match="questions: there must be a tolerance for each of disc, line, far"):
        Illumination(BOWL, Tolerances.default(BOWL), settings_)


def test_the_first_questions_are_the_corner_then_one_constraint_then_all_then_two():
    lattice = Lattice.of(("a", "b", "c"), [(0.0, 1.0, 2.0)] * 3, 0.0)
    first = lattice.first(1_000).tolist()
    assert first[:4] == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert first[7:9] == [[1, 1, 1], [2, 2, 2]]
    assert first[9] == [1, 1, 0]
    assert len(first) == len({tuple(each) for each in first}) == 27
    assert lattice.first(5).tolist() == first[:5]


def test_a_corner_that_stands_still_gives_up_its_part_but_not_all_of_it():
    parts = [credit.part_left(10_000, improved) for improved in (10_000, 7_500, 5_000, 2_000, 0)]
    assert parts[:2] == [1.0, 1.0]  # for a while it stays
    assert credit.LEAST < parts[2] < 1.0
    assert parts[3:] == [credit.LEAST] * 2
