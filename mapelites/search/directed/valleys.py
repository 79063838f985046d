"""Valleys: lines through the best solution are looked along for hills, and descents begin behind them.

A local optimum is left by the change of one variable more often than by any other change. On each side of a line the
samples lie farther and farther away, each brought back to the constraints by chord steps (Newton's, with the gradients
at the line's beginning) that leave the line's own variable where it is. A sample that is better than the one before it
lies behind a hill: the best one of these on some lines is where a descent begins, at once where it is better than what
is known. Lines are the variables in turn, or the ways to other elites (path relinking: F. Glover, "A template for
scatter search and path relinking", 1998).

A fifth of the descents begin at the best solution itself, with steps of a size drawn anew each time: where f or a
constraint has a kink, gradients are only true over a distance that nobody knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import typeof, types

from mapelites.core.kernels import KERNEL_TYPE, VECTOR, compiled_for
from mapelites.search.directed.common import (
    copy,
    evaluate,
    fill_with,
    is_better,
    jacobian,
    largest,
    moved_point,
    step_between,
    violation,
)
from mapelites.search.directed.descent import begin, descend
from mapelites.search.directed.differential import FAST_ENDS, SLOW_ENDS, inject
from mapelites.search.directed.memory import (
    ACTIVE,
    SOLVER_TYPE,
    WORK_TYPE,
    Floats,
    Integers,
    Solver,
    new_solver,
)
from mapelites.search.directed.repair import DIFFERENCE, feasible_interval, newton_step
from mapelites.search.pieces import piece
from mapelites.search.random import below, uniform
from mapelites.search.state import EVALUATIONS, MAP_TYPE, OCCUPIED, STATE_TYPE

if TYPE_CHECKING:
    from mapelites.search.directed.loop import Directed

# Places in a line's `counts` and `numbers`.
SCANNING, SIDE, RUNG, VARIABLE, FOUND, GEOMETRIC, TURN, LINES, BETTER, TO_ELITES = range(10)
SHIFT, LAST, LAST_PHI = range(3)
NO_VARIABLE = -1

RUNGS = 24  # samples on each side
SHORTEST = 1e-5  # of the box: the first sample of a line whose samples lie farther and farther apart
CHORDS = 2
ELITES = 0.3  # of the sweeps go towards elites
OTHERS = 0.2  # of the lines go through any elite, and not through the best solution
CLEARLY = 1e-6  # of f
FINE = 0.2  # of the descents begin at the best solution, with small steps
FINE_RADII = 3.0, 8.0  # powers of a tenth
FIRST_RADIUS = 0.02
ITERATIONS = 200


class Line(NamedTuple):
    """A line that is being looked along."""

    base: Floats  # (n,): where it begins
    values: Floats  # (1 + m + p,)
    jacobian: Floats  # (1 + m + p, n): there
    direction: Floats  # (n,): in the unit box
    column: Floats  # (m + p,): the variable's own slopes, while they are put aside
    start: Floats  # (n,): the best sample behind a hill
    found: Floats  # (1 + m + p,)
    numbers: Floats  # SHIFT to LAST_PHI
    counts: Integers  # SCANNING to TO_ELITES


class ValleyMemory(NamedTuple):
    """The line, and the descent from what was found along it."""

    base: Floats
    start: Floats
    found: Floats
    line_values: Floats
    line_jacobian: Floats
    direction: Floats
    column: Floats
    line_numbers: Floats
    line_counts: Integers
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
    def line(self) -> Line:
        """The line alone."""
        return Line(
            self.base, self.line_values, self.line_jacobian, self.direction, self.column, self.start, self.found,
            self.line_numbers, self.line_counts,
        )  # fmt: skip

    @property
    def solver(self) -> Solver:
        """The descent alone."""
        return Solver._make(self[-len(Solver._fields) :])


def new_line(n: int, constraints: int) -> Line:
    """A line that has not begun."""
    c = constraints
    return Line(
        np.zeros(n), np.zeros(1 + c), np.zeros((1 + c, n)), np.zeros(n), np.zeros(c), np.zeros(n), np.zeros(1 + c),
        np.zeros(3), np.zeros(10, dtype=np.int64),
    )  # fmt: skip


def new_valleys(n: int, constraints: int) -> ValleyMemory:
    """Nothing was looked at yet."""
    line = new_line(n, constraints)
    return ValleyMemory(
        line.base, line.start, line.found, line.values, line.jacobian, line.direction, line.column, line.numbers,
        line.counts, *new_solver(n, constraints),
    )  # fmt: skip


LINE_TYPE = typeof(new_line(1, 1))


@piece
def choose_base(state, m, scale):
    """The best feasible solution, or an elite: any, or the one nearest to the constraints of some."""
    rng, occupied = state.rng, state.counters[OCCUPIED]
    slot = 0
    if uniform(rng) < OTHERS:
        slot = 1 + below(rng, occupied)
    elif not state.values[0, 0] < np.inf:
        slot = 1 + below(rng, occupied)
        for _ in range(8):
            other = 1 + below(rng, occupied)
            if violation(state.values[other], scale, m.rule) < violation(state.values[slot], scale, m.rule):
                slot = other
    return slot


@piece
def is_same(a, b):
    """Whether two vectors are equal."""
    different = 0
    for i in range(a.size):
        different += a[i] != b[i]
    return different == 0


@piece
def choose_direction(state, m, line):
    """The next variable, or the way to another elite."""
    rng, n, counts = state.rng, line.base.size, line.counts
    if counts[TO_ELITES] == 1:
        step_between(m, line.base, state.x[1 + below(rng, state.counters[OCCUPIED])], line.direction)
        counts[VARIABLE] = NO_VARIABLE
        if largest(line.direction) > 0.0:
            return
    counts[TURN] = (counts[TURN] + 1) % n
    fill_with(line.direction, 0.0)
    counts[VARIABLE] = counts[TURN]
    line.direction[counts[VARIABLE]] = 1.0


@piece
def begin_line(kernel, state, m, line, scale, work, budget, made_by):
    """Choose a line; where it begins at another solution than the last one, n evaluations for the gradients there."""
    counts = line.counts
    slot = choose_base(state, m, scale)
    if not is_same(line.base, state.x[slot]):
        copy(state.x[slot], line.base)
        copy(state.values[slot], line.values)
        copy(line.base, work.x)
        jacobian(
            kernel, state, m, work.gain, budget, work.x, line.values, DIFFERENCE, made_by, work.found, line.jacobian
        )
    choose_direction(state, m, line)
    if counts[LINES] == 0:
        counts[LINES], counts[FOUND], counts[BETTER] = 1 + below(state.rng, line.base.size), 0, 0
        counts[TO_ELITES] = uniform(state.rng) < ELITES
    counts[SCANNING], counts[SIDE], counts[RUNG] = 1, 1, 0
    counts[GEOMETRIC] = below(state.rng, 2)
    line.numbers[SHIFT] = uniform(state.rng)
    line.numbers[LAST], line.numbers[LAST_PHI] = line.values[0], violation(line.values, scale, m.rule)


@piece
def length_at(m, line):
    """How far from its beginning the present sample lies, along the direction."""
    rung, j = line.counts[RUNG], line.counts[VARIABLE]
    if j >= 0 and m.steps.size > 0 and m.steps[j] > 0.0:
        return (rung + 1.0) * m.steps[j] / (m.upper[j] - m.lower[j])
    part = (rung + line.numbers[SHIFT]) / RUNGS
    if line.counts[GEOMETRIC] == 1:
        return SHORTEST ** (1.0 - part)
    return part


@piece
def come_back(kernel, state, m, line, scale, work, budget, made_by, phi):
    """Chord steps onto the constraints, which leave the line's variable alone. Returns the violation φ."""
    x, values, j = work.x, work.values, line.counts[VARIABLE]
    feasible_interval(m.rule, work.low, work.high)
    for i in range(scale.size):
        margin = 1e-9 * scale[i] if i < m.rule.inequalities else 1e-3 * m.rule.equality_tolerance
        work.low[i] += margin
        work.high[i] -= margin
        if j >= 0:
            line.column[i] = line.jacobian[1 + i, j]
            line.jacobian[1 + i, j] = 0.0
    for _ in range(CHORDS):
        if not 0.0 < phi < np.inf:
            break
        newton_step(values, line.jacobian, work.low, work.high, work.slopes, work.wanted, work.square, work.step)
        if moved_point(m, x, work.step, 1.0, work.trial) == 0.0:
            break
        evaluate(kernel, state, m, work.gain, budget, work.trial, work.found, made_by)
        now = violation(work.found, scale, m.rule)
        if not now < phi:
            break
        phi = now
        copy(work.trial, x)
        copy(work.found, values)
    if j >= 0:
        for i in range(scale.size):
            line.jacobian[1 + i, j] = line.column[i]
    return phi


