"""Mutated run files are refused with "not a run file, because ..." and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mapelites import Settings, Tolerances
from mapelites.core.problem import Problem
from mapelites.problems import get
from mapelites.problems.formulas import problem_of
from mapelites.problems.own import files
from mapelites.runs import RunRequest, Store
from tests.hostile.files import bombard
from tests.hostile.slowest import Slowest
from tests.runs.test_store import begin, finish
from tests.runs.tools import request

FORMULAS = "problem Mine\nvariable x from 0 to 1\nlet a = x^2\nminimise a + 1\nsubject to x >= 0.5\n"


def run_files(store: Store) -> list[bytes]:
    """Runs to mutate: finished, half done with a checkpoint, not begun, a saved map alone, and of somebody's own
    problems, as formulas and as a description of a Python file.
    """
    done = finish(store, request(evaluations=5_000))
    half = begin(store, request(evaluations=50_000_000))
    fresh = store.create(request())
    snapshot = store.snapshot(done)
    assert snapshot is not None
    described = files.problem_from_description(
        files.describe_problem(replace(get("C17", 10), name="mine"), "mine.py", "", {})
    )
    own = [store.create(of_own(each)) for each in (problem_of(FORMULAS), described)]
    return [*map(store.export, (done, half, fresh, *own)), snapshot.to_bytes()]


def of_own(problem: Problem) -> RunRequest:
    return RunRequest.of(problem, Tolerances.default(problem), Settings.of("paper-3", problem.dimension))


@pytest.mark.parametrize("seed", [1, 2])
def test_mutated_run_files_are_refused_in_words_or_harmless(tmp_path: Path, seed: int) -> None:
    store = Store(tmp_path)
    ends = bombard(store, run_files(store), 120, seed, Slowest())
    assert ends["refused"] > 50
