"""Power electronics, RC45 to RC50: pulse patterns of inverters with 3 to 13 levels."""

from __future__ import annotations

from math import pi

import numpy as np

from mapelites.core.on_demand import kernel_on_demand

HARMONICS = 31


@kernel_on_demand
def modulation(x, data, out):
    # `data`: the number of angles of a level L, the modulation m, the harmonics k, the signs s.
    n, levels, depth = x.size, data[0], data[1]
    above, below = 0.0, 0.0
    for i in range(HARMONICS):
        k = data[2 + i]
        wave = 0.0
        for j in range(n):
            wave += data[2 + HARMONICS + j] * np.cos(k * x[j] * pi / 180.0)
        above += wave**2 / k**4
        below += 1.0 / k**4
    out[0] = np.sqrt(above) / levels / np.sqrt(below)
    first = 0.0
    for j in range(n):
        first += data[2 + HARMONICS + j] * np.cos(x[j] * pi / 180.0)
        if j < n - 1:
            out[1 + j] = x[j] - x[j + 1] + 1e-6
    out[n] = first - levels * depth
