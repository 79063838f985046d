"""The real-world problems against values computed by the competition's own code.

Most are compared as they are written, without being compiled: compiling all of them takes minutes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mapelites.core.problem import Problem
from mapelites.problems import get
from mapelites.problems.formulas import problem_of
from mapelites.problems.suites import cec2020

REFERENCE = Path(__file__).parents[1] / "data" / "cec2020_reference_points.npz"


@pytest.fixture(scope="module")
def reference():
    with np.load(REFERENCE) as file:
        return dict(file)


def as_written(problem: Problem, x: np.ndarray) -> np.ndarray:
    """f, g and h of a batch, computed by the kernel as a plain Python function."""
    out = np.empty((len(x), 1 + len(problem.constraints)))
    with np.errstate(all="ignore"):
        for row, point in zip(out, x, strict=True):
            problem.function.py_func(point.copy(), problem.data, row)
    return out


def expected(reference, name):
    parts = [reference[f"{name}_{part}"].reshape(len(reference[f"{name}_x"]), -1) for part in "fgh"
             if f"{name}_{part}" in reference]  # fmt: skip
    return np.concatenate(parts, axis=1)


def assert_close(found, wanted):
    assert found.shape == wanted.shape
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    with np.errstate(invalid="ignore"):
        assert np.all(same | (np.abs(found - wanted) <= 1e-9 * np.maximum(1.0, np.abs(wanted))))


@pytest.mark.parametrize("name", cec2020.NAMES)
def test_every_value_is_the_competitions(name, reference):
    assert_close(as_written(get(name), reference[f"{name}_x"]), expected(reference, name))


@pytest.mark.parametrize("name", cec2020.AS_FORMULAS)
def test_formulas_have_the_competitions_values_too(name, reference):
    problem = get(name)
    typed = problem_of(problem.formulas)
    assert [each.name for each in typed.constraints] == [each.name for each in problem.constraints]
    assert (typed.variables, typed.equality_tolerance) == (problem.variables, problem.equality_tolerance)
    assert np.array_equal([typed.lower, typed.upper], [problem.lower, problem.upper])
    assert_close(typed.values(reference[f"{name}_x"]), expected(reference, name))


@pytest.mark.parametrize("name", ["RC05", "RC24", "RC33"])
def test_compiled_values_are_the_competitions_too(name, reference):
    assert_close(get(name).values(reference[f"{name}_x"]), expected(reference, name))


@pytest.mark.parametrize("name", cec2020.NAMES)
def test_every_problem_is_told_in_full(name):
    problem = get(name)
    assert problem.compiled
    assert problem.formula
    assert problem.difficulty
    assert problem.title.startswith(f"{name} ")
    assert cec2020.group(name)
    assert all(constraint.formula for constraint in problem.constraints)
    assert len(problem.data) or name not in cec2020.DATA


def test_listing_all_problems_compiles_none():
    program = """
from mapelites.problems import get, suites
listed = [get(name) for name in suites()["CEC 2020 real-world"]]
print(len(listed), sum(each.function.is_compiled for each in listed))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(len(cec2020.NAMES)), "0"]


@pytest.mark.parametrize(("name", "x"), [
    ("RC18", [13, 7, 42.0984455958549, 176.636595842439]),
    ("RC22", [40, 21, 14, 19, 14, 69, 3, 1, 2]),
    ("RC33", [1.0] * 30),
])  # fmt: skip
def test_known_optima_have_their_values_and_are_feasible(name, x):
    problem = get(name)
    values = as_written(problem, np.array([x], dtype=float))[0]
    assert values[0] == pytest.approx(problem.best_known, rel=1e-5)
    assert (values[1 : 1 + problem.inequalities] <= 1e-6).all()


def test_the_families_are_the_competitions():
    told = json.loads((Path(cec2020.__file__).parents[1] / "data" / cec2020.TEXTS).read_text("utf-8"))["problems"]
    sizes: dict[str, int] = {}
    for problem in told.values():
        sizes[problem["group"]] = sizes.get(problem["group"], 0) + 1
    assert sizes == {
        "Industrial chemical processes": 7, "Process synthesis and design": 7, "Mechanical engineering": 19,
        "Power systems": 11, "Power electronics": 6, "Livestock feed rations": 7,
    }  # fmt: skip
