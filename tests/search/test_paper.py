"""The compiled loop against Algorithm 1 in plain Python, and its promises to those who cut it in pieces."""

import numpy as np
import pytest

from mapelites import Constraint, Illumination, InputError, Problem, Settings, Tolerances, illuminate
from mapelites.problems import get
from mapelites.problems.suites import cec2010
from tests.search import plain


def as_plain(archive):
    """The archive in the form in which the plain version returns it."""
    return {
        elite.bins: (elite.x.tolist(), elite.f, elite.g.tolist(), elite.h.tolist(), elite.found_at) for elite in archive
    }


@pytest.mark.parametrize("search", ["paper-1", "paper-2", "paper-3"])
@pytest.mark.parametrize("name", cec2010.NAMES)
def test_the_compiled_loop_gives_the_archive_of_algorithm_1(name, search):
    problem = get(name, 10)
    tolerances = Tolerances.default(problem)
    settings = Settings.of(search, 10, evaluations=1_500, initial=300, seed=7)
    search_run = Illumination(problem, tolerances, settings)
    search_run.advance(settings.evaluations)
    assert as_plain(search_run.archive()) == plain.illuminate(problem, tolerances.levels, settings)


@pytest.mark.parametrize(
    "changes",
    [
        {"distinct_parents": False},
        {"bounds": "saturate", "sigma": 30.0},
        {"bounds": "bounce", "sigma": 30.0},
        {"bounds": "toroidal", "sigma": 30.0},
        {"mutation_probability": 0.0},
        {"mutation_probability": 1.0, "crossover_probability": 0.1},
        {"crossover_probability": 1.0},
        {"mutation_probability": 0.3, "crossover_probability": 0.7},
    ],
)
def test_every_setting_means_the_same_in_both_versions(changes):
    problem = get("C17", 10)
    tolerances = Tolerances.same(problem, [0, 0.5, 3])
    settings = Settings.of("paper-3", 10, evaluations=1_500, initial=100, seed=3, **changes)
    run = Illumination(problem, tolerances, settings)
    run.advance(settings.evaluations)
    expected = plain.illuminate(problem, tolerances.levels, settings)
    actual = as_plain(run.archive())
    assert list(actual) == sorted(expected)
    for bins, (x, *_, found_at) in expected.items():
        # Wrapping in one step or turn by turn rounds differently.
        np.testing.assert_allclose(actual[bins][0], x, rtol=0, atol=1e-9)
        assert actual[bins][4] == found_at


def test_more_variables_than_a_draw_has_bits_are_crossed_and_mutated_alike():
    problem = Problem("long", [-2.0] * 150, [2.0] * 150, (Constraint("g1", "inequality"),), ball)
    tolerances = Tolerances.same(problem, [0, 20, 40, 60])
    settings = Settings.of("paper-3", 150, evaluations=600, initial=50, seed=4, mutation_probability=0.4)
    run = Illumination(problem, tolerances, settings)
    run.advance(settings.evaluations)
    assert as_plain(run.archive()) == plain.illuminate(problem, tolerances.levels, settings)


@pytest.mark.parametrize("search", ["paper-1", "paper-3"])
def test_however_a_run_is_cut_into_chunks_the_archive_is_the_same(search):
    problem = get("C16", 10)
    settings = Settings.of(search, 10, evaluations=30_000, seed=5)
    tolerances = Tolerances.default(problem)
    whole = Illumination(problem, tolerances, settings)
    whole.advance(settings.evaluations)
    sizes = np.random.default_rng(0)
    cut = Illumination(problem, tolerances, settings)
    while not cut.done:
        cut.advance(int(sizes.integers(1, 3_000)))
        cut = Illumination.restore(problem, tolerances, settings, cut.state())
    assert all(np.array_equal(cut.state()[name], array) for name, array in whole.state().items())


def test_a_state_taken_out_is_a_copy():
    problem = get("C01", 10)
    run = Illumination(problem, Tolerances.default(problem), Settings.of("paper-1", 10, evaluations=5_000))
    run.advance(2_500)
    before = {name: array.copy() for name, array in run.state().items()}
    kept = run.state()
    run.advance(2_500)
    assert all(np.array_equal(kept[name], before[name]) for name in before)


def test_a_state_of_another_shape_is_refused_with_a_word():
    ten, thirty = get("C01", 10), get("C01", 30)
    run = Illumination(ten, Tolerances.default(ten), Settings.of("paper-1", 10, evaluations=2_500))
    run.advance(2_500)
    with pytest.raises(InputError, match=r"checkpoint: x must be float64 of shape \(\d+, 30\)"):
        Illumination.restore(thirty, Tolerances.default(thirty), Settings.of("paper-1", 30), run.state())


@pytest.mark.parametrize("name", cec2010.NAMES)
@pytest.mark.parametrize("dimension", [10, 30])
def test_every_elite_of_a_finished_run_re_evaluates_to_its_stored_numbers(name, dimension):
    problem = get(name, dimension)
    archive = illuminate(problem, search="paper-3", evaluations=20_000, seed=2)
    again = problem.evaluate(archive.elites.x)
    assert np.array_equal(again.f, archive.elites.f)
    assert np.array_equal(again.g, archive.elites.g)
    assert np.array_equal(again.h, archive.elites.h)
    assert np.array_equal(again.violations, archive.elites.violations)
    assert (archive.elites.x >= problem.lower).all()
    assert (archive.elites.x <= problem.upper).all()


