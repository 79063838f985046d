"""Variables that take only some values: how a number is brought to the nearest of them.

The compiled search and the rest of the engine round with this one piece of code, so what a search
evaluates and what it stores are the same to the last bit. Rounding twice changes nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from mapelites.core import compiled


@njit(inline="always", error_model="numpy")
def snap(value, low, high, step):
    """The nearest of low, low + step, low + 2 step and so on that is not above `high`; any value where step is 0."""
    if step == 0.0:
        return value
    most = np.floor((high - low) / step + 1e-9)
    return low + step * min(max(np.rint((value - low) / step), 0.0), most)


@njit(cache=compiled.cache_folder() is not None)
def snap_rows(points, lower, upper, steps):
    """Round every row of an (batch, n) array in place."""
    for row in range(points.shape[0]):
        for i in range(points.shape[1]):
            points[row, i] = snap(points[row, i], lower[i], upper[i], steps[i])
