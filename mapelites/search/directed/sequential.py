"""One question solved: minimise f with every constraint's value inside an interval, from one start.

Sequential quadratic programming: each step solves a quadratic model with linearised constraints and the bounds exactly
(`quadratic.py`); the Lagrangian's curvature is learned by M. J. D. Powell's damped update (1978); the exact penalty
decides how far to go, with a second-order correction where curved constraints spoil the step (R. Fletcher, 1982).

The steps aim a hair inside the intervals, and a descent that has ended is brought inside by steps onto the constraints
with the gradients it has: an answer is one only within the tolerances themselves. Variables run from 0 to 1; those that
take only some values stay where they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof, types

from mapelites.core.kernels import KERNEL_TYPE, compiled_for
from mapelites.core.problem import Problem
from mapelites.core.rounding import snap
from mapelites.search.directed.common import (
    aimed_change,
    copy,
    dot,
    evaluate,
    fill_with,
    largest,
    moved_point,
    step_between,
)
from mapelites.search.directed.memory import WORK_TYPE, Floats, Integers
from mapelites.search.directed.quadratic import QUADRATIC_TYPE, SOLVED, solve_quadratic, solve_relaxed
from mapelites.search.pieces import piece
from mapelites.search.state import EVALUATIONS, MAP_TYPE, STATE_TYPE

# Places in `counts` and `numbers`.
ACTIVE, ITERATION, LIMIT, FAILED, FRESH, LEARNED_FROM, RELAXING, RESET, INSIDE_AT_END, FREE = range(10)
ACCURACY, LENGTH, COST, KNOWN = range(4)

DIFFERENCE = 1e-7  # of a variable's range
INSIDE = 3e-8  # of the box, along a constraint's gradient: how far inside its interval a step aims
WIDTH = 0.02  # of an interval: the most by which a step aims inside
DEAR = 1e-5  # of f: what aiming inside may cost
MARGINS, NEARER = 2, 0.01  # steps towards the ends of the intervals, each leaving so much of the way inside
FIRST_STEP = 0.2  # of the box: the length of a first step without constraints
FLATTEN = 0.1
FAR, WORTH = 0.02, 1e-3
MOST_RESETS = 2
LOOK, HOPE = 4, 10.0  # iterations before a descent may be hopeless; times what the next step promises
SHORTEST = 1e-10
TRIALS = 6
CHORDS = 3  # steps onto the constraints with old gradients
MOST_FAILURES = 2
DESCENT = 1e-4  # of what the model promises
ON_GRID = 12  # iterations in which variables with steps move from one to another, before they stay
NOTHING, CURVATURE, GRADIENTS = range(3)  # what a descent keeps of the one before: each the earlier ones too


class Descent(NamedTuple):
    """A descent in progress."""

    x: Floats  # (n,)
    values: Floats  # (1 + m + p,)
    low: Floats  # (m + p,): the interval of each constraint's value
    high: Floats
    jacobian: Floats  # (1 + m + p, n)
    hessian: Floats  # (n, n): of the Lagrangian, as learned
    multipliers: Floats  # (m + p,): positive at the upper end, negative at the lower one
    penalties: Floats  # (m + p,)
    moved: Floats  # (n,): the last step
    before: Floats  # (n,): the Lagrangian's gradient where it began
    numbers: Floats  # ACCURACY to KNOWN
    counts: Integers  # ACTIVE to FREE


def new_descent(n: int, constraints: int) -> Descent:
    """A descent that has nothing to do."""
    c = constraints
    return Descent(
        np.zeros(n), np.zeros(1 + c), np.zeros(c), np.zeros(c), np.zeros((1 + c, n)), np.zeros((n, n)), np.zeros(c),
        np.zeros(c), np.zeros(n), np.zeros(n), np.zeros(4), np.zeros(10, dtype=np.int64),
    )  # fmt: skip


DESCENT_TYPE = typeof(new_descent(1, 1))


def exact_cost(problem: Problem) -> int:
    """What an exact Jacobian counts as, in evaluations; 0 where there are only differences, which count n.

    The compiled machine takes 2.5 to 4.2 times as long for a Jacobian as for an evaluation on the gallery's designs of
    3 to 9 variables, and its inner loop grows with them; it never counts more than differences would.
    """
    return 0 if problem.jacobian is None else min(problem.dimension, 2 + (problem.dimension + 3) // 4)


@piece
def set_out(m, descent, x, values, accuracy, limit, cost, known, keep, free):
    """Begin at a point that has been evaluated. The intervals must have been set.

    A descent that will not get below the objective that is `known` ends early.
    `cost` is what an exact Jacobian counts as, in evaluations, or 0 where there are only differences. `keep` says what
    stays of what was learned: the curvature, the gradients too, or nothing. With `free`, variables with steps move.
    """
    copy(x, descent.x)
    copy(values, descent.values)
    fill_with(descent.multipliers, 0.0)
    fill_with(descent.penalties, 0.0)
    learned = descent.counts[LEARNED_FROM]
    fill_with(descent.counts, 0)
    descent.counts[ACTIVE] = 1
    descent.counts[LIMIT] = limit
    descent.numbers[ACCURACY] = accuracy
    descent.numbers[LENGTH] = 1.0
    descent.numbers[COST] = cost
    descent.numbers[KNOWN] = known
    if keep >= CURVATURE and descent.hessian[0, 0] > 0.0:
        descent.counts[LEARNED_FROM] = learned
        descent.counts[FRESH] = keep == GRADIENTS
    else:
        descent.hessian[0, 0] = 0.0
    if free and m.steps.size > 0:
        descent.counts[FREE] = ON_GRID
        snap_to_grid(m, descent.x)


@piece
def snap_to_grid(m, x):
    """Move the variables that take only some values onto them."""
    for j in range(x.size):
        if m.steps[j] > 0.0:
            x[j] = snap(x[j], m.lower[j], m.upper[j], m.steps[j])


@piece
def stays(m, descent, j):
    """Whether a variable has steps and does not move."""
    return m.steps.size > 0 and m.steps[j] > 0.0 and descent.counts[FREE] == 0


@piece
def stay_on_grid(m, descent):
    """From now on the variables with steps stay where they are."""
    descent.counts[FREE] = 0
    for j in range(descent.x.size):
        if stays(m, descent, j):
            for i in range(descent.values.size):
                descent.jacobian[i, j] = 0.0
    fill_with(descent.moved, 0.0)  # nothing is learned from a step of variables that stay now
    begin_round(descent, FIRST_STEP)


@piece
def lagrangian_slope(descent, into):
    """∇f + Σ λ ∇c at the present Jacobian."""
    J = descent.jacobian
    for j in range(into.size):
        total = J[0, j]
        for i in range(descent.low.size):
            if descent.multipliers[i] != 0.0:
                total += descent.multipliers[i] * J[1 + i, j]
        into[j] = total


@piece
def differences(kernel, state, m, descent, work, budget, made_by):
    """Gradients by forward differences; of a variable with steps over one of them, or none where it stays."""
    x, values, J = descent.x, descent.values, descent.jacobian
    for j in range(x.size):
        if stays(m, descent, j):
            for i in range(values.size):
                J[i, j] = 0.0
            continue
        width = m.upper[j] - m.lower[j]
        kept = x[j]
        by = m.steps[j] if m.steps.size > 0 and m.steps[j] > 0.0 else DIFFERENCE * width
        x[j] = kept + by if kept + by <= m.upper[j] else kept - by
        distance = (x[j] - kept) / width
        evaluate(kernel, state, m, work.gain, budget, x, work.found, made_by)
        x[j] = kept
        for i in range(values.size):
            slope = (work.found[i] - values[i]) / distance
            J[i, j] = slope if np.isfinite(slope) else 0.0


@piece
def exact_gradients(slopes, state, m, descent, q, budget):
    """Gradients by the problem's own derivatives, which count as so many evaluations."""
    x, J, at, n = descent.x, descent.jacobian, descent.x, descent.x.size
    if m.steps.size > 0:
        at = m.rounded
        for j in range(n):
            at[j] = snap(x[j], m.lower[j], m.upper[j], m.steps[j])
    slopes(at, m.data, q.flat)
    state.counters[EVALUATIONS] = min(state.counters[EVALUATIONS] + np.int64(descent.numbers[COST]), budget)
    for j in range(n):
        width = m.upper[j] - m.lower[j]
        for i in range(J.shape[0]):
            slope = q.flat[i * n + j] * width
            J[i, j] = slope if np.isfinite(slope) else 0.0
        if stays(m, descent, j):
            for i in range(J.shape[0]):
                J[i, j] = 0.0


