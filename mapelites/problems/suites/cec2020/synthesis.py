"""Process synthesis and design, RC08 to RC14."""

from __future__ import annotations

import numpy as np

from mapelites.core.on_demand import kernel_on_demand
from mapelites.problems.suites.cec2020.rounding import whole


@kernel_on_demand
def rc08(x, data, out):
    x1, x2 = x[0], x[1]
    y = whole(x2)
    out[0] = 2 * x1 + y
    out[1] = 1.25 - x1**2 - y
    out[2] = x1 + y - 1.6


@kernel_on_demand
def rc09(x, data, out):
    x1, x2, x3 = x[0], x[1], x[2]
    y = whole(x3)
    out[0] = -y + 2 * x1 + x2
    out[1] = -x1 + x2 + y
    out[2] = x1 - 2 * np.exp(-x2)


@kernel_on_demand
def rc10(x, data, out):
    x1, x2, x3 = x[0], x[1], x[2]
    y = whole(x3)
    out[0] = -0.7 * y + 5 * (x1 - 0.5) ** 2 + 0.8
    out[1] = -np.exp(x1 - 0.2) - x2
    out[2] = x2 + 1.1 * y + 1
    out[3] = x1 - y - 0.2


@kernel_on_demand
def rc11(x, data, out):
    x1, x2, x3, x4, x5, x6, x7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    y1 = whole(x5)
    y2 = whole(x6)
    z1 = 0.9 * (1 - np.exp(-0.5 * x3)) * x1
    z2 = 0.8 * (1 - np.exp(-0.4 * x4)) * x2
    out[0] = 7.5 * y1 + 5.5 * y2 + 7 * x3 + 6 * x4 + 5 * x7
    out[5] = y1 + y2 - 1
    out[6] = z1 + z2 - 10
    out[7] = x1 + x2 - x7
    out[8] = z1 * y1 + z2 * y2 - 10
    out[1] = x3 - 10 * y1
    out[2] = x4 - 10 * y2
    out[3] = x1 - 20 * y1
    out[4] = x2 - 20 * y2


@kernel_on_demand
def rc12(x, data, out):
    x1, x2, x3, x4, x5, x6, x7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    y1 = whole(x4)
    y2 = whole(x5)
    y3 = whole(x6)
    y4 = whole(x7)
    out[0] = (
        (y1 - 1) ** 2 + (y2 - 1) ** 2 + (y3 - 1) ** 2 - np.log(y4 + 1) + (x1 - 1) ** 22 + (x2 - 2) ** 2 + (x3 - 3) ** 2
    )
    out[1] = x1 + x2 + x3 + y1 + y2 + y3 - 5
    out[2] = y3**2 + x1**2 + x2**2 + x3**2 - 5.5
    out[3] = x1 + y1 - 1.2
    out[4] = x2 + y2 - 1.8
    out[5] = x3 + y3 - 2.5
    out[6] = x1 + y4 - 1.2
    out[7] = y2**2 + x2**2 - 1.64
    out[8] = y3**2 + x3**2 - 4.25
    out[9] = y2**2 + x3**2 - 4.64


@kernel_on_demand
def rc13(x, data, out):
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    y1 = whole(x4)
    y2 = whole(x5)
    out[0] = -5.357854 * x1**2 - 0.835689 * y1 * x3 - 37.29329 * y1 + 40792.141
    out[1] = 85.334407 + 0.0056858 * y2 * x3 + 0.0006262 * y1 * x2 - 0.0022053 * y1**2 * x3 - 92
    out[2] = 80.51249 + 0.0071317 * y2 * x3 + 0.0029955 * y1 * x2 + 0.0021813 * x1**2 - 110
    out[3] = 9.300961 + 0.0047026 * y1 * x2 + 0.0012547 * y1 * x1 + 0.0019085 * x1 * x2 - 25


@kernel_on_demand
def rc14(x, data, out):
    x1, x2, x3, x4, x5, x6, x7, x8, x9, x10 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]
    N1 = whole(x1)
    N2 = whole(x2)
    N3 = whole(x3)
    out[0] = 250 * (N1 * x4**0.6 + N2 * x5**0.6 + N3 * x6**0.6)
    out[1] = 40000 * x7 / x9 + 20000 * x8 / x10 - 6000
    out[2] = 2 * x9 + 4 * x10 - x4
    out[3] = 3 * x9 + 6 * x10 - x5
    out[4] = 4 * x9 + 3 * x10 - x6
    out[5] = 8 - N1 * x7
    out[6] = 20 - N2 * x7
    out[7] = 8 - N3 * x7
    out[8] = 16 - N1 * x8
    out[9] = 4 - N2 * x8
    out[10] = 4 - N3 * x8
