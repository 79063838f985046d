"""Cell-directed search: aim the constraints' values at a cell of the map and descend there.

Features are constraints, so a step in feature space can be aimed: from the elite of one cell, a local descent (the
sequential quadratic steps of `descent.py`) brings every constraint's value into the bin of a neighbouring cell while f
falls. Elites that were worked on least come first; the neighbour is drawn, whether it is empty, poor or good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mapelites.core.kernels import INDICES, compiled_for
from mapelites.search.directed.descent import begin, descend
from mapelites.search.directed.memory import ACTIVE, SOLVER_TYPE, WORK_TYPE
from mapelites.search.pieces import piece
from mapelites.search.random import below, uniform
from mapelites.search.state import MAP_TYPE, OCCUPIED, STATE_TYPE, bin_of, violation_of

if TYPE_CHECKING:
    from mapelites.search.directed.loop import Directed

FIRST_RADIUS = 0.02
ITERATIONS = 12
DRAWN = 4  # elites drawn, of which the one worked on least is taken
STAY = 0.4  # the probability of working on an elite's own cell


@piece
def bins_of(values, edges, rule, bins):
    """The bin of each constraint, whichever kind the cells are of."""
    for i in range(bins.size):
        bins[i] = bin_of(edges, i, violation_of(values, i, rule))


@piece
def levels_of(edges, i):
    """How many levels constraint i has."""
    count = 0
    while count < edges.shape[1] and edges[i, count] < np.inf:
        count += 1
    return count


@piece
def interval_of(edges, i, place, value, rule, low, high):
    """The interval of a constraint's value that makes it fall in a bin, on the side where the value is."""
    equality = i >= rule.inequalities
    if place == 0:
        low[i] = 0.0 if equality else -np.inf
        high[i] = 0.0
    else:
        over = edges[i, place] if place < levels_of(edges, i) else np.inf
        under = edges[i, place - 1] * (1.0 + 1e-9) + 1e-12 * min(over, 1.0)
        turned = equality and value < 0.0
        low[i] = -over if turned else under
        high[i] = -under if turned else over


@piece
def step_aside(rng, edges, bins):
    """Move to a neighbouring cell, more often to a stricter one; a problem without constraints has only one."""
    if bins.size == 0:
        return
    for _ in range(2 if below(rng, 3) == 0 else 1):
        i = below(rng, bins.size)
        by = 1 if uniform(rng) < 0.3 else -1
        if bins[i] + by < 0 or bins[i] + by > levels_of(edges, i):
            by = -by
        bins[i] += by


@compiled_for(STATE_TYPE, MAP_TYPE, SOLVER_TYPE, WORK_TYPE, INDICES)
def start_aim(state, m, solver, work, tries):
    """Set the solver on a cell: one that has been worked on little, or a neighbour of it."""
    rng, slot = state.rng, 0
    for _ in range(DRAWN):
        drawn = 1 + below(rng, state.counters[OCCUPIED])
        if slot == 0 or tries[drawn] < tries[slot]:
            slot = drawn
    tries[slot] += 1
    edges = m.grid.edges
    bins_of(state.values[slot], edges, m.rule, work.bins)
    if uniform(rng) > STAY:
        step_aside(rng, edges, work.bins)
    for i in range(work.bins.size):
        interval_of(edges, i, work.bins[i], state.values[slot, 1 + i], m.rule, solver.low, solver.high)
    begin(solver, state.x[slot], state.values[slot], FIRST_RADIUS, ITERATIONS, np.inf)


def aim_in_turn(search: Directed, until: int, made_by: int) -> None:
    """A turn: descent after descent, each aimed at a cell."""
    solver = search.part("aim")
    while search.evaluations < min(until, search.budget):
        if solver.counts[ACTIVE] == 0:
            start_aim(search.state, search.map, solver, search.work, search.tries)
        descend(search.kernel, search.state, search.map, solver, search.work, search.budget, until, made_by)
