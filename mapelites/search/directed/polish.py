"""Polish: local descent to the best feasible solution near a promising one.

Starts from members of the populations, and from the best feasible solution after a kick that changes a few variables
(iterated local search: H. R. Lourenço, O. C. Martin and T. Stützle, 2003). What comes out goes back to the populations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from mapelites.core.kernels import KERNEL_TYPE, VECTOR, compiled_for
from mapelites.search.directed.common import copy, evaluate, is_better, violation
from mapelites.search.directed.descent import begin, descend
from mapelites.search.directed.differential import FAST_ENDS, SLOW_ENDS, best_of_some, epsilon_at, inject
from mapelites.search.directed.memory import ACTIVE, FILLED, POPULATION_TYPE, SIZE, SOLVER_TYPE, WORK_TYPE
from mapelites.search.directed.repair import feasible_interval
from mapelites.search.pieces import piece
from mapelites.search.random import below, normal, uniform
from mapelites.search.state import EVALUATIONS, MAP_TYPE, OCCUPIED, STATE_TYPE

if TYPE_CHECKING:
    from mapelites.search.directed.loop import Directed

FIRST_RADIUS = 0.02
ITERATIONS = 200
KICK = 0.5  # of the descents start from the best feasible solution, kicked
POLISHED = 1e-7  # a start whose f is this near the best feasible one, relatively, is taken to be that one
KICKS = 8  # kicks tried, of which the best is followed
EXCHANGE, COPY, ANYWHERE, FROM_MEMBER, NEARBY = range(5)


@piece
def place(m, x, i):
    """Where a variable is between its bounds, from 0 to 1."""
    return (x[i] - m.lower[i]) / (m.upper[i] - m.lower[i])


@piece
def put(m, x, i, part):
    """Put a variable at a place between its bounds."""
    x[i] = min(max(m.lower[i] + part * (m.upper[i] - m.lower[i]), m.lower[i]), m.upper[i])


@piece
def kick(rng, m, kind, few, size, other, x):
    """Exchange two variables, copy one to another, or set some to any value, to another solution's, or by a step."""
    i, j = below(rng, x.size), below(rng, x.size)
    first, second = place(m, x, i), place(m, x, j)
    if kind in (EXCHANGE, COPY):
        put(m, x, i, second)
    if kind == EXCHANGE:
        put(m, x, j, first)
    for k in range(x.size):
        if kind > COPY and uniform(rng) < few:
            if kind == ANYWHERE:
                put(m, x, k, uniform(rng))
            elif kind == FROM_MEMBER:
                x[k] = other[k]
            else:
                put(m, x, k, place(m, x, k) + size * normal(rng))


@piece
def draws_of(kind, n):
    """How often a kick is tried: an exchange can be judged at once, a copy only after the descent."""
    if kind == EXCHANGE:
        return 2 * n
    return 1 if kind == COPY else KICKS


@piece
def best_kick(kernel, state, m, scale, solver, work, budget, made_by):
    """Kick the best feasible solution several times in one manner and begin at what is best of that."""
    rng, n = state.rng, solver.x.size
    kind, size = below(rng, 5), 10.0 ** (-3.0 * uniform(rng))
    few = (1.0 + below(rng, 3)) / n if uniform(rng) < 0.7 else 1.0
    copy(solver.x, work.here)
    copy(state.x[0] if np.isfinite(state.values[0, 0]) else solver.x, work.corrected)
    started = False
    for _ in range(draws_of(kind, n)):
        copy(work.corrected, work.x)
        kick(rng, m, kind, few, size, work.here, work.x)
        evaluate(kernel, state, m, work.gain, budget, work.x, work.values, made_by)
        phi, best = violation(work.values, scale, m.rule), violation(solver.values, scale, m.rule)
        if np.isfinite(phi) and (not started or is_better(work.values[0], phi, solver.values[0], best, 0.0)):
            begin(solver, work.x, work.values, FIRST_RADIUS, ITERATIONS, state.values[0, 0])
            started = True


@piece
def is_ready(population):
    """Whether all members have been evaluated."""
    return population.counts[FILLED] == population.counts[SIZE]


@piece
def start_at(rng, state, m, population, scale, solver, epsilon):
    """Begin at a member of the population, from any of them to the best, or at an elite while there are none."""
    if is_ready(population):
        i = best_of_some(rng, population, scale, m.rule, epsilon, 1 + below(rng, population.counts[SIZE]))
        begin(solver, population.x[i], population.values[i], FIRST_RADIUS, ITERATIONS, state.values[0, 0])
    else:
        i = 1 + below(rng, state.counters[OCCUPIED])
        begin(solver, state.x[i], state.values[i], FIRST_RADIUS, ITERATIONS, state.values[0, 0])


@compiled_for(
    KERNEL_TYPE, STATE_TYPE, MAP_TYPE, POPULATION_TYPE, VECTOR, SOLVER_TYPE, WORK_TYPE,
    types.int64, types.float64, types.int64,
)  # fmt: skip
def start_polish(kernel, state, m, population, scale, solver, work, budget, ends, made_by):
    """Set the solver on its next descent."""
    rng = state.rng
    feasible_interval(m.rule, solver.low, solver.high)
    epsilon = epsilon_at(state.counters[EVALUATIONS] / budget, population, ends)
    start_at(rng, state, m, population, scale, solver, epsilon)
    best = state.values[0, 0]
    polished = abs(solver.values[0] - best) <= POLISHED * abs(best)
    if (scale.size == 0 or scale[0] > 0.0) and (polished or uniform(rng) < KICK):
        best_kick(kernel, state, m, scale, solver, work, budget, made_by)


def polish_in_turn(search: Directed, until: int, made_by: int) -> None:
    """A turn: descent after descent, each from one of the two populations, and back into both."""
    solver, scale, budget = search.part("polish"), search.scale, search.budget
    populations = (search.part("slow"), SLOW_ENDS), (search.part("fast"), FAST_ENDS)
    while search.evaluations < min(until, budget):
        if solver.counts[ACTIVE] == 0:
            # Either population by a bit of the generator's state, which is the same however the run is cut.
            population, ends = populations[int(search.state.rng[0]) & 1]
            start_polish(
                search.kernel, search.state, search.map, population, scale, solver, search.work, budget, ends, made_by
            )
        descend(search.kernel, search.state, search.map, solver, search.work, budget, until, made_by)
        if solver.counts[ACTIVE] == 0:
            for population, ends in populations:
                inject(search.state, search.map, population, scale, solver.x, solver.values, budget, ends)
