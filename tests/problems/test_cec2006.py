"""g01 to g24 agree with pygmo, which computes what the competition's own code does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mapelites import Tolerances, illuminate
from mapelites.problems import cec2006, get, names, suites

POINTS = json.loads((Path(__file__).parents[1] / "data" / "cec2006_points.json").read_text())["problems"]


@pytest.mark.parametrize("name", cec2006.NAMES)
def test_every_value_is_pygmos(name: str) -> None:
    problem, reference = get(name), POINTS[name]
    assert problem.inequalities == reference["inequalities"]
    assert np.allclose(problem.lower, reference["lower"], atol=1e-5)
    assert np.allclose(problem.upper, reference["upper"])
    expected = np.array(reference["values"])
    assert np.allclose(problem.values(reference["x"]), expected, rtol=1e-9, atol=1e-9)
    f, *constraints = expected[-1]  # the best known solution
    assert f == pytest.approx(problem.best_known, rel=1e-8)
    violation = problem.evaluate(reference["x"][-1:]).violations
    assert (violation < (0.5 if name == "g20" else 2e-4)).all()  # of g20 no feasible solution is known
    assert len(constraints) == len(problem.constraints)


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
