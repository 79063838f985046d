"""The turn of an emitter that makes each candidate from the archive alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numba import types

from mapelites.core.kernels import KERNEL_TYPE, compiled_for
from mapelites.search.directed.common import evaluate
from mapelites.search.directed.memory import WORK_TYPE
from mapelites.search.emitters.emitter import FILL_TYPE, FillFunction, Step
from mapelites.search.state import EVALUATIONS, MAP_TYPE, STATE_TYPE

if TYPE_CHECKING:
    from mapelites.search.directed.loop import Directed


@compiled_for(KERNEL_TYPE, FILL_TYPE, STATE_TYPE, MAP_TYPE, WORK_TYPE, types.int64, types.int64, types.int64)
def fill_and_evaluate(kernel, fill, state, m, work, budget, until, made_by):
    """Candidate after candidate up to evaluation `until`."""
    while state.counters[EVALUATIONS] < min(until, budget):
        fill(state, m, work.x)
        evaluate(kernel, state, m, work.gain, budget, work.x, work.values, made_by)


def filling_step(fill: FillFunction) -> Step:
    """The turn of an emitter with this function."""
    compiled = fill.compiled

    def step(search: Directed, until: int, made_by: int) -> None:
        fill_and_evaluate(search.kernel, compiled, search.state, search.map, search.work, search.budget, until, made_by)

    return step
