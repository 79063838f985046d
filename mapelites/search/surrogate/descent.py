"""The best point of a box on the models: sequential quadratic programming with their exact derivatives.

Every constraint's value shall lie in an interval; what lies outside costs its distance times a price ν.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from mapelites.core.kernels import VECTOR, compiled_for
from mapelites.search.directed.common import copy, fill_with, largest
from mapelites.search.pieces import piece
from mapelites.search.surrogate.algebra import factorise
from mapelites.search.surrogate.kernels import FIT_TYPE, radial
from mapelites.search.surrogate.program import Program, new_program, solve_program

SHORTENINGS, SHORTER = 12, 0.4  # of a step that leads upwards
ENOUGH = 1e-4  # of the fall that the quadratic program promises
LEAST_FALL = 1e-10
DEARER, CHEAPEST = 2.0, 1e-3  # the price in the merit, by the largest multiplier
Floats = NDArray[np.float64]


class ModelDescent(NamedTuple):
    """Where a descent stands, what it aims at, and scratch space. All in the units of the models."""

    u: Floats  # (n,)
    values: Floats  # (outputs,): of the models there
    multipliers: Floats  # (constraints,)
    low: Floats  # (constraints,): the interval of each
    high: Floats
    first: Floats  # (n,): the box
    last: Floats
    near: Floats  # (1,): above 0, f is this times half of the squared distance from the origin
    trial: Floats  # (n,)
    found: Floats  # (outputs,)
    step: Floats  # (n,): of the program before it is corrected
    distances: Floats  # (N,): squared
    slopes: Floats  # (outputs, n)
    curvature: Floats  # (n, n): of the Lagrangian
    factor: Floats  # (n, n)
    of_output: Floats  # (outputs,): the part of each in the Lagrangian
    program: Program


def new_descent(points: int, n: int, low: Floats, high: Floats, first: Floats, last: Floats) -> ModelDescent:
    """A descent that has not begun."""
    constraints, v = len(low), np.zeros
    rows = int(np.isfinite(low).sum() + np.isfinite(high).sum())
    return ModelDescent(
        v(n), v(1 + constraints), v(constraints), low.copy(), high.copy(), first.copy(), last.copy(), v(1), v(n),
        v(1 + constraints), v(n), v(points), v((1 + constraints, n)), v((n, n)), v((n, n)), v(1 + constraints),
        new_program(n, rows),
    )  # fmt: skip


_none = np.zeros(1)
DESCENT_TYPE = typeof(new_descent(1, 1, _none, _none, _none, _none))


@piece
def _predict(fit, near, u, distances, values):
    """Fill `values` with those of the models, and `distances`."""
    for a in range(distances.size):
        distances[a] = 0.0
        for j in range(u.size):
            step = u[j] - fit.points[a, j]
            distances[a] += step * step
    for o in range(values.size):
        value = fit.slopes[o, u.size]
        for j in range(u.size):
            value += fit.slopes[o, j] * u[j]
        family, length = fit.families[fit.chosen[o]], fit.lengths[fit.chosen[o]]
        for a in range(distances.size):
            value += fit.weights[o, a] * radial(family, length, distances[a])[0]
        values[o] = value
    if near > 0.0:
        values[0] = 0.0
        for j in range(u.size):
            values[0] += 0.5 * near * u[j] * u[j]


@compiled_for(FIT_TYPE, VECTOR, VECTOR, VECTOR)
def predict(fit, u, distances, values):
    """Fill `values` with those of the models at u."""
    _predict(fit, 0.0, u, distances, values)


@piece
def _fill_slopes(fit, at):
    """The gradients of the models."""
    for o in range(at.values.size):
        family, length = fit.families[fit.chosen[o]], fit.lengths[fit.chosen[o]]
        for j in range(at.u.size):
            at.slopes[o, j] = fit.slopes[o, j]
        for a in range(at.distances.size):
            weight = 2.0 * fit.weights[o, a] * radial(family, length, at.distances[a])[1]
            for j in range(at.u.size):
                at.slopes[o, j] += weight * (at.u[j] - fit.points[a, j])
    if at.near[0] > 0.0:
        for j in range(at.u.size):
            at.slopes[0, j] = at.near[0] * at.u[j]


@piece
def _fill_curvature(fit, at):
    """The second derivatives of the Lagrangian."""
    n = at.u.size
    for i in range(n):
        fill_with(at.curvature[i], 0.0)
    for a in range(at.distances.size):
        round_, along = 0.0, 0.0
        for o in range(at.values.size):
            if at.of_output[o] != 0.0 and not (o == 0 and at.near[0] > 0.0):
                c = fit.chosen[o]
                _, first, second = radial(fit.families[c], fit.lengths[c], at.distances[a])
                round_ += 2.0 * at.of_output[o] * fit.weights[o, a] * first
                along += 4.0 * at.of_output[o] * fit.weights[o, a] * second
        for i in range(n):
            at.curvature[i, i] += round_
            part = along * (at.u[i] - fit.points[a, i])
            for j in range(i + 1):
                at.curvature[i, j] += part * (at.u[j] - fit.points[a, j])
    for i in range(n):
        at.curvature[i, i] += at.near[0]
        for j in range(i):
            at.curvature[j, i] = at.curvature[i, j]


@piece
def _make_convex(at):
    """Give the program the curvature, with enough added to its diagonal to be positive definite."""
    n, size = at.u.size, 1e-12
    for i in range(n):
        for j in range(n):
            size = max(size, abs(at.curvature[i, j]))
    added, done = 1e-8 * size, False
    while not done and np.isfinite(added):
        for i in range(n):
            for j in range(n):
                at.factor[i, j] = at.program.H[i, j] = at.curvature[i, j]
            at.factor[i, i] += added
            at.program.H[i, i] += added
        done = factorise(at.factor, n)
        added = max(10.0 * added, 1e-4 * size)


@piece
def _fill_program(at, radius):
    """The quadratic program at the present point, with no variable moving by more than `radius`."""
    p, row = at.program, 0
    for i in range(at.low.size):
        for side in range(2):
            end = at.high[i] if side == 0 else at.low[i]
            sign = 1.0 if side == 0 else -1.0
            if np.isfinite(end):
                p.b[row] = sign * (end - at.values[1 + i])
                for j in range(at.u.size):
                    p.A[row, j] = sign * at.slopes[1 + i, j]
                row += 1
    for j in range(at.u.size):
        p.g[j] = at.slopes[0, j]
        p.low[j] = max(at.first[j] - at.u[j], -radius)
        p.high[j] = min(at.last[j] - at.u[j], radius)


@piece
def _take_multipliers(at):
    """The part of each output in the Lagrangian, from the program's solution."""
    row = 0
    at.of_output[0] = 1.0
    for i in range(at.low.size):
        at.of_output[1 + i] = 0.0
        if np.isfinite(at.high[i]):
            at.of_output[1 + i] += at.program.λ[row]
            row += 1
        if np.isfinite(at.low[i]):
            at.of_output[1 + i] -= at.program.λ[row]
            row += 1
        at.multipliers[i] = abs(at.of_output[1 + i])


