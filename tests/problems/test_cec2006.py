"""g01 to g24 agree with pygmo, which computes what the competition's own code does, and with pymoo."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from pymoo.problems.single import g

from mapelites import Tolerances, illuminate
from mapelites.core.problem import violations
from mapelites.problems import get, names, suites
from mapelites.problems.suites import cec2006
from tests.problems.test_cec2020 import as_written

POINTS = json.loads((Path(__file__).parents[1] / "data" / "cec2006_points.json").read_text())["problems"]


@pytest.mark.parametrize("name", cec2006.NAMES)
def test_every_value_is_pygmos(name: str) -> None:
    problem, reference = get(name), POINTS[name]
    assert problem.inequalities == reference["inequalities"]
    assert np.allclose(problem.lower, reference["lower"], atol=1e-5)
    assert np.allclose(problem.upper, reference["upper"])
    expected = np.array(reference["values"])
    found = as_written(problem, np.array(reference["x"]))
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-9)
    f, *constraints = expected[-1]  # the best known solution
    assert f == pytest.approx(problem.best_known, rel=1e-8)
    m = problem.inequalities
    violation = violations(found[-1:, 1 : 1 + m], found[-1:, 1 + m :])
    assert (violation < (0.5 if name == "g20" else 2e-4)).all()  # of g20 no feasible solution is known
    assert len(constraints) == len(problem.constraints)


@pytest.mark.parametrize("name", sorted({*cec2006.NAMES} - {"g04", "g11", "g17"}))
def test_every_value_is_pymoos_too(name: str) -> None:
    """g04 comes in another order there; g11's equality is an inequality there, and g17 counts other amounts."""
    problem, theirs = get(name), getattr(g, f"G{int(name[1:])}")()
    x = np.random.default_rng(1).uniform(problem.lower, problem.upper, (20, problem.dimension))
    parts = theirs.evaluate(x, return_values_of=["F", "G", "H"])
    expected = np.concatenate([np.reshape(each, (20, -1)) for each in parts], axis=1)
    assert np.allclose(as_written(problem, x), expected, rtol=1e-9, atol=1e-9)


def test_they_are_compiled_and_told_in_formulas() -> None:
    for name in cec2006.NAMES:
        problem = get(name)
        assert problem.compiled
        assert problem.formula
        assert all(each.formula for each in problem.constraints)


def test_they_are_listed_and_half_of_them_have_five_to_38_constraints() -> None:
    assert suites()["CEC 2006"] == cec2006.NAMES
    assert set(cec2006.NAMES) <= set(names())
    counts = [len(get(name).constraints) for name in cec2006.NAMES]
    assert (sum(count >= 5 for count in counts), max(counts)) == (12, 38)


def test_a_search_of_one_finds_its_published_best() -> None:
    problem = get("g24")
    best = illuminate(problem, Tolerances.default(problem), search="directed", evaluations=4_000).best(feasible=True)
    assert best is not None
    assert problem.best_known is not None
    assert best.f == pytest.approx(problem.best_known, rel=1e-6)
