"""Mechanical engineering: machines and their parts, RC15 to RC32 without the structures and gears."""

from __future__ import annotations

from math import pi

import numpy as np
from numba.extending import register_jitable

from mapelites.core.on_demand import kernel_on_demand
from mapelites.problems.suites.cec2020.rounding import whole


@kernel_on_demand
def rc15(x, data, out):
    x1, x2, x3, x4, x5, x6, x7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    out[0] = (
        0.7854 * x1 * x2**2 * (3.3333 * x3**2 + 14.9334 * x3 - 43.0934)
        - 1.508 * x1 * (x6**2 + x7**2)
        + 7.477 * (x6**3 + x7**3)
        + 0.7854 * (x4 * x6**2 + x5 * x7**2)
    )
    out[1] = 27 - x1 * x2**2 * x3
    out[2] = 397.5 - x1 * x2**2 * x3**2
    out[3] = 1.93 - x2 * x6**4 * x3 / x4**3
    out[4] = 1.93 - x2 * x7**4 * x3 / x5**3
    out[5] = 10 / x6**3 * np.sqrt(16.91e6 + (745 * x4 / (x2 * x3)) ** 2) - 1100
    out[6] = 10 / x7**3 * np.sqrt(157.5e6 + (745 * x5 / (x2 * x3)) ** 2) - 850
    out[7] = x2 * x3 - 40
    out[8] = 5 - x1 / x2
    out[9] = x1 / x2 - 12
    out[10] = 1.5 * x6 - x4 + 1.9
    out[11] = 1.1 * x7 - x5 + 1.9


@kernel_on_demand
def rc16(x, data, out):
    x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14 = (
        x[0],
        x[1],
        x[2],
        x[3],
        x[4],
        x[5],
        x[6],
        x[7],
        x[8],
        x[9],
        x[10],
        x[11],
        x[12],
        x[13],
    )
    out[0] = (
        63098.88 * x2 * x4 * x12
        + 5441.5 * x2**2 * x12
        + 115055.5 * x2**1.664 * x6
        + 6172.27 * x2**2 * x6
        + 63098.88 * x1 * x3 * x11
        + 5441.5 * x1**2 * x11
        + 115055.5 * x1**1.664 * x5
        + 6172.27 * x1**2 * x5
        + 140.53 * x1 * x11
        + 281.29 * x3 * x11
        + 70.26 * x1**2
        + 281.29 * x1 * x3
        + 281.29 * x3**2
        + 14437 * x8**1.8812 * x12**0.3424 * x10 / x14 * x1**2 * x7 / x9
        + 20470.2 * x7**2.893 * x11**0.316 * x1**2
    )
    out[1] = 1.524 / x7 - 1
    out[2] = 1.524 / x8 - 1
    out[3] = 0.07789 * x1 - 2 * x9 / x7 - 1
    out[4] = 7.05305 * x1**2 * x10 / (x9 * x8 * x2 * x14) - 1
    out[5] = 0.0833 * x14 / x13 - 1
    out[6] = 0.04771 * x10 * x8**1.8812 * x12**0.3424 - 1
    out[7] = 0.0488 * x9 * x7**1.893 * x11**0.316 - 1
    out[8] = 0.0099 * x1 / x3 - 1
    out[9] = 0.0193 * x2 / x4 - 1
    out[10] = 0.0298 * x1 / x5 - 1
    out[11] = (
        47.136 * x2**0.333 / x10 * x12 - 1.333 * x8 * x13**2.1195 + 62.08 * x13**2.1195 * x8**0.2 / (x12 * x10) - 1
    )
    out[12] = 0.056 * x2 / x6 - 1
    out[13] = 2 / x9 - 1
    out[14] = 2 / x10 - 1
    out[15] = x12 / x11 - 1


@kernel_on_demand
def rc17(x, data, out):
    x1, x2, x3 = x[0], x[1], x[2]
    out[0] = x1**2 * x2 * (x3 + 2)
    out[1] = 1 - x2**3 * x3 / (71785 * x1**4)
    out[2] = (4 * x2**2 - x1 * x2) / (12566 * (x2 * x1**3 - x1**4)) + 1 / (5108 * x1**2) - 1
    out[3] = 1 - 140.45 * x1 / (x2**2 * x3)
    out[4] = (x1 + x2) / 1.5 - 1