@piece
def bent_round(hessian, size):
    """The same curvature in all directions."""
    for i in range(hessian.shape[0]):
        for j in range(hessian.shape[1]):
            hessian[i, j] = size if i == j else 0.0


@piece
def begin_round(descent, length):
    """Forget the curvature: a bowl that is round, whose bottom without constraints is so far away."""
    size = np.sqrt(dot(descent.jacobian[0], descent.jacobian[0])) / length
    if not size < np.inf:  # the square of a steep slope is no number any more
        size = largest(descent.jacobian[0]) / length
    bent_round(descent.hessian, size if size > 0.0 else 1.0)
    descent.counts[LEARNED_FROM] = 0


@piece
def learn_curvature(descent, work):
    """Powell's damped update of the curvature, for the last step and the change of the Lagrangian's gradient."""
    B, s, y, Bs = descent.hessian, descent.moved, work.change, work.product
    lagrangian_slope(descent, y)
    for j in range(y.size):
        y[j] -= descent.before[j]
    if descent.counts[LEARNED_FROM] == 0:
        sy, yy = dot(s, y), dot(y, y)
        if sy > 1e-3 * np.sqrt(yy * dot(s, s)) and np.isfinite(yy):
            bent_round(B, yy / sy)
    sBs = 0.0
    for i in range(s.size):
        Bs[i] = dot(B[i], s)
        sBs += s[i] * Bs[i]
    sy = dot(s, y)
    if not (sBs > 0.0 and np.isfinite(sBs) and np.isfinite(sy)):
        return
    if sy < sBs:  # too steep a bowl is flattened first (M. Al-Baali, 1998)
        flat = max(sy / sBs, FLATTEN)
        sBs *= flat
        for i in range(s.size):
            Bs[i] *= flat
            for j in range(s.size):
                B[i, j] *= flat
    if sy < 0.2 * sBs:
        theta = 0.8 * sBs / (sBs - sy)  # eq. 5.9 of Powell
        for i in range(s.size):
            y[i] = theta * y[i] + (1.0 - theta) * Bs[i]
        sy = dot(s, y)
    if sy > 0.0:
        for i in range(s.size):
            for j in range(s.size):
                B[i, j] += y[i] * y[j] / sy - Bs[i] * Bs[j] / sBs
        descent.counts[LEARNED_FROM] += 1


