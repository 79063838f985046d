"""Candidates from a linear model of what was evaluated nearby: repair, polish and aim for a function that takes long.

The n evaluations of a Jacobian by differences are too many there. Instead f, g and h are fitted, linearly and around
an elite, to the solutions evaluated nearest to it, and the step is as long as those are far: the two halves of a
derivative-free trust-region method (A. R. Conn, K. Scheinberg and L. N. Vicente, "Introduction to derivative-free
optimization", 2009, chapters 4 and 10). The step itself is that of `directed/model.py`, with a bowl that is round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from mapelites.core.kernels import MATRIX, VECTOR, compiled_for
from mapelites.core.problem import Array
from mapelites.search.directed.aim import STAY, bins_of, interval_of, step_aside
from mapelites.search.directed.common import copy, dot, fill_with, largest, moved_point
from mapelites.search.directed.memory import WORK_TYPE, Floats, Integers
from mapelites.search.directed.model import combine, solve_model
from mapelites.search.directed.repair import feasible_interval, solve_positive
from mapelites.search.emitters.emitter import Propose
from mapelites.search.emitters.line import between_two
from mapelites.search.emitters.toward import to_follow
from mapelites.search.pieces import piece
from mapelites.search.random import below, normal, uniform
from mapelites.search.state import MAP_TYPE, OCCUPIED, STATE_TYPE

if TYPE_CHECKING:
    from mapelites.search.parallel.method import ParallelMethod

REPAIR, POLISH, AIM = range(3)
KEPT = 20  # evaluated solutions remembered, times n + 1
USED = 2  # of them fitted at a time, times n + 1
RIDGE = 1e-6
BEST = 0.6  # the probability of polishing the best feasible solution rather than one of the best elites
SPREAD = 1.0  # of the step's length, as a power of two
INSIDE = 0.1  # the largest part of its way by which a step aims beyond the edge of an interval
LEAST_NOISE = -3.0  # as a power of ten of the step's length: it keeps the next model from being flat


class NearbySolutions(NamedTuple):
    """The solutions evaluated last, and scratch space for the fit."""

    x: Floats  # (kept, n)
    values: Floats  # (kept, 1 + m + p)
    known: Integers  # (1,): how many there ever were
    far: Floats  # (kept,)
    square: Floats  # (n, n)
    factor: Floats  # (n, n)
    right: Floats  # (n,)


def new_nearby(n: int, constraints: int) -> NearbySolutions:
    """Nothing is remembered yet."""
    kept = KEPT * (n + 1)
    return NearbySolutions(
        np.zeros((kept, n)), np.zeros((kept, 1 + constraints)), np.zeros(1, dtype=np.int64), np.zeros(kept),
        np.zeros((n, n)), np.zeros((n, n)), np.zeros(n),
    )  # fmt: skip


NEARBY_TYPE = typeof(new_nearby(1, 1))


@piece
def remember(nearby, x, values):
    """Keep an evaluated solution in the place of the oldest one."""
    place = nearby.known[0] % nearby.far.size
    copy(x, nearby.x[place])
    copy(values, nearby.values[place])
    nearby.known[0] += 1


@compiled_for(NEARBY_TYPE, VECTOR, VECTOR)
def remember_solution(nearby, x, values):
    """The same for one that comes alone."""
    remember(nearby, x, values)


@compiled_for(NEARBY_TYPE, MATRIX, MATRIX)
def remember_rows(nearby, x, values):
    """Of many solutions those that have finite values."""
    for k in range(x.shape[0]):
        fine = True
        for i in range(values.shape[1]):
            fine = fine and np.isfinite(values[k, i])
        if fine:
            remember(nearby, x[k], values[k])


@piece
def measure(nearby, m, x):
    """The distance of every remembered solution in the unit box. Returns how many there are."""
    known = min(nearby.known[0], nearby.far.size)
    for k in range(known):
        total = 0.0
        for j in range(x.size):
            part = (nearby.x[k, j] - x[j]) / (m.upper[j] - m.lower[j])
            total += part * part
        nearby.far[k] = np.sqrt(total)
    return known


@piece
def nearest(far, known):
    """The nearest one that is not the elite itself, or -1."""
    best = -1
    for k in range(known):
        if far[k] > 0.0 and far[k] < np.inf and (best < 0 or far[k] < far[best]):
            best = k
    return best


@piece
def fit(nearby, m, x, values, slopes):
    """Fill `slopes` with the gradients of f, g and h at x by least squares over directions. Returns how far it reaches.

    Every solution counts by its direction alone, however far it is. It is 0 where too few are known.
    """
    n, wanted, reach = x.size, USED * (x.size + 1), 0.0
    known = measure(nearby, m, x)
    square, right = nearby.square, nearby.right
    for j in range(n):
        fill_with(square[j], 0.0)
    for i in range(values.size):
        fill_with(slopes[i], 0.0)
    for used in range(wanted):
        k = nearest(nearby.far, known)
        if k < 0:
            return 0.0
        weight = 1.0 / (nearby.far[k] * nearby.far[k])
        if used == wanted // 2:
            reach = nearby.far[k]
        nearby.far[k] = np.inf
        for j in range(n):
            right[j] = (nearby.x[k, j] - x[j]) / (m.upper[j] - m.lower[j])
        for j in range(n):
            for i in range(n):
                square[j, i] += weight * right[j] * right[i]
            for i in range(values.size):
                slopes[i, j] += weight * right[j] * (nearby.values[k, i] - values[i])
    for i in range(values.size):
        for j in range(n):
            copy(square[j], nearby.factor[j])
            nearby.factor[j, j] += RIDGE
        solve_positive(nearby.factor, slopes[i], n)
    return reach


@piece
def aim_at(kind, state, m, work):
    """Choose an elite, and in `work` the intervals to bring its constraints into. Returns its slot."""
    rng, occupied = state.rng, state.counters[OCCUPIED]
    slot = 1 + below(rng, occupied)
    if kind == POLISH:
        slot = 0 if state.values[0, 0] < np.inf and uniform(rng) < BEST else to_follow(rng, state, m, occupied)
    feasible_interval(m.rule, work.low, work.high)
    if kind == AIM:
        bins_of(state.values[slot], m.grid.edges, m.rule, work.bins)
        if uniform(rng) > STAY:
            step_aside(rng, m.grid.edges, work.bins)
        for i in range(work.bins.size):
            interval_of(m.grid.edges, i, work.bins[i], state.values[slot, 1 + i], m.rule, work.low, work.high)
    return slot


@piece
def step_within(rng, values, reach, work):
    """The step of the model into work.step: f falls, and the constraints go a little beyond their intervals' edges."""
    slopes, constraints = work.gradients, values.size - 1
    size = 1 + constraints
    steepness = np.sqrt(dot(slopes[0], slopes[0]))
    scale = reach / steepness if steepness > 0.0 else 1.0
    for i in range(constraints):
        change = reach * np.sqrt(dot(slopes[1 + i], slopes[1 + i]))
        margin = INSIDE * uniform(rng) * min(change, work.high[i] - work.low[i])
        work.low[i] += margin
        work.high[i] -= margin
    for i in range(size):
        for j in range(work.step.size):
            work.images[i, j] = scale * slopes[i, j]
    for i in range(size):
        work.weights[i] = 1.0 if i == 0 else 0.0
        for k in range(size):
            work.gram[i, k] = dot(slopes[i], work.images[k])
    work.heights[0] = 0.0
    solve_model(work.gram, work.heights, 1, values, work.low, work.high, work.weights, work.slack)
    combine(work.images, work.weights, size, work.step)