@kernel_on_demand
def rc18(x, data, out):
    x1, x2, x3, x4 = x[0], x[1], x[2], x[3]
    z1 = 0.0625 * whole(x1)
    z2 = 0.0625 * whole(x2)
    out[0] = 0.6224 * z1 * x3 * x4 + 1.7781 * z2 * x3**2 + 3.1661 * z1**2 * x4 + 19.84 * z1**2 * x3
    out[1] = 0.0193 * x3 - z1
    out[2] = 0.00954 * x3 - z2
    out[3] = 1296000 - pi * x3**2 * x4 - 4 / 3 * pi * x3**3
    out[4] = x4 - 240


@kernel_on_demand
def rc19(x, data, out):
    x1, x2, x3, x4 = x[0], x[1], x[2], x[3]
    P = 6000
    L = 14
    E = 30e6
    Gm = 12e6
    out[0] = 1.10471 * x1**2 * x2 + 0.04811 * x3 * x4 * (14 + x2)
    Pc = 4.013 * E * np.sqrt(x3**2 * x4**6 / 30) / L**2 * (1 - x3 / (2 * L) * np.sqrt(E / (4 * Gm)))
    sg = 6 * P * L / (x4 * x3**2)
    dl = 6 * P * L**3 / (E * x3**2 * x4)
    J = 2 * np.sqrt(2) * x1 * x2 * (x2**2 / 4 + (x1 + x3) ** 2 / 4)
    R = np.sqrt(x2**2 / 4 + (x1 + x3) ** 2 / 4)
    M = P * (L + x2 / 2)
    t2 = M * R / J
    t1 = P / (np.sqrt(2) * x1 * x2)
    t = np.sqrt(t1**2 + 2 * t1 * t2 * x2 / (2 * R) + t2**2)
    out[1] = t - 13600
    out[2] = sg - 30000
    out[3] = x1 - x4
    out[4] = dl - 0.25
    out[5] = P - Pc


@kernel_on_demand
def rc20(x, data, out):
    x1, x2 = x[0], x[1]
    out[0] = 100 * (2 * np.sqrt(2) * x1 + x2)
    out[1] = 2 * (np.sqrt(2) * x1 + x2) / (np.sqrt(2) * x1**2 + 2 * x1 * x2) - 2
    out[2] = 2 * x2 / (np.sqrt(2) * x1**2 + 2 * x1 * x2) - 2
    out[3] = 2 / (np.sqrt(2) * x2 + x1) - 2


@kernel_on_demand
def rc21(x, data, out):
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    Rsr = 2 / 3 * (x2**3 - x1**3) / (x2**2 * x1**2)
    Vsr = pi * Rsr * 250 / 30
    prz = x4 / (pi * (x2**2 - x1**2))
    w = pi * 250 / 30
    Mh = 2 / 3 * 0.6 * x4 * x5 * (x2**3 - x1**3) / (x2**2 - x1**2)
    T = 55 * w / (Mh + 3)
    out[0] = pi * (x2**2 - x1**2) * x3 * (x5 + 1) * 0.0000078
    out[1] = x1 - x2 + 20
    out[2] = (x5 + 1) * (x3 + 0.5) - 30
    out[3] = prz - 1
    out[4] = prz * Vsr - 10
    out[5] = Vsr - 10
    out[6] = T - 15
    out[7] = 1.5 * 40 - Mh
    out[8] = -T


@kernel_on_demand
def rc25(x, data, out):
    x1, x2, x3, x4 = x[0], x[1], x[2], x[3]
    Pm = (np.log10(np.log10(8.122e6 * x3 + 0.8)) - 10.04) / (-3.55)
    dT = 2 * (10**Pm - 560)
    Ef = 9336 * x4 * 0.0307 * 0.5 * dT
    ht = (2 * pi * 750 / 60) ** 2 * 2 * pi * x3 / Ef * (x1**4 / 4 - x2**4 / 4) - 1e-5
    Po = 6 * x3 * x4 / (pi * ht**3) * np.log(x1 / x2)
    W = pi * Po / 2 * (x1**2 - x2**2) / (np.log(x1 / x2) - 1e-5)
    out[0] = (x4 * Po / 0.7 + Ef) / 12
    out[1] = 101000 - W
    out[2] = Po - 1000
    out[3] = dT - 50
    out[4] = 0.001 - ht
    out[5] = x2 - x1
    out[6] = 0.0307 / (386.4 * Po) * (x4 / (2 * pi * x1 * ht)) - 0.001
    out[7] = W / (pi * (x1**2 - x2**2) + 1e-5) - 5000