@piece
def look(kernel, slopes, state, m, descent, q, work, budget, made_by):
    """The gradients at a new point, and what the last step says of the curvature."""
    if descent.numbers[COST] > 0.0:
        exact_gradients(slopes, state, m, descent, q, budget)
    else:
        differences(kernel, state, m, descent, work, budget, made_by)
    if descent.hessian[0, 0] <= 0.0:
        begin_round(descent, FIRST_STEP)
    elif descent.counts[ITERATION] > 1 and descent.counts[FAILED] == 0:
        learn_curvature(descent, work)
    descent.counts[FRESH] = 1


@piece
def aim_of(descent, i):
    """How far inside its interval a constraint's value is aimed."""
    slope = np.sqrt(dot(descent.jacobian[1 + i], descent.jacobian[1 + i]))
    return min(INSIDE * slope, WIDTH * (descent.high[i] - descent.low[i]))


@piece
def left_to_aim(left, inside, shift):
    """How far a value may move towards the end of its interval from which it is `left` away.

    One that is inside already, though less than it should be, is not sent back: that would only make f worse.
    """
    if not shift and 0.0 <= left < inside:
        return 0.0
    return left - inside


@piece
def set_step(m, descent, q, at, shift):
    """The model at the present point. With `shift`, the constraints are those of a trial point `at`, one step on."""
    n = descent.x.size
    for j in range(n):
        q.slope[j] = descent.jacobian[0, j]
        for i in range(n):
            q.bowl[i, j] = descent.hessian[i, j]
        width = m.upper[j] - m.lower[j]
        q.left[j] = (m.lower[j] - descent.x[j]) / width
        q.right[j] = (m.upper[j] - descent.x[j]) / width
        if stays(m, descent, j):
            q.left[j], q.right[j] = 0.0, 0.0
    for i in range(descent.low.size):
        inside = aim_of(descent, i)
        value = at[1 + i]
        if shift:
            value -= dot(descent.jacobian[1 + i], q.step[:n])
        q.below[i] = -left_to_aim(value - descent.low[i], inside, shift)
        q.above[i] = left_to_aim(descent.high[i] - value, inside, shift)
        for j in range(n):
            q.rows[i, j] = descent.jacobian[1 + i, j]


