"""Where descents at a question's tolerances begin: the answer known, other elites, kicks, neighbours on the grid."""

from __future__ import annotations

import numpy as np
from numba import types

from mapelites.core.kernels import KERNEL_TYPE, MATRIX, VECTOR, compiled_for
from mapelites.search.directed.common import copy, evaluate
from mapelites.search.directed.memory import WORK_TYPE
from mapelites.search.directed.sequential import DESCENT_TYPE, NOTHING, set_out
from mapelites.search.pieces import piece
from mapelites.search.random import below, normal, uniform
from mapelites.search.state import MAP_TYPE, OCCUPIED, STATE_TYPE, violation_of

ANYWHERE, KICK, STEP = range(3)
NEIGHBOURS = 4  # on the grid, evaluated before the most promising one is descended from


@piece
def excess_beyond(values, rule, tolerances, i):
    """By how much constraint i is beyond its tolerance."""
    return max(0.0, violation_of(values, i, rule) - tolerances[i])


@compiled_for(STATE_TYPE, MAP_TYPE, VECTOR)
def best_within(state, m, tolerances):
    """The slot of the best solution within tolerances, or -1."""
    best = -1
    for slot in range(1 + state.counters[OCCUPIED]):
        f = state.values[slot, 0]
        if f < np.inf and (best < 0 or f < state.values[best, 0]):
            inside = True
            for i in range(tolerances.size):
                if violation_of(state.values[slot], i, m.rule) > tolerances[i]:
                    inside = False
                    break
            if inside:
                best = slot
    return best


@compiled_for(STATE_TYPE, MAP_TYPE, VECTOR, VECTOR)
def best_at_prices(state, m, tolerances, prices):
    """The slot whose objective is lowest after paying for what is beyond the tolerances, and that sum."""
    best, least = -1, np.inf
    for slot in range(1, 1 + state.counters[OCCUPIED]):
        total = state.values[slot, 0]
        for i in range(tolerances.size):
            total += prices[i] * excess_beyond(state.values[slot], m.rule, tolerances, i)
            if not total < least:
                break
        if total < least:
            best, least = slot, total
    return best, least


@compiled_for(STATE_TYPE, MAP_TYPE, VECTOR, MATRIX)
def least_beyond(state, m, tolerances, sizes):
    """The slot that is least beyond the tolerances, each constraint in units of its own spread over the elites."""
    used = 1 + state.counters[OCCUPIED]
    for i in range(tolerances.size):
        total = 0.0
        for slot in range(1, used):
            total += min(violation_of(state.values[slot], i, m.rule), 1e100)
        sizes[0, i] = total / max(used - 1, 1) + 1e-300
    best, least = 1, np.inf
    for slot in range(1, used):
        total = 0.0
        for i in range(tolerances.size):
            total += excess_beyond(state.values[slot], m.rule, tolerances, i) / sizes[0, i]
        if total < least or (total == least and state.values[slot, 0] < state.values[best, 0]):
            best, least = slot, total
    return best


@compiled_for(STATE_TYPE, types.int64)
def draw(state, count):
    """A whole number below `count`."""
    return below(state.rng, count)


@compiled_for(STATE_TYPE)
def draw_part(state):
    """A number from 0 to 1."""
    return uniform(state.rng)


@piece
def aim_within(m, descent, tolerances):
    """The intervals of a question."""
    for i in range(tolerances.size):
        descent.high[i] = tolerances[i]
        descent.low[i] = -np.inf if i < m.rule.inequalities else -tolerances[i]


@compiled_for(
    STATE_TYPE, MAP_TYPE, DESCENT_TYPE, types.int64, VECTOR, types.float64, types.int64, types.int64, types.float64,
    types.int64, types.boolean,
)  # fmt: skip
def begin_at(state, m, descent, slot, tolerances, accuracy, iterations, cost, known, keep, free):
    """Set the descent on tolerances from an elite."""
    aim_within(m, descent, tolerances)
    set_out(m, descent, state.x[slot], state.values[slot], accuracy, iterations, cost, known, keep, free)


