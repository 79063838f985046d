"""The archive told of one candidate: for answers that come later."""

from __future__ import annotations

from numba import types

from mapelites.core.kernels import VECTOR, compiled_for
from mapelites.search.directed.common import offer
from mapelites.search.state import MAP_TYPE, STATE_TYPE


@compiled_for(STATE_TYPE, MAP_TYPE, VECTOR, VECTOR, VECTOR, types.int64)
def tell(state, m, gain, x, values, made_by):
    """Offer an evaluated candidate to the archive, which needs room for it; what it did is added to `gain`."""
    offer(state, m, gain, x, values, made_by)
