"""The local price: Lagrange multipliers at one design, from finite differences of the problem itself.

Where a design is the best under tolerances that hold it, its objective's gradient is made up of the gradients
of those constraints, `-grad f = sum lambda_i grad c_i` with the bounds as further constraints; lambda_i then is
what one unit of tolerance on constraint i buys, for small changes. How well the sum fits says whether that holds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mapelites.core.problem import Array, Problem

NEAR = 1e-3  # the share of the bounds' width within which a constraint or a bound counts as reached
STEP = 1e-6  # of the bounds' width: a balance between curvature and rounding
TINY = 1e-12  # of rounding
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


def evaluations_needed(problem: Problem) -> int:
    """How many evaluations one answer takes."""
    return 2 * problem.dimension + 1


def multipliers_at(problem: Problem, x: Array) -> Multipliers | None:
    """At one solution; None where the problem gives no finite numbers around it or the objective is flat."""
    width = problem.upper - problem.lower
    # Central differences; at a bound the outer point stays on it, and the quotient is one-sided.
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
    columns, reached = _reached(problem, x, values[0, 1:], slopes)
    found = np.zeros(len(problem.constraints))
    if not columns.shape[1]:
        return Multipliers(found, 1.0)
    # Columns of length one: constraints of any unit weigh the same in the fit.
    scale = np.linalg.norm(columns, axis=0)
    fit = nonnegative_least_squares(columns / scale, -gradient)
    # Bounds come last among the columns and belong to no constraint; an equality's two columns add up.
    np.add.at(found, reached, (fit / scale)[: len(reached)])
    return Multipliers(found, float(np.linalg.norm((columns / scale) @ fit + gradient)) / size)


def nonnegative_least_squares(columns: Array, target: Array) -> Array:
    """The amounts, none below 0, of the columns whose sum comes closest to a target (C. L. Lawson and R. J. Hanson,
    Solving Least Squares Problems, 1974, chapter 23)."""
    amounts = np.zeros(columns.shape[1])
    used = np.zeros(columns.shape[1], dtype=bool)
    enough = TINY * float(np.linalg.norm(target))
    for _ in range(3 * columns.shape[1]):
        # The column whose growth lowers the distance most joins the set (step 4 of their algorithm NNLS).
        slope = np.where(used, -np.inf, columns.T @ (target - columns @ amounts))
        if slope.max() <= enough:
            break
        used[int(np.argmax(slope))] = True
        while used.any():
            trial = np.zeros(columns.shape[1])
            trial[used] = np.linalg.lstsq(columns[:, used], target, rcond=None)[0]
            # Amounts must not be below 0: go from the old amounts towards the trial only until the first one is 0, let
            # go of it, and solve again (steps 8 to 11).
            below = used & (trial <= 0)
            if not below.any():
                amounts = trial
                break
            share = float(np.min(amounts[below] / (amounts[below] - trial[below])))
            amounts = np.where(used, amounts + share * (trial - amounts), 0.0)
            used &= amounts > TINY * float(amounts.max(initial=0.0))
            amounts[~used] = 0.0
    return amounts


def _reached(problem: Problem, x: Array, values: Array, slopes: Array) -> tuple[Array, list[int]]:
    """The gradients of what holds the design, those of constraints first, with which constraint each belongs to.

    An inequality that is violated, or nearly, is held where it is and pushes one way only. An equality pushes the
    way its violation goes; one with none to speak of may push either way, so its gradient is there both ways.
    """
    steep = np.linalg.norm(slopes, axis=0)
    columns, reached = [], []
    for i, constraint in enumerate(problem.constraints):
        inequality = constraint.kind == "inequality"
        if steep[i] == 0 or (inequality and values[i] < -NEAR * steep[i]):
            continue
        either = not inequality and abs(values[i]) <= problem.equality_tolerance
        ways = (1.0, -1.0) if either else (1.0 if inequality or values[i] > 0 else -1.0,)
        for way in ways:
            columns.append(way * slopes[:, i])
            reached.append(i)
    width = problem.upper - problem.lower
    for bound, side in ((problem.lower, -1.0), (problem.upper, 1.0)):
        columns += [side * np.eye(len(x))[k] for k in np.flatnonzero(np.abs(x - bound) <= NEAR * width)]
    return np.column_stack(columns) if columns else np.empty((len(x), 0)), reached
