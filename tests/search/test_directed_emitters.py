"""What each emitter of the directed search can do alone, on problems small enough to know the answer."""

import numpy as np
import pytest
from numba import njit

from mapelites import Constraint, Illumination, Problem, Settings, Tolerances
from mapelites.core.kernels import kernel
from mapelites.problems import get
from mapelites.search.directed import credit
from mapelites.search.directed.differential import epsilon_at, set_schedule
from mapelites.search.directed.memory import new_population, new_work
from mapelites.search.directed.model import solve_model


@kernel
def disc(x, data, out):
    out[0] = x[0] + x[1]
    out[1] = x[0] * x[0] + x[1] * x[1] - 1.0


@kernel
def highest_on_a_plane(x, data, out):
    total = 0.0
    for i in range(x.size):
        total += x[i]
    out[0] = x.max()
    out[1] = total


@kernel
def nearest_root(x, data, out):
    out[0] = (x[0] - 3.0) * (x[0] - 3.0) + (x[1] + 1.0) * (x[1] + 1.0)
    out[1] = x[0] * x[0] + x[1] - 1.0


@kernel
def valley_of_squares(x, data, out):
    out[0] = x[0]
    step = x[0] * x[0] - x[1]
    out[1] = 100.0 * step * step + (x[0] - 1.0) * (x[0] - 1.0)


@kernel
def many_valleys(x, data, out):
    out[0], out[1] = 0.0, -1.0
    for i in range(x.size):
        out[0] += (x[i] * x[i] - 1.0) * (x[i] * x[i] - 1.0) + 0.1 * x[i]
        out[1] += x[i] / x.size


@kernel
def whole_numbers(x, data, out):
    out[0] = (x[0] * x[1] * x[2] - 2024.0) ** 2 + abs(x[0] - 9.0) + abs(x[1] - 13.0)
    out[1] = x[0] + x[1] + x[2] - 43.0


@kernel
def thread(x, data, out):
    out[0] = x[x.size - 1] * np.sin(np.sqrt(abs(x[x.size - 1])))
    out[1] = 0.0
    for i in range(x.size - 1):
        out[1] += (x[i] * x[i] - x[i + 1]) ** 2


@kernel
def lone_point(x, data, out):
    out[0], out[1] = 0.0, 0.0
    for i in range(x.size):
        y = x[i] - 0.1 * (i + 1)
        out[0] += y * y - 10.0 * np.cos(2.0 * np.pi * y) + 10.0
        out[1] += y * np.sin(y)


INEQUALITY, EQUALITY = (Constraint("g1", "inequality"),), (Constraint("h1", "equality"),)
DISC = Problem("disc", [-3.0] * 2, [3.0] * 2, INEQUALITY, disc)
PLANE = Problem("plane", [-8.0] * 6, [9.0] * 6, EQUALITY, highest_on_a_plane)
ROOT = Problem("root", [-5.0] * 2, [5.0] * 2, EQUALITY, nearest_root)
VALLEYS = Problem("valleys", [-8.0] * 9, [9.0] * 9, INEQUALITY, many_valleys)
THREAD = Problem("thread", [-1000.0] * 8, [1000.0] * 8, EQUALITY, thread)
POINT = Problem("point", [-10.0] * 3, [10.0] * 3, INEQUALITY, lone_point)
VALLEY = Problem("valley", [-5.0] * 2, [5.0] * 2, EQUALITY, valley_of_squares)


def run_with(problem, *emitters, evaluations):
    settings = Settings.of("directed", problem.dimension, evaluations=evaluations, initial=50, emitters=emitters)
    run = Illumination(problem, Tolerances.default(problem), settings)
    run.advance(evaluations)
    return run


@pytest.mark.parametrize(
    ("problem", "expected", "evaluations"),
    [
        (DISC, -np.sqrt(2.0), 1_000),
        (PLANE, -1e-4 / 6, 8_000),  # a kink at the optimum, which lies on the edge of the tolerance
        (VALLEY, 1.0 - 1e-2, 2_000),  # the equality is a sum of squares: its gradient vanishes where it holds
    ],
)
def test_polish_alone_finds_the_constrained_optimum(problem, expected, evaluations):
    run = run_with(problem, "polish", evaluations=evaluations)
    assert run.best_feasible == pytest.approx(expected, abs=2e-6)
    assert run.archive().best(feasible=True).operator == "polish"


@pytest.mark.parametrize("emitter", ["slow", "fast"])
def test_evolution_with_repair_finds_the_nearest_point_of_a_curve(emitter):
    run = run_with(ROOT, emitter, "repair", evaluations=12_000)
    t = np.linspace(-5, 5, 2_000_001)
    nearest = ((t - 3.0) ** 2 + (2.0 - t * t) ** 2).min()
    assert nearest - 1e-3 < run.best_feasible < nearest + 1e-6


def test_evolution_repairs_what_is_infeasible_where_it_may():
    operators = set(run_with(get("C09", 10), "fast", evaluations=3_000).archive().elites.operator)
    assert "repair" not in operators
    run = run_with(get("C09", 10), "fast", "repair", evaluations=3_000)
    assert "repair" in set(run.archive().elites.operator)


def test_repair_alone_is_ahead_of_plain_variation_on_a_curve():
    run = run_with(ROOT, "repair", evaluations=3_000)
    best = run.archive().best(feasible=True)
    assert best.operator == "repair"
    assert abs(best.x[0] ** 2 + best.x[1] - 1.0) <= 1e-4
    by_line = run_with(ROOT, "line", evaluations=3_000)
    assert run.best_feasible < (by_line.best_feasible or np.inf)


