"""Local descent: minimise f while each constraint's value is brought into an interval.

Sequential quadratic programming with a quasi-Newton matrix: M. J. D. Powell, "A fast algorithm for nonlinearly
constrained optimization calculations", 1978, with the exact penalty as merit function, a trust radius, and a
second-order correction where a curved constraint spoils the step (R. Fletcher, 1982).

An objective with kinks, such as max(x), has no gradient at its minima. There the solver keeps linear pieces of f met
near the point and steps to the minimum of their maximum: C. Lemaréchal's bundle method (K. C. Kiwiel, "Methods of
descent for nondifferentiable optimization", 1985). It asks for such a piece only where a step fails.

One iteration is a Jacobian by finite differences and a few trial points. All variables run from 0 to 1.
"""

from __future__ import annotations

import numpy as np
from numba import types

from mapelites.core.kernels import KERNEL_TYPE, compiled_for
from mapelites.search.directed.common import (
    aimed_change,
    copy,
    dot,
    evaluate,
    fill_with,
    jacobian,
    largest,
    moved_point,
    step_between,
)
from mapelites.search.directed.memory import (
    ACTIVE,
    FAILED,
    GRADIENT,
    ITERATION,
    KNOWN,
    LIMIT,
    MARK,
    NEW_GRADIENT,
    NO_GRADIENT,
    OLD_GRADIENT,
    PLANES,
    PLANES_USED,
    RADIUS,
    SLOW_STEPS,
    SOLVER_TYPE,
    STEP,
    WORK_TYPE,
)
from mapelites.search.directed.model import (
    combine,
    expected_change,
    gram_matrix,
    scaled_identity,
    solve_model,
    update_hessian,
)
from mapelites.search.directed.repair import newton_step
from mapelites.search.pieces import piece
from mapelites.search.state import EVALUATIONS, MAP_TYPE, STATE_TYPE

FINEST, COARSEST = 1e-11, 1e-7  # differences, relative to a variable's range
MOST_FAILURES = 4
SMALLEST_RADIUS = 1e-13
TRIALS = 3
LOOK = 5  # iterations after which it is asked whether a descent can still beat what is known
HOPE = 100.0  # times what it gained since the last look
SLOW_ENOUGH = 6  # iterations that gain next to nothing before the descent ends
INSIDE, LEAST_INSIDE = 1e-3, 1e-6  # of an interval's width: how far inside its ends the model aims
SMOOTH = 0.999  # where the present gradient has this much of the weight, there is no kink nearby
ROUNDING = 1e-11  # of the box: a step that rounding may undo


@piece
def begin(solver, x, values, radius, limit, known):
    """Start at a point that has been evaluated. The intervals must have been set.

    A descent that will not get below the objective that is `known` already ends early.
    """
    copy(x, solver.x)
    copy(values, solver.values)
    fill_with(solver.penalties, 0.0)
    fill_with(solver.multipliers, 0.0)
    fill_with(solver.counts, 0)
    solver.counts[ACTIVE] = 1
    solver.counts[LIMIT] = limit
    solver.numbers[RADIUS] = radius
    solver.numbers[STEP] = radius
    solver.numbers[KNOWN] = known


@piece
def merit(values, low, high, penalties):
    """f plus the penalised distances of the constraints to their intervals."""
    total = values[0]
    for i in range(low.size):
        if penalties[i] > 0.0:
            total += penalties[i] * abs(aimed_change(values[1 + i], low[i], high[i]))
    return total if np.isfinite(total) else np.inf


@piece
def difference_for(step):
    """The finite difference that suits steps of this length."""
    return min(max(0.01 * step, FINEST), COARSEST)


@piece
def learn(kernel, state, m, solver, work, budget, made_by):
    """Take the Jacobian at a new point and learn the Lagrangian's curvature from the last step."""
    J, old, y = solver.jacobian, work.jacobian, work.change
    for i in range(J.shape[0]):
        copy(J[i], old[i])
    step = difference_for(solver.numbers[STEP])
    jacobian(kernel, state, m, work.gain, budget, solver.x, solver.values, step, made_by, work.found, J)
    if solver.counts[GRADIENT] == NO_GRADIENT:
        length = np.sqrt(dot(J[0], J[0]))
        size = 0.3 * solver.numbers[RADIUS] / length if length > 0.0 else 1.0
        scaled_identity(solver.hessian, solver.inverse, size)
    else:
        for j in range(y.size):
            y[j] = J[0, j] - old[0, j]
            for i in range(solver.low.size):
                y[j] += solver.multipliers[i] * (J[1 + i, j] - old[1 + i, j])
        if solver.counts[ITERATION] == 2:
            size = dot(solver.moved, y) / dot(y, y)
            if size > 0.0 and np.isfinite(size):
                scaled_identity(solver.hessian, solver.inverse, size)
        update_hessian(solver.hessian, solver.inverse, solver.moved, y, work.step, work.product)
    solver.counts[GRADIENT] = OLD_GRADIENT