@piece
def modelled(state, m, nearby, work, kind, x):
    """Fill `x` with an elite moved by the model's step; repair does without f. Before there is a model: iso+line."""
    rng = state.rng
    slot = aim_at(kind, state, m, work)
    reach = fit(nearby, m, state.x[slot], state.values[slot], work.gradients)
    if reach == 0.0:
        between_two(rng, m, state.x, state.counters[OCCUPIED], x)
        return
    reach *= 2.0 ** (SPREAD * normal(rng))
    if kind == REPAIR:
        fill_with(work.gradients[0], 0.0)
    step_within(rng, state.values[slot], reach, work)
    length = largest(work.step)
    part = reach / length if length > reach else 1.0
    noise = min(reach, length) * 10.0 ** (LEAST_NOISE * uniform(rng))
    for j in range(x.size):
        work.step[j] = part * work.step[j] + noise * normal(rng)
    moved_point(m, state.x[slot], work.step, 1.0, x)


@compiled_for(STATE_TYPE, MAP_TYPE, NEARBY_TYPE, WORK_TYPE, types.int64, MATRIX)
def modelled_rows(state, m, nearby, work, kind, rows):
    """Fill each row in this way."""
    for k in range(rows.shape[0]):
        modelled(state, m, nearby, work, kind, rows[k])


def proposer_of(kind: int) -> Propose:
    """How an emitter of this kind makes candidates."""

    def propose(search: ParallelMethod, rows: Array, made_by: int) -> NDArray[np.int64]:
        modelled_rows(search.state, search.map, search.nearby, search.work, kind, rows)
        return np.full(len(rows), made_by)

    return propose
