"""The archive told of candidates whose answers come later, and candidates made many at a time."""

from __future__ import annotations

from numba import types

from mapelites.core.kernels import INDICES, MATRIX, VECTOR, compiled_for
from mapelites.search.directed.common import offer
from mapelites.search.emitters.emitter import FILL_TYPE
from mapelites.search.state import MAP_TYPE, STATE_TYPE


@compiled_for(STATE_TYPE, MAP_TYPE, VECTOR, VECTOR, VECTOR, types.int64)
def tell(state, m, gain, x, values, made_by):
    """Offer an evaluated candidate to the archive, which needs room for it; what it did is added to `gain`."""
    offer(state, m, gain, x, values, made_by)


@compiled_for(STATE_TYPE, MAP_TYPE, VECTOR, MATRIX, MATRIX, INDICES, INDICES, VECTOR, INDICES, types.float64)
def tell_rows(state, m, gain, x, values, made_by, sources, credit, spent, memory):
    """Offer many, one after the other; what each did is credited to its source, recent ones counting most."""
    for k in range(x.shape[0]):
        gain[0] = 0.0
        offer(state, m, gain, x[k], values[k], made_by[k])
        credit[sources[k]] += memory * (gain[0] - credit[sources[k]])
        spent[sources[k]] += 1


@compiled_for(FILL_TYPE, STATE_TYPE, MAP_TYPE, MATRIX)
def fill_rows(fill, state, m, rows):
    """Fill each row with a candidate."""
    for k in range(rows.shape[0]):
        fill(state, m, rows[k])


@compiled_for(VECTOR, VECTOR, VECTOR, INDICES)
def deal_out(base, parts, passes, counts):
    """Deal all places of a batch, as many as the last of `counts` says, out to emitters by stride scheduling."""
    left = counts[counts.size - 1]
    counts[counts.size - 1] = 0
    for _ in range(left):
        first = -1
        for e in range(base.size):
            if base[e] > 0.0 and (first < 0 or passes[e] < passes[first]):
                first = e
        passes[first] += 1.0 / parts[first]
        counts[first] += 1