@kernel_on_demand
def rc28(x, data, out):
    x1, x2, x3, x4, x5, x6, x7, x8, x9, x10 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]
    Z = whole(x3)
    T = 160 - 90 - 2 * x2
    q = ((35 - 0.75 * T) ** 2 + (80 - 0.25 * T - x2) ** 2 - (45 + 0.25 * T) ** 2) / (
        2 * (35 - 0.75 * T) * (80 - 0.25 * T - x2)
    )
    ph = 2 * pi - 2 * np.arccos(q)
    ga = x2 / x1
    fc = (
        37.91
        * (1 + (1.04 * ((1 - ga) / (1 + ga)) ** 1.72 * (x4 * (2 * x5 - 1) / (x5 * (2 * x4 - 1))) ** 0.41) ** (10 / 3))
        ** (-0.3)
        * (ga**0.3 * (1 - ga) ** 1.39 / (1 + ga) ** (1 / 3))
        * (2 * x4 / (2 * x4 - 1)) ** 0.41
    )
    out[0] = 3.647 * fc * Z ** (2 / 3) * x2**1.4 if x2 > 25.4 else fc * Z ** (2 / 3) * x2**1.8
    out[1] = Z - 1 - ph / (2 * np.arcsin(x2 / x1))
    out[2] = x6 * 70 - 2 * x2
    out[3] = 2 * x2 - x7 * 70
    out[4] = x10 * 30 - x2
    out[5] = 125 - x1
    out[6] = x1 - (0.5 + x9) * 250
    out[7] = x8 * x2 - 0.5 * (160 - x1 - x2)
    out[8] = 0.515 - x4
    out[9] = 0.515 - x5


@kernel_on_demand
def rc29(x, data, out):
    x1, x2, x3, x4 = x[0], x[1], x[2], x[3]
    out[0] = (
        8.61e5 * x1**0.5 * x2 * x3 ** (-2 / 3) * x4 ** (-1 / 2) + 3.69e4 * x3 + 7.72e8 / x1 * x2**0.219 - 765.43e6 / x1
    )
    out[1] = x4 / x2**2 + 1 / x2**2 - 1


@kernel_on_demand
def rc30(x, data, out):
    x1, x2, x3 = x[0], x[1], x[2]
    N = whole(x1)
    d = data[int(whole(x3)) - 1]
    out[0] = pi**2 * x2 * d**2 * (N + 2) / 4
    Cf = (4 * x2 / d - 1) / (4 * x2 / d - 4) + 0.615 * d / x2
    K = 11.5e6 * d**4 / (8 * N * x2**3)
    lf = 1000 / K + 1.05 * (N + 2) * d
    sp = 300 / K
    out[1] = 8000 * Cf * x2 / (pi * d**3) - 189000
    out[2] = lf - 14
    out[3] = 0.2 - d
    out[4] = x2 - 3
    out[5] = 3 - x2 / d
    out[6] = sp - 6
    out[7] = sp + 700 / K + 1.05 * (N + 2) * d - lf
    out[8] = 1.25 - 700 / K


@kernel_on_demand
def rc32(x, data, out):
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    out[0] = 5.3578547 * x3**2 + 0.8356891 * x1 * x5 + 37.293239 * x1 - 40792.141
    G1 = 85.334407 + 0.0056858 * x2 * x5 + 0.0006262 * x1 * x4 - 0.0022053 * x3 * x5
    G2 = 80.51249 + 0.0071317 * x2 * x5 + 0.0029955 * x1 * x2 + 0.0021813 * x3**2
    G3 = 9.300961 + 0.0047026 * x3 * x5 + 0.0012547 * x1 * x3 + 0.0019085 * x3 * x4
    out[1] = G1 - 92
    out[2] = -G1
    out[3] = G2 - 110
    out[4] = 90 - G2
    out[5] = G3 - 25
    out[6] = 20 - G3


@kernel_on_demand
def rc23(x, data, out):
    a, friction, w = 3.0, 0.35, x[4] * 1e-3
    speeds = (750.0, 450.0, 250.0, 150.0)
    squares, first = 0.0, 0.0
    for i in range(4):
        d, r = x[i] * 1e-3, speeds[i] / 350.0
        angle = pi - 2.0 * np.arcsin((r - 1.0) * d / (2.0 * a))
        belt = pi * d / 2.0 * (1.0 + r) + (r - 1.0) ** 2 * d**2 / (4.0 * a) + 2.0 * a
        power = 1.75e6 * 8e-3 * w * (1.0 - np.exp(-friction * angle)) * pi * d * speeds[i] / 60.0
        squares += d**2 * (1.0 + r**2)
        out[1 + i] = 2.0 - np.exp(friction * angle)
        out[5 + i] = 0.75 * 745.6998 - power
        if i == 0:
            first = belt
        else:
            out[8 + i] = first - belt
    out[0] = 7200.0 * w * pi / 4.0 * squares