@piece
def end_side(line, scale, rule):
    """Go on with the other side, or end the line."""
    counts = line.counts
    counts[RUNG] = 0
    if counts[SIDE] == 1:
        counts[SIDE] = -1
        line.numbers[LAST], line.numbers[LAST_PHI] = line.values[0], violation(line.values, scale, rule)
    else:
        counts[SCANNING] = 0
        counts[LINES] -= 1


@piece
def is_behind_a_hill(f, phi, last, last_phi):
    """Whether a sample is clearly better than the one before it."""
    if phi == 0.0 and last_phi == 0.0:
        return f < last - CLEARLY * (abs(f) + abs(last))
    return phi < 0.9 * last_phi


@piece
def probe(kernel, state, m, line, scale, work, budget, made_by):
    """One sample of the line, and the chord steps from it."""
    counts, x, values = line.counts, work.x, work.values
    length, j = counts[SIDE] * length_at(m, line), counts[VARIABLE]
    if j >= 0 and counts[RUNG] > 0:  # the first sample is always made, so that every line costs something
        there = line.base[j] + length * (m.upper[j] - m.lower[j])
        if not m.lower[j] <= there <= m.upper[j]:
            end_side(line, scale, m.rule)
            return
    moved_point(m, line.base, line.direction, length, x)
    known = state.values[0, 0]
    evaluate(kernel, state, m, work.gain, budget, x, values, made_by)
    phi = violation(values, scale, m.rule)
    phi = come_back(kernel, state, m, line, scale, work, budget, made_by, phi)
    f, numbers = values[0], line.numbers
    if counts[RUNG] > 0 and is_behind_a_hill(f, phi, numbers[LAST], numbers[LAST_PHI]):
        best = violation(line.found, scale, m.rule)
        if counts[FOUND] == 0 or is_better(f, phi, line.found[0], best, 0.0):
            copy(x, line.start)
            copy(values, line.found)
            counts[FOUND] = 1
            counts[BETTER] = f < known - CLEARLY * abs(known) and phi == 0.0
    numbers[LAST], numbers[LAST_PHI] = f, phi
    counts[RUNG] += 1
    if counts[RUNG] == RUNGS:
        end_side(line, scale, m.rule)


