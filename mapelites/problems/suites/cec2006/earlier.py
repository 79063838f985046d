"""g01 to g15, the problems of earlier collections."""

from __future__ import annotations

from math import pi

import numpy as np

from mapelites.core.on_demand import kernel_on_demand

ENERGIES = (-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.1, -10.708, -26.662, -22.179)  # of g14


@kernel_on_demand
def g01(x, data, out):
    x1, x2, x3, x4, x10, x11, x12 = x[0], x[1], x[2], x[3], x[9], x[10], x[11]
    out[0] = 5.0 * np.sum(x[:4]) - 5.0 * np.sum(x[:4] * x[:4]) - np.sum(x[4:])
    out[1] = 2.0 * x1 + 2.0 * x2 + x10 + x11 - 10.0
    out[2] = 2.0 * x1 + 2.0 * x3 + x10 + x12 - 10.0
    out[3] = 2.0 * x2 + 2.0 * x3 + x11 + x12 - 10.0
    out[4] = -8.0 * x1 + x10
    out[5] = -8.0 * x2 + x11
    out[6] = -8.0 * x3 + x12
    out[7] = -2.0 * x4 - x[4] + x10
    out[8] = -2.0 * x[5] - x[6] + x11
    out[9] = -2.0 * x[7] - x[8] + x12


@kernel_on_demand
def g02(x, data, out):
    fourth, squared, product, weighted = 0.0, 1.0, 1.0, 0.0
    for i in range(x.size):
        cosine = np.cos(x[i]) ** 2
        fourth += cosine * cosine
        squared *= cosine
        product *= x[i]
        weighted += (i + 1.0) * x[i] * x[i]
    out[0] = -np.abs((fourth - 2.0 * squared) / np.sqrt(weighted))
    out[1] = 0.75 - product
    out[2] = np.sum(x) - 7.5 * x.size


@kernel_on_demand
def g03(x, data, out):
    out[0] = -(np.sqrt(x.size) ** x.size) * np.prod(x)
    out[1] = np.sum(x * x) - 1.0


@kernel_on_demand
def g12(x, data, out):
    from_centre, nearest = 0.0, 0.0
    for i in range(3):
        from_centre += (x[i] - 5.0) ** 2
        nearest += (x[i] - min(max(np.rint(x[i]), 1.0), 9.0)) ** 2
    out[0] = -(100.0 - from_centre) / 100.0
    out[1] = nearest - 0.0625


@kernel_on_demand
def g14(x, data, out):
    total = np.sum(x)
    out[0] = 0.0
    for i in range(10):
        out[0] += x[i] * (ENERGIES[i] + np.log(x[i] / total))
    out[1] = x[0] + 2.0 * x[1] + 2.0 * x[2] + x[5] + x[9] - 2.0
    out[2] = x[3] + 2.0 * x[4] + x[5] + x[6] - 1.0
    out[3] = x[2] + x[6] + x[7] + 2.0 * x[8] + x[9] - 1.0


@kernel_on_demand
def g04(x, data, out):
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    out[0] = 5.3578547 * x3**2 + 0.8356891 * x1 * x5 + 37.293239 * x1 - 40792.141
    u = 85.334407 + 0.0056858 * x2 * x5 + 0.0006262 * x1 * x4 - 0.0022053 * x3 * x5
    v = 80.51249 + 0.0071317 * x2 * x5 + 0.0029955 * x1 * x2 + 0.0021813 * x3**2
    w = 9.300961 + 0.0047026 * x3 * x5 + 0.0012547 * x1 * x3 + 0.0019085 * x3 * x4
    out[1] = u - 92
    out[2] = -u
    out[3] = v - 110
    out[4] = 90 - v
    out[5] = w - 25
    out[6] = 20 - w


@kernel_on_demand
def g05(x, data, out):
    x1, x2, x3, x4 = x[0], x[1], x[2], x[3]
    out[0] = 3 * x1 + 0.000001 * x1**3 + 2 * x2 + 0.000002 / 3 * x2**3
    out[1] = -x4 + x3 - 0.55
    out[2] = -x3 + x4 - 0.55
    out[3] = 1000 * np.sin(-x3 - 0.25) + 1000 * np.sin(-x4 - 0.25) + 894.8 - x1
    out[4] = 1000 * np.sin(x3 - 0.25) + 1000 * np.sin(x3 - x4 - 0.25) + 894.8 - x2
    out[5] = 1000 * np.sin(x4 - 0.25) + 1000 * np.sin(x4 - x3 - 0.25) + 1294.8