def test_aim_alone_fills_every_bin_that_can_be_reached():
    run = run_with(DISC, "aim", evaluations=3_000)
    archive = run.archive()
    assert sorted(elite.bins[0] for elite in archive) == [0, 1, 2, 3, 4]
    lowest = [-np.sqrt(2.0 * (1.0 + level)) for level in (0.0, 1e-4, 1e-2, 1.0)]
    assert [archive.at(cell).f for cell in range(4)] == pytest.approx(lowest, abs=1e-5)
    assert archive.at(4).f == -6.0


def test_aim_reaches_the_bin_where_an_equality_holds_exactly():
    archive = run_with(ROOT, "aim", evaluations=6_000).archive()
    assert archive.at(0) is not None
    assert archive.at(0).h[0] == 0.0


def test_valleys_alone_leaves_each_of_500_local_optima_but_the_best_one():
    run = run_with(VALLEYS, "valleys", evaluations=15_000)
    lowest = np.roots([4.0, 0.0, -4.0, 0.1]).min()
    assert run.best_feasible == pytest.approx(9 * ((lowest**2 - 1.0) ** 2 + 0.1 * lowest), abs=1e-6)
    assert "valley" in set(run.archive().elites.operator)


def test_curves_follow_a_thin_feasible_region_over_hills_to_its_best_end():
    runs = [run_with(THREAD, "questions", *more, evaluations=30_000) for more in ((), ("curves",))]
    z = np.linspace(0.0, 1000.0, 1_000_001)
    lowest = (z * np.sin(np.sqrt(z))).min()
    assert runs[1].best_feasible == pytest.approx(lowest, abs=0.1)
    assert runs[0].best_feasible > lowest + 100.0
    assert "curve" in set(runs[1].archive().elites.operator)


def test_points_find_the_only_feasible_solution_of_its_kind_to_the_last_bit():
    # The sum of y sin(y) is 0 at y = 0 and more than 0 wherever a y is less than pi away from it.
    runs = [run_with(POINT, "polish", "fast", *more, evaluations=20_000) for more in ((), ("points",))]
    best = runs[1].archive().best(feasible=True)
    assert (best.f, best.operator) == (0.0, "point")
    assert best.x.tolist() == [0.1 * (i + 1) for i in range(3)]
    assert runs[0].best_feasible > 1.0


def test_grid_alone_finds_the_best_of_27000_combinations_of_whole_numbers():
    bounds = {"lower": [1.0] * 3, "upper": [30.0] * 3, "steps": [1.0] * 3}
    problem = Problem("whole", constraints=INEQUALITY, function=whole_numbers, **bounds)
    every = np.stack(np.meshgrid(*[np.arange(1.0, 31.0)] * 3), axis=-1).reshape(-1, 3)
    f, g = ((values := problem.values(every))[:, 0], values[:, 1])
    run = run_with(problem, "grid", evaluations=12_000)
    assert run.best_feasible == f[g <= 0.0].min()
    assert run.archive().best(feasible=True).operator == "grid"


def test_line_makes_steps_of_every_order_of_magnitude():
    run = run_with(DISC, "line", evaluations=8_000)
    assert run.best_feasible == pytest.approx(-np.sqrt(2.0), abs=2e-3)
    assert set(run.archive().elites.operator) == {"line"}


def test_the_slow_population_starts_at_its_level_and_asks_for_feasibility_in_the_end():
    schedule = njit(lambda epsilon, first, scale: set_schedule(epsilon, first, scale))
    level = njit(lambda done, population, ends: epsilon_at(done, population, ends))
    population = new_population(2, 1)
    schedule(population.epsilon, 4.0, np.array([1e6]))
    assert level(0.0, population, 0.6) == 4.0
    assert level(0.57, population, 0.6) == pytest.approx(1e-5 / 1e6)
    assert level(0.6, population, 0.6) == 0.0
    assert level(0.0, population, 0.0) == 0.0


def test_the_model_steps_to_the_lowest_point_of_two_pieces_within_a_constraint():
    work = new_work(2, 1)
    gradients = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])  # two pieces, x and y, and the constraint x + y
    work.gram[:3, :3] = gradients @ gradients.T
    solve = njit(lambda g, h, p, v, low, high, w, c: solve_model(g, h, p, v, low, high, w, c))
    work.weights[:3] = 1.0, 0.0, 0.0
    low, high = np.array([-0.5]), np.array([10.0])
    solve(work.gram, work.heights, 2, np.array([0.0, 0.0]), low, high, work.weights, work.slack)
    step = -work.weights[:3] @ gradients
    assert step == pytest.approx([-0.25, -0.25], abs=1e-9)
    assert work.weights[:2].sum() == pytest.approx(1.0)


def test_an_emitter_that_earns_gets_more_and_none_starves():
    base, passes, earned = np.array([0.5, 0.3, 0.2]), np.zeros(3), np.zeros(3)
    spent = np.zeros(3)
    for _ in range(2_000):
        emitter = credit.next_emitter(base, passes)
        credit.settle(base, passes, earned, emitter, gain=5.0 if emitter == 2 else 0.0, evaluations=100)
        spent[emitter] += 100
    parts = spent / spent.sum()
    assert parts[2] == pytest.approx(0.2 * (1 - credit.EARNED) + credit.EARNED, abs=0.01)
    assert (parts[:2] >= (1 - credit.EARNED) * base[:2] - 0.01).all()


def test_an_emitter_that_is_switched_off_gets_no_turn():
    base, passes = np.array([0.0, 1.0]), np.array([0.0, 50.0])
    assert credit.next_emitter(base, passes) == 1
    assert credit.shares(base, np.array([9.0, 0.0])).tolist() == [0.0, 1.0]
