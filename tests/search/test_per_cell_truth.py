"""What a map must hold, by dense sampling in two variables: which cells exist, which were found, how good they are."""

import numpy as np
import pytest

from mapelites import Tolerances, illuminate
from mapelites.problems import get
from mapelites.problems.formulas import problem_of

LENS = problem_of(
    "variable x from -2 to 2\nvariable y from -2 to 2\nminimise x + sin(3*y)\n"
    "subject to\n  outer: x^2 + y^2 <= 1.5\n  slope: y - x <= 0.5"
)
SIDE = 1_600


@pytest.mark.parametrize("problem", [get("three-bar-truss"), LENS], ids=["truss", "lens"])
def test_every_cell_that_exists_is_found_and_nearly_all_hold_what_is_best_there(problem):
    tolerances = Tolerances.default(problem)
    sides = [np.linspace(low, high, SIDE) for low, high in zip(problem.lower, problem.upper, strict=True)]
    dense = problem.evaluate(np.array(np.meshgrid(*sides)).reshape(2, -1).T)
    finite = np.isfinite(dense.f) & np.isfinite(dense.violations).all(axis=1)
    cells = tolerances.cell(tolerances.bins(dense.violations[finite]))
    exist, place = np.unique(cells, return_inverse=True)
    best = np.full(len(exist), np.inf)
    np.minimum.at(best, place, dense.f[finite])
    archive = illuminate(problem, tolerances, evaluations=30_000, seed=3)
    found = {elite.cell: elite.f for elite in archive}
    good = [found.get(cell, np.inf) <= f + 2e-3 * abs(f) for cell, f in zip(exist.tolist(), best, strict=True)]
    assert len(exist) > 12
    assert set(exist.tolist()) - found.keys() == set()
    assert np.mean(good) >= 0.9
