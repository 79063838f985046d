"""The search with models: a good answer from a hundred evaluations, whoever gives them and however it is cut."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from mapelites import Constraint, Illumination, Problem, Settings, Tolerances, illuminate
from mapelites.core.settings import usual_search
from mapelites.evaluation.answer import RunServices
from mapelites.problems import get
from tests.evaluation import black_boxes as boxes
from tests.evaluation.black_boxes import counted, problem_of
from tests.runs.tools import assert_same, assert_true_to_itself
from tests.search.test_parallel import DictionaryLog

SETTINGS = Settings.of("surrogate", 3, evaluations=60, workers=4, batch=5)


def search_of(problem, settings=SETTINGS, outside=None):
    return Illumination(problem, Tolerances.default(problem), settings, outside)


@pytest.mark.parametrize(
    ("name", "evaluations", "at_a_time"),
    [("welded-beam", 100, 1), ("speed-reducer", 100, 4), ("i-beam", 100, 4), ("g06", 100, 8), ("g07", 150, 1)],
)
def test_some_hundred_evaluations_come_within_one_per_cent_of_the_best_known(name, evaluations, at_a_time):
    problem = get(name)
    best = illuminate(problem, search="surrogate", evaluations=evaluations, seed=4, batch=at_a_time).best(feasible=True)
    assert best is not None
    assert (best.f - problem.best_known) / abs(problem.best_known) < 0.01


def test_the_map_does_not_depend_on_who_answers_first():
    problem = problem_of(boxes.uneven)
    archives = [illuminate(problem, **{**SETTINGS.as_dict(), "workers": workers}) for workers in (1, 6)]
    assert_same(*archives)
    assert_true_to_itself(archives[0])


def test_a_search_cut_into_pieces_ends_in_the_same_map_and_asks_nothing_twice(tmp_path):
    whole = search_of(problem_of(boxes.disc))
    whole.advance(60)
    whole.close()
    calls, log = tmp_path / "calls", DictionaryLog()
    cut = search_of(problem_of(counted(calls)), outside=RunServices(log))
    for _ in range(6):
        cut.advance(10)
        cut.settle(60.0)
        state = cut.state()
        cut.close()
        cut = Illumination.restore(cut.problem, cut.tolerances, SETTINGS, state, RunServices(log))
    assert cut.done
    assert_same(cut.archive(), whole.archive())
    assert len(calls.read_text().splitlines()) == len(set(calls.read_text().splitlines())) == 60


def test_what_was_answered_before_a_crash_is_not_asked_again(tmp_path):
    calls, log = tmp_path / "calls", DictionaryLog()
    first = search_of(problem_of(counted(calls)), outside=RunServices(log))
    first.advance(40)
    first.settle(60.0)
    first.close()  # its state is lost
    again = search_of(first.problem, outside=RunServices(log))
    again.advance(60)
    again.close()
    assert len(calls.read_text().splitlines()) == 60


def test_variables_with_steps_are_asked_for_on_their_steps_and_never_twice():
    asked = []

    def function(x):
        asked.append(tuple(x))
        return (x[0] - 2.2) ** 2 + (x[1] - 0.3) ** 2 + x[2], [1.0 - x[0] * x[1]], []

    constraints = (Constraint("product", "inequality", limit=1.0, sense=">="),)
    problem = Problem("whole", [0, 0, 0], [5, 5, 2], constraints, function, steps=[1.0, 0.0, 0.5])
    best = illuminate(problem, evaluations=60).best(feasible=True)
    assert best is not None
    assert best.x[0] == 2.0
    assert best.x[2] == 0.0
    assert best.x[1] == pytest.approx(0.5, abs=1e-4)
    rows = np.array(asked[1:])
    assert len(set(asked)) == len(asked) == 60
    assert (rows[:, 0] == np.round(rows[:, 0])).all()


def test_a_region_in_which_the_function_fails_is_learned_and_left():
    failed = []

    def function(x):
        if x[0] + x[1] < 1.0:
            failed.append(tuple(x))
            raise RuntimeError("no convergence")
        return x[0] ** 2 + 2.0 * x[1] ** 2, [x[0] - 1.5], []

    constraints = (Constraint("reach", "inequality", limit=1.5, sense="<="),)
    problem = Problem("hidden", [0, 0], [2, 2], constraints, function)
    best = illuminate(problem, evaluations=60).best(feasible=True)
    assert best is not None
    assert best.f == pytest.approx(2.0 / 3.0, rel=0.05)  # where the line of failures is touched
    assert len(failed) < 36  # the best lies at their edge


def test_every_question_about_one_relaxed_constraint_is_answered():
    problem = get("himmelblau")
    tolerances = Tolerances.default(problem)
    archive = illuminate(problem, tolerances, "surrogate", 200, seed=2)
    corner = archive.best(feasible=True)
    for i, levels in enumerate(tolerances.levels):
        asked = np.zeros(len(tolerances.names))
        asked[i] = levels[-1]
        found = archive.answer(asked)
        assert found is not None
        assert found.f <= corner.f


def test_few_evaluations_of_a_plain_function_are_spent_with_models():
    assert usual_search(compiled=False, evaluations=100) == "surrogate"
    assert usual_search(compiled=True, evaluations=100) == "directed"
    assert usual_search(compiled=False, evaluations=100_000) == "directed"
    archive = illuminate(lambda x: x[0] + x[1], evaluations=60, bounds=[(-2, 2)] * 2,
                         constraints={"type": "ineq", "fun": lambda x: 1.0 - x[0] ** 2 - x[1] ** 2})  # fmt: skip
    best = archive.best(feasible=True)
    assert best is not None
    assert best.f == pytest.approx(-math.sqrt(2.0), abs=1e-4)


def test_failures_are_counted_and_the_search_goes_on_from_its_state():
    search = search_of(problem_of(boxes.moody), replace(SETTINGS, retries=0))
    search.advance(60)
    search.close()
    assert sum(count for count, _ in search.failures.values()) == search.refused > 0
    again = Illumination.restore(search.problem, search.tolerances, search.settings, search.state())
    assert again.failures == search.failures
    assert again.spent == search.spent
    assert sum(again.spent.values()) == 60
