"""Points: the optimum without the constraints, which may be feasible though nothing around it is.

A solution that stands alone is met by no step that keeps to the feasible region. So, seen from the elite whose f is
the lowest of all, each variable in turn is looked along over its whole range as if there were no constraints; from the
lowest sample, if it is lower than that, a descent on f alone follows, and so on from there until no sample is lower.
What that ends at may break a constraint by the last digits only, as x^2 + y^2 <= 0 does wherever x or y is not exactly
0: there the violation is lowered along one variable after another, to the vertex of a parabola through three points,
down to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import typeof, types

from mapelites.core.kernels import KERNEL_TYPE, VECTOR, compiled_for
from mapelites.search.directed.common import copy, evaluate, fill_with, violation
from mapelites.search.directed.descent import begin, descend
from mapelites.search.directed.filling import filling_step
from mapelites.search.directed.memory import (
    ACTIVE,
    SOLVER_TYPE,
    WORK_TYPE,
    Floats,
    Integers,
    Solver,
    new_solver,
)
from mapelites.search.emitters.line import vary
from mapelites.search.pieces import piece
from mapelites.search.state import EVALUATIONS, MAP_TYPE, OCCUPIED, STATE_TYPE

if TYPE_CHECKING:
    from mapelites.search.directed.loop import Directed

STAGE, PLACE, ROUND = range(3)  # places in a search's `counts`
RESTING, LOOKING, DESCENDING, SQUEEZING = range(4)
SAMPLES = 48  # of each variable
ROUNDS = 10  # at most, of samples and a descent
SIZES = 1e-6, 1e-9, 1e-12, 1e-15  # of the box: how far apart the points of a parabola are
CLEARLY = 1e-6  # of f: by how much a lower one is lower
FIRST_RADIUS = 0.02
ITERATIONS = 200
REST, WAITING, EAGER = 0.05, 0.5, 1.0  # of its part of the budget: looked at, nothing feasible yet, at it


class Point(NamedTuple):
    """The search for a point that stands alone."""

    known: Floats  # (1,): the lowest f when it was last looked, or infinite
    base: Floats  # (n,): where it is looked from
    base_values: Floats  # (1 + m + p,)
    lowest: Floats  # (n,): the lowest sample, then the point itself
    lowest_values: Floats
    counts: Integers  # STAGE to ROUND


class PointMemory(NamedTuple):
    """The search for a point, and the descent to it."""

    known: Floats
    base: Floats
    base_values: Floats
    lowest: Floats
    lowest_values: Floats
    point_counts: Integers
    x: Floats
    values: Floats
    low: Floats
    high: Floats
    jacobian: Floats
    hessian: Floats
    inverse: Floats
    multipliers: Floats
    penalties: Floats
    moved: Floats
    slopes: Floats
    heights: Floats
    numbers: Floats
    counts: Integers

    @property
    def point(self) -> Point:
        """The search for a point alone."""
        return Point._make(self[: len(Point._fields)])

    @property
    def solver(self) -> Solver:
        """The descent alone."""
        return Solver._make(self[len(Point._fields) :])


def new_point(n: int, constraints: int) -> Point:
    """Nothing was looked at yet."""
    values = [np.full(1 + constraints, np.inf) for _ in range(2)]
    return Point(np.array([np.inf]), np.zeros(n), values[0], np.zeros(n), values[1], np.zeros(3, dtype=np.int64))


def new_points(n: int, constraints: int) -> PointMemory:
    """Nothing was looked at yet."""
    return PointMemory._make((*new_point(n, constraints), *new_solver(n, constraints)))


POINT_TYPE = typeof(new_point(1, 1))


@piece
def sample(kernel, state, m, point, work, budget, made_by):
    """The next sample of the next variable: one evaluation."""
    place = point.counts[PLACE]
    j, part = place // SAMPLES, (place % SAMPLES + 0.5) / SAMPLES
    copy(point.base, work.x)
    work.x[j] = m.lower[j] + part * (m.upper[j] - m.lower[j])
    evaluate(kernel, state, m, work.gain, budget, work.x, work.values, made_by)
    if work.values[0] < point.lowest_values[0]:
        copy(work.x, point.lowest)
        copy(work.values, point.lowest_values)
    point.counts[PLACE] += 1


@piece
def is_clearly_below(f, other):
    """Whether one objective is below another by more than next to nothing."""
    return f < other - CLEARLY * abs(other)


@piece
def end_round(m, point, solver, scale):
    """Descend on f alone from the lowest sample, if there is one below the base; else go on to the constraints."""
    counts = point.counts
    if counts[ROUND] < ROUNDS and is_clearly_below(point.lowest_values[0], point.base_values[0]):
        fill_with(solver.low, -np.inf)
        fill_with(solver.high, np.inf)
        begin(solver, point.lowest, point.lowest_values, FIRST_RADIUS, ITERATIONS, np.inf)
        counts[STAGE] = DESCENDING
    elif violation(point.base_values, scale, m.rule) > 0.0:
        copy(point.base, point.lowest)
        copy(point.base_values, point.lowest_values)
        counts[STAGE], counts[PLACE] = SQUEEZING, 0
    else:
        counts[STAGE] = RESTING
    point.known[0] = min(point.known[0], point.base_values[0])


@piece
def keep_if_nearer(m, point, scale, x, values):
    """Take a point that violates less."""
    if violation(values, scale, m.rule) < violation(point.lowest_values, scale, m.rule):
        copy(x, point.lowest)
        copy(values, point.lowest_values)


@piece
def squeeze(kernel, state, m, point, scale, work, budget, made_by):
    """Lower the violation along the next variable: three evaluations."""
    place, n = point.counts[PLACE], point.base.size
    j, width = place % n, 1.0
    for k in range(len(SIZES)):
        if k == place // n:
            width = SIZES[k]
    width *= m.upper[j] - m.lower[j]
    copy(point.lowest, work.here)
    middle = violation(point.lowest_values, scale, m.rule)
    sides = (0.0, 0.0)
    for side in (-1.0, 1.0):
        copy(work.here, work.x)
        work.x[j] = min(max(work.x[j] + side * width, m.lower[j]), m.upper[j])
        evaluate(kernel, state, m, work.gain, budget, work.x, work.values, made_by)
        keep_if_nearer(m, point, scale, work.x, work.values)
        sides = (sides[1], violation(work.values, scale, m.rule))
    bend = sides[0] + sides[1] - 2.0 * middle
    step = 0.5 * width * (sides[0] - sides[1]) / bend if bend > 0.0 else 0.0
    copy(work.here, work.x)
    if np.isfinite(step):
        work.x[j] = min(max(work.x[j] + step, m.lower[j]), m.upper[j])
    evaluate(kernel, state, m, work.gain, budget, work.x, work.values, made_by)
    keep_if_nearer(m, point, scale, work.x, work.values)
    point.counts[PLACE] += 1


@compiled_for(
    KERNEL_TYPE, STATE_TYPE, MAP_TYPE, POINT_TYPE, SOLVER_TYPE, VECTOR, WORK_TYPE, types.int64, types.int64, types.int64
)
def seek(kernel, state, m, point, solver, scale, work, budget, until, made_by):
    """Samples, then parabolas, up to evaluation `until`, or until there is a descent to do or nothing more."""
    counts, n = point.counts, point.base.size
    while state.counters[EVALUATIONS] < min(until, budget):
        if counts[STAGE] == LOOKING and counts[PLACE] < SAMPLES * n:
            sample(kernel, state, m, point, work, budget, made_by)
        elif counts[STAGE] == LOOKING:
            end_round(m, point, solver, scale)
            return
        elif counts[PLACE] < len(SIZES) * n and violation(point.lowest_values, scale, m.rule) > 0.0:
            squeeze(kernel, state, m, point, scale, work, budget, made_by)
        else:
            counts[STAGE] = RESTING
            return


def begin_looking(search: Directed, point: Point) -> bool:
    """Look from the elite with the lowest f, if that is lower than the last time. Returns whether it is."""
    state, then = search.state, float(point.known[0])
    if not state.values[0, 0] < np.inf:
        return False
    slot = int(np.argmin(state.values[: 1 + state.counters[OCCUPIED], 0]))
    lowest = float(state.values[slot, 0])
    if then < np.inf and not lowest < then - CLEARLY * abs(then):
        return False
    point.known[0], point.counts[ROUND] = lowest, 0
    look_from(point, state.x[slot], state.values[slot])
    return True


def look_from(point: Point, x: Floats, values: Floats) -> None:
    """Begin with the first sample of the first variable."""
    point.base[:], point.base_values[:] = x, values
    point.lowest_values[:] = np.inf
    point.counts[STAGE], point.counts[PLACE] = LOOKING, 0


vary_in_turn = filling_step(vary)


def seek_in_turn(search: Directed, until: int, made_by: int) -> None:
    """A turn; where the best feasible solution was looked from already, variations of elites as `line` makes them."""
    memory, scale, budget = search.part("points"), search.scale, search.budget
    point, solver = memory.point, memory.solver
    scale = scale if scale[:1].any() else np.ones(len(search.problem.constraints))
    while search.evaluations < min(until, budget):
        if point.counts[STAGE] == DESCENDING:
            descend(search.kernel, search.state, search.map, solver, search.work, budget, until, made_by)
            if solver.counts[ACTIVE] == 0:
                point.counts[ROUND] += 1
                look_from(point, solver.x, solver.values)
        elif point.counts[STAGE] != RESTING or begin_looking(search, point):
            seek(search.kernel, search.state, search.map, point, solver, scale, search.work, budget, until, made_by)
        else:
            vary_in_turn(search, until, made_by)
    resting = REST if search.state.values[0, 0] < np.inf else WAITING
    search.set_eagerness("points", resting if point.counts[STAGE] == RESTING else EAGER)