@piece
def kick(rng, m, x):
    """Move all variables, or one or two of them, by steps of one size."""
    size = 10.0 ** (-3.0 * uniform(rng))
    few = 1.0 if uniform(rng) < 0.5 else (1.0 + below(rng, 2)) / x.size
    for j in range(x.size):
        if uniform(rng) < few:
            moved = x[j] + size * (m.upper[j] - m.lower[j]) * normal(rng)
            x[j] = min(max(moved, m.lower[j]), m.upper[j])


@piece
def step_on_grid(rng, m, x):
    """Move one variable that has steps by one of them or a few, and half the time a second one."""
    for _ in range(1 + below(rng, 2)):
        j = below(rng, x.size)
        while m.steps[j] == 0.0:
            j = below(rng, x.size)
        steps = 1.0
        while uniform(rng) < 0.3:
            steps += 1.0
        moved = x[j] + (m.steps[j] if below(rng, 2) == 0 else -m.steps[j]) * steps
        x[j] = min(max(moved, m.lower[j]), m.upper[j])


@piece
def at_prices(values, rule, tolerances, prices):
    """f, plus what its distances to the tolerances cost at the prices of an answer: those inside pay back.

    To first order that is the objective of the best solution beside, within the tolerances.
    """
    total = values[0]
    for i in range(tolerances.size):
        if prices[i] > 0.0:
            value = values[1 + i] if i < rule.inequalities else abs(values[1 + i])
            total += prices[i] * (value - tolerances[i])
    return total


@piece
def promising_step_on_grid(kernel, state, m, work, x, tolerances, prices, budget, made_by):
    """Of some neighbours of x on the grid the one that promises most at the prices, into work.trial; evaluated."""
    least = np.inf
    for attempt in range(NEIGHBOURS):
        copy(x, work.corrected)
        step_on_grid(state.rng, m, work.corrected)
        evaluate(kernel, state, m, work.gain, budget, work.corrected, work.found, made_by)
        total = at_prices(work.found, m.rule, tolerances, prices)
        if attempt == 0 or total < least:
            least = total
            copy(work.corrected, work.trial)
            copy(work.found, work.values)


@compiled_for(
    KERNEL_TYPE, STATE_TYPE, MAP_TYPE, DESCENT_TYPE, WORK_TYPE, types.int64, VECTOR, VECTOR, types.float64,
    types.int64, types.int64, types.float64, types.int64, types.int64, types.int64,
)  # fmt: skip
def begin_elsewhere(
    kernel, state, m, descent, work, slot, tolerances, prices, accuracy, iterations, cost, known, manner, budget,
    made_by,
):  # fmt: skip
    """Set the descent on tolerances from any point, or from an elite after a kick or a step on the grid."""
    rng, x = state.rng, work.x
    copy(state.x[slot], x)
    if manner == STEP:
        promising_step_on_grid(kernel, state, m, work, x, tolerances, prices, budget, made_by)
        copy(work.trial, x)
    else:
        if manner == ANYWHERE:
            for j in range(x.size):
                x[j] = m.lower[j] + (m.upper[j] - m.lower[j]) * uniform(rng)
        else:
            kick(rng, m, x)
        evaluate(kernel, state, m, work.gain, budget, x, work.values, made_by)
    aim_within(m, descent, tolerances)
    set_out(m, descent, x, work.values, accuracy, iterations, cost, known, NOTHING, manner == ANYWHERE)


@compiled_for(KERNEL_TYPE, STATE_TYPE, MAP_TYPE, WORK_TYPE, VECTOR, types.int64)
def offer_point(kernel, state, m, work, x, budget):
    """Evaluate one point and offer it to the archive."""
    evaluate(kernel, state, m, work.gain, budget, x, work.values, 0)