@kernel_on_demand
def g06(x, data, out):
    x1, x2 = x[0], x[1]
    out[0] = (x1 - 10) ** 3 + (x2 - 20) ** 3
    out[1] = -((x1 - 5) ** 2) - (x2 - 5) ** 2 + 100
    out[2] = (x1 - 6) ** 2 + (x2 - 5) ** 2 - 82.81


@kernel_on_demand
def g07(x, data, out):
    x1, x2, x3, x4, x5, x6, x7, x8, x9, x10 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]
    out[0] = (
        x1**2
        + x2**2
        + x1 * x2
        - 14 * x1
        - 16 * x2
        + (x3 - 10) ** 2
        + 4 * (x4 - 5) ** 2
        + (x5 - 3) ** 2
        + 2 * (x6 - 1) ** 2
        + 5 * x7**2
        + 7 * (x8 - 11) ** 2
        + 2 * (x9 - 10) ** 2
        + (x10 - 7) ** 2
        + 45
    )
    out[1] = 4 * x1 + 5 * x2 - 3 * x7 + 9 * x8 - 105
    out[2] = 10 * x1 - 8 * x2 - 17 * x7 + 2 * x8
    out[3] = -8 * x1 + 2 * x2 + 5 * x9 - 2 * x10 - 12
    out[4] = 3 * (x1 - 2) ** 2 + 4 * (x2 - 3) ** 2 + 2 * x3**2 - 7 * x4 - 120
    out[5] = 5 * x1**2 + 8 * x2 + (x3 - 6) ** 2 - 2 * x4 - 40
    out[6] = x1**2 + 2 * (x2 - 2) ** 2 - 2 * x1 * x2 + 14 * x5 - 6 * x6
    out[7] = 0.5 * (x1 - 8) ** 2 + 2 * (x2 - 4) ** 2 + 3 * x5**2 - x6 - 30
    out[8] = -3 * x1 + 6 * x2 + 12 * (x9 - 8) ** 2 - 7 * x10


@kernel_on_demand
def g08(x, data, out):
    x1, x2 = x[0], x[1]
    out[0] = -(np.sin(2 * pi * x1) ** 3) * np.sin(2 * pi * x2) / (x1**3 * (x1 + x2))
    out[1] = x1**2 - x2 + 1
    out[2] = 1 - x1 + (x2 - 4) ** 2


@kernel_on_demand
def g09(x, data, out):
    x1, x2, x3, x4, x5, x6, x7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    out[0] = (
        (x1 - 10) ** 2
        + 5 * (x2 - 12) ** 2
        + x3**4
        + 3 * (x4 - 11) ** 2
        + 10 * x5**6
        + 7 * x6**2
        + x7**4
        - 4 * x6 * x7
        - 10 * x6
        - 8 * x7
    )
    out[1] = 2 * x1**2 + 3 * x2**4 + x3 + 4 * x4**2 + 5 * x5 - 127
    out[2] = 7 * x1 + 3 * x2 + 10 * x3**2 + x4 - x5 - 282
    out[3] = 23 * x1 + x2**2 + 6 * x6**2 - 8 * x7 - 196
    out[4] = 4 * x1**2 + x2**2 - 3 * x1 * x2 + 2 * x3**2 + 5 * x6 - 11 * x7


@kernel_on_demand
def g10(x, data, out):
    x1, x2, x3, x4, x5, x6, x7, x8 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
    out[0] = x1 + x2 + x3
    out[1] = 0.0025 * (x4 + x6) - 1
    out[2] = 0.0025 * (x5 + x7 - x4) - 1
    out[3] = 0.01 * (x8 - x5) - 1
    out[4] = -x1 * x6 + 833.33252 * x4 + 100 * x1 - 83333.333
    out[5] = -x2 * x7 + 1250 * x5 + x2 * x4 - 1250 * x4
    out[6] = -x3 * x8 + 1250000 + x3 * x5 - 2500 * x5


@kernel_on_demand
def g11(x, data, out):
    x1, x2 = x[0], x[1]
    out[0] = x1**2 + (x2 - 1) ** 2
    out[1] = x2 - x1**2


@kernel_on_demand
def g13(x, data, out):
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    out[0] = np.exp(x1 * x2 * x3 * x4 * x5)
    out[1] = x1**2 + x2**2 + x3**2 + x4**2 + x5**2 - 10
    out[2] = x2 * x3 - 5 * x4 * x5
    out[3] = x1**3 + x2**3 + 1


@kernel_on_demand
def g15(x, data, out):
    x1, x2, x3 = x[0], x[1], x[2]
    out[0] = 1000 - x1**2 - 2 * x2**2 - x3**2 - x1 * x2 - x1 * x3
    out[1] = x1**2 + x2**2 + x3**2 - 25
    out[2] = 8 * x1 + 14 * x2 + 7 * x3 - 56
