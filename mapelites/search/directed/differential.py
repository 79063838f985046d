"""Differential evolution under the ε level comparison, with F and CR learned from successes.

The ε comparison: T. Takahama and S. Sakai, "Constrained optimization by the ε constrained differential evolution
with gradient-based mutation and feasible elites", 2006. Learning F and CR: R. Tanabe and A. Fukunaga, "Success-history
based parameter adaptation for differential evolution", 2013, eqs. 7 to 13; the shrinking population: "Improving the
search performance of SHADE using linear population size reduction", 2014, eq. 10.

Two populations differ only in ε(t): one asks for feasibility at once, the other lets it come slowly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from mapelites.core.kernels import KERNEL_TYPE, VECTOR, compiled_for
from mapelites.search.directed.common import copy, evaluate, is_better, violation
from mapelites.search.directed.memory import (
    FILLED,
    IDLE,
    LARGEST,
    LEARNED,
    MENDING,
    NEXT,
    PLACE,
    POPULATION_TYPE,
    RESTARTS,
    SIZE,
    SMALLEST,
    SUCCESSES,
    WORK_TYPE,
)
from mapelites.search.directed.repair import repaired
from mapelites.search.emitters.emitter import Step
from mapelites.search.paper import random_solution
from mapelites.search.pieces import piece
from mapelites.search.random import below, normal, uniform
from mapelites.search.state import EVALUATIONS, MAP_TYPE, STATE_TYPE

if TYPE_CHECKING:
    from mapelites.search.directed.loop import Directed

RAND_1_EXP, CURRENT_TO_PBEST_1_BIN = range(2)
EPSILON_TAIL = 0.05  # of its time before ε ends, it has fallen to EPSILON_LEAST
EPSILON_LEAST = 1e-5
LEAST_POWER = 3.0
FIRST_LEVEL, POWER = range(2)  # places in a population's `epsilon`
EPSILON_QUANTILE = 0.9
REPAIRED = 0.1  # of the infeasible offspring
PBEST = 6  # of so many drawn members, the best one is followed
COLLAPSED = 1e-10  # of the range: a population narrower than this begins anew
SLOW_ENDS, FAST_ENDS = 0.6, 0.0  # when ε is 0, as a part of the budget
PATIENCE = 60  # generations without any success before a population begins anew


@piece
def epsilon_at(done, population, ends):
    """ε(t) = ε(0) (1 - t / T)^cp, eq. 13 of Takahama and Sakai, where T is the part `ends` of the budget."""
    if done >= ends:
        return 0.0
    return population.epsilon[FIRST_LEVEL] * (1.0 - done / ends) ** population.epsilon[POWER]


@piece
def fill(kernel, state, m, population, scale, work, budget, made_by):
    """One random member; the last one makes the population ready."""
    counts, place = population.counts, population.counts[FILLED]
    random_solution(state.rng, m.lower, m.upper, population.x[place])
    evaluate(kernel, state, m, work.gain, budget, population.x[place], population.values[place], made_by)
    counts[FILLED] += 1
    size = counts[SIZE]
    if counts[FILLED] == size:
        if scale.size > 0 and scale[0] == 0.0:
            measure_scale(population.values, size, scale, work.levels)
        if counts[RESTARTS] == 0:
            for i in range(size):
                work.levels[i] = violation(population.values[i], scale, m.rule)
            set_schedule(population.epsilon, quantile(work.levels, size, EPSILON_QUANTILE), scale)


@piece
def set_schedule(epsilon, first, scale):
    """ε(0), and the power cp by which ε has become small when little of its time is left.

    The rule is that of εDEag (T. Takahama and S. Sakai, "Constrained optimization by the ε constrained differential
    evolution with an archive and gradient-based mutation", 2010): cp = (ln ε_least - ln ε(0)) / ln 0.05.
    """
    epsilon[FIRST_LEVEL] = first
    epsilon[POWER] = LEAST_POWER
    for i in range(scale.size):
        if first > 0.0:
            epsilon[POWER] = max(epsilon[POWER], np.log(EPSILON_LEAST / scale[i] / first) / np.log(EPSILON_TAIL))


@piece
def quantile(numbers, size, part):
    """The number below which this part of the first `size` lies; sorts them in place."""
    for i in range(1, size):
        number, k = numbers[i], i
        while k > 0 and numbers[k - 1] > number:
            numbers[k] = numbers[k - 1]
            k -= 1
        numbers[k] = number
    place = np.int64(part * (size - 1))
    while place > 0 and not numbers[place] < np.inf:
        place -= 1
    return min(numbers[place], 1e300)


@piece
def measure_scale(values, size, scale, found):
    """A typical size of each constraint's value: the median over random solutions."""
    for i in range(scale.size):
        for k in range(size):
            found[k] = abs(values[k, 1 + i])
        scale[i] = quantile(found, size, 0.5)
        if not scale[i] > 0.0:
            scale[i] = 1.0


@piece
def learned_pair(rng, learned):
    """F from a Cauchy and CR from a normal distribution around a remembered pair (eqs. 7 and 8)."""
    place = below(rng, LEARNED)
    factor = 0.0
    while factor <= 0.0:
        factor = learned[place, 0] + 0.1 * np.tan(np.pi * (uniform(rng) - 0.5))
    rate = learned[place, 1] + 0.1 * normal(rng)
    return min(factor, 1.0), min(max(rate, 0.0), 1.0)


@piece
def other(rng, size, a, b, c):
    """A member that is none of these three."""
    drawn = below(rng, size)
    while drawn in (a, b, c):
        drawn = below(rng, size)
    return drawn


@piece
def offspring(rng, m, xs, size, i, best, strategy, factor, rate, x):
    """Fill `x` with member i changed by the strategy; a variable beyond a bound goes half way to it."""
    n = x.size
    a = other(rng, size, i, i, i)
    b = other(rng, size, i, a, a)
    c = other(rng, size, i, a, b)
    copy(xs[i], x)
    start = below(rng, n)
    change = True
    for k in range(n):
        j = (start + k) % n
        unbroken = change or strategy == CURRENT_TO_PBEST_1_BIN
        change = unbroken and (k == 0 or uniform(rng) < rate)
        if change:
            if strategy == RAND_1_EXP:
                x[j] = xs[a, j] + factor * (xs[b, j] - xs[c, j])
            else:
                x[j] = xs[i, j] + factor * (xs[best, j] - xs[i, j]) + factor * (xs[a, j] - xs[b, j])
            if x[j] < m.lower[j]:
                x[j] = 0.5 * (m.lower[j] + xs[i, j])
            elif x[j] > m.upper[j]:
                x[j] = 0.5 * (m.upper[j] + xs[i, j])


@piece
def member_is_better(values, scale, rule, first, second, epsilon):
    """Compare two members of a population."""
    one, two = values[first], values[second]
    return is_better(one[0], violation(one, scale, rule), two[0], violation(two, scale, rule), epsilon)


@piece
def best_of_some(rng, population, scale, rule, epsilon, some):
    """The best of so many members drawn at random."""
    size = population.counts[SIZE]
    best = below(rng, size)
    for _ in range(some - 1):
        drawn = below(rng, size)
        if member_is_better(population.values, scale, rule, drawn, best, epsilon):
            best = drawn
    return best


@piece
def generation_step(kernel, state, m, population, scale, work, budget, ends, made_by, repaired_by):
    """One offspring of the next member: one evaluation, and those of a repair now and then."""
    rng, counts, size = state.rng, population.counts, population.counts[SIZE]
    epsilon = epsilon_at(state.counters[EVALUATIONS] / budget, population, ends)
    i = counts[NEXT]
    x, values, old = work.x, work.values, population.values[i]
    strategy = below(rng, 2)
    factor, rate = learned_pair(rng, population.learned[strategy])
    best = best_of_some(rng, population, scale, m.rule, epsilon, PBEST)
    offspring(rng, m, population.x, size, i, best, strategy, factor, rate, x)
    evaluate(kernel, state, m, work.gain, budget, x, values, made_by)
    phi, old_phi = violation(values, scale, m.rule), violation(old, scale, m.rule)
    if is_better(values[0], phi, old[0], old_phi, epsilon):
        gain = old_phi - phi if old_phi > epsilon else old[0] - values[0]
        remember_success(population.successes[strategy], factor, rate, gain)
        counts[SUCCESSES] += 1
    if repaired_by >= 0 and phi > epsilon and phi < np.inf and uniform(rng) < REPAIRED:
        counts[MENDING] -= state.counters[EVALUATIONS]
        phi = repaired(kernel, state, m, work, budget, x, values, scale, repaired_by)
        counts[MENDING] += state.counters[EVALUATIONS]
    if is_better(values[0], phi, old[0], old_phi, epsilon):
        copy(x, population.x[i])
        copy(values, old)
    counts[NEXT] += 1
    if counts[NEXT] >= size:
        end_generation(m, population, scale, epsilon, state.counters[EVALUATIONS] / budget)


@piece
def remember_success(sums, factor, rate, gain):
    """Add one success to the weighted sums of eqs. 10 to 13 of Tanabe and Fukunaga."""
    weight = gain if np.isfinite(gain) and gain > 0.0 else 1e-300
    sums[0] += weight
    sums[1] += weight * factor
    sums[2] += weight * factor * factor
    sums[3] += weight * rate
    sums[4] += weight * rate * rate


@piece
def end_generation(m, population, scale, epsilon, done):
    """Learn from the successes, let the population shrink, begin anew where it has collapsed."""
    counts, place = population.counts, population.counts[PLACE]
    counts[NEXT] = 0
    for s in range(2):
        sums = population.successes[s]
        if sums[1] > 0.0 and np.isfinite(sums[2]):
            population.learned[s, place, 0] = sums[2] / sums[1]  # the Lehmer mean, eq. 11
            population.learned[s, place, 1] = sums[4] / sums[3] if sums[3] > 0.0 else 0.0
        for k in range(sums.size):
            sums[k] = 0.0
    counts[PLACE] = (place + 1) % LEARNED
    counts[IDLE] = 0 if counts[SUCCESSES] > 0 else counts[IDLE] + 1
    counts[SUCCESSES] = 0
    wanted = max(SMALLEST, np.int64(round(LARGEST + (SMALLEST - LARGEST) * done)))
    while counts[SIZE] > wanted:
        drop_worst(population, scale, m.rule, epsilon)
    if counts[IDLE] >= PATIENCE or spread(m, population) < COLLAPSED:
        counts[FILLED] = 0
        counts[IDLE] = 0
        counts[RESTARTS] += 1
        for s in range(2):
            for k in range(LEARNED):
                population.learned[s, k, 0] = 0.5
                population.learned[s, k, 1] = 0.8


@piece
def drop_worst(population, scale, rule, epsilon):
    """One member fewer."""
    worst, last = 0, population.counts[SIZE] - 1
    for i in range(1, last + 1):
        if member_is_better(population.values, scale, rule, worst, i, epsilon):
            worst = i
    copy(population.x[last], population.x[worst])
    copy(population.values[last], population.values[worst])
    population.counts[SIZE] = last
    population.counts[FILLED] = last


@piece
def spread(m, population):
    """How wide the population is in its widest variable, as a part of that variable's range."""
    widest = 0.0
    for j in range(m.lower.size):
        low = high = population.x[0, j]
        for i in range(1, population.counts[SIZE]):
            low, high = min(low, population.x[i, j]), max(high, population.x[i, j])
        widest = max(widest, (high - low) / (m.upper[j] - m.lower[j]))
    return widest


@compiled_for(
    KERNEL_TYPE, STATE_TYPE, MAP_TYPE, POPULATION_TYPE, VECTOR, WORK_TYPE,
    types.int64, types.int64, types.float64, types.int64, types.int64,
)  # fmt: skip
def evolve(kernel, state, m, population, scale, work, budget, until, ends, made_by, repaired_by):
    """Offspring after offspring up to evaluation `until`; the last one may go a repair beyond it.

    Where `repaired_by` is negative, nothing is repaired.
    """
    while state.counters[EVALUATIONS] < min(until, budget):
        if population.counts[FILLED] < population.counts[SIZE]:
            fill(kernel, state, m, population, scale, work, budget, made_by)
        else:
            generation_step(kernel, state, m, population, scale, work, budget, ends, made_by, repaired_by)


@compiled_for(
    STATE_TYPE, MAP_TYPE, POPULATION_TYPE, VECTOR, VECTOR, VECTOR, types.int64, types.float64
)  # fmt: skip
def inject(state, m, population, scale, x, values, budget, ends):
    """Put a solution in the place of a random member that is worse."""
    if population.counts[FILLED] == population.counts[SIZE]:
        epsilon = epsilon_at(state.counters[EVALUATIONS] / budget, population, ends)
        i = below(state.rng, population.counts[SIZE])
        old = population.values[i]
        phi, old_phi = violation(values, scale, m.rule), violation(old, scale, m.rule)
        if is_better(values[0], phi, old[0], old_phi, epsilon):
            copy(x, population.x[i])
            copy(values, old)


def evolving_step(emitter: str, ends: float) -> Step:
    """The turn of an emitter that has a population; what its repairs spend is counted as repair's."""

    def step(search: Directed, until: int, made_by: int) -> None:
        population = search.part(emitter)
        before = int(population.counts[MENDING])
        evolve(
            search.kernel, search.state, search.map, population, search.scale, search.work, search.budget, until, ends,
            made_by, search.made_by("repair"),
        )  # fmt: skip
        search.pass_on(int(population.counts[MENDING]) - before, emitter, "repair")

    return step
