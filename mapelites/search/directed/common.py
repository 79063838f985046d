"""What every emitter uses: the counted evaluation, the violation as one number, and who is better.

Nothing here makes arrays: scratch space comes from outside. That keeps reference counts out of the compiled
code, which then runs and compiles several times faster.
"""

from __future__ import annotations

import numpy as np

from mapelites.search.pieces import piece
from mapelites.search.state import EVALUATIONS, accept, cell_of, compute, place_of

NEGLIGIBLE = 1e-8  # of f: a smaller fall is worth next to nothing


@piece
def evaluate(kernel, state, m, gain, budget, x, values, made_by):
    """Evaluate a candidate and offer it to the archive; infinite values once the budget is spent.

    What it did to the map is added to `gain`.
    """
    if state.counters[EVALUATIONS] >= budget:
        fill_with(values, np.inf)
    else:
        compute(kernel, m, x, values)
        offer(state, m, gain, x, values, made_by)


@piece
def offer(state, m, gain, x, values, made_by):
    """Offer an evaluated candidate to the archive; what it did to the map is added to `gain`."""
    old, feasible = known(state, m, cell_of(values, m.grid, m.rule)), state.values[0, 0]
    kept = accept(state.counters, state.slot_of, state.x, state.values, state.tags, m.grid, m.rule, x, values, made_by)
    if kept:
        gain[0] += fall(old, values[0])
    if state.values[0, 0] < feasible:
        gain[0] += fall(feasible, values[0])


@piece
def known(state, m, cell):
    """The f of a cell's elite, infinite where there is none."""
    if cell < 0:
        return np.inf
    slot = state.slot_of[place_of(m.grid, state.slot_of, state.tags, cell)]
    return state.values[slot, 0] if slot > 0 else np.inf


@piece
def fall(before, after):
    """By what part of its size f fell, from 0 to 1; 1 where there was nothing before."""
    if not before < np.inf:
        return 1.0
    return min(1.0, (before - after) / (abs(before) + abs(after) + NEGLIGIBLE))


@piece
def copy(source, target):
    """Fill a vector from another one."""
    for i in range(target.size):
        target[i] = source[i]


@piece
def fill_with(target, number):
    """The same number everywhere."""
    for i in range(target.size):
        target[i] = number


@piece
def dot(a, b):
    """The inner product of two vectors."""
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@piece
def largest(a):
    """The largest size of an entry."""
    most = 0.0
    for i in range(a.size):
        if not abs(a[i]) <= most:  # so that a NaN is not lost
            most = abs(a[i])
    return most


@piece
def excess(values, i, rule):
    """By how much constraint i is beyond what counts as feasible."""
    if i < rule.inequalities:
        return max(0.0, values[1 + i])
    return max(0.0, abs(values[1 + i]) - rule.equality_tolerance)


@piece
def violation(values, scale, rule):
    """φ: the sum of the constraints' excesses, each in units of a typical one."""
    total = 0.0
    for i in range(values.size - 1):
        total += excess(values, i, rule) / scale[i]
    return total if np.isfinite(total + values[0]) else np.inf


@piece
def is_better(f1, phi1, f2, phi2, epsilon):
    """The ε level comparison (Takahama and Sakai 2006, eq. 5): f decides within ε, else φ does."""
    if (phi1 <= epsilon and phi2 <= epsilon) or phi1 == phi2:
        return f1 < f2
    return phi1 < phi2


@piece
def aimed_change(value, low, high):
    """What to add to a constraint's value to bring it into an interval."""
    if value > high:
        return high - value
    if value < low:
        return low - value
    return 0.0


@piece
def jacobian(kernel, state, m, gain, budget, x, values, step, made_by, beside, into):
    """Gradients of f, g and h by forward differences of `step` times each variable's range: n evaluations.

    They are with respect to variables that run from 0 to 1. `beside` is scratch space.
    """
    for j in range(x.size):
        width = m.upper[j] - m.lower[j]
        kept = x[j]
        x[j] = kept + step * width
        if x[j] > m.upper[j]:
            x[j] = kept - step * width
        distance = (x[j] - kept) / width
        evaluate(kernel, state, m, gain, budget, x, beside, made_by)
        x[j] = kept
        for i in range(values.size):
            slope = (beside[i] - values[i]) / distance
            into[i, j] = slope if np.isfinite(slope) else 0.0


@piece
def moved_point(m, x, step, part, to):
    """`to` becomes x + part · step inside the bounds, the step being in the unit box. Returns its longest part."""
    longest = 0.0
    for j in range(x.size):
        width = m.upper[j] - m.lower[j]
        wanted = x[j] + part * step[j] * width
        to[j] = min(max(wanted, m.lower[j]), m.upper[j]) if np.isfinite(wanted) else x[j]
        longest = max(longest, abs(to[j] - x[j]) / width)
    return longest


@piece
def step_between(m, x, to, step):
    """The step from x to `to`, in the unit box."""
    for j in range(x.size):
        step[j] = (to[j] - x[j]) / (m.upper[j] - m.lower[j])
