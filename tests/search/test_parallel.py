"""The search with workers: the same map whoever answers first, taken up again without asking twice."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from mapelites import Illumination, Settings, Tolerances, illuminate
from mapelites.core.emitters import emitter_names
from mapelites.evaluation.answer import Answer, Array, RunServices
from tests.evaluation import black_boxes as boxes
from tests.evaluation.black_boxes import counted, problem_of
from tests.runs.tools import assert_same, assert_true_to_itself

SETTINGS = Settings.of("directed", 3, evaluations=400, initial=60, workers=4, batch=12)


class DictionaryLog:
    """A log that any number of searches can share."""

    def __init__(self) -> None:
        self.answers: dict[int, tuple[Array, Answer]] = {}

    def find(self, number: int, x: Array) -> Answer | None:
        known, answer = self.answers.get(number, (None, None))
        assert known is None or np.array_equal(known, x), "another candidate had this number"
        return answer

    def add(self, number: int, x: Array, operator: int, answer: Answer) -> None:
        assert number not in self.answers, "evaluated twice"
        self.answers[number] = x.copy(), answer


def search_of(problem, settings=SETTINGS, outside=None):
    return Illumination(problem, Tolerances.default(problem), settings, outside)


@pytest.mark.parametrize("name", ["directed", "paper-3"])
def test_the_map_does_not_depend_on_who_answers_first(name):
    problem = problem_of(boxes.uneven)
    settings = Settings.of(name, 3, evaluations=200, initial=40, batch=12)
    archives = [illuminate(problem, **{**settings.as_dict(), "workers": workers}) for workers in (1, 8)]
    assert_same(*archives)
    assert_true_to_itself(archives[0])


def test_the_optimum_of_a_small_problem_is_found():
    archive = illuminate(problem_of(boxes.disc), search="directed", evaluations=1_000, initial=50, workers=2, seed=3)
    best = archive.best(feasible=True)
    assert best is not None
    assert best.f == pytest.approx(-math.sqrt(2.0), abs=0.005)
    assert best.f >= -math.sqrt(2.0)


@pytest.mark.parametrize("emitter", emitter_names())
def test_every_emitter_can_be_switched_on_alone(emitter):
    search = search_of(problem_of(boxes.disc), replace(SETTINGS, emitters=(emitter,)))
    search.advance(400)
    search.close()
    # For slow functions "toward" stands for two, and the paper's emitter does the work where none is left.
    without = dict.fromkeys(("questions", "valleys", "grid", "curves", "points"), "paper")
    name = {"slow": "toward", "fast": "toward", **without}.get(emitter, emitter)
    beginning = {"paper": search.spent["paper"]} if name != "paper" else {}
    assert {key: count for key, count in search.spent.items() if count} == {
        **beginning,
        name: 400 - sum(beginning.values()),
    }
    assert sum(beginning.values()) <= SETTINGS.initial + SETTINGS.batch


def test_a_search_cut_into_pieces_ends_in_the_same_map_and_asks_nothing_twice(tmp_path):
    problem = problem_of(boxes.disc)
    whole = search_of(problem)
    whole.advance(400)
    whole.close()
    calls, log = tmp_path / "calls", DictionaryLog()
    cut = search_of(problem_of(counted(calls)), outside=RunServices(log))
    for _ in range(8):
        cut.advance(50)
        cut.settle(60.0)
        state = cut.state()
        cut.close()
        cut = Illumination.restore(cut.problem, cut.tolerances, SETTINGS, state, RunServices(log))
    assert cut.done
    assert_same(cut.archive(), whole.archive())
    assert len(calls.read_text().splitlines()) == 400
    assert len(set(calls.read_text().splitlines())) == 400


def test_what_was_answered_but_not_yet_told_is_not_asked_again(tmp_path):
    calls, log = tmp_path / "calls", DictionaryLog()
    first = search_of(problem_of(counted(calls)), outside=RunServices(log))
    beginning = first.state()
    first.advance(150)
    first.settle(60.0)
    first.close()  # its state is lost, as after a crash
    again = Illumination.restore(first.problem, first.tolerances, SETTINGS, beginning, RunServices(log))
    again.advance(400)
    again.close()
    assert len(calls.read_text().splitlines()) == 400
    assert len(log.answers) == 400


def test_failures_are_counted_by_kind_and_cost_their_candidate_only():
    problem = problem_of(boxes.moody)
    search = search_of(problem, replace(SETTINGS, evaluations=120, retries=0))
    search.advance(120)
    search.close()
    kinds = {kind: count for kind, (count, _) in search.failures.items()}
    assert set(kinds) == {"raised", "not finite", "wrong shape", "died"}
    assert search.evaluations == 120
    assert sum(kinds.values()) == search.refused
    assert search.occupied > 0
    assert (search.elites().x[:, 2] >= 0.5).all()
    again = Illumination.restore(problem, search.tolerances, search.settings, search.state())
    assert again.failures == search.failures


def test_a_search_that_is_not_patient_comes_back_without_an_answer():
    search = search_of(problem_of(boxes.hangs), outside=RunServices(patience=0.05))
    search.advance(10)
    search.close()
    assert search.evaluations == 0


def test_a_function_with_a_kernel_needs_no_workers():
    from mapelites.problems import get

    problem = get("C17", 10)
    assert_same(illuminate(problem, evaluations=3_000, workers=3), illuminate(problem, evaluations=3_000))
