"""What the kernels share: the shifted point, the point after the matrix, and the sums of their coordinates."""

from __future__ import annotations

from math import pi

import numpy as np
from numba.extending import register_jitable

# `data` is the shift o, then the matrix row by row where the problem has one; C05 has two of them.


@register_jitable
def shifted(x, data):
    """y = x - o."""
    y = np.empty(x.size)
    for i in range(x.size):
        y[i] = x[i] - data[i]
    return y


@register_jitable
def stretched(y, data, which):
    """M y with the matrix of that number. It is no rotation: it stretches up to five times."""
    n = y.size
    z = np.zeros(n)
    for i in range(n):
        row = n + which * n * n + i * n
        for j in range(n):
            z[i] += data[row + j] * y[j]
    return z


@register_jitable
def point(x, data):
    """z: the shifted point, through the matrix where there is one."""
    y = shifted(x, data)
    return stretched(y, data, 0) if data.size > x.size else y


@register_jitable
def rastrigin(z):
    """The sum of z^2 - 10 cos(2 pi z) + 10."""
    total = 0.0
    for i in range(z.size):
        total += z[i] * z[i] - 10.0 * np.cos(2.0 * pi * z[i]) + 10.0
    return total


@register_jitable
def rosenbrock(z):
    """The sum of 100 (z_i^2 - z_i+1)^2 + (z_i - 1)^2."""
    total = 0.0
    for i in range(z.size - 1):
        total += 100.0 * (z[i] * z[i] - z[i + 1]) ** 2 + (z[i] - 1.0) ** 2
    return total


@register_jitable
def partial_sums(y, first, step):
    """The sum of the squares of y_1, y_1 + y_2, and so on, over every `step`-th coordinate from `first` on."""
    total, running = 0.0, 0.0
    for i in range(first, y.size, step):
        running += y[i]
        total += running * running
    return total


@register_jitable
def steps(y):
    """The sum of (y_i - y_i+1)^2."""
    total = 0.0
    for i in range(y.size - 1):
        total += (y[i] - y[i + 1]) ** 2
    return total


@register_jitable
def waves(y, high, frequency, low):
    """The sum of y^2 - high cos(frequency y) - low."""
    total = 0.0
    for i in range(y.size):
        total += y[i] * y[i] - high * np.cos(frequency * y[i]) - low
    return total


@register_jitable
def squares(z):
    """The sum of z^2."""
    total = 0.0
    for i in range(z.size):
        total += z[i] * z[i]
    return total
