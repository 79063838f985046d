"""Everything the directed search holds between two turns besides the archive, as plain arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LARGEST, SMALLEST = 60, 12  # members of a population at the beginning and at the end
LEARNED = 6  # successful (F, CR) pairs remembered by each strategy
PLANES = 32  # linear pieces of a kinked objective that a solver keeps

# Places in a population's `counts`.
SIZE, FILLED, NEXT, SUCCESSES, IDLE, RESTARTS, PLACE, MENDING = range(8)

# Places in a solver's `counts` and `numbers`.
ACTIVE, ITERATION, LIMIT, FAILED, GRADIENT, PLANES_USED, SLOW_STEPS = range(7)
RADIUS, STEP, MARK, KNOWN = range(4)
NO_GRADIENT, OLD_GRADIENT, NEW_GRADIENT = range(3)


class Population(NamedTuple):
    """A population of differential evolution."""

    x: Floats  # (LARGEST, n)
    values: Floats  # (LARGEST, 1 + m + p)
    counts: Integers  # SIZE to MENDING, the evaluations spent on repairing offspring
    epsilon: Floats  # (2,): ε(0), the level at the beginning, and the power by which it falls
    learned: Floats  # (2 strategies, LEARNED, 2): F and CR
    successes: Floats  # (2, 5): sums over the successes of one generation


class Solver(NamedTuple):
    """A local descent in progress. Derivatives are with respect to variables that run from 0 to 1."""

    x: Floats  # (n,)
    values: Floats  # (1 + m + p,)
    low: Floats  # (m + p,): the interval to which each constraint's value shall be brought
    high: Floats
    jacobian: Floats  # (1 + m + p, n)
    hessian: Floats  # (n, n): of the Lagrangian, as learned
    inverse: Floats  # (n, n): of the Hessian
    multipliers: Floats  # (m + p,)
    penalties: Floats  # (m + p,)
    moved: Floats  # (n,): the last step
    slopes: Floats  # (PLANES, n): gradients of the linear pieces of f
    heights: Floats  # (PLANES,): their values at x, below f
    numbers: Floats  # RADIUS to KNOWN
    counts: Integers  # ACTIVE to SLOW_STEPS


class Work(NamedTuple):
    """Scratch space: nothing in it outlives a turn."""

    x: Floats  # (n,)
    values: Floats
    here: Floats
    there: Floats
    trial: Floats
    found: Floats
    corrected: Floats
    again: Floats
    step: Floats
    moved: Floats
    change: Floats  # (n,)
    product: Floats  # (n,)
    jacobian: Floats  # (1 + m + p, n)
    slopes: Floats  # (m + p, n)
    wanted: Floats  # (m + p,)
    low: Floats
    high: Floats
    square: Floats  # (m + p, m + p)
    gradients: Floats  # (1 + PLANES + m + p, n)
    images: Floats  # the same, times the inverse Hessian
    gram: Floats  # their inner products
    heights: Floats  # (1 + PLANES,)
    weights: Floats  # (1 + PLANES + m + p,)
    slack: Floats  # (1 + PLANES + m + p,)
    frozen: Integers  # (n,)
    bins: Integers  # (m + p,)
    levels: Floats  # (LARGEST,)
    gain: Floats  # (1,): what the candidates of this turn did to the map


def new_population(n: int, constraints: int) -> Population:
    """No members yet."""
    counts = np.zeros(MENDING + 1, dtype=np.int64)
    counts[SIZE] = LARGEST
    learned = np.empty((2, LEARNED, 2))
    learned[..., 0], learned[..., 1] = 0.5, 0.8
    return Population(
        np.zeros((LARGEST, n)), np.zeros((LARGEST, 1 + constraints)), counts, np.zeros(2), learned, np.zeros((2, 5))
    )


def new_solver(n: int, constraints: int) -> Solver:
    """A solver that has nothing to do."""
    values = 1 + constraints
    return Solver(
        np.zeros(n), np.zeros(values), np.zeros(constraints), np.zeros(constraints), np.zeros((values, n)),
        np.zeros((n, n)), np.zeros((n, n)), np.zeros(constraints), np.zeros(constraints), np.zeros(n),
        np.zeros((PLANES, n)), np.zeros(PLANES), np.zeros(4), np.zeros(7, dtype=np.int64),
    )  # fmt: skip


def new_work(n: int, constraints: int) -> Work:
    """Scratch space for a problem of n variables."""
    values, rows = 1 + constraints, 1 + PLANES + constraints
    return Work(
        np.zeros(n), np.zeros(values), np.zeros(n), np.zeros(values), np.zeros(n), np.zeros(values), np.zeros(n),
        np.zeros(values), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros((values, n)),
        np.zeros((constraints, n)), np.zeros(constraints), np.zeros(constraints), np.zeros(constraints),
        np.zeros((constraints, constraints)), np.zeros((rows, n)), np.zeros((rows, n)), np.zeros((rows, rows)),
        np.zeros(1 + PLANES), np.zeros(rows), np.zeros(rows), np.zeros(n, dtype=np.int64),
        np.zeros(constraints, dtype=np.int64), np.zeros(LARGEST), np.zeros(1),
    )  # fmt: skip


POPULATION_TYPE = typeof(new_population(1, 1))
SOLVER_TYPE = typeof(new_solver(1, 1))
WORK_TYPE = typeof(new_work(1, 1))
