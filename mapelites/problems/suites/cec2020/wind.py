"""Power systems: the layout of a wind farm, RC44."""

from __future__ import annotations

import numpy as np

from mapelites.core.on_demand import kernel_on_demand

TURBINES, SECTORS, RADIUS, SPREAD = 15, 24, 40.0, 0.01


@kernel_on_demand
def rc44(x, data, out):
    induction = 1.0 - np.sqrt(1.0 - 0.8)
    total = 0.0
    for q in range(SECTORS):
        angle = 15.0 * (q + 0.5) * np.pi / 180.0
        cosine, sine = np.cos(angle), np.sin(angle)
        for i in range(TURBINES):
            deficit = 0.0
            for j in range(TURBINES):
                if i == j:
                    continue
                dx, dy = x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]
                along = cosine * dx + sine * dy
                across = np.sqrt(max(dx * dx + dy * dy - along * along, 0.0))
                if along > 0.0 and SPREAD * along + RADIUS > across - RADIUS:
                    deficit += (induction / (1.0 + SPREAD * along / RADIUS) ** 2) ** 2
            scale = data[q] * (1.0 - np.sqrt(deficit))
            power = 1500.0 * (np.exp(-((14.0 / scale) ** 2)) - np.exp(-((25.0 / scale) ** 2)))
            for m in range(1, 36):
                low, high = 3.5 + (m - 1) * 0.3, 3.5 + m * 0.3
                rise = np.exp((low + high) / 2.0 - 7.5)
                share = np.exp(-((low / scale) ** 2)) - np.exp(-((high / scale) ** 2))
                power += 1500.0 * rise / (5.0 + rise) * share
            total += data[SECTORS + q] * power
    out[0] = -total
    at = 1
    for i in range(TURBINES - 2):  # the last turbine may stand anywhere: the competition's loop ends before it
        for j in range(i + 1, TURBINES - 1):
            dx, dy = x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]
            out[at] = 200.0 - np.sqrt(dx * dx + dy * dy)
            at += 1
