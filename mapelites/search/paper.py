"""Algorithm 1 of the paper, one candidate at a time, compiled.

S. Fioravanzo and G. Iacca, "Evaluating MAP-Elites on constrained optimization problems", GECCO 2019,
sections 3 and 4.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from mapelites.core.kernels import INDICES, KERNEL_TYPE, MATRIX, VECTOR, compiled_for, inlined
from mapelites.core.problem import Array, Problem
from mapelites.core.settings import RULES, Settings
from mapelites.search.bounds import moved_inside
from mapelites.search.callback import Callback
from mapelites.search.random import add_normals, below, coins, uniform
from mapelites.search.state import (
    EVALUATIONS,
    MAP_TYPE,
    OCCUPIED,
    STATE_TYPE,
    MapArrays,
    State,
    accept,
    compute,
    grown,
    has_room,
)
from mapelites.search.synchronous import SynchronousMethod

if TYPE_CHECKING:
    from mapelites.search.parallel.method import ParallelMethod

Integers = NDArray[np.int64]
OPERATORS = ("random", "mutation", "crossover")
RANDOM, MUTATION, CROSSOVER = range(3)
PIECE_SECONDS = 0.01


class LoopSettings(NamedTuple):
    """The settings as the compiled loop takes them."""

    initial: int
    sigma: float
    mutation_probability: float
    crossover: bool
    crossover_probability: float
    distinct_parents: bool
    rule: int


def loop_settings(settings: Settings) -> LoopSettings:
    """The settings as the compiled loop takes them."""
    return LoopSettings(
        settings.initial,
        settings.sigma,
        settings.mutation_probability,
        settings.crossover,
        settings.crossover_probability,
        settings.distinct_parents,
        RULES.index(settings.bounds),
    )


NUMBERS_TYPE = typeof(LoopSettings(1, 0.1, 0.5, True, 0.5, True, 0))


@inlined
def random_solution(rng, lower, upper, x):
    """Uniform in the bounds."""
    for i in range(x.size):
        x[i] = lower[i] + (upper[i] - lower[i]) * uniform(rng)


@inlined
def other_than(rng, first, occupied, distinct):
    """The second parent: from another cell where there is one, or drawn with replacement."""
    if distinct and occupied > 1:
        second = 1 + below(rng, occupied - 1)
        return second + 1 if second >= first else second
    return 1 + below(rng, occupied)


@inlined
def cross(rng, probability, first, second, x):
    """Uniform crossover: each variable comes from the second parent with the probability, else from the first.

    Nothing branches on a coin: a branch that is taken at random costs more than all the rest.
    """
    for start in range(0, x.size, 64):
        end = min(start + 64, x.size)
        heads = coins(rng, probability, end - start)
        for i in range(start, end):
            x[i] = second[i] if (heads >> np.uint64(i - start)) & np.uint64(1) else first[i]


@inlined
def mutate(rng, lower, upper, numbers, x):
    """Gaussian mutation of each variable with the probability."""
    for start in range(0, x.size, 64):
        places = coins(rng, numbers.mutation_probability, min(64, x.size - start))
        add_normals(rng, numbers.sigma, places, x, start)
    for i in range(x.size):
        x[i] = moved_inside(x[i], lower[i], upper[i], numbers.rule)


@inlined
def propose(rng, counters, xs, lower, upper, numbers, x):
    """Lines 3 to 7 of Algorithm 1: fill `x` with a candidate and say which operator made it."""
    occupied = counters[OCCUPIED]
    if counters[EVALUATIONS] < numbers.initial or occupied == 0:
        random_solution(rng, lower, upper, x)
        return RANDOM
    first = 1 + below(rng, occupied)
    made_by = MUTATION
    if numbers.crossover:
        made_by = CROSSOVER
        second = other_than(rng, first, occupied, numbers.distinct_parents)
        cross(rng, numbers.crossover_probability, xs[first], xs[second], x)
    else:
        for i in range(x.size):
            x[i] = xs[first, i]
    mutate(rng, lower, upper, numbers, x)
    return made_by


@compiled_for(KERNEL_TYPE, STATE_TYPE, MAP_TYPE, NUMBERS_TYPE, types.int64, VECTOR, VECTOR)
def _advance(kernel, state, m, numbers, until, x, values):
    """Run up to evaluation `until`, or until the archive needs more room. The last two are scratch space."""
    rng, counters, slot_of, xs, vs, tags = state
    lower, upper, grid, rule = m.lower, m.upper, m.grid, m.rule
    # A new cell needs a free slot, unless there is a slot for every cell.
    slots = slot_of.size if xs.shape[0] > slot_of.size else xs.shape[0] - 2
    while counters[EVALUATIONS] < until and counters[OCCUPIED] <= slots:
        made_by = propose(rng, counters, xs, lower, upper, numbers, x)
        compute(kernel, m, x, values)
        accept(counters, slot_of, xs, vs, tags, grid, rule, x, values, made_by)


@compiled_for(STATE_TYPE, MAP_TYPE, NUMBERS_TYPE, MATRIX, INDICES)
def _propose_rows(state, m, numbers, rows, made_by):
    """Each row counts as evaluated when the next one is made."""
    before = state.counters[EVALUATIONS]
    for k in range(rows.shape[0]):
        made_by[k] = propose(state.rng, state.counters, state.x, m.lower, m.upper, numbers, rows[k])
        state.counters[EVALUATIONS] += 1
    state.counters[EVALUATIONS] = before


def propose_rows(search: ParallelMethod, rows: Array, made_by: int) -> Integers:
    """Candidates for a function that takes long, and which of the paper's operators made each."""
    operators = np.empty(len(rows), dtype=np.int64)
    _propose_rows(search.state, search.map, search.numbers, rows, operators)
    return operators