@piece
def merit(descent, values):
    """f plus the penalised distances of the constraints' values to their intervals."""
    total = values[0]
    for i in range(descent.low.size):
        total += descent.penalties[i] * abs(aimed_change(values[1 + i], descent.low[i], descent.high[i]))
    return total if np.isfinite(total) else np.inf


@piece
def promised(descent, step):
    """What the linear model says a step changes the merit by."""
    J = descent.jacobian
    total = dot(J[0], step)
    for i in range(descent.low.size):
        if descent.penalties[i] > 0.0:
            value = descent.values[1 + i]
            after = abs(aimed_change(value + dot(J[1 + i], step), descent.low[i], descent.high[i]))
            total += descent.penalties[i] * (after - abs(aimed_change(value, descent.low[i], descent.high[i])))
    return total


@piece
def is_inside(descent, values):
    """Whether every constraint's value is in its interval."""
    for i in range(descent.low.size):
        if not descent.low[i] <= values[1 + i] <= descent.high[i]:
            return False
    return np.isfinite(values[0])


@piece
def set_penalties(descent, q):
    """Above the multipliers, and falling slowly towards them."""
    for i in range(descent.low.size):
        descent.multipliers[i] = q.multipliers[i]
        size = abs(q.multipliers[i])
        descent.penalties[i] = max(1.2 * size, 0.5 * (descent.penalties[i] + size))


@piece
def try_step(kernel, state, m, descent, q, work, budget, made_by):
    """Go along the step until the merit falls enough. Returns whether it did, with the point in work.trial."""
    n = descent.x.size
    step = q.step[:n]
    now, part = merit(descent, descent.values), min(1.0, descent.numbers[LENGTH] / max(largest(step), 1e-300))
    for attempt in range(TRIALS):
        longest = moved_point(m, descent.x, step, part, work.trial)
        if longest < SHORTEST and attempt > 0:
            return False
        if descent.counts[FREE] > 0:
            snap_to_grid(m, work.trial)
        step_between(m, descent.x, work.trial, work.moved)
        expected = promised(descent, work.moved)
        evaluate(kernel, state, m, work.gain, budget, work.trial, work.found, made_by)
        change = merit(descent, work.found) - now
        if change <= DESCENT * expected and change < np.inf and (expected < 0.0 or change < 0.0):
            descent.numbers[LENGTH] = 1.0 if attempt == 0 else max(4.0 * longest, 1e-3)
            return True
        if attempt == 0 and part == 1.0 and np.isfinite(change) and descent.counts[FREE] == 0:
            copy(q.step[:n], work.step)
            set_step(m, descent, q, work.found, True)
            if solve_quadratic(q, n) == SOLVED and largest(q.step[:n]) < 2.0 * longest:
                moved_point(m, descent.x, q.step[:n], 1.0, work.corrected)
                evaluate(kernel, state, m, work.gain, budget, work.corrected, work.again, made_by)
                if merit(descent, work.again) - now <= DESCENT * expected:
                    copy(work.corrected, work.trial)
                    copy(work.again, work.found)
                    return True
            copy(work.step, q.step[:n])
        slow = 0.5 * -expected / (change - expected) if change > expected and np.isfinite(change) else 0.1
        part *= min(max(slow, 0.1), 0.5)
    return False


