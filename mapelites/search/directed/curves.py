"""Curves: a feasible region that is as thin as a thread is followed to its ends.

Where an equality is a sum of squares, its gradient vanishes where it holds, and with it what Newton steps and descents
go by: the region is a tube around a curve, or an isolated point. Its second derivatives still say where the curve goes.
From the best feasible solution the curve is followed both ways, by steps along the tangent, which is the direction in
which the sum of squares does not bend, and Newton steps back to its minimum across the tangent (predictor and
corrector: E. L. Allgower and K. Georg, "Introduction to numerical continuation methods", 1990). From every optimum
along the curve that is better than what is known a descent begins.

Second derivatives are differences, n (n + 3) / 2 evaluations, and serve several steps. An equality is taken for a sum
of squares where it has one sign at all points around a solution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import typeof, types

from mapelites.core.kernels import KERNEL_TYPE, VECTOR, compiled_for
from mapelites.search.directed.common import (
    copy,
    dot,
    evaluate,
    is_better,
    moved_point,
    step_between,
    violation,
)
from mapelites.search.directed.descent import begin, descend
from mapelites.search.directed.filling import filling_step
from mapelites.search.directed.memory import (
    ACTIVE,
    SOLVER_TYPE,
    WORK_TYPE,
    Floats,
    Integers,
    Solver,
    new_solver,
)
from mapelites.search.directed.repair import DIFFERENCE, feasible_interval, solve_positive
from mapelites.search.emitters.line import vary
from mapelites.search.pieces import piece
from mapelites.search.random import normal
from mapelites.search.state import EVALUATIONS, MAP_TYPE, STATE_TYPE

if TYPE_CHECKING:
    from mapelites.search.directed.loop import Directed

# Places in a curve's `counts`, and what STAGE is: what is done next.
STAGE, ROW, ATTEMPT, SIDE, OLD, USED, STEPS, LOOKS, REFINED = range(9)
RESTING, LOOKING, SLOPES, ROWS, PREDICTING, CORRECTING = range(6)
STEP, SQUEEZED, LONG_STEP = range(3)  # places in `numbers`

AROUND = 1e-4  # of the box: how far from a solution it is looked whether an equality changes its sign
CLEARLY = 10.0  # times the tolerance
BEND = 1e-5  # of the box: the differences of second derivatives
FIRST_STEP, SMALLEST_STEP, LARGEST_STEP = 1e-4, 1e-8, 0.1  # of the box
WITHIN = 0.9  # of the tolerance
CORRECTIONS = 3
REUSED = 4  # steps on end with the same second derivatives
PART = 0.1  # of the budget goes to one side of the first curve at most, half as much to the next one, and so on
LOOK_AGAIN = 1e-6  # of f: by how much the best solution is better than where the last curve began, if another begins
ITERATIONS = 200
REFINEMENTS, FINER = 5, 0.3  # how often, and by how much shorter steps, an optimum along the curve is crossed again
REST, WAITING, EAGER = 0.02, 0.3, 2.0  # of its part of the budget: no curve, nothing feasible yet, on a curve


class Curve(NamedTuple):
    """A curve that is being followed, all in the unit box but for the points."""

    base: Floats  # (n,): where it begins
    base_values: Floats  # (1 + m + p,)
    squares: Floats  # (m + p,): 1 or -1, the sign that an equality has around the base; 0 for the others
    x: Floats  # (n,): the last point on it
    values: Floats
    before: Floats  # (n,): the one before
    before_values: Floats
    trial: Floats  # (n,): the next one
    trial_values: Floats
    tangent: Floats  # (n,)
    first: Floats  # (n,): the tangent at the base
    sides: Floats  # (n,): the directions of the differences
    ahead: Floats  # (n,): the sum of squares one difference along each variable
    gradient: Floats  # (n,)
    hessian: Floats  # (n, n)
    matrix: Floats  # (n, n): scratch space
    numbers: Floats  # STEP to LONG_STEP
    counts: Integers  # STAGE to REFINED


class CurveMemory(NamedTuple):
    """The curve, and the descent from it."""

    base: Floats
    base_values: Floats
    squares: Floats
    point: Floats
    point_values: Floats
    before: Floats
    before_values: Floats
    trial: Floats
    trial_values: Floats
    tangent: Floats
    first: Floats
    sides: Floats
    ahead: Floats
    gradient: Floats
    bend: Floats
    matrix: Floats
    curve_numbers: Floats
    curve_counts: Integers
    x: Floats
    values: Floats
    low: Floats
    high: Floats
    jacobian: Floats
    hessian: Floats
    inverse: Floats
    multipliers: Floats
    penalties: Floats
    moved: Floats
    slopes: Floats
    heights: Floats
    numbers: Floats
    counts: Integers

    @property
    def curve(self) -> Curve:
        """The curve alone."""
        return Curve._make(self[: len(Curve._fields)])

    @property
    def solver(self) -> Solver:
        """The descent alone."""
        return Solver._make(self[len(Curve._fields) :])


def new_curve(n: int, constraints: int) -> Curve:
    """A curve that has not begun."""
    points, values = [np.zeros(n) for _ in range(4)], [np.full(1 + constraints, np.inf) for _ in range(4)]
    return Curve(
        points[0], values[0], np.zeros(constraints), points[1], values[1], points[2], values[2], points[3], values[3],
        np.zeros(n), np.zeros(n), np.ones(n), np.zeros(n), np.zeros(n), np.zeros((n, n)), np.zeros((n, n)),
        np.zeros(3), np.zeros(9, dtype=np.int64),
    )  # fmt: skip


def new_curves(n: int, constraints: int) -> CurveMemory:
    """Nothing was followed yet."""
    return CurveMemory._make((*new_curve(n, constraints), *new_solver(n, constraints)))


CURVE_TYPE = typeof(new_curve(1, 1))


@piece
def sum_of_squares(curve, values):
    """What shall be 0 along the curve: the equalities of one sign, added up."""
    total = 0.0
    for i in range(curve.squares.size):
        total += curve.squares[i] * values[1 + i]
    return total if np.isfinite(total) else np.inf


@piece
def find_squares(kernel, state, m, curve, work, budget, made_by):
    """Which equalities have one sign around the base: 2n evaluations. Returns how many."""
    rule, low, high = m.rule, work.low, work.high
    for i in range(low.size):
        low[i] = high[i] = curve.base_values[1 + i]
    for j in range(2 * curve.base.size):
        copy(curve.base, work.x)
        k, width = j // 2, AROUND * (m.upper[j // 2] - m.lower[j // 2])
        work.x[k] = min(max(work.x[k] + (width if j % 2 == 0 else -width), m.lower[k]), m.upper[k])
        evaluate(kernel, state, m, work.gain, budget, work.x, work.values, made_by)
        for i in range(low.size):
            low[i], high[i] = min(low[i], work.values[1 + i]), max(high[i], work.values[1 + i])
    found = 0
    for i in range(low.size):
        curve.squares[i] = 0.0
        if i >= rule.inequalities:
            near, far = rule.equality_tolerance, CLEARLY * rule.equality_tolerance
            if low[i] >= -near and far < high[i] < np.inf:
                curve.squares[i] = 1.0
            elif high[i] <= near and -far > low[i] > -np.inf:
                curve.squares[i] = -1.0
        found += curve.squares[i] != 0.0
    return found


@piece
def begin_side(m, curve):
    """Begin at the base again."""
    counts = curve.counts
    for point, values in ((curve.x, curve.values), (curve.before, curve.before_values)):
        copy(curve.base, point)
        copy(curve.base_values, values)
    curve.numbers[STEP] = FIRST_STEP
    counts[STAGE], counts[USED], counts[STEPS], counts[OLD], counts[REFINED] = SLOPES, 0, 0, 0, 0


@piece
def measure_slopes(kernel, state, m, curve, work, budget, made_by):
    """The sum of squares one difference along each variable: n evaluations."""
    for j in range(curve.x.size):
        width = m.upper[j] - m.lower[j]
        curve.sides[j] = 1.0 if curve.x[j] + 2.0 * BEND * width <= m.upper[j] else -1.0
        copy(curve.x, work.x)
        work.x[j] += curve.sides[j] * BEND * width
        evaluate(kernel, state, m, work.gain, budget, work.x, work.values, made_by)
        curve.ahead[j] = sum_of_squares(curve, work.values)
    curve.counts[STAGE], curve.counts[ROW] = ROWS, 0


@piece
def measure_row(kernel, state, m, curve, work, budget, made_by):
    """A row of second derivatives: n evaluations at most."""
    i, here, sides = curve.counts[ROW], sum_of_squares(curve, curve.values), curve.sides
    for j in range(i, curve.x.size):
        copy(curve.x, work.x)
        work.x[i] += sides[i] * BEND * (m.upper[i] - m.lower[i])
        work.x[j] += sides[j] * BEND * (m.upper[j] - m.lower[j])
        evaluate(kernel, state, m, work.gain, budget, work.x, work.values, made_by)
        both = sum_of_squares(curve, work.values)
        bend = sides[i] * sides[j] * (both - curve.ahead[i] - curve.ahead[j] + here) / BEND**2
        curve.hessian[i, j] = curve.hessian[j, i] = bend if np.isfinite(bend) else 0.0
    curve.counts[ROW] += 1


@piece
def largest_bend(curve):
    """The largest second derivative of one variable."""
    most = 1e-300
    for i in range(curve.x.size):
        most = max(most, abs(curve.hessian[i, i]))
    return most


@piece
def turn_tangent(curve, times):
    """Bring the tangent nearer to the direction that bends least (inverse iteration with the Hessian squared)."""
    H, A, t, n = curve.hessian, curve.matrix, curve.tangent, curve.x.size
    least = (1e-8 * largest_bend(curve)) ** 2
    for _ in range(times):
        for i in range(n):
            for j in range(n):
                A[i, j] = dot(H[i], H[j])
            A[i, i] += least
        solve_positive(A, t, n)
        length = np.sqrt(dot(t, t))
        for j in range(n):
            t[j] /= length


@piece
def predict(kernel, state, m, curve, work, budget, made_by):
    """A step along the tangent: one evaluation."""
    moved_point(m, curve.x, curve.tangent, curve.numbers[STEP], curve.trial)
    evaluate(kernel, state, m, work.gain, budget, curve.trial, curve.trial_values, made_by)
    curve.numbers[SQUEEZED] = sum_of_squares(curve, curve.trial_values)
    curve.counts[STAGE], curve.counts[ATTEMPT] = CORRECTING, 0


@piece
def newton_across(curve):
    """The step to the minimum of the sum of squares across the tangent, into `gradient`."""
    H, A, t, g, n = curve.hessian, curve.matrix, curve.tangent, curve.gradient, curve.x.size
    most = largest_bend(curve)
    along = dot(t, g)
    for j in range(n):
        g[j] -= along * t[j]
    # A = P H P + t tᵀ with P = I - t tᵀ; H t is kept in the last use of `ahead`.
    for j in range(n):
        curve.ahead[j] = dot(H[j], t)
    bend = dot(curve.ahead, t)
    for i in range(n):
        for j in range(n):
            A[i, j] = H[i, j] - t[i] * curve.ahead[j] - curve.ahead[i] * t[j] + (bend + most) * t[i] * t[j]
        A[i, i] += 1e-6 * most
    solve_positive(A, g, n)


@piece
def correct(kernel, state, m, curve, work, budget, made_by):
    """One Newton step towards the curve: n + 1 evaluations. Returns whether it came nearer."""
    for j in range(curve.x.size):
        width = m.upper[j] - m.lower[j]
        copy(curve.trial, work.x)
        side = 1.0 if work.x[j] + DIFFERENCE * width <= m.upper[j] else -1.0
        work.x[j] += side * DIFFERENCE * width
        evaluate(kernel, state, m, work.gain, budget, work.x, work.values, made_by)
        slope = side * (sum_of_squares(curve, work.values) - curve.numbers[SQUEEZED]) / DIFFERENCE
        curve.gradient[j] = slope if np.isfinite(slope) else 0.0
    newton_across(curve)
    moved_point(m, curve.trial, curve.gradient, -1.0, work.trial)
    evaluate(kernel, state, m, work.gain, budget, work.trial, work.found, made_by)
    now = sum_of_squares(curve, work.found)
    if not now < curve.numbers[SQUEEZED]:
        return False
    copy(work.trial, curve.trial)
    copy(work.found, curve.trial_values)
    curve.numbers[SQUEEZED] = now
    curve.counts[ATTEMPT] += 1
    return True


@piece
def beats(values, others, scale, rule):
    """Whether one point of the curve is better than another."""
    return is_better(values[0], violation(values, scale, rule), others[0], violation(others, scale, rule), 0.0)


@piece
def is_optimum(state, m, curve, scale):
    """Whether the last point of the curve is better than those on both sides, and may be better than what is known."""
    inside = curve.counts[STEPS] > 0 and curve.values[0] <= state.values[0, 0]
    better = beats(curve.values, curve.before_values, scale, m.rule)
    return inside and better and beats(curve.values, curve.trial_values, scale, m.rule)


@piece
def cross_again(m, curve, step):
    """Go back to the point before an optimum and on with shorter steps."""
    counts, numbers = curve.counts, curve.numbers
    if counts[REFINED] == 0:
        numbers[LONG_STEP] = numbers[STEP]
    step_between(m, curve.before, curve.x, step)
    length = np.sqrt(dot(step, step))
    for j in range(step.size):
        curve.tangent[j] = step[j] / length
    numbers[STEP] = FINER * length
    copy(curve.before, curve.x)
    copy(curve.before_values, curve.values)
    counts[REFINED] += 1
    counts[STAGE] = PREDICTING


@piece
def move_on(m, curve, step):
    """Take the trial point, and a longer next step where that was easy."""
    counts, numbers = curve.counts, curve.numbers
    copy(curve.x, curve.before)
    copy(curve.values, curve.before_values)
    copy(curve.trial, curve.x)
    copy(curve.trial_values, curve.values)
    counts[STEPS] += 1
    growth = 1.5 if counts[ATTEMPT] <= 1 else 1.2 if counts[ATTEMPT] == 2 else 1.0
    numbers[STEP] = min(growth * numbers[STEP], LARGEST_STEP)
    if counts[OLD] < REUSED:  # the chord of the last step serves as a tangent
        length = np.sqrt(dot(step, step))
        for j in range(step.size):
            curve.tangent[j] = step[j] / length
        counts[OLD] += 1
        counts[STAGE] = PREDICTING
    else:
        counts[STAGE] = SLOPES


@piece
def end_side(m, curve):
    """Go on with the other side, or rest."""
    counts = curve.counts
    if counts[SIDE] > 0:
        begin_side(m, curve)
        counts[SIDE] = -1
    else:
        counts[STAGE] = RESTING


@piece
def step_back(m, curve):
    """After a step that did not come back to the curve: new second derivatives, or a shorter step, or the end."""
    counts, numbers = curve.counts, curve.numbers
    if counts[OLD] > 0:
        numbers[STEP] *= 0.5
        counts[STAGE] = SLOPES
    else:
        numbers[STEP] *= 0.35
        counts[STAGE] = PREDICTING
        if numbers[STEP] < SMALLEST_STEP:
            end_side(m, curve)


@piece
def judge(kernel, state, m, curve, solver, scale, work, budget, made_by):
    """Take the trial point, bring it nearer to the curve, or step back. Returns whether there is a descent to do."""
    if curve.numbers[SQUEEZED] <= WITHIN * m.rule.equality_tolerance:
        step_between(m, curve.x, curve.trial, work.step)
        if dot(work.step, work.step) < (0.01 * curve.numbers[STEP]) ** 2:  # a bound is in the way
            end_side(m, curve)
            return False
        found = is_optimum(state, m, curve, scale)
        if found and curve.counts[REFINED] < REFINEMENTS and curve.numbers[STEP] > 100.0 * SMALLEST_STEP:
            cross_again(m, curve, work.step)
            return False
        if found:
            feasible_interval(m.rule, solver.low, solver.high)
            begin(solver, curve.x, curve.values, curve.numbers[STEP], ITERATIONS, state.values[0, 0])
            curve.numbers[STEP] = max(curve.numbers[STEP], curve.numbers[LONG_STEP])
            curve.counts[REFINED] = 0
        move_on(m, curve, work.step)
        return found
    if curve.counts[ATTEMPT] == CORRECTIONS or not correct(kernel, state, m, curve, work, budget, made_by):
        step_back(m, curve)
    return False


@piece
def set_out(kernel, state, m, curve, scale, work, budget, made_by):
    """Look around the best feasible solution for a curve to follow."""
    counts = curve.counts
    counts[STAGE] = RESTING
    copy(state.x[0], curve.base)
    copy(state.values[0], curve.base_values)
    if find_squares(kernel, state, m, curve, work, budget, made_by) > 0:
        begin_side(m, curve)
        counts[SIDE] = 1
        counts[LOOKS] += 1


@piece
def finish_bends(state, curve):
    """With all second derivatives known: the tangent, at the base from any direction, and forwards again."""
    counts, tangent = curve.counts, curve.tangent
    if counts[STEPS] == 0 and counts[SIDE] > 0:
        for j in range(tangent.size):
            tangent[j] = normal(state.rng)
        turn_tangent(curve, 6)
        copy(tangent, curve.first)
    elif counts[STEPS] == 0:
        for j in range(tangent.size):
            tangent[j] = -curve.first[j]
    else:
        turn_tangent(curve, 3)
    counts[OLD] = 0
    counts[STAGE] = PREDICTING


@compiled_for(
    KERNEL_TYPE, STATE_TYPE, MAP_TYPE, CURVE_TYPE, SOLVER_TYPE, VECTOR, WORK_TYPE, types.int64, types.int64, types.int64
)
def follow(kernel, state, m, curve, solver, scale, work, budget, until, made_by):
    """Step after step up to evaluation `until`, or until there is somewhere to descend from, or nothing to follow."""
    counts = curve.counts
    while state.counters[EVALUATIONS] < min(until, budget):
        stage, began, found = counts[STAGE], state.counters[EVALUATIONS], False
        if stage == RESTING:
            return
        if stage == LOOKING:
            set_out(kernel, state, m, curve, scale, work, budget, made_by)
        elif stage == SLOPES:
            measure_slopes(kernel, state, m, curve, work, budget, made_by)
        elif stage == ROWS:
            if counts[ROW] < curve.x.size:
                measure_row(kernel, state, m, curve, work, budget, made_by)
            else:
                finish_bends(state, curve)
        elif stage == PREDICTING:
            predict(kernel, state, m, curve, work, budget, made_by)
        else:
            found = judge(kernel, state, m, curve, solver, scale, work, budget, made_by)
        counts[USED] += state.counters[EVALUATIONS] - began
        if counts[STAGE] > LOOKING and counts[USED] > 2.0 * PART * budget * 0.5 ** counts[LOOKS]:
            end_side(m, curve)
        if found:
            return


vary_in_turn = filling_step(vary)


def has_better_base(search: Directed, curve: Curve) -> bool:
    """Whether the best feasible solution is clearly better than where the last curve began."""
    now, then = float(search.state.values[0, 0]), float(curve.base_values[0])
    return now < np.inf and (then == np.inf or now < then - LOOK_AGAIN * abs(then))


def follow_in_turn(search: Directed, until: int, made_by: int) -> None:
    """A turn: a curve, and descents from its optima; where there is none, variations of elites as `line` makes them."""
    memory, scale, budget = search.part("curves"), search.scale, search.budget
    curve, solver = memory.curve, memory.solver
    scale = scale if scale[:1].any() else np.ones(len(search.problem.constraints))
    while search.evaluations < min(until, budget):
        if solver.counts[ACTIVE] == 1:
            descend(search.kernel, search.state, search.map, solver, search.work, budget, until, made_by)
        elif curve.counts[STAGE] == RESTING and not has_better_base(search, curve):
            vary_in_turn(search, until, made_by)
        else:
            curve.counts[STAGE] = max(curve.counts[STAGE], LOOKING)
            follow(search.kernel, search.state, search.map, curve, solver, scale, search.work, budget, until, made_by)
    follows = solver.counts[ACTIVE] == 1 or curve.counts[STAGE] != RESTING
    resting = REST if search.state.values[0, 0] < np.inf else WAITING
    search.set_eagerness("curves", EAGER if follows else resting)
