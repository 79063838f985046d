"""The log of evaluations: what was answered is found again, whatever happened to others, and in little memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np

from mapelites.evaluation.answer import FINE, Answer
from mapelites.evaluation.log_file import LogFile, layout
from mapelites.problems import get

PROBLEM = get("C17", 10)


def written(path: Path, count: int) -> np.ndarray:
    """A log of so many evaluations; their solutions."""
    x = np.random.default_rng(1).random((count, PROBLEM.dimension))
    log = LogFile(path, PROBLEM)
    for number, each in enumerate(x, start=1):
        log.add(number, each, 0, Answer(np.full(1 + len(PROBLEM.constraints), float(number)), FINE))
    return x


def test_each_answer_is_found_by_number_and_solution_and_a_damaged_one_is_not(tmp_path: Path) -> None:
    x = written(tmp_path / "log", 50)
    content = bytearray((tmp_path / "log").read_bytes())
    content[10 * layout(PROBLEM).itemsize + 20] ^= 1
    (tmp_path / "log").write_bytes(content)
    log = LogFile(tmp_path / "log", PROBLEM)
    for number, each in enumerate(x, start=1):
        found = log.find(number, each)
        if number == 11:
            assert found is None
        else:
            assert found is not None
            assert found.values.tolist() == [float(number)] * (1 + len(PROBLEM.constraints))
    assert log.find(5, x[6]) is None, "it is another solution's number"
    assert log.find(51, x[0]) is None


def test_to_look_an_answer_up_takes_a_part_of_the_memory_that_the_log_has_bytes(tmp_path: Path) -> None:
    x = written(tmp_path / "log", 40_000)
    log = LogFile(tmp_path / "log", PROBLEM)
    tracemalloc.start()
    found = log.find(40_000, x[-1])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    assert peak < (tmp_path / "log").stat().st_size
