"""Everything a search holds between two evaluations, as plain arrays.

The state is what a checkpoint stores: put back, the search goes on as if it had never stopped. Its cells are of one
of three kinds. An exact grid has a place for every cell. A sparse grid, for more cells than that, has a place for
every occupied one, found by hashing. Centroids divide the space of violations into few cells, however many
constraints there are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray

from mapelites.core.errors import InputError
from mapelites.core.grouping import axis_of_each
from mapelites.core.kernels import compiled_for, inlined
from mapelites.core.problem import Constraint, Problem
from mapelites.core.rounding import snap
from mapelites.core.tolerances import Tolerances
from mapelites.search import random
from mapelites.search.centroids import Centroids, log_coordinate, nearest_centroid

FIRST_CAPACITY = 1024
MOST_DENSE = 2_000_000  # cells beyond which only the occupied ones have a place in memory
FIRST_BITS = 12  # of the first hash table's size; at most half of its places are taken
HASH = -7046029254386353131  # 2^64 divided by the golden ratio, as a signed number (Knuth's multiplicative hashing)

# Places in `counters`.
EVALUATIONS, OCCUPIED, REFUSED, IMPROVED = range(4)


# Columns of `tags`.
CELL, FOUND_AT, OPERATOR = range(3)


class State(NamedTuple):
    """Elites by slot, in the order in which their cells were first reached, and what finds them.

    Slots 1 to `counters[OCCUPIED]` hold the elites, the later ones are free. Slot 0 holds the best
    feasible solution met, whichever cell it is in: a cell may be wider than the feasible region. Its f is
    infinite while there is none. `slot_of` gives the slot of a cell, or 0 for an empty one; see `place_of`.
    """

    rng: NDArray[np.uint64]
    counters: NDArray[np.int64]
    slot_of: NDArray[np.int32]
    x: NDArray[np.float64]  # (slots, n)
    values: NDArray[np.float64]  # (slots, 1 + m + p): f, g, h
    tags: NDArray[np.int64]  # (slots, 3): cell, found at, operator


BY_SLOT = ("x", "values", "tags")


class FeasibilityRule(NamedTuple):
    """What makes a solution feasible: how many constraints are inequalities, and what h may be."""

    inequalities: int
    equality_tolerance: float


class Grid(NamedTuple):
    """Which cell a solution falls in, and whether the grid is sparse."""

    edges: NDArray[np.float64]  # (constraints, levels): padded with infinity
    strides: NDArray[np.int64]  # (axes,): cell = sum of bin * stride
    sparse: bool
    centroids: NDArray[np.float64]  # (cells, constraints), or none where the cells are those of the levels
    span: NDArray[np.float64]  # (constraints, 2): the orders of magnitude between which centroids lie
    point: NDArray[np.float64]  # (axes,): scratch space
    axis_of: NDArray[np.int64]  # the axis of each constraint, or nothing where each is its own


class MapArrays(NamedTuple):
    """What the compiled loop needs to know of the problem and the tolerances."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    steps: NDArray[np.float64]  # of the variables that take only some values, or none where no variable does
    rounded: NDArray[np.float64]  # (n,): scratch space
    data: NDArray[np.float64]
    grid: Grid
    rule: FeasibilityRule


def make_map(problem: Problem, tolerances: Tolerances, centroids: Centroids | None = None) -> MapArrays:
    """The compiled loop's view of a problem and its tolerances, with the cells of the levels or of centroids."""
    shape = tolerances.shape
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    count, axis_of = len(shape), axis_of_each(tolerances.places)
    each = axis_of if len(axis_of) else np.arange(count)
    grid = Grid(
        tolerances.edges[each],
        np.array(strides, dtype=np.int64),
        cells_of(tolerances, centroids) > MOST_DENSE,
        np.empty((0, count)) if centroids is None else centroids.points.copy(),
        np.zeros((len(each), 2)) if centroids is None else centroids.span[each],
        np.zeros(count),
        axis_of,
    )
    return MapArrays(
        problem.lower.copy(),
        problem.upper.copy(),
        problem.steps.copy() if problem.steps.any() else np.empty(0),
        np.empty(problem.dimension),
        problem.data,
        grid,
        FeasibilityRule(problem.inequalities, problem.equality_tolerance),
    )


