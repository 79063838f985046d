"""Mechanical engineering: gears, RC22, RC26 and RC31."""

from __future__ import annotations

from math import pi

import numpy as np

from mapelites.core.on_demand import kernel_on_demand
from mapelites.problems.suites.cec2020.rounding import whole


@kernel_on_demand
def rc22(x, data, out):
    x1, x2, x3, x4, x5, x6, x7, x8, x9 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]
    N1 = whole(abs(x1))
    N2 = whole(abs(x2))
    N3 = whole(abs(x3))
    N4 = whole(abs(x4))
    N5 = whole(abs(x5))
    N6 = whole(abs(x6))
    p = data[int(whole(abs(x7))) - 1]
    m1 = data[2 + int(whole(abs(x8)))]
    m2 = data[2 + int(whole(abs(x9)))]
    out[0] = max(N6 / N4 - 3.11, N6 * (N1 * N3 + N2 * N4) / (N1 * N3 * (N6 - N4)) - 1.84, -N2 * N6 / (N1 * N3) + 3.11)
    q = ((N6 - N3) ** 2 + (N4 + N5) ** 2 - (N3 + N5) ** 2) / (2 * (N6 - N3) * (N4 + N5))
    out[1] = m2 * (N6 + 2.5) - 220
    out[2] = m1 * (N1 + N2) + m1 * (N2 + 2) - 220
    out[3] = m2 * (N4 + N5) + m2 * (N5 + 2) - 220
    out[4] = abs(m1 * (N1 + N2) - m2 * (N6 - N3)) - m1 - m2
    out[5] = N2 + 2.5 - (N1 + N2) * np.sin(pi / p)
    out[6] = N3 + 2.5 - (N6 - N3) * np.sin(pi / p)
    out[7] = N5 + 2.5 - (N4 + N5) * np.sin(pi / p)
    out[8] = (
        (N3 + N5 + 2.5) ** 2
        - ((N6 - N3) ** 2 + (N4 + N5) ** 2 - 2 * (N6 - N3) * (N4 + N5) * np.cos(2 * pi / p - np.arccos(q)))
        if abs(q) <= 1
        else 1e6
    )
    out[9] = -(N6 - 2 * N3 - N4 - 5)
    out[10] = -(N6 - N4 - 2 * N5 - 5)
    out[11] = np.fmod(N6 - N4, p)


@kernel_on_demand
def rc31(x, data, out):
    x1, x2, x3, x4 = x[0], x[1], x[2], x[3]
    out[0] = (1 / 6.931 - x1 * x2 / (x3 * x4)) ** 2


@kernel_on_demand
def rc26(x, data, out):
    # Of each of four stages: teeth of pinion and gear, thickness of the blank, place of the gear, distance of the axes.
    first_x, first_y = 12.7 * whole(x[12]), 12.7 * whole(x[17])
    sine, cosine = np.sin(20.0 * pi / 180.0), np.cos(20.0 * pi / 180.0)
    bending = 2090.0 * 0.2 / (0.0167 * 55.9 * 1.5 * 1.6)
    contact = (3290.0 / 464.0) ** 2 * sine * cosine / (0.0334 * 55.9 * 1.5 * 1.6)
    total, ratio, speed = 0.0, 1.0, 5000.0
    for i in range(4):
        pinion, gear = whole(x[2 * i]), whole(x[2 * i + 1])
        teeth = pinion + gear
        b = data[int(whole(x[8 + i])) - 1]
        X, Y = 12.7 * whole(x[13 + i]), 12.7 * whole(x[18 + i])
        c = np.sqrt((X - first_x) ** 2 + (Y - first_y) ** 2)
        total += b * c**2 * (pinion**2 + gear**2) / teeth**2
        load = 366000.0 * ratio / (pi * 5000.0) + 2.0 * c * pinion / teeth
        out[1 + i] = load * teeth**2 / (4.0 * b * c**2 * pinion) - bending
        out[5 + i] = load * teeth**3 / (4.0 * b * c**2 * gear * pinion**2) - contact
        out[9 + i] = (
            1.4 * pi * cosine
            - pinion * np.sqrt(sine**2 / 4.0 + 1.0 / pinion + 1.0 / pinion**2)
            - gear * np.sqrt(sine**2 / 4.0 + 1.0 / gear + 1.0 / gear**2)
            + sine * teeth / 2.0
        )
        out[13 + i] = 25.4 - 2.0 * c * pinion / teeth
        out[17 + i] = 25.4 - 2.0 * c * gear / teeth
        rp, rg = (pinion + 2.0) * c / teeth, (gear + 2.0) * c / teeth
        Xp, Yp = (first_x, first_y) if i == 0 else (X, Y)
        out[21 + i], out[25 + i] = Xp + rp - 127.0, -Xp + rp
        out[29 + i], out[33 + i] = Yp + rp - 127.0, -Yp + rp
        out[37 + i], out[41 + i] = X + rg - 127.0, -X + rg
        out[45 + i], out[49 + i] = Y + rg - 127.0, -Y + rg
        k1 = (b - 5.715) * (b - 8.255) * (b - 12.7)
        k2 = (b - 3.175) * (b - 8.255) * (b - 12.7)
        k3 = (b - 3.175) * (b - 5.715) * (b - 12.7)
        k4 = (b - 3.175) * (b - 5.715) * (b - 8.255)
        out[53 + i] = -(0.945 * c - teeth) * k1
        out[57 + i] = (0.646 * c - teeth) * k2
        out[61 + i] = -(0.504 * c - teeth) * k3
        out[65 + i] = -teeth * k4
        out[69 + i] = -(teeth - 1.812 * c) * k1
        out[73 + i] = (teeth - 0.945 * c) * k2
        # The competition's code takes the pinion of the stage before in the last two, and so it is here.
        counted = teeth if i < 2 else whole(x[2 * i - 2]) + gear
        out[77 + i] = -(counted - 0.646 * c) * k3
        out[81 + i] = (teeth - 0.504 * c) * k4
        ratio *= gear / pinion
        speed *= pinion / gear
    out[0] = pi / 1000.0 * total
    out[85] = 245.0 - speed
    out[86] = speed - 255.0
    for i in range(1, 87):
        if np.isinf(out[i]):
            out[i] = 1e6
