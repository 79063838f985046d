"""The directed search: its promises to those who cut it in pieces, and that every emitter works alone."""

import numpy as np
import pytest

from mapelites import Constraint, Illumination, InputError, Problem, Settings, Tolerances
from mapelites.core.emitters import emitter_names
from mapelites.problems import get
from mapelites.search.callback import Callback


def run_of(problem, evaluations, **changes):
    settings = Settings.of("directed", problem.dimension, evaluations=evaluations, **changes)
    return Illumination(problem, Tolerances.default(problem), settings)


def same(first, second):
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("name", ["C02", "C04", "C11", "C13", "C17"])
def test_however_a_run_is_cut_into_pieces_it_ends_in_the_same_state(name):
    problem = get(name, 10)
    whole = run_of(problem, 20_000, seed=3)
    whole.advance(20_000)
    cut, sizes = run_of(problem, 20_000, seed=3), np.random.default_rng(1)
    while not cut.done:
        cut.advance(int(sizes.integers(1, 700)))
        cut = Illumination.restore(problem, cut.tolerances, cut.settings, cut.state())
    assert same(cut.state(), whole.state())


@pytest.mark.parametrize("budget", [1, 150, 201, 999, 5_003])
def test_a_budget_is_spent_to_the_last_evaluation_and_not_beyond(budget):
    calls = 0

    def function(x):
        nonlocal calls
        calls += 1
        return x[0] + abs(x[1]), [x[0] * x[1] - 1.0], [x[0] - x[1] ** 2]

    constraints = (Constraint("g1", "inequality"), Constraint("h1", "equality"))
    problem = Problem("counted", [-2.0, -2.0], [2.0, 2.0], constraints, function)
    run = run_of(problem, budget)
    while not run.done:
        run.advance(77)
    assert (run.evaluations, calls, sum(run.spent.values())) == (budget, budget, budget)


def plain_c17(x, shift):
    z = x - shift
    waves = 0.0
    for each in z:
        waves += each * np.sin(4.0 * np.sqrt(np.abs(each)))
    product, total, steps = 1.0, 0.0, 0.0
    for each in z:
        product *= each
        total += each
    for i in range(z.size - 1):
        steps += (z[i] - z[i + 1]) * (z[i] - z[i + 1])
    return steps, [product, total], [waves]


def test_a_plain_python_function_is_searched_as_its_compiled_twin():
    compiled = get("C17", 10)
    plain = Problem(
        "C17", compiled.lower, compiled.upper, compiled.constraints, lambda x: plain_c17(x, compiled.data[:10])
    )
    runs = [run_of(problem, 6_000, seed=2) for problem in (compiled, plain)]
    for run in runs:
        run.advance(6_000)
    assert same(runs[0].state(), runs[1].state())


def test_an_error_of_the_problem_comes_out_and_leaves_the_state_as_it_was():
    limit = 1_000

    def function(x):
        nonlocal limit
        limit -= 1
        if limit == 0:
            raise ZeroDivisionError("no such beam")
        return float(x.sum()), [1.0 - float(x[0])], []

    problem = Problem("beam", [0.0] * 3, [5.0] * 3, (Constraint("g1", "inequality"),), function)
    run = run_of(problem, 4_000)
    with pytest.raises(ZeroDivisionError, match="no such beam"):
        run.advance(4_000)
    assert run.evaluations < 1_000
    assert run.refused == 0
    run.advance(4_000)
    assert run.done


@pytest.mark.parametrize("call", [100, 620, 650])
def test_an_interrupt_before_the_function_is_reached_is_neither_lost_nor_taken_for_an_answer(monkeypatch, call):
    answered, fill = 0, Callback._fill

    def interrupted(self, x, out):
        nonlocal answered
        answered += 1
        if answered == call:
            raise KeyboardInterrupt
        fill(self, x, out)

    monkeypatch.setattr(Callback, "_fill", interrupted)
    problem = Problem("far", [5.0] * 3, [9.0] * 3, (Constraint("g1", "inequality"),), lambda x: (x.sum(), [-x[0]], []))
    run = run_of(problem, 4_000)
    with pytest.raises(KeyboardInterrupt):
        run.advance(4_000)
    run.advance(4_000)
    elites = run.archive().elites
    assert np.array_equal(problem.evaluate(elites.x).f, elites.f)


@pytest.mark.parametrize("emitter", emitter_names())
def test_every_emitter_can_be_switched_on_alone(emitter):
    run = run_of(get("C05", 10), 4_000, emitters=(emitter,))
    start = run_of(get("C05", 10), 4_000, emitters=(emitter,))
    run.advance(4_000)
    start.advance(200)
    name = "paper" if emitter == "grid" else emitter  # no variable of this problem has steps
    assert run.spent == {**dict.fromkeys(emitter_names(), 0), "paper": 200, name: 3_800 + 200 * (name == "paper")}
    best = {elite.cell: elite.f for elite in start.archive()}
    assert any(elite.f < best.get(elite.cell, np.inf) for elite in run.archive())


def test_an_unknown_emitter_is_refused_with_the_known_ones():
    with pytest.raises(
        InputError,
        match=r"an emitter must be one of paper, .*, questions, valleys, grid, curves, points, but it was 'x'",
    ):
        Settings.of("directed", 10, emitters=("x",))
    with pytest.raises(InputError, match=r"emitters must be a list of at least one name, but it was \(\)"):
        Settings.of("directed", 10, emitters=())


def test_a_checkpoint_of_another_problem_is_refused_with_a_word():
    ten, other = run_of(get("C01", 10), 1_000), get("C01", 12)
    ten.advance(1_000)
    arrays = ten.state()
    arrays["x"] = np.zeros((len(arrays["x"]), 12))
    with pytest.raises(InputError, match=r"checkpoint: directed_slow_x must be float64 of shape \(60, 12\)"):
        Illumination.restore(other, Tolerances.default(other), Settings.of("directed", 12), arrays)


@pytest.mark.parametrize(("name", "dimension"), [("C06", 10), ("C16", 30)])
def test_every_elite_re_evaluates_to_its_stored_numbers(name, dimension):
    problem = get(name, dimension)
    run = run_of(problem, 20_000)
    run.advance(20_000)
    elites = run.archive().elites
    again = problem.evaluate(elites.x)
    assert np.array_equal(again.f, elites.f)
    assert np.array_equal(again.violations, elites.violations)
    assert (elites.x >= problem.lower).all()
    assert (elites.x <= problem.upper).all()


def test_a_fine_grid_grows_without_a_trace():
    problem = get("C17", 10)
    fine = Tolerances.same(problem, np.linspace(0, 10, 40))
    run = Illumination(problem, fine, Settings.of("directed", 10, evaluations=40_000))
    run.advance(40_000)
    assert run.occupied > 1_024
    assert len(run.archive()) == run.occupied