@compiled_for(
    KERNEL_TYPE, STATE_TYPE, MAP_TYPE, LINE_TYPE, SOLVER_TYPE, VECTOR, WORK_TYPE, types.int64, types.int64, types.int64
)
def look_along(kernel, state, m, line, solver, scale, work, budget, until, made_by):
    """Sample after sample up to evaluation `until`, or until there is somewhere to descend from."""
    counts = line.counts
    while state.counters[EVALUATIONS] < min(until, budget):
        if counts[LINES] == 0 and uniform(state.rng) < FINE and state.values[0, 0] < np.inf:
            feasible_interval(m.rule, solver.low, solver.high)
            radius = 10.0 ** -(FINE_RADII[0] + (FINE_RADII[1] - FINE_RADII[0]) * uniform(state.rng))
            begin(solver, state.x[0], state.values[0], radius, ITERATIONS, state.values[0, 0])
            return
        if counts[SCANNING] == 0:
            begin_line(kernel, state, m, line, scale, work, budget, made_by)
            continue
        probe(kernel, state, m, line, scale, work, budget, made_by)
        if counts[FOUND] == 1 and (counts[LINES] == 0 or (counts[SCANNING] == 0 and counts[BETTER] == 1)):
            counts[FOUND], counts[LINES] = 0, 0
            feasible_interval(m.rule, solver.low, solver.high)
            begin(solver, line.start, line.found, FIRST_RADIUS, ITERATIONS, state.values[0, 0])
            return


def search_valleys(search: Directed, until: int, made_by: int) -> None:
    """A turn: line after line, each descent from one of them, and what comes out goes to the populations."""
    memory, scale, budget = search.part("valleys"), search.scale, search.budget
    line, solver = memory.line, memory.solver
    scale = scale if scale[:1].any() else np.ones(len(search.problem.constraints))
    while search.evaluations < min(until, budget):
        if solver.counts[ACTIVE] == 0:
            look_along(
                search.kernel, search.state, search.map, line, solver, scale, search.work, budget, until, made_by
            )
        if solver.counts[ACTIVE] == 1:
            descend(search.kernel, search.state, search.map, solver, search.work, budget, until, made_by)
            if solver.counts[ACTIVE] == 0:
                for name, ends in (("slow", SLOW_ENDS), ("fast", FAST_ENDS)):
                    inject(search.state, search.map, search.part(name), scale, solver.x, solver.values, budget, ends)
