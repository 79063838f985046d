"""C01 to C11, whose functions are of the shifted point; a matrix is in the constraints of C02 and C05."""

from __future__ import annotations

from math import pi

import numpy as np

from mapelites.core.on_demand import kernel_on_demand
from mapelites.problems.suites.cec2017.vectors import (
    partial_sums,
    rastrigin,
    rosenbrock,
    shifted,
    steps,
    stretched,
    waves,
)


@kernel_on_demand
def c01(x, data, out):
    y = shifted(x, data)
    out[0] = partial_sums(y, 0, 1)
    out[1] = waves(y, 5000.0, 0.1 * pi, 4000.0)


@kernel_on_demand
def c02(x, data, out):
    y = shifted(x, data)
    out[0] = partial_sums(y, 0, 1)
    out[1] = waves(stretched(y, data, 0), 5000.0, 0.1 * pi, 4000.0)


@kernel_on_demand
def c03(x, data, out):
    y = shifted(x, data)
    out[0] = partial_sums(y, 0, 1)
    out[1] = waves(y, 5000.0, 0.1 * pi, 4000.0)
    out[2] = -np.sum(y * np.sin(0.1 * pi * y))


@kernel_on_demand
def c04(x, data, out):
    y = shifted(x, data)
    out[0] = rastrigin(y)
    out[1] = -np.sum(y * np.sin(2.0 * y))
    out[2] = np.sum(y * np.sin(y))


@kernel_on_demand
def c05(x, data, out):
    y = shifted(x, data)
    out[0] = rosenbrock(y)
    out[1] = waves(stretched(y, data, 0), 50.0, 2.0 * pi, 40.0)
    out[2] = waves(stretched(y, data, 1), 50.0, 2.0 * pi, 40.0)


@kernel_on_demand
def c06(x, data, out):
    y = shifted(x, data)
    out[0] = rastrigin(y)
    out[1] = -np.sum(y * np.sin(y))
    out[2] = np.sum(y * np.sin(pi * y))
    out[3] = -np.sum(y * np.cos(y))
    out[4] = np.sum(y * np.cos(pi * y))
    out[5] = np.sum(y * np.sin(2.0 * np.sqrt(np.abs(y))))
    out[6] = -out[5]


@kernel_on_demand
def c07(x, data, out):
    y = shifted(x, data)
    out[0] = np.sum(y * np.sin(y))
    out[1] = np.sum(y - 100.0 * np.cos(0.5 * y) + 100.0)
    out[2] = -out[1]


@kernel_on_demand
def c08(x, data, out):
    y = shifted(x, data)
    out[0] = np.max(y)
    out[1] = partial_sums(y, 0, 2)
    out[2] = partial_sums(y, 1, 2)


@kernel_on_demand
def c09(x, data, out):
    y = shifted(x, data)
    product, chain = 1.0, 0.0
    for i in range(1, y.size, 2):
        product *= y[i]
    for i in range(0, y.size - 2, 2):
        chain += (y[i] * y[i] - y[i + 2]) ** 2
    out[0] = np.max(y)
    out[1] = product
    out[2] = chain


@kernel_on_demand
def c10(x, data, out):
    y = shifted(x, data)
    out[0] = np.max(y)
    out[1] = partial_sums(y, 0, 1)
    out[2] = steps(y)


@kernel_on_demand
def c11(x, data, out):
    y = shifted(x, data)
    out[0] = np.sum(y)
    out[1] = np.prod(y)
    out[2] = steps(y)
