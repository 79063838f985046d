"""Everything a search holds between two evaluations, as plain arrays.

The state is what a checkpoint stores: put back, the search goes on as if it had never stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import typeof
from numpy.typing import NDArray

from mapelites.errors import InputError
from mapelites.kernels import inlined
from mapelites.problem import Constraint, Problem
from mapelites.search import random
from mapelites.tolerances import Tolerances

FIRST_CAPACITY = 1024

# Places in `counters`.
EVALUATIONS, OCCUPIED, REFUSED, IMPROVED = range(4)


# Columns of `tags`.
CELL, FOUND_AT, OPERATOR = range(3)


class State(NamedTuple):
    """Elites by slot, in the order in which their cells were first reached, and what finds them.

    Slots 1 to `counters[OCCUPIED]` hold the elites, the later ones are free. Slot 0 holds the best
    feasible solution met, whichever cell it is in: a cell may be wider than the feasible region. Its f is
    infinite while there is none. `slot_of` gives the slot of a cell, or 0 for an empty one.
    """

    rng: NDArray[np.uint64]
    counters: NDArray[np.int64]
    slot_of: NDArray[np.int32]
    x: NDArray[np.float64]  # (slots, n)
    values: NDArray[np.float64]  # (slots, 1 + m + p): f, g, h
    tags: NDArray[np.int64]  # (slots, 3): cell, found at, operator


BY_SLOT = ("x", "values", "tags")


class Rule(NamedTuple):
    """What makes a solution feasible: how many constraints are inequalities, and what h may be."""

    inequalities: int
    equality_tolerance: float


class Map(NamedTuple):
    """What the compiled loop needs to know of the problem and the tolerances."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    data: NDArray[np.float64]
    edges: NDArray[np.float64]  # (constraints, levels): padded with infinity
    strides: NDArray[np.int64]  # cell = sum of bin * stride
    rule: Rule


def make_map(problem: Problem, tolerances: Tolerances) -> Map:
    """The compiled loop's view of a problem and its tolerances."""
    shape = tolerances.shape
    strides = [int(np.prod(shape[i + 1 :], dtype=np.int64)) for i in range(len(shape))]
    return Map(
        problem.lower.copy(),
        problem.upper.copy(),
        problem.data,
        tolerances.edges.copy(),
        np.array(strides, dtype=np.int64),
        Rule(problem.inequalities, problem.equality_tolerance),
    )


def new_state(problem: Problem, tolerances: Tolerances, seed: int) -> State:
    """An empty archive at evaluation 0."""
    width = 1 + len(problem.constraints)
    slots = 1 + min(FIRST_CAPACITY, tolerances.cells)
    values = np.zeros((slots, width))
    values[0] = np.inf
    return State(
        rng=random.stream(seed),
        counters=np.zeros(4, dtype=np.int64),
        slot_of=np.zeros(tolerances.cells, dtype=np.int32),
        x=np.zeros((slots, problem.dimension)),
        values=values,
        tags=np.zeros((slots, 3), dtype=np.int64),
    )


def has_room(state: State) -> bool:
    """Whether a new cell would find a free slot."""
    return int(state.counters[OCCUPIED]) < len(state.tags) - 1 or len(state.tags) > len(state.slot_of)


def grown(state: State) -> State:
    """The same state with room for twice as many elites."""
    slots = min(2 * len(state.tags), 1 + len(state.slot_of))
    wider: dict[str, Any] = {}
    for name in BY_SLOT:
        old = getattr(state, name)
        wider[name] = np.zeros((slots, *old.shape[1:]), dtype=old.dtype)
        wider[name][: len(old)] = old
    return state._replace(**wider)


def packed(state: State) -> dict[str, NDArray[Any]]:
    """Copies of what cannot be worked out again: occupied slots, counters, generator."""
    used = 1 + int(state.counters[OCCUPIED])
    arrays = {name: getattr(state, name)[:used].copy() for name in BY_SLOT}
    return {"rng": state.rng.copy(), "counters": state.counters.copy(), **arrays}


def unpacked(problem: Problem, tolerances: Tolerances, arrays: Mapping[str, NDArray[Any]]) -> State:
    """A state from what `packed` gave; the shapes must be those of the problem and the tolerances."""
    state = new_state(problem, tolerances, seed=0)
    used = 1 + int(arrays["counters"][OCCUPIED])
    while len(state.tags) < used:
        state = grown(state)
    for name in ("rng", "counters", *BY_SLOT):
        array, target = arrays[name], getattr(state, name)
        target = target[:used] if name in BY_SLOT else target
        if target.shape != array.shape or target.dtype != array.dtype:
            raise InputError(
                f"checkpoint: {name} must be {target.dtype} of shape {target.shape}, "
                f"but it was {array.dtype} of shape {array.shape}"
            )
        target[...] = array
    state.slot_of[state.tags[1:used, CELL]] = np.arange(1, used, dtype=np.int32)
    return state


@inlined
def cell_of(values, edges, strides, rule):
    """The cell of one candidate's f, g, h, or -1 where one of them is not a finite number."""
    if not np.isfinite(values[0]):
        return -1
    cell = 0
    for i in range(edges.shape[0]):
        value = values[1 + i]
        if not np.isfinite(value):
            return -1
        violation = max(0.0, value) if i < rule.inequalities else abs(value)
        place = 0
        while place < edges.shape[1] and violation > edges[i, place]:
            place += 1
        cell += place * strides[i]
    return cell


@inlined
def is_feasible(values, rule):
    """Every g <= 0 and every abs(h) within the problem's tolerance."""
    for i in range(1, values.size):
        if i <= rule.inequalities:
            if values[i] > 0.0:
                return False
        elif abs(values[i]) > rule.equality_tolerance:
            return False
    return True


@inlined
def _store(slot, xs, vs, tags, x, values, cell, found_at, operator):
    for i in range(x.size):
        xs[slot, i] = x[i]
    for i in range(values.size):
        vs[slot, i] = values[i]
    tags[slot, CELL] = cell
    tags[slot, FOUND_AT] = found_at
    tags[slot, OPERATOR] = operator


@inlined
def accept(counters, slot_of, xs, vs, tags, edges, strides, rule, x, values, operator):
    """Lines 9 to 12 of Algorithm 1: keep the candidate if its cell is empty or it is strictly better.

    Returns whether it was kept.
    """
    counters[EVALUATIONS] += 1
    cell = cell_of(values, edges, strides, rule)
    kept = False
    if cell < 0:
        counters[REFUSED] += 1
    else:
        if values[0] < vs[0, 0] and is_feasible(values, rule):
            _store(0, xs, vs, tags, x, values, cell, counters[EVALUATIONS], operator)
        slot = slot_of[cell]
        kept = slot == 0 or values[0] < vs[slot, 0]
        if kept:
            if slot == 0:
                counters[OCCUPIED] += 1
                slot = counters[OCCUPIED]
                slot_of[cell] = slot
            counters[IMPROVED] += 1
            _store(slot, xs, vs, tags, x, values, cell, counters[EVALUATIONS], operator)
    return kept


def _sample() -> tuple[State, Map]:
    """A state and a map of the smallest kind, for their types."""
    problem = Problem("sample", np.zeros(1), np.ones(1), (Constraint("g1", "inequality"),), abs)
    tolerances = Tolerances.default(problem)
    return new_state(problem, tolerances, 0), make_map(problem, tolerances)


STATE_TYPE, MAP_TYPE = (typeof(each) for each in _sample())
