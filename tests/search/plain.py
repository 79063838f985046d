"""Algorithm 1 of the paper in plain Python, for reading: what the compiled loop must agree with.

Every random number comes from the same generator in the same order as in the compiled loop. Nothing else
is shared: bins, cells, bounds, selection and replacement are written down here once more.
"""

from __future__ import annotations

import math
from bisect import bisect_left

from numba import njit

from mapelites.search import random

draw_uniform = njit(lambda s: random.uniform(s))
draw_bits = njit(lambda s: random.bits(s))
draw_normal = njit(lambda s: random.normal(s))


def illuminate(problem, levels, settings):
    """Return {bins: (x, f, g, h, found_at)} in the order in which the cells were reached."""
    rng = random.stream(settings.seed)
    elites = {}
    for iteration in range(1, settings.evaluations + 1):
        if iteration <= settings.initial or not elites:
            x = random_solution(rng, problem)
        else:
            x = random_variation(rng, problem, settings, [elite[0] for elite in elites.values()])
        evaluation = problem.evaluate([x])
        f, g, h = float(evaluation.f[0]), evaluation.g[0].tolist(), evaluation.h[0].tolist()
        if not all(math.isfinite(value) for value in (f, *g, *h)):
            continue
        descriptor = feature_descriptor(g, h, levels)
        if descriptor not in elites or elites[descriptor][1] > f:
            elites[descriptor] = (x, f, g, h, iteration)
    return elites


def random_solution(rng, problem):
    return [low + (high - low) * draw_uniform(rng) for low, high in zip(problem.lower, problem.upper, strict=True)]


def random_variation(rng, problem, settings, parents):
    first = int(draw_uniform(rng) * len(parents))
    child = list(parents[first])
    if settings.crossover:
        other = second_parent(rng, settings, len(parents), first)
        for block in blocks(len(child)):
            for i in heads(rng, settings.crossover_probability, block):
                child[i] = parents[other][i]
    for block in blocks(len(child)):
        for i in heads(rng, settings.mutation_probability, block):
            moved = child[i] + settings.sigma * draw_normal(rng)
            child[i] = bring_back(moved, problem.lower[i], problem.upper[i], settings.bounds)
    return child


def blocks(count):
    """A draw has 64 bits, so it serves 64 variables."""
    return [range(count)[start : start + 64] for start in range(0, count, 64)]


def heads(rng, probability, places):
    """The places whose coin is heads: whose uniform number, told bit by bit, is below the probability."""
    if probability >= 1:
        return list(places)
    below, undecided, rest = [], list(places), probability
    while undecided and rest > 0:
        digit, rest = (1, 2 * rest - 1) if 2 * rest >= 1 else (0, 2 * rest)
        drawn = draw_bits(rng)
        told = {i: drawn >> (i - places[0]) & 1 for i in undecided}
        below += [i for i in undecided if told[i] < digit]
        undecided = [i for i in undecided if told[i] == digit]
    return sorted(below)


def second_parent(rng, settings, count, first):
    if not settings.distinct_parents or count == 1:
        return int(draw_uniform(rng) * count)
    others = [i for i in range(count) if i != first]
    return others[int(draw_uniform(rng) * len(others))]


def bring_back(value, low, high, rule):
    while not low <= value <= high:
        if rule == "saturate":
            value = min(max(value, low), high)
        elif rule == "toroidal":
            value = low + (value - high) if value > high else high - (low - value)
        else:
            value = high - (value - high) if value > high else low + (low - value)
    return value


def feature_descriptor(g, h, levels):
    violations = [max(0.0, value) for value in g] + [abs(value) for value in h]
    return tuple(bisect_left(each, violation) for each, violation in zip(levels, violations, strict=True))
