"""Questions answered without any search of ours: SciPy's SLSQP from many starts, on the problem's values alone.

Gradients are differences of the values. A variable with steps is first taken to be continuous; then its nearest values
are tried one by one, the others free.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from mapelites.core.problem import Problem

Array = NDArray[np.float64]
STARTS = 24
NEIGHBOURS = 2  # steps to either side of the continuous value
WITHIN = 1e-7  # of the constraint's size: what a solution may miss its tolerances by
DIFFERENCE = 1e-7  # of a variable's range
RECORDED = Path(__file__).parents[1] / "data" / "relaxations.json"


def recorded() -> dict[str, dict[str, list[float]]]:
    """What `tools/relaxations.py` has found for the gallery: by design and constraint the optimum at each level."""
    return json.loads(RECORDED.read_text())["optima"]


def optimum(
    problem: Problem, tolerances: Array, warm: list[Array] | None = None, starts: int = STARTS
) -> tuple[float, Array]:
    """The lowest f found with violations up to these tolerances, and where; infinite where none was found."""
    rng = np.random.default_rng(0)
    width = problem.upper - problem.lower
    begin = [*(warm or []), *(problem.lower + rng.random((starts, problem.dimension)) * width)]
    stepped = np.flatnonzero(problem.steps)
    best = (np.inf, np.array(begin[0]))
    for x in begin:
        best = min(
            best, _descend(problem, tolerances, x, np.zeros(problem.dimension, dtype=bool)), key=lambda each: each[0]
        )
    if not len(stepped) or not np.isfinite(best[0]):
        return best
    found = (np.inf, best[1])
    for values in product(*(_nearest(problem, i, best[1][i]) for i in stepped)):
        fixed = np.zeros(problem.dimension, dtype=bool)
        fixed[stepped] = True
        for x in [best[1], *(warm or [])]:
            start = x.copy()
            start[stepped] = values
            found = min(found, _descend(problem, tolerances, start, fixed), key=lambda each: each[0])
    return found


def _nearest(problem: Problem, i: int, value: float) -> list[float]:
    step, low, high = problem.steps[i], problem.lower[i], problem.upper[i]
    middle = round((value - low) / step)
    found = (low + step * k for k in range(middle - NEIGHBOURS, middle + NEIGHBOURS + 1))
    return [each for each in found if low <= each <= high + 1e-12]


def _descend(problem: Problem, tolerances: Array, x: Array, fixed: NDArray[np.bool_]) -> tuple[float, Array]:
    free = np.flatnonzero(~fixed)
    low, high = problem.lower[free], problem.upper[free]
    m = problem.inequalities
    sizes = np.array([each.reference or 1.0 for each in problem.constraints])
    seen: dict[bytes, tuple[Array, Array]] = {}

    def whole(part: Array) -> Array:
        point = x.copy()
        point[free] = np.clip(part, low, high)
        return point

    def plain(points: Array) -> Array:
        """Values of points between the steps too."""
        out = np.empty((len(points), 1 + len(problem.constraints)))
        for row, point in zip(out, points, strict=True):
            problem.function(point, problem.data, row)
        return out

    def both(part: Array) -> tuple[Array, Array]:
        key = part.tobytes()
        if key not in seen:
            delta = DIFFERENCE * (high - low)
            signs = np.where(part + delta > high, -1.0, 1.0)
            points = np.array([whole(part), *(whole(part + signs * delta * row) for row in np.eye(len(free)))])
            with np.errstate(all="ignore"):
                values = plain(points)
            seen[key] = values[0], ((values[1:] - values[0]) / (signs * delta)[:, None]).T
        return seen[key]

    def slack(part: Array) -> Array:
        raw = both(part)[0][1:]
        return np.concatenate([(tolerances - raw) / sizes, ((tolerances + raw) / sizes)[m:]])

    def slopes(part: Array) -> Array:
        jacobian = both(part)[1][1:] / sizes[:, None]
        return np.concatenate([-jacobian, jacobian[m:]])

    scale = max(abs(both(x[free])[0][0]), 1e-9)
    solved = minimize(
        lambda part: both(part)[0][0] / scale, x[free], jac=lambda part: both(part)[1][0] / scale, method="SLSQP",
        bounds=list(zip(low, high, strict=True)), constraints={"type": "ineq", "fun": slack, "jac": slopes},
        options={"maxiter": 300, "ftol": 1e-12},
    )  # fmt: skip
    point = whole(solved.x)
    values = plain(point[None])[0]
    inside = np.isfinite(values).all() and (slack(point[free]) >= -WITHIN).all()
    return (float(values[0]) if inside else np.inf), point