def cells_of(tolerances: Tolerances, centroids: Centroids | None) -> int:
    """How many cells there are."""
    return tolerances.cells if centroids is None else len(centroids)


def new_state(problem: Problem, tolerances: Tolerances, seed: int, centroids: Centroids | None = None) -> State:
    """An empty archive at evaluation 0."""
    width, cells = 1 + len(problem.constraints), cells_of(tolerances, centroids)
    slots = 1 + min(FIRST_CAPACITY, cells)
    values = np.zeros((slots, width))
    values[0] = np.inf
    return State(
        rng=random.stream(seed),
        counters=np.zeros(4, dtype=np.int64),
        slot_of=np.zeros(cells if cells <= MOST_DENSE else 2**FIRST_BITS, dtype=np.int32),
        x=np.zeros((slots, problem.dimension)),
        values=values,
        tags=np.zeros((slots, 3), dtype=np.int64),
    )


def has_room(state: State) -> bool:
    """Whether a new cell would find a free slot."""
    return int(state.counters[OCCUPIED]) < len(state.tags) - 1 or len(state.tags) > len(state.slot_of)


def grown(state: State, grid: Grid) -> State:
    """The same state with room for twice as many elites."""
    slots = min(2 * len(state.tags), 1 + len(state.slot_of))
    wider: dict[str, Any] = {}
    if grid.sparse:
        wider["slot_of"] = np.zeros(2 * len(state.slot_of), dtype=np.int32)
    for name in BY_SLOT:
        old = getattr(state, name)
        wider[name] = np.zeros((slots, *old.shape[1:]), dtype=old.dtype)
        wider[name][: len(old)] = old
    state = state._replace(**wider)
    if grid.sparse:
        _find_again(state, grid, 1 + int(state.counters[OCCUPIED]))
    return state


def pack_state(state: State) -> dict[str, NDArray[Any]]:
    """Copies of what cannot be worked out again: occupied slots, counters, generator."""
    used = 1 + int(state.counters[OCCUPIED])
    arrays = {name: getattr(state, name)[:used].copy() for name in BY_SLOT}
    return {"rng": state.rng.copy(), "counters": state.counters.copy(), **arrays}


def unpack_state(new: State, grid: Grid, arrays: Mapping[str, NDArray[Any]]) -> State:
    """A state from what `pack_state` gave; the shapes must be those of a new state."""
    state, used = new, 1 + int(arrays["counters"][OCCUPIED])
    if used > 1 + len(state.slot_of) and not grid.sparse:
        raise InputError(f"checkpoint: there are {len(state.slot_of):,} cells, but {used - 1:,} were occupied")
    while len(state.tags) < used:
        state = grown(state, grid)
    for name in ("rng", "counters", *BY_SLOT):
        array, target = arrays[name], getattr(state, name)
        target = target[:used] if name in BY_SLOT else target
        if target.shape != array.shape or target.dtype != array.dtype:
            raise InputError(
                f"checkpoint: {name} must be {target.dtype} of shape {target.shape}, "
                f"but it was {array.dtype} of shape {array.shape}"
            )
        target[...] = array
    cells = state.tags[1:used, CELL]
    if not grid.sparse and len(cells) and not 0 <= cells.min() <= cells.max() < len(state.slot_of):
        raise InputError(f"checkpoint: cells are 0 to {len(state.slot_of) - 1:,}, but one was {cells.max():,}")
    _find_again(state, grid, used)
    return state


@inlined
def place_of(grid, slot_of, tags, cell):
    """Where in `slot_of` the slot of a cell stands, or would stand.

    In a sparse grid it is the first place from the hash on that is free or whose slot is this cell's.
    """
    if not grid.sparse:
        return cell
    last = slot_of.size - 1  # the size is a power of two
    place = ((cell * HASH) >> 31) & last
    while slot_of[place] != 0 and tags[slot_of[place], CELL] != cell:
        place = (place + 1) & last
    return place


@inlined
def compute(kernel, m, x, values):
    """Fill `values` with f, g and h of a candidate, whose variables are rounded to their steps for that.

    The candidate itself stays between the steps, so that small changes can add up.
    """
    at = x
    if m.steps.size > 0:
        at = m.rounded
        for i in range(x.size):
            at[i] = snap(x[i], m.lower[i], m.upper[i], m.steps[i])
    kernel(at, m.data, values)