@piece
def _promised_fall(at, ν):
    """By how much the merit falls if the program is right, and the longest move of a variable."""
    p, fall, longest = at.program, 0.0, 0.0
    for j in range(at.u.size):
        longest = max(longest, abs(p.d[j]))
        slope = p.g[j]
        for k in range(at.u.size):
            slope += 0.5 * p.H[j, k] * p.d[k]
        fall -= slope * p.d[j]
    for i in range(p.b.size):
        change = 0.0
        for j in range(at.u.size):
            change += p.A[i, j] * p.d[j]
        fall += ν * (max(0.0, -p.b[i]) - max(0.0, change - p.b[i]))
    return fall, longest


@piece
def _merit(values, low, high, ν):
    """f and the price of what lies outside of the intervals."""
    broken = 0.0
    for i in range(low.size):
        broken += max(0.0, values[1 + i] - high[i]) + max(0.0, low[i] - values[1 + i])
    return values[0] + ν * broken


@piece
def _try_step(fit, at, price, part, most):
    """Go a part of the program's step where the merit is at most `most` there. Returns whether, and the merit."""
    for j in range(at.u.size):
        at.trial[j] = min(max(at.u[j] + part * at.program.d[j], at.first[j]), at.last[j])
    _predict(fit, at.near[0], at.trial, at.distances, at.found)
    there = _merit(at.found, at.low, at.high, price)
    if not there <= most:
        return False, there
    copy(at.trial, at.u)
    copy(at.found, at.values)
    return True, there


@piece
def _correct_step(at, ν):
    """Solve the program again with the constraints' values at the end of its step, which follow their curvature."""
    p, row = at.program, 0
    for i in range(at.low.size):
        for side in range(2):
            end = at.high[i] if side == 0 else at.low[i]
            sign = 1.0 if side == 0 else -1.0
            if np.isfinite(end):
                p.b[row] = sign * (end - at.found[1 + i])
                for j in range(at.u.size):
                    p.b[row] += p.A[row, j] * p.d[j]
                row += 1
    copy(p.d, at.step)
    solve_program(p, ν)


@piece
def _search_line(fit, at, ν, price, merit, fall):
    """Try the step, the step corrected, then shorter ones. Returns the part gone, 0 for none, and the merit."""
    gone, there = _try_step(fit, at, price, 1.0, merit - ENOUGH * fall)
    if gone:
        return 1.0, there
    _correct_step(at, ν)
    gone, there = _try_step(fit, at, price, 1.0, merit - ENOUGH * fall)
    if gone:
        return 1.0, there
    copy(at.step, at.program.d)
    part = SHORTER
    for _ in range(SHORTENINGS):
        gone, there = _try_step(fit, at, price, part, merit - ENOUGH * part * fall)
        if gone:
            return part, there
        part *= SHORTER
    _predict(fit, at.near[0], at.u, at.distances, at.values)
    return 0.0, merit


@compiled_for(FIT_TYPE, DESCENT_TYPE, types.float64, types.int64)
def descend(fit, at, ν, steps):
    """Go down from `at.u`, so many steps at most; returns the merit at the end, which is in `at` as well."""
    fill_with(at.of_output, 0.0)
    at.of_output[0] = 1.0
    for j in range(at.u.size):
        at.u[j] = min(max(at.u[j], at.first[j]), at.last[j])
    _predict(fit, at.near[0], at.u, at.distances, at.values)
    price, radius = 0.0, np.inf
    for _ in range(steps):
        _fill_slopes(fit, at)
        _fill_curvature(fit, at)
        _make_convex(at)
        _fill_program(at, radius)
        solve_program(at.program, ν)
        _take_multipliers(at)
        # A price just above the multipliers leaves room for steps that follow a curved constraint.
        price = min(ν, max(price, DEARER * largest(at.program.λ) + CHEAPEST))
        merit = _merit(at.values, at.low, at.high, price)
        fall, longest = _promised_fall(at, price)
        if not fall > 1e-13 * (1.0 + abs(merit)) or longest < 1e-12:
            break
        part, there = _search_line(fit, at, ν, price, merit, fall)
        if merit - there < LEAST_FALL * (1.0 + abs(there)):
            break
        radius = 2.0 * part * longest if part < 1.0 else max(radius, 4.0 * longest)
    return _merit(at.values, at.low, at.high, ν)