def advance(problem: Problem, m: MapArrays, settings: Settings, state: State, until: int, kernel: Any = None) -> State:
    """Search up to evaluation `until` and return the state, which may have moved to larger arrays.

    `kernel` stands for the problem's function, where that is not compiled.
    """
    plain, x, values = loop_settings(settings), np.empty(problem.dimension), np.empty(1 + len(problem.constraints))
    while state.counters[EVALUATIONS] < until:
        _advance(problem.function if kernel is None else kernel, state, m, plain, until, x, values)
        if not has_room(state):
            state = grown(state, m.grid)
    return state


class PaperMethod(SynchronousMethod):
    """Algorithm 1 at work on a state; everything it knows is in there."""

    operators = OPERATORS

    def __init__(self, problem: Problem, m: MapArrays, settings: Settings, state: State) -> None:
        self.problem, self.map, self.settings, self.state = problem, m, settings, state
        self._callback: Callback | None = None
        self._piece = 1  # evaluations of a plain function between two moments to which an error goes back

    @property
    def spent(self) -> dict[str, int]:
        """All evaluations are the paper's."""
        return {"paper": int(self.state.counters[EVALUATIONS])}

    def advance(self, until: int) -> None:
        """Search up to evaluation `until`."""
        if self.problem.compiled:
            self.state = advance(self.problem, self.map, self.settings, self.state, until)
        else:
            self._advance_plain(until)

    def _advance_plain(self, until: int) -> None:
        """The same around a plain function. Where it raises, the last PIECE_SECONDS are as if they had not been."""
        self._callback = self._callback or Callback(self.problem)
        while (told := int(self.state.counters[EVALUATIONS])) < until:
            before, started = State._make(array.copy() for array in self.state), time.perf_counter()
            end = min(until, told + self._piece)
            try:
                with self._callback.raising():
                    self.state = advance(self.problem, self.map, self.settings, self.state, end, self._callback.kernel)
            except BaseException:
                self.state = before
                raise
            quick = time.perf_counter() - started < PIECE_SECONDS
            self._piece = 2 * self._piece if quick else max(1, self._piece // 2)

    def memory(self) -> dict[str, NDArray[Any]]:
        """Nothing."""
        return {}

    def remember(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Nothing to take up again."""