@register_jitable
def _gripping_force(x, z):
    """The force of the gripper where its actuator is at z, and whether its linkage closes there."""
    a, b, c, e, length = x[0], x[1], x[2], x[3], x[5]
    square = (length - z) ** 2 + e**2
    root = np.sqrt(square)
    at_a = (a**2 + square - b**2) / (2.0 * a * root)
    at_b = (b**2 + square - a**2) / (2.0 * b * root)
    if not (abs(at_a) <= 1.0 and abs(at_b) <= 1.0):
        return 0.0, False
    alpha, beta = np.arccos(at_a), np.arccos(at_b)
    force = 100.0 * b * np.sin(alpha + beta) / (2.0 * c * np.cos(alpha + np.arctan(e / (length - z))))
    return force, True


@register_jitable
def _least_force(x, sign):
    """The least of `sign` times the force, as one bounded search finds it, and whether the linkage closed.

    R. P. Brent, Algorithms for minimization without derivatives (1973), chapter 5: golden sections and parabolas. The
    search may end in a local minimum; it is a part of the problem, and so are its constants.
    """
    low, high, within = 0.0, 99.9999, 1e-4
    golden = 0.5 * (3.0 - np.sqrt(5.0))
    third = second = best = low + golden * (high - low)
    step = before = 0.0
    value, closes = _gripping_force(x, best)
    f_best = f_second = f_third = sign * value
    middle = 0.5 * (low + high)
    tolerance = 1.4901161193847656e-08 * abs(best) + within / 3.0
    calls = 1
    while closes and abs(best - middle) > 2.0 * tolerance - 0.5 * (high - low) and calls < 500:
        use_golden = True
        if abs(before) > tolerance:  # a parabola through the three best
            r = (best - second) * (f_best - f_third)
            q = (best - third) * (f_best - f_second)
            p = (best - third) * q - (best - second) * r
            q = 2.0 * (q - r)
            if q > 0.0:
                p = -p
            q = abs(q)
            r, before = before, step
            if abs(p) < abs(0.5 * q * r) and p > q * (low - best) and p < q * (high - best):
                use_golden = False
                step = p / q
                at = best + step
                if at - low < 2.0 * tolerance or high - at < 2.0 * tolerance:
                    step = tolerance if middle >= best else -tolerance
        if use_golden:
            before = low - best if best >= middle else high - best
            step = golden * before
        at = best + (1.0 if step >= 0.0 else -1.0) * max(abs(step), tolerance)
        value, closes = _gripping_force(x, at)
        value *= sign
        calls += 1
        if value <= f_best:
            if at >= best:
                low = best
            else:
                high = best
            third, f_third, second, f_second, best, f_best = second, f_second, best, f_best, at, value
        else:
            if at < best:
                low = at
            else:
                high = at
            if value <= f_second or second == best:
                third, f_third, second, f_second = second, f_second, at, value
            elif value <= f_third or third in (best, second):
                third, f_third = at, value
        middle = 0.5 * (low + high)
        tolerance = 1.4901161193847656e-08 * abs(best) + within / 3.0
    return f_best, closes


@kernel_on_demand
def rc24(x, data, out):
    a, b, c, e, s, length, delta = x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    reach, open_ = 99.9999, 1e4
    square, square_end = length**2 + e**2, (length - reach) ** 2 + e**2
    q = (b**2 + square - a**2) / (2.0 * b * np.sqrt(square))
    q_end = (b**2 + square_end - a**2) / (2.0 * b * np.sqrt(square_end))
    out[1] = out[2] = out[3] = out[4] = open_
    if abs(q_end) <= 1.0:
        y = 2.0 * (e + s + c * np.sin(np.arccos(q_end) - np.arctan(e / (length - reach)) + delta))
        out[1], out[2] = y - 50.0, -y
    if abs(q) <= 1.0:
        y = 2.0 * (e + s + c * np.sin(np.arccos(q) - np.arctan(e / length) + delta))
        out[3], out[4] = 100.0 - y, y - 150.0
    out[5] = length**2 + e**2 - (a + b) ** 2
    out[6] = b**2 - (a - e) ** 2 - (length - reach) ** 2
    out[7] = reach - length
    least, closes = _least_force(x, 1.0)
    minus_most, also = _least_force(x, -1.0)
    out[0] = -minus_most - least if closes and also else open_