@inlined
def violation_of(values, i, rule):
    """The violation of constraint i."""
    return max(0.0, values[1 + i]) if i < rule.inequalities else abs(values[1 + i])


@inlined
def bin_of(edges, i, violation):
    """The bin of constraint i that a violation falls in: as many as there are levels below it.

    All levels are looked at: a loop that ends somewhere at random costs more.
    """
    place = 0
    for k in range(edges.shape[1]):
        place += violation > edges[i, k]
    return place


@inlined
def _cell_of_groups(values, grid, rule):
    """The same where constraints share axes: of a group the largest bin counts, or the largest coordinate."""
    nearest = grid.centroids.shape[0] > 0
    for axis in range(grid.point.size):
        grid.point[axis] = 0.0
    for i in range(grid.axis_of.size):
        if not np.isfinite(values[1 + i]):
            return -1
        violation, axis = violation_of(values, i, rule), grid.axis_of[i]
        if nearest:
            place = log_coordinate(violation, grid.span[i, 0], grid.span[i, 1])
        else:
            place = float(bin_of(grid.edges, i, violation))
        grid.point[axis] = max(grid.point[axis], place)
    if nearest:
        return nearest_centroid(grid.centroids, grid.point)
    cell = 0
    for axis in range(grid.point.size):
        cell += int(grid.point[axis]) * grid.strides[axis]
    return cell


@inlined
def cell_of(values, grid, rule):
    """The cell of one candidate's f, g, h, or -1 where one of them is not a finite number."""
    if not np.isfinite(values[0]):
        return -1
    if grid.axis_of.size > 0:
        return _cell_of_groups(values, grid, rule)
    cell, nearest = 0, grid.centroids.shape[0] > 0
    for i in range(grid.edges.shape[0]):
        if not np.isfinite(values[1 + i]):
            return -1
        violation = violation_of(values, i, rule)
        if nearest:
            grid.point[i] = log_coordinate(violation, grid.span[i, 0], grid.span[i, 1])
        else:
            cell += bin_of(grid.edges, i, violation) * grid.strides[i]
    return nearest_centroid(grid.centroids, grid.point) if nearest else cell


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
def accept(counters, slot_of, xs, vs, tags, grid, rule, x, values, operator):
    """Lines 9 to 12 of Algorithm 1: keep the candidate if its cell is empty or it is strictly better.

    Returns whether it was kept.
    """
    counters[EVALUATIONS] += 1
    cell = cell_of(values, grid, rule)
    kept = False
    if cell < 0:
        counters[REFUSED] += 1
    else:
        if values[0] < vs[0, 0] and is_feasible(values, rule):
            _store(0, xs, vs, tags, x, values, cell, counters[EVALUATIONS], operator)
        place = place_of(grid, slot_of, tags, cell)
        slot = slot_of[place]
        kept = slot == 0 or values[0] < vs[slot, 0]
        if kept:
            if slot == 0:
                counters[OCCUPIED] += 1
                slot = counters[OCCUPIED]
                slot_of[place] = slot
            counters[IMPROVED] += 1
            _store(slot, xs, vs, tags, x, values, cell, counters[EVALUATIONS], operator)
    return kept


def _sample() -> tuple[State, MapArrays]:
    """A state and a map of the smallest kind, for their types."""
    problem = Problem("sample", np.zeros(1), np.ones(1), (Constraint("g1", "inequality"),), abs)
    tolerances = Tolerances.default(problem)
    return new_state(problem, tolerances, 0), make_map(problem, tolerances)


STATE_TYPE, MAP_TYPE = (typeof(each) for each in _sample())
GRID_TYPE = typeof(_sample()[1].grid)


@compiled_for(STATE_TYPE, GRID_TYPE, types.int64)
def _find_again(state, grid, used):
    """Enter the slots 1 to `used` - 1 in a new `slot_of`."""
    for slot in range(1, used):
        state.slot_of[place_of(grid, state.slot_of, state.tags, state.tags[slot, CELL])] = slot


@compiled_for(STATE_TYPE, GRID_TYPE, types.int64)
def slot_at(state, grid, cell):
    """The slot of a cell, or 0 where it is empty."""
    return state.slot_of[place_of(grid, state.slot_of, state.tags, cell)]