@piece
def take(m, descent, work):
    """Move to the trial point."""
    step_between(m, descent.x, work.trial, descent.moved)
    copy(work.trial, descent.x)
    copy(work.found, descent.values)
    descent.counts[FRESH] = 0
    descent.counts[FAILED] = 0


@piece
def come_inside(kernel, state, m, descent, q, work, budget, made_by):
    """Steps onto the constraints with the gradients there are, from a point just outside."""
    n = descent.x.size
    for _ in range(CHORDS):
        if is_inside(descent, descent.values):
            return
        set_step(m, descent, q, descent.values, False)
        if solve_quadratic(q, n) != SOLVED:
            return
        moved_point(m, descent.x, q.step[:n], 1.0, work.trial)
        evaluate(kernel, state, m, work.gain, budget, work.trial, work.found, made_by)
        if not np.isfinite(merit(descent, work.found)):
            return
        before, after = 0.0, 0.0
        for i in range(descent.low.size):
            slope = 1e-300 + np.sqrt(dot(descent.jacobian[1 + i], descent.jacobian[1 + i]))
            before += abs(aimed_change(descent.values[1 + i], descent.low[i], descent.high[i])) / slope
            after += abs(aimed_change(work.found[1 + i], descent.low[i], descent.high[i])) / slope
        if not after < 0.5 * before:
            return
        copy(work.trial, descent.x)
        copy(work.found, descent.values)
        descent.counts[FRESH] = 0


@piece
def use_margin(kernel, state, m, descent, q, work, budget, made_by):
    """Where aiming inside the intervals costs much of f, steps nearer to their ends, with the gradients there are."""
    n, part = descent.x.size, 1.0
    for _ in range(MARGINS):
        cost = 0.0
        for i in range(descent.low.size):
            cost += abs(descent.multipliers[i]) * part * aim_of(descent, i)
        if not cost > DEAR * abs(descent.values[0]):
            return
        part *= NEARER
        set_step(m, descent, q, descent.values, False)
        for i in range(descent.low.size):
            value, inside = descent.values[1 + i], part * aim_of(descent, i)
            q.above[i] = max(descent.high[i] - value - inside, 0.0)
            q.below[i] = -max(value - descent.low[i] - inside, 0.0)
        if solve_quadratic(q, n) != SOLVED:
            return
        moved_point(m, descent.x, q.step[:n], 1.0, work.trial)
        evaluate(kernel, state, m, work.gain, budget, work.trial, work.found, made_by)
        if not (is_inside(descent, work.found) and work.found[0] < descent.values[0]):
            return
        copy(work.trial, descent.x)
        copy(work.found, descent.values)
        descent.counts[FRESH] = 0


@piece
def is_steep(descent, q, n):
    """Whether the step is short only because the bowl is steep: what holds it back is worth much over a longer way."""
    total = 0.0
    for j in range(n):
        pull = 0.0
        for k in range(n):
            pull += q.bowl[j, k] * q.step[k]
        total += pull * pull
    return np.sqrt(total) * FAR > WORTH * abs(descent.values[0])


@piece
def is_hopeless(descent, expected):
    """Whether a descent promises far less than what separates it from the objective that is known already."""
    return merit(descent, descent.values) - HOPE * expected > descent.numbers[KNOWN]


@piece
def move_on_grid(kernel, state, m, descent, q, work, budget, made_by, close):
    """A step of all variables, those with steps from one to another; where it fails, they stay from then on."""
    descent.counts[FREE] -= 1
    lagrangian_slope(descent, descent.before)
    moved = not close and try_step(kernel, state, m, descent, q, work, budget, made_by)
    if moved:
        take(m, descent, work)
    if not moved or descent.counts[FREE] == 0:
        stay_on_grid(m, descent)