@piece
def margin_of(solver, i):
    """How far inside an interval the model aims, so that what it leaves out does not lead outside: less and less."""
    rounding = ROUNDING * np.sqrt(dot(solver.jacobian[1 + i], solver.jacobian[1 + i]))
    width = solver.high[i] - solver.low[i]
    if width == np.inf:
        return rounding
    inside = max(INSIDE * 0.1 ** (solver.counts[ITERATION] // 3), LEAST_INSIDE)
    return min(inside * width + rounding, 0.1 * width)


@piece
def set_model(solver, work):
    """Gather the pieces and constraints of the model. Returns how many pieces there are."""
    pieces = 1 + solver.counts[PLANES_USED]
    copy(solver.jacobian[0], work.gradients[0])
    work.heights[0] = 0.0
    work.weights[0] = 1.0
    for k in range(1, pieces):
        copy(solver.slopes[k - 1], work.gradients[k])
        work.heights[k] = solver.heights[k - 1]
        work.weights[k] = 0.0
    for i in range(solver.low.size):
        copy(solver.jacobian[1 + i], work.gradients[pieces + i])
        work.weights[pieces + i] = solver.multipliers[i]
        margin = margin_of(solver, i)
        work.low[i], work.high[i] = solver.low[i] + margin, solver.high[i] - margin
    return pieces


@piece
def model_step(m, solver, work, pieces):
    """The step of the model into work.step; variables at a bound that would leave it are frozen."""
    x, step, frozen, size = solver.x, work.step, work.frozen, pieces + solver.low.size
    fill_with(frozen, 0)
    for _ in range(3):
        gram_matrix(solver.inverse, work.gradients, size, frozen, work.images, work.gram)
        solve_model(
            work.gram, work.heights, pieces, solver.values, work.low, work.high, work.weights, work.slack,
        )  # fmt: skip
        combine(work.images, work.weights, size, step)
        more = False
        for j in range(x.size):
            leaves = (x[j] <= m.lower[j] and step[j] < 0.0) or (x[j] >= m.upper[j] and step[j] > 0.0)
            if leaves and frozen[j] == 0:
                frozen[j] = 1
                more = True
        if not more:
            break
    for i in range(solver.low.size):
        solver.multipliers[i] = work.weights[pieces + i]
        size_ = abs(solver.multipliers[i])
        if size_ > solver.penalties[i]:
            solver.penalties[i] = 1.5 * size_
        else:
            solver.penalties[i] = max(0.9 * solver.penalties[i], 1.2 * size_)


@piece
def correct(kernel, state, m, solver, work, budget, made_by, longest):
    """A second-order correction of a trial point, which it replaces. Returns whether there was one to evaluate."""
    corrected, again = work.corrected, work.again
    count = newton_step(
        work.found, solver.jacobian, work.low, work.high, work.slopes, work.wanted, work.square, work.change
    )
    if count == 0 or not largest(work.change) < longest:
        return False
    moved_point(m, work.trial, work.change, 1.0, corrected)
    evaluate(kernel, state, m, work.gain, budget, corrected, again, made_by)
    return True


@piece
def search_along(kernel, state, m, solver, work, budget, made_by, pieces):
    """Shorter and shorter trial points along the step until one is good enough. Returns whether one was."""
    low, high, penalties = solver.low, solver.high, solver.penalties
    now = merit(solver.values, low, high, penalties)
    length = largest(work.step)
    shortened = length > solver.numbers[RADIUS]
    part = solver.numbers[RADIUS] / length if shortened else 1.0
    for attempt in range(TRIALS if pieces == 1 else 1):  # a kink is known better by one more piece
        longest = moved_point(m, solver.x, work.step, part, work.trial)
        solver.numbers[STEP] = longest
        if longest == 0.0:
            return False
        step_between(m, solver.x, work.trial, work.moved)
        expected = expected_change(
            work.gradients, work.heights, pieces, solver.values, low, high, penalties, work.moved
        )
        evaluate(kernel, state, m, work.gain, budget, work.trial, work.found, made_by)
        change = merit(work.found, low, high, penalties) - now
        taken = change < 0.1 * expected or (expected >= 0.0 and change < 0.0)
        if not taken and attempt == 0 and correct(kernel, state, m, solver, work, budget, made_by, longest):
            change = merit(work.again, low, high, penalties) - now
            taken = change < 0.1 * expected
            if taken:
                copy(work.corrected, work.trial)
                copy(work.again, work.found)
        if taken:
            ratio = change / expected if expected < 0.0 else 1.0
            if attempt == 0 and ratio > 0.7 and shortened:
                solver.numbers[RADIUS] = min(2.0 * solver.numbers[RADIUS], 1.0)
            elif ratio < 0.25 or attempt > 0:
                solver.numbers[RADIUS] = max(longest, SMALLEST_RADIUS)
            return True
        part *= 0.25
    solver.numbers[RADIUS] = max((0.25 if pieces == 1 else 0.7) * longest, SMALLEST_RADIUS)
    return False


@piece
def push_plane(solver, slope, height):
    """Keep a linear piece; the oldest gives way."""
    used = solver.counts[PLANES_USED]
    most = min(PLANES, solver.x.size + 2)
    if used == most:
        for k in range(most - 1):
            copy(solver.slopes[k + 1], solver.slopes[k])
            solver.heights[k] = solver.heights[k + 1]
        used -= 1
    copy(slope, solver.slopes[used])
    solver.heights[used] = -abs(height)
    solver.counts[PLANES_USED] = used + 1


@piece
def take(m, solver, work):
    """Move to the trial point."""
    counts, moved = solver.counts, work.moved
    step_between(m, solver.x, work.trial, moved)
    rise = work.found[0] - solver.values[0]
    used = counts[PLANES_USED]
    if work.weights[0] > SMOOTH:
        counts[PLANES_USED] = 0
    elif used > 0:
        for k in range(used):
            solver.heights[k] = -abs(solver.heights[k] + dot(solver.slopes[k], moved) - rise)
        push_plane(solver, solver.jacobian[0], dot(solver.jacobian[0], moved) - rise)
    now = merit(solver.values, solver.low, solver.high, solver.penalties)
    gain = now - merit(work.found, solver.low, solver.high, solver.penalties)
    counts[SLOW_STEPS] = counts[SLOW_STEPS] + 1 if gain < 1e-7 * abs(now) + 1e-15 else 0
    copy(moved, solver.moved)
    copy(work.trial, solver.x)
    copy(work.found, solver.values)
    counts[GRADIENT] = NEW_GRADIENT
    counts[FAILED] = 0


@piece
def look_beside(kernel, state, m, solver, work, budget, made_by):
    """After a failed step: the linear piece of f at the last trial point."""
    solver.counts[FAILED] += 1
    if solver.numbers[STEP] > 0.0 and np.isfinite(work.found[0]):
        step = difference_for(solver.numbers[STEP])
        jacobian(kernel, state, m, work.gain, budget, work.trial, work.found, step, made_by, work.again, work.jacobian)
        step_between(m, solver.x, work.trial, work.moved)
        height = work.found[0] - dot(work.jacobian[0], work.moved) - solver.values[0]
        push_plane(solver, work.jacobian[0], height)


@piece
def is_hopeless(solver):
    """Whether a descent that goes on as since the last look would still end above what was known at its start."""
    if solver.counts[ITERATION] % LOOK != 0:
        return False
    now = merit(solver.values, solver.low, solver.high, solver.penalties)
    gained = solver.numbers[MARK] - now
    solver.numbers[MARK] = now
    return solver.counts[ITERATION] > LOOK and now - solver.numbers[KNOWN] > HOPE * gained


@piece
def iterate(kernel, state, m, solver, work, budget, made_by):
    """One iteration; the descent ends by clearing its ACTIVE mark."""
    counts = solver.counts
    counts[ITERATION] += 1
    if counts[GRADIENT] != OLD_GRADIENT:
        learn(kernel, state, m, solver, work, budget, made_by)
    pieces = set_model(solver, work)
    model_step(m, solver, work, pieces)
    length = largest(work.step)
    if not (length > 0.0 and length < np.inf):
        counts[ACTIVE] = 0
    else:
        if search_along(kernel, state, m, solver, work, budget, made_by, pieces):
            take(m, solver, work)
        else:
            look_beside(kernel, state, m, solver, work, budget, made_by)
        tired = counts[FAILED] >= MOST_FAILURES + 3 * counts[PLANES_USED] // 4 or counts[SLOW_STEPS] >= SLOW_ENOUGH
        if tired or counts[ITERATION] >= counts[LIMIT] or solver.numbers[RADIUS] <= SMALLEST_RADIUS:
            counts[ACTIVE] = 0


@compiled_for(KERNEL_TYPE, STATE_TYPE, MAP_TYPE, SOLVER_TYPE, WORK_TYPE, types.int64, types.int64, types.int64)
def descend(kernel, state, m, solver, work, budget, until, made_by):
    """Iterations up to evaluation `until` or to the descent's end; the last one may go beyond it."""
    while solver.counts[ACTIVE] == 1 and state.counters[EVALUATIONS] < min(until, budget):
        iterate(kernel, state, m, solver, work, budget, made_by)
        if is_hopeless(solver):
            solver.counts[ACTIVE] = 0
