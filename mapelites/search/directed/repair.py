"""Repair: Newton steps on the violated constraints.

P. Chootinan and A. Chen, "Constraint handling in genetic algorithms using a gradient-based repair method",
2006: d = J⁺ ΔC, with J from finite differences. Here the pseudo-inverse is damped, J⁺ = Jᵀ (J Jᵀ + λI)⁻¹, and
one Jacobian serves several steps, corrected after each one by C. G. Broyden's rank-one update (1965).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from mapelites.core.kernels import KERNEL_TYPE, VECTOR, compiled_for
from mapelites.search.directed.common import (
    aimed_change,
    copy,
    dot,
    evaluate,
    jacobian,
    moved_point,
    step_between,
    violation,
)
from mapelites.search.directed.memory import WORK_TYPE
from mapelites.search.emitters.line import between_two
from mapelites.search.pieces import piece
from mapelites.search.state import EVALUATIONS, MAP_TYPE, OCCUPIED, STATE_TYPE

if TYPE_CHECKING:
    from mapelites.search.directed.loop import Directed

DIFFERENCE = 1e-7
STEPS = 4
DAMPING = 1e-8


@piece
def solve_positive(matrix, right, size):
    """Solve in place a system whose matrix is symmetric and positive definite (Cholesky)."""
    for j in range(size):
        for k in range(j):
            matrix[j, j] -= matrix[j, k] * matrix[j, k]
        matrix[j, j] = np.sqrt(max(matrix[j, j], 1e-300))
        for i in range(j + 1, size):
            for k in range(j):
                matrix[i, j] -= matrix[i, k] * matrix[j, k]
            matrix[i, j] /= matrix[j, j]
    for i in range(size):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]


@piece
def newton_step(values, full, low, high, slopes, wanted, square, step):
    """The shortest step that brings the constraints into [low, high] to first order. Returns how many were outside."""
    count = 0
    for i in range(low.size):
        change = aimed_change(values[1 + i], low[i], high[i])
        if change != 0.0:
            copy(full[1 + i], slopes[count])
            wanted[count] = change
            count += 1
    for i in range(count):
        for k in range(count):
            square[i, k] = dot(slopes[i], slopes[k])
    for i in range(count):
        square[i, i] = square[i, i] * (1.0 + DAMPING) + 1e-300
    solve_positive(square, wanted, count)
    for j in range(step.size):
        step[j] = 0.0
        for i in range(count):
            step[j] += slopes[i, j] * wanted[i]
    return count


@piece
def distance(values, low, high, scale):
    """The scaled distances of the constraints' values to their intervals, added up."""
    total = 0.0
    for i in range(values.size - 1):
        total += abs(aimed_change(values[1 + i], low[i], high[i])) / scale[i]
    return total if np.isfinite(total + values[0]) else np.inf


@piece
def broyden(full, before, after, step):
    """Correct a Jacobian so that it explains the last step."""
    length = dot(step, step)
    for i in range(full.shape[0]):
        error = (after[i] - before[i] - dot(full[i], step)) / length
        if np.isfinite(error):
            for j in range(step.size):
                full[i, j] += error * step[j]


@piece
def repair(kernel, state, m, work, budget, x, values, scale, made_by):
    """Move `x` towards the intervals in `work`; n evaluations and up to STEPS more.

    `x` and `values` end as the point met that is nearest to them.
    """
    full, here, there = work.jacobian, work.here, work.there
    low, high, trial, found = work.low, work.high, work.trial, work.found
    jacobian(kernel, state, m, work.gain, budget, x, values, DIFFERENCE, made_by, found, full)
    copy(x, here)
    copy(values, there)
    best = distance(values, low, high, scale)
    for _ in range(STEPS):
        count = newton_step(there, full, low, high, work.slopes, work.wanted, work.square, work.step)
        if count == 0 or moved_point(m, here, work.step, 1.0, trial) == 0.0:
            break
        evaluate(kernel, state, m, work.gain, budget, trial, found, made_by)
        now = distance(found, low, high, scale)
        if not now < np.inf:
            break
        step_between(m, here, trial, work.step)
        broyden(full, there, found, work.step)
        worse = now > 0.9 * best
        if now < best:
            best = now
            copy(trial, x)
            copy(found, values)
        if worse or best == 0.0:
            break
        copy(trial, here)
        copy(found, there)


@piece
def feasible_interval(rule, low, high):
    """The intervals of a feasible solution."""
    for i in range(low.size):
        low[i], high[i] = -np.inf, 0.0
        if i >= rule.inequalities:
            low[i], high[i] = -rule.equality_tolerance, rule.equality_tolerance


@piece
def repaired(kernel, state, m, work, budget, x, values, scale, made_by):
    """Repair `x` towards feasibility, a hair inside it against rounding; returns its violation φ."""
    feasible_interval(m.rule, work.low, work.high)
    for i in range(scale.size):
        margin = 1e-9 * scale[i] if i < m.rule.inequalities else 1e-3 * m.rule.equality_tolerance
        work.low[i] += margin
        work.high[i] -= margin
    repair(kernel, state, m, work, budget, x, values, scale, made_by)
    return violation(values, scale, m.rule)


@compiled_for(KERNEL_TYPE, STATE_TYPE, MAP_TYPE, VECTOR, WORK_TYPE, types.int64, types.int64, types.int64)
def mend(kernel, state, m, scale, work, budget, until, made_by):
    """Variations of elites, each repaired where it is infeasible; the last one may go a repair beyond `until`."""
    x, values = work.x, work.values
    while state.counters[EVALUATIONS] < min(until, budget):
        between_two(state.rng, m, state.x, state.counters[OCCUPIED], x)
        evaluate(kernel, state, m, work.gain, budget, x, values, made_by)
        phi = violation(values, scale, m.rule)
        if phi > 0.0 and phi < np.inf:
            repaired(kernel, state, m, work, budget, x, values, scale, made_by)


def mend_in_turn(search: Directed, until: int, made_by: int) -> None:
    """A turn; before typical sizes of the constraints are known, they are taken to be 1."""
    scale = search.scale if search.scale[:1].any() else np.ones(len(search.problem.constraints))
    mend(search.kernel, search.state, search.map, scale, search.work, search.budget, until, made_by)
