"""The local price: Lagrange multipliers at one design, from finite differences of the problem itself.

Where a design is the best under tolerances that hold it, its objective's gradient is made up of the gradients
of those constraints, `-grad f = sum lambda_i grad c_i` with the bounds as further constraints; lambda_i then is
what one unit of tolerance on constraint i buys, for small changes. How well the sum fits says whether that holds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mapelites.problem import Array, Problem

NEAR = 1e-3  # the share of the bounds' width within which a constraint or a bound counts as reached
STEP = 1e-6  # of the bounds' width: a balance between curvature and rounding
BAD_FIT = 0.1  # the share of the gradient that may stay unexplained


@dataclass(frozen=True)
class Multipliers:
    """lambda per constraint (0 where it is not reached), and the share of the gradient that none explains."""

    values: Array
    unexplained: float

    @property
    def sound(self) -> bool:
        """Whether the design is close enough to a stationary point for the numbers to mean something."""
        return self.unexplained <= BAD_FIT


def evaluations(problem: Problem) -> int:
    """How many evaluations one answer takes."""
    return 2 * problem.dimension + 1


def multipliers(problem: Problem, x: Array) -> Multipliers | None:
    """At one solution; None where the problem gives no finite numbers around it or the objective is flat."""
    width = problem.upper - problem.lower
    ahead = np.minimum(x + STEP * width, problem.upper)
    behind = np.maximum(x - STEP * width, problem.lower)
    points = np.tile(x, (2 * len(x) + 1, 1))
    index = np.arange(len(x))
    points[1 + index, index], points[1 + len(x) + index, index] = ahead, behind
    values = problem.values(points)
    if not np.isfinite(values).all():
        return None
    # Gradients per width of the bounds, so that variables of any unit weigh the same: (n, 1 + constraints).
    slopes = (values[1 : 1 + len(x)] - values[1 + len(x) :]) / ((ahead - behind) / width)[:, None]
    gradient, slopes = slopes[:, 0], slopes[:, 1:]
    size = float(np.linalg.norm(gradient))
    if size == 0:
        return None
    columns, lowest, reached = _reached(problem, x, values[0, 1:], slopes)
    found = np.zeros(len(problem.constraints))
    if not columns.shape[1]:
        return Multipliers(found, 1.0)
    from scipy.optimize import lsq_linear  # takes a while to import, which nobody else need wait for

    scale = np.linalg.norm(columns, axis=0)
    fit = lsq_linear(columns / scale, -gradient, (lowest, np.inf))
    found[reached] = np.abs(fit.x / scale)[: len(reached)]
    return Multipliers(found, float(np.linalg.norm((columns / scale) @ fit.x + gradient)) / size)


def _reached(problem: Problem, x: Array, values: Array, slopes: Array) -> tuple[Array, Array, list[int]]:
    """The gradients of what holds the design, constraints first and then bounds, with the lowest multiplier of each.

    An inequality that is violated, or nearly, is held where it is and pushes one way only; an equality is
    pushed the way its violation goes, and either way where it has none to speak of.
    """
    steep = np.linalg.norm(slopes, axis=0)
    near = NEAR * steep
    columns, lowest, reached = [], [], []
    for i, constraint in enumerate(problem.constraints):
        if steep[i] == 0 or (constraint.kind == "inequality" and values[i] < -near[i]):
            continue
        # The violation of an equality grows along its gradient where it is positive, against it where negative.
        side = -1.0 if constraint.kind == "equality" and values[i] < 0 else 1.0
        columns.append(side * slopes[:, i])
        lowest.append(
            -np.inf if constraint.kind == "equality" and abs(values[i]) <= problem.equality_tolerance else 0.0
        )
        reached.append(i)
    width = problem.upper - problem.lower
    for bound, side in ((problem.lower, -1.0), (problem.upper, 1.0)):
        for k in np.flatnonzero(np.abs(x - bound) <= NEAR * width):
            columns.append(side * np.eye(len(x))[k])
            lowest.append(0.0)
    table = np.column_stack(columns) if columns else np.empty((len(x), 0))
    return table, np.array(lowest), reached