def test_different_seeds_give_different_maps_and_the_same_seed_the_same():
    problem = get("C17", 10)
    first, again, other = (illuminate(problem, search="paper-3", evaluations=5_000, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.elites.x, again.elites.x)
    assert not np.array_equal(first.elites.f, other.elites.f)


def test_a_map_with_more_cells_than_first_reserved_grows_without_a_trace():
    problem = get("C17", 10)
    fine = Tolerances.same(problem, np.linspace(0, 10, 40))
    settings = Settings.of("paper-3", 10, evaluations=60_000, seed=1)
    run = Illumination(problem, fine, settings)
    run.advance(settings.evaluations)
    assert run.occupied > 1_024
    archive = run.archive()
    assert len(archive) == run.occupied
    assert np.array_equal(problem.evaluate(archive.elites.x).f, archive.elites.f)


def test_a_map_whose_every_cell_is_occupied_goes_on_searching():
    problem = get("C07", 10)
    run = Illumination(problem, Tolerances.same(problem, [0]), Settings.of("paper-1", 10, evaluations=200_000))
    run.advance(100_000)
    assert run.occupied == 2
    best = run.best_feasible
    run.advance(100_000)
    assert run.evaluations == 200_000
    assert run.best_feasible < best


def ball(x):
    return float(x.sum()), [float(x @ x) - 100.0], []


def diagonal(x):
    return x[0], [], [x[0] - x[1]]


def disc(x):
    return x[0] + x[1], [x[0] ** 2 + x[1] ** 2 - 1.0], []


def test_a_plain_python_function_is_searched_as_well():
    problem = Problem("disc", [-2.0, -2.0], [2.0, 2.0], (Constraint("g1", "inequality"),), disc)
    best = illuminate(problem, search="paper-1", evaluations=10_000, initial=500).best(feasible=True)
    assert best.f == pytest.approx(-np.sqrt(2), abs=0.01)
    assert problem.evaluate([best.x]).f[0] == best.f


def test_a_candidate_that_is_not_a_number_is_counted_and_never_stored():
    def hole(x):
        return (float("nan") if x[0] < 0 else x[0]), [float("inf") if x[0] > 1 else x[1]], []

    problem = Problem("hole", [-2.0, -2.0], [2.0, 2.0], (Constraint("g1", "inequality"),), hole)
    run = Illumination(problem, Tolerances.default(problem), Settings.of("paper-1", 2, evaluations=1_000, initial=100))
    run.advance(1_000)
    assert 0 < run.refused < 1_000
    archive = run.archive()
    assert np.isfinite(archive.elites.f).all()
    assert np.isfinite(archive.elites.g).all()


def test_a_problem_that_never_gives_a_number_ends_with_an_empty_map():
    problem = Problem("void", [0.0], [1.0], (Constraint("g1", "inequality"),), lambda x: (float("nan"), [0.0], []))
    run = Illumination(problem, Tolerances.default(problem), Settings.of("paper-3", 1, evaluations=50, initial=10))
    run.advance(50)
    assert (run.refused, run.occupied, run.best_feasible) == (50, 0, None)
    assert run.archive().best() is None


def test_the_best_feasible_solution_is_kept_though_its_cell_is_wider_than_the_feasible_region():
    problem = Problem("line", [0.0, 0.0], [1.0, 1.0], (Constraint("h1", "equality"),), diagonal)
    coarse = Tolerances.same(problem, [0, 10.0])
    best = illuminate(problem, coarse, search="paper-3", evaluations=50_000).best(feasible=True)
    assert best is not None
    assert problem.feasible(best.violations)
    again = problem.evaluate([best.x])
    assert (again.f[0], again.h[0, 0]) == (best.f, best.h[0])


def test_parents_come_from_different_cells_where_there_are_two():
    picks = plain.second_parent  # the reading version, whose agreement with the compiled one is tested above
    rng = np.array([1, 2, 3, 4], dtype=np.uint64)
    settings = Settings.of("paper-3", 10)
    assert all(picks(rng, settings, 5, 2) != 2 for _ in range(200))
    assert picks(rng, settings, 1, 0) == 0


def test_an_error_of_a_plain_function_takes_the_search_back_to_where_it_can_go_on():
    calls, broken = 0, 1_000

    def function(x):
        nonlocal calls
        calls += 1
        if calls == broken:
            raise ZeroDivisionError("no such beam")
        return float(x.sum()), [1.0 - float(x[0])], []

    problem = Problem("beam", [0.0] * 3, [5.0] * 3, (Constraint("g1", "inequality"),), function)
    settings = Settings.of("paper-3", 3, evaluations=3_000, initial=500)
    run = Illumination(problem, Tolerances.default(problem), settings)
    with pytest.raises(ZeroDivisionError, match="no such beam"):
        run.advance(3_000)
    assert run.evaluations < broken
    assert run.refused == 0
    run.advance(3_000)
    assert as_plain(run.archive()) == plain.illuminate(problem, run.tolerances.levels, settings)
