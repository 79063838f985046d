"""The gallery agrees with what was published, and the search finds it."""

from __future__ import annotations

import numpy as np
import pytest

from mapelites import Settings, Tolerances, illuminate
from mapelites.core.problem import ProblemSource
from mapelites.problems import dimensions, find_problem, get, names, suites
from mapelites.problems.suites import gallery

# Solutions in print: Gandomi, Yang and Alavi, Engineering with Computers 29 (2013), tables 4 to 10; the report of
# CEC 2006 (g04); Cagnina, Esquivel and Coello Coello, Informatica 32 (2008) for the beam and the reducer.
PUBLISHED = {
    "pressure-vessel": (0.8125, 0.4375, 42.0984455958549, 176.6365958424394),
    "welded-beam": (0.205729639786079, 3.470488665627997, 9.036623910357633, 0.205729639786079),
    "tension-spring": (0.0516890614, 0.3567177469, 11.2889656),
    "three-bar-truss": (0.7886751347, 0.4082482904),
    "i-beam": (80.0, 50.0, 0.9, 2.3217922),
    "himmelblau": (78.0, 33.0, 29.9952560256815985, 45.0, 36.7758129057882073),
    "haverly-pooling": (0.0, 200.0, 0.0, 100.0, 0.0, 100.0, 0.0, 100.0, 1.0),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_solution_has_its_published_value(name: str) -> None:
    problem = get(name)
    found = problem.evaluate([PUBLISHED[name]])
    assert problem.best_known is not None
    assert found.f[0] == pytest.approx(problem.best_known, rel=2e-6)
    scale = np.abs(problem.evaluate((problem.lower + problem.upper)[None] / 2).violations) + 1.0
    assert (found.violations / scale < 1e-6).all()


@pytest.mark.parametrize("name", gallery.NAMES)
def test_the_search_finds_the_published_best_and_nothing_better(name: str) -> None:
    problem = get(name)
    archive = illuminate(problem, Tolerances.same(problem, (0.0,)), search="directed", evaluations=60_000, seed=1)
    best = archive.best(feasible=True)
    assert best is not None
    assert problem.best_known is not None
    size = abs(problem.best_known)
    bought = 1e-2 * size if problem.equalities else 0.0  # by a violation of 1e-4
    assert problem.best_known - 1e-6 * size - bought <= best.f <= problem.best_known + 1e-5 * size
    assert np.array_equal(problem.evaluate(archive.elites.x).f, archive.elites.f)
    assert np.array_equal(problem.rounded(archive.elites.x), archive.elites.x)


def test_both_welded_beams_are_there_under_different_names() -> None:
    seven, five = get("welded-beam"), get("welded-beam-cec2020")
    assert (seven.inequalities, seven.best_known) == (7, 1.724852)
    assert (five.inequalities, round(five.best_known or 0, 6)) == (5, 1.670218)


def test_the_gallery_goes_from_two_to_eleven_constraints() -> None:
    counts = {len(get(name).constraints) for name in gallery.NAMES}
    assert (min(counts), max(counts)) == (2, 11)


def test_a_problem_of_the_gallery_has_one_dimension() -> None:
    assert dimensions("pressure-vessel") == (4,)
    assert get("pressure-vessel", 4).dimension == 4
    with pytest.raises(ValueError, match="pressure-vessel: the dimension must be 4, but it was 10"):
        get("pressure-vessel", 10)
    with pytest.raises(ValueError, match=r"the problem must be one of C01, .*, but it was 'nothing'"):
        get("nothing")


def test_every_name_belongs_to_one_suite() -> None:
    listed = [name for suite in suites().values() for name in suite]
    assert sorted(listed) == sorted(names())
    assert all(get(name).reference for name in gallery.NAMES)


def test_what_a_run_stores_of_formulas_is_enough_to_find_the_problem_again() -> None:
    text = gallery.text("three-bar-truss")
    typed = ProblemSource("formulas", text)
    problem = find_problem("three-bar-truss", 2, typed)
    assert problem.source == typed
    assert problem.values([[0.5, 0.5]]).tolist() == get("three-bar-truss").values([[0.5, 0.5]]).tolist()
    with pytest.raises(ValueError, match="must be what the run's own problem is"):
        find_problem("another", 2, typed)


def test_settings_follow_the_dimension_of_a_problem() -> None:
    assert Settings.of("directed", get("speed-reducer").dimension).evaluations == 200_000
