"""Iso+line: directional variation between elites, with a step size of every order of magnitude.

V. Vassiliades and J.-B. Mouret, "Discovering the elite hypervolume by leveraging interspecies correlation", 2018,
eq. 1: x = x_i + σ1 N(0, I) + σ2 (x_j - x_i) N(0, 1). σ1 is drawn log-uniformly relative to each variable's range.
"""

from __future__ import annotations

from mapelites.search.emitters.emitter import Emitter, fill
from mapelites.search.pieces import piece
from mapelites.search.random import below, normal, uniform
from mapelites.search.state import OCCUPIED

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


@fill
def vary(state, m, x):
    """Fill `x` from two elites of the archive."""
    between_two(state.rng, m, state.x, state.counters[OCCUPIED], x)


EMITTER = Emitter(
    name="line",
    order=20,
    label="Steps of all sizes along the line between two elites",
    operators={"line": "#cc79a7"},
    share=0.06,
    slow_share=0.2,
    fill=vary,
)
