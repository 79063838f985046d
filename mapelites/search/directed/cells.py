"""Where descents for the map begin: an elite, with the intervals of its own cell or of one beside it.

The lattice's questions are answered by few elites. Whoever reads the map exactly sees all the others too, and most of
them were never worked on: they lie where some candidate happened to fall.
"""

from __future__ import annotations

from numba import types

from mapelites.core.kernels import INDICES, compiled_for
from mapelites.search.directed.aim import bins_of, interval_of, step_aside
from mapelites.search.directed.memory import WORK_TYPE
from mapelites.search.directed.sequential import DESCENT_TYPE, NOTHING, set_out
from mapelites.search.random import below, uniform
from mapelites.search.state import MAP_TYPE, OCCUPIED, STATE_TYPE

DRAWN = 4  # elites drawn, of which the one worked on least is taken
ASIDE = 0.4  # the probability of going for a cell beside the elite's own


@compiled_for(
    STATE_TYPE, MAP_TYPE, DESCENT_TYPE, WORK_TYPE, INDICES, types.float64, types.int64, types.int64, types.float64
)
def begin_in_cell(state, m, descent, work, tries, accuracy, iterations, cost, known):
    """Set the descent on a cell: one that has been worked on little, or a neighbour of it."""
    rng, slot = state.rng, 0
    for _ in range(DRAWN):
        drawn = 1 + below(rng, state.counters[OCCUPIED])
        if slot == 0 or tries[drawn] < tries[slot]:
            slot = drawn
    tries[slot] += 1
    bins_of(state.values[slot], m.grid.edges, m.rule, work.bins)
    if uniform(rng) < ASIDE:
        step_aside(rng, m.grid.edges, work.bins)
    for i in range(work.bins.size):
        interval_of(m.grid.edges, i, work.bins[i], state.values[slot, 1 + i], m.rule, descent.low, descent.high)
    set_out(m, descent, state.x[slot], state.values[slot], accuracy, iterations, cost, known, NOTHING, False)
