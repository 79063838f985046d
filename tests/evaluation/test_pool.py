"""Processes that evaluate: every kind of trouble costs one candidate, and is told in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mapelites.evaluation.answer import DIED, FINE, NOT_FINITE, RAISED, TOO_SLOW, WRONG_SHAPE
from mapelites.evaluation.pool import WorkerPool
from tests.evaluation import black_boxes as boxes
from tests.evaluation.black_boxes import Function, counted, problem_of

POINT = np.array([0.5, 0.25, 0.75])


def all_answers(crew: WorkerPool, count: int) -> dict[int, tuple[int, str]]:
    found = {}
    while len(found) < count:
        found |= {number: (answer.status, answer.words) for number, answer in crew.collect()}
    return found


@pytest.mark.parametrize(
    ("function", "status", "words"),
    [
        (boxes.disc, FINE, ""),
        (boxes.raises, RAISED, "ArithmeticError: the solver did not converge (black_boxes.py, line"),
        (boxes.not_a_number, NOT_FINITE, "f is no finite number"),
        (
            boxes.wrong_count,
            WRONG_SHAPE,
            "must return one f, 1 inequalities and 1 equalities, but it returned 1, 2 and 1",
        ),
        (
            boxes.wrong_kind,
            WRONG_SHAPE,
            "must return f, the list of g and the list of h, all of them numbers, but it returned 1",
        ),
        (boxes.nested, WRONG_SHAPE, "but it returned 1, 2 and 1"),
        (boxes.killed, DIED, "its process was killed by SIGKILL"),
        (boxes.exits, DIED, "its process ended with code 3"),
        (boxes.hangs, TOO_SLOW, "no answer within 1 s"),
    ],
)
def test_what_goes_wrong_is_told_in_words_and_the_next_candidate_is_evaluated(
    function: Function, status: int, words: str
) -> None:
    def sometimes(x: np.ndarray) -> object:
        return boxes.disc(x) if x[0] > 0.9 else function(x)

    crew = WorkerPool(problem_of(sometimes), workers=1, time_limit=1.0 if function is boxes.hangs else 60.0)
    try:
        crew.submit(1, POINT)
        crew.submit(2, np.array([1.0, 0.25, 0.75]))
        answers = all_answers(crew, 2)
        assert answers[1][0] == status
        assert words in answers[1][1]
        assert answers[2] == (FINE, "")
    finally:
        crew.close()


def test_values_come_back_to_the_last_bit() -> None:
    points = np.random.default_rng(1).uniform(-2, 2, (40, 3))
    problem = problem_of(boxes.disc)
    crew = WorkerPool(problem, workers=3)
    try:
        for number, x in enumerate(points):
            crew.submit(number, x)
        found: dict[int, np.ndarray] = {}
        while len(found) < len(points):
            found |= {number: answer.values for number, answer in crew.collect()}
        assert np.array_equal([found[number] for number in range(len(points))], problem.values(points))
    finally:
        crew.close()


@pytest.mark.parametrize(("function", "times"), [(boxes.raises, 1), (boxes.killed, 3), (boxes.not_a_number, 1)])
def test_what_may_go_better_is_tried_again_and_what_may_not_is_not(
    tmp_path: Path, function: Function, times: int
) -> None:
    calls = tmp_path / "calls"
    crew = WorkerPool(problem_of(counted(calls, function)), workers=2, retries=2)
    try:
        crew.submit(1, POINT)
        assert len(all_answers(crew, 1)) == 1
        assert len(calls.read_text().splitlines()) == times
    finally:
        crew.close()


def test_a_function_that_forks_and_comes_back_twice_gives_each_candidate_its_own_values() -> None:
    points = np.random.default_rng(2).uniform(-2, 2, (12, 3))
    crew = WorkerPool(problem_of(boxes.forks), workers=2)
    try:
        for number, x in enumerate(points):
            crew.submit(number, x)
        found: dict[int, np.ndarray] = {}
        while len(found) < len(points):
            found |= {number: answer.values for number, answer in crew.collect()}
        assert np.array_equal([found[number] for number in range(len(points))], problem_of(boxes.disc).values(points))
    finally:
        crew.close()


def test_all_processes_are_gone_when_the_crew_is_closed() -> None:
    crew = WorkerPool(problem_of(boxes.hangs), workers=3)
    for number in range(3):
        crew.submit(number, POINT)
    processes = [member.pid for member in crew._busy]
    assert len(processes) == 3
    crew.close()
    for pid in processes:
        assert not Path(f"/proc/{pid}").exists()