@piece
def iterate(kernel, slopes, state, m, descent, q, work, budget, made_by):
    """One step; the descent ends by clearing its ACTIVE mark."""
    n, counts = descent.x.size, descent.counts
    counts[ITERATION] += 1
    if counts[FRESH] == 0:
        look(kernel, slopes, state, m, descent, q, work, budget, made_by)
    set_step(m, descent, q, descent.values, False)
    said, relaxed = solve_relaxed(q, n)
    if said != SOLVED:
        if counts[LEARNED_FROM] == 0:
            counts[ACTIVE] = 0
            return
        begin_round(descent, FIRST_STEP)
        return
    counts[RELAXING] = counts[RELAXING] + 1 if relaxed > 0.5 else 0
    set_penalties(descent, q)
    step = q.step[:n]
    lacking = 0.0
    for i in range(descent.low.size):
        lacking += abs(descent.multipliers[i] * aimed_change(descent.values[1 + i], descent.low[i], descent.high[i]))
    expected = abs(dot(descent.jacobian[0], step)) + lacking
    close = expected <= descent.numbers[ACCURACY] * abs(descent.values[0]) + 1e-14
    if counts[FREE] > 0:
        move_on_grid(kernel, state, m, descent, q, work, budget, made_by, close)
        return
    if close and relaxed == 0.0 and counts[RESET] < MOST_RESETS and is_steep(descent, q, n):
        counts[RESET] += 1
        begin_round(descent, FIRST_STEP * 0.1 ** counts[RESET])
        return
    if close and is_inside(descent, descent.values):
        use_margin(kernel, state, m, descent, q, work, budget, made_by)
        counts[ACTIVE], counts[INSIDE_AT_END] = 0, 1
        return
    if relaxed == 0.0 and counts[ITERATION] > LOOK and is_hopeless(descent, expected):
        counts[ACTIVE] = 0
        return
    lagrangian_slope(descent, descent.before)
    if try_step(kernel, state, m, descent, q, work, budget, made_by):
        take(m, descent, work)
        steep = relaxed == 0.0 and counts[RESET] < MOST_RESETS and is_steep(descent, q, n)
        near = not steep and expected <= 30.0 * descent.numbers[ACCURACY] * abs(descent.values[0]) and relaxed == 0.0
        if near or counts[ITERATION] >= counts[LIMIT]:
            come_inside(kernel, state, m, descent, q, work, budget, made_by)
            inside = is_inside(descent, descent.values)
            if inside and near:
                use_margin(kernel, state, m, descent, q, work, budget, made_by)
            if inside or not near:
                counts[ACTIVE], counts[INSIDE_AT_END] = 0, near
    else:
        counts[FAILED] += 1
        if counts[FAILED] >= MOST_FAILURES or close:
            come_inside(kernel, state, m, descent, q, work, budget, made_by)
            counts[ACTIVE], counts[INSIDE_AT_END] = 0, close and is_inside(descent, descent.values)
        else:
            begin_round(descent, FIRST_STEP)
            descent.numbers[LENGTH] = 0.01
    if counts[ITERATION] >= counts[LIMIT] or counts[RELAXING] >= 12:
        counts[ACTIVE] = 0


@compiled_for(
    KERNEL_TYPE, KERNEL_TYPE, STATE_TYPE, MAP_TYPE, DESCENT_TYPE, QUADRATIC_TYPE, WORK_TYPE,
    types.int64, types.int64, types.int64,
)  # fmt: skip
def pursue(kernel, slopes, state, m, descent, q, work, budget, until, made_by):
    """Iterations up to evaluation `until` or to the descent's end; the last one may go beyond it."""
    while descent.counts[ACTIVE] == 1 and state.counters[EVALUATIONS] < min(until, budget):
        iterate(kernel, slopes, state, m, descent, q, work, budget, made_by)
