"""What models expect, and gradients, cheap versions and batches: what a search of few evaluations is told besides."""

from __future__ import annotations

import numpy as np
import pytest

from mapelites import Constraint, Illumination, Problem, Search, Settings, Tolerances, illuminate
from mapelites import problem as own_problem
from mapelites.core.errors import InputError
from mapelites.evaluation.answer import RunServices
from mapelites.evaluation.log_file import ScriptLog
from mapelites.problems import get
from tests.evaluation import black_boxes as boxes
from tests.evaluation.black_boxes import problem_of
from tests.runs.tools import assert_same


def answered(problem, search, evaluations, slopes=None):
    """The search after so many evaluations, one at a time."""
    for _ in range(evaluations):
        x = search.ask()
        found = problem.evaluate(x)
        search.tell(x, found.f, found.g, found.h, None if slopes is None else slopes(x))
    return search


def test_what_models_expect_of_cells_is_nearly_what_is_there_and_changes_nothing():
    problem = get("welded-beam")
    search, other = (answered(problem, Search(problem, evaluations=60), 40) for _ in range(2))
    outlook = search.outlook()
    assert outlook is not None
    assert len(outlook.x) > 3
    true = problem.values(outlook.x)
    assert np.median(np.abs(true - outlook.values)[:, 0] / true[:, 0]) < 0.02
    assert outlook.told.shape == outlook.found.shape
    assert (outlook.errors() < np.abs(outlook.found).max(axis=0) + 1e-12).all()
    assert (search.ask() == other.ask()).all()
    assert set(outlook.elites(problem).operator) == {"expected"}
    assert Search(problem, evaluations=60).outlook() is None


def gradients_of(problem):
    """Differences so fine that they count as exact."""

    def slopes(x):
        step = 1e-7 * (problem.upper - problem.lower)
        sides = [np.clip(x[0] + sign * np.diag(step), problem.lower, problem.upper) for sign in (1.0, -1.0)]
        ahead, behind = (problem.values(each) for each in sides)
        return ((ahead - behind) / (sides[0] - sides[1]).sum(axis=1)[:, None]).T[None]

    return slopes


def test_with_gradients_a_quarter_of_the_evaluations_is_enough():
    problem = get("speed-reducer")
    gaps = []
    for slopes in (None, gradients_of(problem)):
        search = answered(problem, Search(problem, evaluations=20, seed=3), 12, slopes)
        best = search.archive().best(feasible=True)
        gaps.append(np.inf if best is None else (best.f - problem.best_known) / problem.best_known)
    assert gaps[1] < 0.005
    assert gaps[1] < 0.25 * gaps[0]


def test_a_search_with_gradients_goes_on_from_its_state():
    problem = get("welded-beam")
    slopes = gradients_of(problem)
    first = answered(problem, Search(problem, evaluations=20), 6, slopes)
    again = Search(problem, evaluations=20)
    again.restore(first.state())
    assert (answered(problem, first, 3, slopes).ask() == answered(problem, again, 3, slopes).ask()).all()
    with pytest.raises(InputError, match=r"gradients must have shape \(1, 8, 4\), but it was \(2, 2\)"):
        again.tell(again.ask(), [1.0], [np.zeros(7)], None, np.zeros((2, 2)))


def test_a_cheap_version_is_searched_first_and_shows_where_to_begin():
    dear, asked = get("welded-beam"), []

    def truly(x):
        asked.append(x)
        return dear(x)

    def cheaply(x):
        f, g, h = dear(x)
        return 1.05 * f, [1.02 * each - 0.01 * abs(each) for each in g], h

    problems = [Problem("beam", dear.lower, dear.upper, dear.constraints, each) for each in (truly, cheaply)]
    archive = illuminate(problems[0], evaluations=12, cheap=problems[1])
    best = archive.best_within_allowance()
    assert len(asked) == archive.evaluations == 12
    assert best is not None
    assert best.f < 1.1 * dear.best_known  # with 12 evaluations
    with pytest.raises(InputError, match="cheap must have the variables, bounds and constraints of beam, but disc has"):
        illuminate(problems[0], evaluations=12, cheap=problem_of(boxes.disc))


def test_designs_to_begin_with_survive_a_pause_before_they_are_evaluated():
    settings = Settings.of("surrogate", 3, evaluations=20, start=((0.1, 0.2, 0.3), (0.5, 0.5, 0.5), (1.0, 1.0, 1.0)))

    def begun():
        search = Illumination(problem_of(boxes.disc), Tolerances.default(problem_of(boxes.disc)), settings)
        search.start_from(np.array(settings.start))
        return search

    whole, cut = begun(), begun()
    cut.advance(1)
    cut = Illumination.restore(cut.problem, cut.tolerances, settings, cut.state())
    for each in (whole, cut):
        each.advance(20)
    assert_same(whole.archive(), cut.archive())
    with pytest.raises(InputError, match="start: each design must have a number for each variable"):
        Settings.of("surrogate", 2, start=((1.0, 2.0), (1.0,)))


@pytest.mark.parametrize("search", ["directed", "paper-3"])
def test_a_search_by_batches_that_is_cut_into_pieces_ends_in_the_same_map_and_repeats_nothing(search, tmp_path):
    asked = []

    class Batch:
        def rows(self, x):
            asked.extend(x.tobytes() for x in x)
            failed = np.where(x[:, 0] > 0.9, np.nan, 0.0)
            return np.column_stack([x.sum(axis=1) + failed, 1.0 - x[:, 0] - x[:, 1]])

    problem = Problem("batch", [0, 0], [1, 1], (Constraint("g", "inequality"),), Batch())
    settings = Settings.of(search, 2, evaluations=300, initial=50, batch=32)
    log = RunServices(ScriptLog(tmp_path / "log", problem))
    cut = Illumination(problem, Tolerances.default(problem), settings, log)
    whole = illuminate(problem, search=search, evaluations=300, initial=50, batch=32)
    once = len(asked)
    for _ in range(7):
        cut.advance(40)
        cut = Illumination.restore(problem, cut.tolerances, settings, cut.state(), log)
    cut.advance(300)
    assert_same(whole, cut.archive())
    assert (once, len(asked)) == (300, 600)
    assert cut.failures == {"not finite": (cut.refused, "f is no finite number")}
    assert cut.refused > 0
    again = illuminate(problem, search=search, evaluations=300, initial=50, batch=32, log=tmp_path / "log")
    assert_same(whole, again)
    assert len(asked) == 600


def test_a_batch_in_which_one_solution_raises_costs_that_one_only():
    def touchy(x):
        if (x[..., 0] > 0.9).any():
            raise ArithmeticError("too far")
        return x.sum(axis=-1), [1.0 - x.sum(axis=-1)], []

    problem = own_problem(bounds={"a": (0, 1), "b": (0, 1)}, inequalities=["sum"])(touchy)
    archive = illuminate(problem, search="directed", evaluations=128, batch=32, progress=False)
    assert 0 < archive.refused < 64
    assert archive.best(feasible=True) is not None


def test_a_batch_is_given_to_a_function_that_takes_batches_whatever_the_search():
    sizes = []

    class Batch:
        def rows(self, x):
            sizes.append(len(x))
            return np.column_stack([x.sum(axis=1), 1.0 - x[:, 0] - x[:, 1]])

    problem = Problem("batch", [0, 0], [1, 1], (Constraint("g", "inequality"),), Batch())
    archive = illuminate(problem, search="directed", evaluations=320, batch=64)
    assert archive.evaluations == sum(sizes) == 320
    assert max(sizes) == 64
    assert len(sizes) <= 10
