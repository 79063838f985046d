"""Iso+line: directional variation between elites, with a step size of every order of magnitude.

V. Vassiliades and J.-B. Mouret, "Discovering the elite hypervolume by leveraging interspecies correlation", 2018,
eq. 1: x = x_i + σ1 N(0, I) + σ2 (x_j - x_i) N(0, 1). σ1 is drawn log-uniformly relative to each variable's range.
"""

from __future__ import annotations

from numba import types

from mapelites.kernels import KERNEL_TYPE, compiled_for
from mapelites.search.directed.common import evaluate, piece
from mapelites.search.directed.memory import WORK_TYPE
from mapelites.search.random import below, normal, uniform
from mapelites.search.state import EVALUATIONS, MAP_TYPE, OCCUPIED, STATE_TYPE

SMALLEST_STEP, LARGEST_STEP = -9.0, 0.0  # powers of ten
LINE = 0.5  # σ2
FEW = 0.5  # the probability of changing only some variables


@piece
def between_two(rng, m, xs, occupied, x):
    """Fill `x` from two elites."""
    first, second, n = 1 + below(rng, occupied), 1 + below(rng, occupied), x.size
    sigma = 10.0 ** (SMALLEST_STEP + (LARGEST_STEP - SMALLEST_STEP) * uniform(rng))
    along = LINE * normal(rng)
    part = 1.0 if uniform(rng) > FEW else (1.0 + below(rng, n)) / n
    for j in range(n):
        x[j] = xs[first, j]
        if uniform(rng) < part:
            x[j] += sigma * (m.upper[j] - m.lower[j]) * normal(rng) + along * (xs[second, j] - xs[first, j])
            x[j] = min(max(x[j], m.lower[j]), m.upper[j])


@compiled_for(KERNEL_TYPE, STATE_TYPE, MAP_TYPE, WORK_TYPE, types.int64, types.int64, types.int64)
def vary(kernel, state, m, work, budget, until, made_by):
    """Candidate after candidate up to evaluation `until`."""
    while state.counters[EVALUATIONS] < min(until, budget):
        between_two(state.rng, m, state.x, state.counters[OCCUPIED], work.x)
        evaluate(kernel, state, m, work.gain, budget, work.x, work.values, made_by)
