"""The paper's operators as an emitter: mutation and crossover of elites, as in Algorithm 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numba import types

from mapelites.core.kernels import KERNEL_TYPE, compiled_for
from mapelites.search.directed.common import evaluate
from mapelites.search.directed.memory import WORK_TYPE
from mapelites.search.paper import NUMBERS_TYPE, propose
from mapelites.search.state import EVALUATIONS, MAP_TYPE, STATE_TYPE

if TYPE_CHECKING:
    from mapelites.search.directed.loop import Directed


@compiled_for(KERNEL_TYPE, STATE_TYPE, MAP_TYPE, NUMBERS_TYPE, WORK_TYPE, types.int64, types.int64)
def mutate(kernel, state, m, numbers, work, budget, until):
    """Candidate after candidate up to evaluation `until`; random ones while there are no elites."""
    while state.counters[EVALUATIONS] < min(until, budget):
        made_by = propose(state.rng, state.counters, state.x, m.lower, m.upper, numbers, work.x)
        evaluate(kernel, state, m, work.gain, budget, work.x, work.values, made_by)


def mutate_in_turn(search: Directed, until: int, made_by: int) -> None:
    """A turn; the paper's operators are the first ones of all, so their places need no `made_by`."""
    mutate(search.kernel, search.state, search.map, search.numbers, search.work, search.budget, until)
