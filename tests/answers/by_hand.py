"""Four designs of the gallery worked out by hand from their publications: the objective and every raw constraint."""

from __future__ import annotations

import math
from collections.abc import Sequence

Values = tuple[float, list[float]]


def welded_beam(x: Sequence[float]) -> Values:
    h, weld, t, b = x
    load, arm, young, shear_modulus = 6000.0, 14.0, 30e6, 12e6
    primary = load / (math.sqrt(2.0) * h * weld)
    moment = load * (arm + weld / 2.0)
    radius = math.sqrt(weld * weld / 4.0 + ((h + t) / 2.0) ** 2)
    polar = 2.0 * (math.sqrt(2.0) * h * weld * (weld * weld / 12.0 + ((h + t) / 2.0) ** 2))
    secondary = moment * radius / polar
    stress = math.sqrt(primary**2 + 2.0 * primary * secondary * weld / (2.0 * radius) + secondary**2)
    bending = 6.0 * load * arm / (b * t * t)
    deflection = 4.0 * load * arm**3 / (young * t**3 * b)
    critical = 4.013 * young * math.sqrt(t * t * b**6 / 36.0) / arm**2
    critical *= 1.0 - t / (2.0 * arm) * math.sqrt(young / (4.0 * shear_modulus))
    cost = 1.10471 * h * h * weld + 0.04811 * t * b * (14.0 + weld)
    bar = 0.10471 * h * h + 0.04811 * t * b * (14.0 + weld)
    limits = [stress - 13600.0, bending - 30000.0, h - b, bar - 5.0, 0.125 - h, deflection - 0.25, load - critical]
    return cost, limits


def pressure_vessel(x: Sequence[float]) -> Values:
    shell, head, radius, length = x
    cost = 0.6224 * shell * radius * length + 1.7781 * head * radius**2
    cost += 3.1661 * shell**2 * length + 19.84 * shell**2 * radius
    volume = math.pi * radius**2 * length + 4.0 / 3.0 * math.pi * radius**3
    return cost, [0.0193 * radius - shell, 0.00954 * radius - head, 1_296_000.0 - volume, length - 240.0]


def tension_spring(x: Sequence[float]) -> Values:
    wire, coil, turns = x
    deflection = 1.0 - coil**3 * turns / (71785.0 * wire**4)
    shear = (4.0 * coil**2 - wire * coil) / (12566.0 * (coil * wire**3 - wire**4)) + 1.0 / (5108.0 * wire**2) - 1.0
    return (turns + 2.0) * coil * wire**2, [
        deflection,
        shear,
        1.0 - 140.45 * wire / (coil**2 * turns),
        (coil + wire) / 1.5 - 1.0,
    ]


def speed_reducer(x: Sequence[float]) -> Values:
    b, m, z, l1, l2, d1, d2 = x
    weight = 0.7854 * b * m**2 * (3.3333 * z**2 + 14.9334 * z - 43.0934) - 1.508 * b * (d1**2 + d2**2)
    weight += 7.477 * (d1**3 + d2**3) + 0.7854 * (l1 * d1**2 + l2 * d2**2)
    stress1 = math.sqrt((745.0 * l1 / (m * z)) ** 2 + 16.91e6) / (0.1 * d1**3)
    stress2 = math.sqrt((745.0 * l2 / (m * z)) ** 2 + 157.5e6) / (0.1 * d2**3)
    return weight, [
        27.0 - b * m**2 * z, 397.5 - b * m**2 * z**2, 1.93 - m * z * d1**4 / l1**3, 1.93 - m * z * d2**4 / l2**3,
        stress1 - 1100.0, stress2 - 850.0, m * z - 40.0, 5.0 - b / m, b / m - 12.0, 1.5 * d1 + 1.9 - l1,
        1.1 * d2 + 1.9 - l2,
    ]  # fmt: skip


# What 100 % of each constraint is: its printed limit, or about the size of what is compared.
HUNDRED: dict[str, list[float]] = {
    "welded-beam": [13600.0, 30000.0, 0.2, 5.0, 0.125, 0.25, 6000.0],
    "pressure-vessel": [0.88, 0.44, 1_296_000.0, 240.0],
    "tension-spring": [1.0, 1.0, 1.0, 1.0],
    "speed-reducer": [27.0, 397.5, 1.93, 1.93, 1100.0, 850.0, 40.0, 5.0, 12.0, 7.3, 7.7],
}
BY_HAND = {
    "welded-beam": welded_beam, "pressure-vessel": pressure_vessel, "tension-spring": tension_spring,
    "speed-reducer": speed_reducer,
}  # fmt: skip
