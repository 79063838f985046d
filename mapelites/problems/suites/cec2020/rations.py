"""Livestock feed rations, RC51 to RC57."""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from mapelites.core.on_demand import kernel_on_demand


@register_jitable
def _contents(x, data, rows):
    """What the ration has of each of so many contents, the first of which is its price."""
    n = x.size
    found = np.zeros(rows)
    for r in range(rows):
        for i in range(n):
            found[r] += data[r * n + i] * x[i]
    return found


@kernel_on_demand
def beef(x, data, out):
    # `data`: 7 rows of 59 feeds, then the limits.
    q = _contents(x, data, 7)
    total, rough, others = x.sum(), x[:17].sum(), x[33:].sum()
    limits = data[413:]
    out[0] = q[0]
    for i, row in enumerate((4, 3, 5, 6)):
        out[1 + 2 * i] = limits[2 * i] - q[row]
        out[2 + 2 * i] = q[row] - limits[2 * i + 1]
    out[9] = limits[8] - rough / total
    out[10] = rough / total - limits[9]
    out[11] = limits[10] - q[2] / total
    out[12] = q[2] / total - limits[11]
    out[13] = limits[12] - others
    out[14] = others - limits[13]
    out[15] = q[1] - limits[14]


@kernel_on_demand
def dairy(x, data, out):
    # `data`: 14 rows of 64 feeds, then the targets.
    q = _contents(x, data, 14)
    targets = data[896:]
    out[0] = q[0]
    out[1] = q[11] - targets[0]
    out[2] = q[1] - targets[1]
    out[3] = q[2] - targets[2]
    out[4] = q[12] - targets[3]
    out[5] = q[13] - targets[4]
    out[6] = q[1:11].sum() - targets[5]
