"""Toward: elites moved towards those that nearly keep every constraint, for functions that take long.

Differential evolution's current-to-pbest/1/bin (J. Zhang and A. C. Sanderson, "JADE: adaptive differential evolution
with optional external archive", 2009, eq. 6) with the elites as its population. Those that are fewest bins away from
keeping every constraint are the ones to follow.
"""

from __future__ import annotations

import numpy as np

from mapelites.search.emitters.emitter import Emitter, fill
from mapelites.search.emitters.line import between_two
from mapelites.search.pieces import piece
from mapelites.search.random import below, uniform
from mapelites.search.state import OCCUPIED, bin_of, violation_of

DRAWN = 6  # elites, of which the best one is followed
FEASIBLE = 0.3  # the probability of following the best feasible solution
FEWEST = 4  # elites that a difference needs
LEAST_FACTOR, LARGEST_FACTOR, RATE = 0.3, 1.0, 0.9


@piece
def bins_away(values, m):
    """How many bins, over all constraints, a solution is away from keeping every one."""
    away = 0
    for i in range(m.grid.edges.shape[0]):
        away += bin_of(m.grid.edges, i, violation_of(values, i, m.rule))
    return away


@piece
def to_follow(rng, state, m, occupied):
    """The best feasible solution, or the best of some elites."""
    if state.values[0, 0] < np.inf and uniform(rng) < FEASIBLE:
        return 0
    best = 1 + below(rng, occupied)
    away = bins_away(state.values[best], m)
    for _ in range(DRAWN - 1):
        drawn = 1 + below(rng, occupied)
        other = bins_away(state.values[drawn], m)
        if other < away or (other == away and state.values[drawn, 0] < state.values[best, 0]):
            best, away = drawn, other
    return best


@fill
def toward(state, m, x):
    """Fill `x` with an elite moved towards a better one and along a difference of two others."""
    rng, xs, occupied = state.rng, state.x, state.counters[OCCUPIED]
    if occupied < FEWEST:
        between_two(rng, m, xs, occupied, x)
        return
    i, a, b = 1 + below(rng, occupied), 1 + below(rng, occupied), 1 + below(rng, occupied - 1)
    if b >= a:
        b += 1  # two different ones
    best = to_follow(rng, state, m, occupied)
    factor = LEAST_FACTOR + (LARGEST_FACTOR - LEAST_FACTOR) * uniform(rng)
    certain = below(rng, x.size)
    for j in range(x.size):
        x[j] = xs[i, j]
        if uniform(rng) < RATE or j == certain:
            x[j] += factor * (xs[best, j] - xs[i, j] + xs[a, j] - xs[b, j])
            if x[j] < m.lower[j]:
                x[j] = 0.5 * (m.lower[j] + xs[i, j])
            elif x[j] > m.upper[j]:
                x[j] = 0.5 * (m.upper[j] + xs[i, j])


EMITTER = Emitter(
    name="toward",
    order=45,
    label="Elites moved towards those that nearly keep every constraint",
    operators={"toward": "#117733"},
    slow_share=0.2,
    fill=toward,
    stands_for=("slow", "fast"),
)
