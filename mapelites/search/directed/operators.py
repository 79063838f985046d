"""The paper's operators as an emitter: mutation and crossover of elites, as in Algorithm 1."""

from __future__ import annotations

from numba import types

from mapelites.kernels import KERNEL_TYPE, compiled_for
from mapelites.search.directed.common import evaluate
from mapelites.search.directed.memory import WORK_TYPE
from mapelites.search.paper import NUMBERS_TYPE, propose
from mapelites.search.state import EVALUATIONS, MAP_TYPE, STATE_TYPE


@compiled_for(KERNEL_TYPE, STATE_TYPE, MAP_TYPE, NUMBERS_TYPE, WORK_TYPE, types.int64, types.int64)
def mutate(kernel, state, m, numbers, work, budget, until):
    """Candidate after candidate up to evaluation `until`; random ones while there are no elites."""
    while state.counters[EVALUATIONS] < min(until, budget):
        made_by = propose(state.rng, state.counters, state.x, m.lower, m.upper, numbers, work.x)
        evaluate(kernel, state, m, work.gain, budget, work.x, work.values, made_by)
