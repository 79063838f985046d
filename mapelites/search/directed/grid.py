"""Grid: neighbours of a design whose variables take only some values, for which there are no gradients.

Late acceptance: E. K. Burke and Y. Bykov, "The late acceptance hill-climbing heuristic", 2017: a neighbour is accepted
where it is as good as the present design, or better than the one that was present LATE neighbours ago. So the walk
crosses hills that are no higher than what it came from, and needs no temperature. Designs are compared by violation,
then by f. A walk that has come to nothing for long begins again: at the best feasible solution, an elite, or anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import typeof, types

from mapelites.core.kernels import KERNEL_TYPE, VECTOR, compiled_for
from mapelites.search.directed.common import copy, evaluate, is_better, violation
from mapelites.search.directed.memory import WORK_TYPE, Floats, Integers
from mapelites.search.paper import random_solution
from mapelites.search.pieces import piece
from mapelites.search.random import below, normal, uniform
from mapelites.search.state import EVALUATIONS, MAP_TYPE, OCCUPIED, STATE_TYPE

if TYPE_CHECKING:
    from mapelites.search.directed.loop import Directed

ACTIVE, PLACE, IDLE = range(3)  # places in `counts`
LATE = 200
PATIENCE = 400  # neighbours per variable without any gain, until a walk begins again
ANOTHER = 0.4  # the probability that one more variable changes
FURTHER = 0.4  # that a change is one step longer
JUMP = 0.15  # that a variable takes any of its values
SMOOTH = 0.3  # that a variable without steps changes, where there are some
SMALLEST = -5.0  # power of ten: its smallest change, as a part of its range
FROM_BEST, FROM_ELITE = 0.5, 0.4  # of the walks; the others begin anywhere


class Walk(NamedTuple):
    """Where the walk is, and what it was like LATE neighbours ago."""

    x: Floats  # (n,)
    values: Floats  # (1 + m + p,)
    best: Floats  # (2,): f and φ of the best design since the walk began
    late: Floats  # (LATE, 2): f and φ
    counts: Integers  # ACTIVE to IDLE


def new_walk(n: int, constraints: int) -> Walk:
    """A walk that has not begun."""
    return Walk(np.zeros(n), np.zeros(1 + constraints), np.zeros(2), np.zeros((LATE, 2)), np.zeros(3, dtype=np.int64))


WALK_TYPE = typeof(new_walk(1, 1))


@piece
def begin(kernel, state, m, walk, scale, work, budget, made_by):
    """Begin anew: one evaluation where it is anywhere."""
    rng, part = state.rng, uniform(state.rng)
    if part < FROM_BEST + FROM_ELITE:
        slot = 0
        if part >= FROM_BEST or not state.values[0, 0] < np.inf:
            slot = 1 + below(rng, state.counters[OCCUPIED])
        copy(state.x[slot], walk.x)
        copy(state.values[slot], walk.values)
    else:
        random_solution(rng, m.lower, m.upper, walk.x)
        evaluate(kernel, state, m, work.gain, budget, walk.x, walk.values, made_by)
    f, phi = walk.values[0], violation(walk.values, scale, m.rule)
    walk.best[0], walk.best[1] = f, phi
    for k in range(LATE):
        walk.late[k, 0], walk.late[k, 1] = f, phi
    walk.counts[ACTIVE], walk.counts[PLACE], walk.counts[IDLE] = 1, 0, 0


@piece
def change(rng, m, x):
    """Change one variable, and others with it now and then."""
    again = True
    while again:
        j = below(rng, x.size)
        step, width = m.steps[j], m.upper[j] - m.lower[j]
        if uniform(rng) < JUMP:
            x[j] = m.lower[j] + width * uniform(rng)
        elif step > 0.0:
            steps = 1.0
            while uniform(rng) < FURTHER:
                steps += 1.0
            x[j] += step * steps if uniform(rng) < 0.5 else -step * steps
        elif uniform(rng) < SMOOTH:
            x[j] += 10.0 ** (SMALLEST * uniform(rng)) * width * normal(rng)
        x[j] = min(max(x[j], m.lower[j]), m.upper[j])
        again = uniform(rng) < ANOTHER


@piece
def step(kernel, state, m, walk, scale, work, budget, made_by):
    """One neighbour, taken or not."""
    x, values, counts = work.x, work.values, walk.counts
    copy(walk.x, x)
    change(state.rng, m, x)
    evaluate(kernel, state, m, work.gain, budget, x, values, made_by)
    f, phi = values[0], violation(values, scale, m.rule)
    now, now_phi, late = walk.values[0], violation(walk.values, scale, m.rule), walk.late[counts[PLACE]]
    if not is_better(now, now_phi, f, phi, 0.0) or is_better(f, phi, late[0], late[1], 0.0):
        copy(x, walk.x)
        copy(values, walk.values)
        now, now_phi = f, phi
    if is_better(now, now_phi, late[0], late[1], 0.0):
        late[0], late[1] = now, now_phi
    counts[PLACE] = (counts[PLACE] + 1) % LATE
    counts[IDLE] += 1
    if is_better(f, phi, walk.best[0], walk.best[1], 0.0):
        walk.best[0], walk.best[1] = f, phi
        counts[IDLE] = 0
    if counts[IDLE] > PATIENCE * x.size:
        counts[ACTIVE] = 0


@compiled_for(
    KERNEL_TYPE, STATE_TYPE, MAP_TYPE, WALK_TYPE, VECTOR, WORK_TYPE, types.int64, types.int64, types.int64
)  # fmt: skip
def walk_on(kernel, state, m, walk, scale, work, budget, until, made_by):
    """Neighbour after neighbour up to evaluation `until`."""
    while state.counters[EVALUATIONS] < min(until, budget):
        if walk.counts[ACTIVE] == 0:
            begin(kernel, state, m, walk, scale, work, budget, made_by)
        else:
            step(kernel, state, m, walk, scale, work, budget, made_by)


def walk_in_turn(search: Directed, until: int, made_by: int) -> None:
    """A turn."""
    scale = search.scale if search.scale[:1].any() else np.ones(len(search.problem.constraints))
    walk_on(
        search.kernel, search.state, search.map, search.part("grid"), scale, search.work, search.budget, until, made_by
    )
