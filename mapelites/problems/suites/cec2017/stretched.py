"""C12 to C20 of the shifted point, and C21 to C28: the same functions of the point after the matrix."""

from __future__ import annotations

from math import e, pi

import numpy as np

from mapelites.core.on_demand import kernel_on_demand
from mapelites.problems.suites.cec2017.vectors import point, rastrigin, rosenbrock, squares


@kernel_on_demand
def c12(x, data, out):
    z = point(x, data)
    out[0] = rastrigin(z)
    out[1] = 4.0 - np.sum(np.abs(z))
    out[2] = squares(z) - 4.0


@kernel_on_demand
def c13(x, data, out):
    z = point(x, data)
    total = np.sum(z)
    out[0] = rosenbrock(z)
    out[1] = rastrigin(z) - 100.0
    out[2] = total - 2.0 * z.size
    out[3] = 5.0 - total


@kernel_on_demand
def c14(x, data, out):
    z = point(x, data)
    q = squares(z)
    cosines = np.sum(np.cos(2.0 * pi * z))
    out[0] = -20.0 * np.exp(-0.2 * np.sqrt(q / z.size)) + 20.0 - np.exp(cosines / z.size) + e
    out[1] = squares(z[1:]) + 1.0 - np.abs(z[0])
    out[2] = q - 4.0


@kernel_on_demand
def c15(x, data, out):
    z = point(x, data)
    f = np.max(np.abs(z))
    out[0] = f
    out[1] = squares(z) - 100.0 * z.size
    out[2] = np.cos(f) + np.sin(f)


@kernel_on_demand
def c16(x, data, out):
    z = point(x, data)
    f = np.sum(np.abs(z))
    wave = np.cos(f) + np.sin(f)
    out[0] = f
    out[1] = squares(z) - 100.0 * z.size
    out[2] = wave**2 - np.exp(wave) - 1.0 + e


@kernel_on_demand
def c17(x, data, out):
    z = point(x, data)
    q, product, signs = squares(z), 1.0, 0.0
    for i in range(z.size):
        product *= np.cos(z[i] / np.sqrt(i + 1.0))
        signs += np.sign(np.abs(z[i]) - q + z[i] * z[i] - 1.0)
    out[0] = q / 4000.0 + 1.0 - product
    out[1] = 1.0 - signs
    out[2] = q - 4.0 * z.size


@kernel_on_demand
def c18(x, data, out):
    z = point(x, data)
    w, chain, product = np.empty(z.size), 0.0, 1.0
    for i in range(z.size):
        w[i] = z[i] if np.abs(z[i]) < 0.5 else 0.5 * np.sign(z[i]) * np.floor(2.0 * np.abs(z[i]) + 0.5)
        product *= np.sin((z[i] - 1.0) * pi) ** 2
        if i + 1 < z.size:
            chain += 100.0 * (z[i] * z[i] - z[i + 1]) ** 2
    out[0] = rastrigin(w)
    out[1] = 1.0 - np.sum(np.abs(z))
    out[2] = squares(z) - 100.0 * z.size
    out[3] = chain + product


@kernel_on_demand
def c19(x, data, out):
    z = point(x, data)
    n, total, pairs, sines = z.size, 0.0, 0.0, 0.0
    for i in range(n):
        total += np.sqrt(np.abs(z[i])) + 2.0 * np.sin(z[i] ** 3)
        sines += np.sin(2.0 * z[i]) ** 2
        if i + 1 < n:
            pairs += np.exp(-0.2 * np.sqrt(z[i] * z[i] + z[i + 1] * z[i + 1]))
    out[0] = total
    out[1] = -10.0 * pairs + (n - 1.0) * 10.0 / np.exp(-5.0)
    out[2] = sines - 0.5 * n


@kernel_on_demand
def c20(x, data, out):
    z = point(x, data)
    total = 0.0
    for i in range(z.size):
        after = z[(i + 1) % z.size]
        r = np.sqrt(z[i] * z[i] + after * after)
        total += 0.5 + (np.sin(r) ** 2 - 0.5) / (1.0 + 0.001 * r) ** 2
    cosine = np.cos(np.sum(z))
    out[0] = total
    out[1] = cosine**2 - 0.25 * cosine - 0.125
    out[2] = np.exp(cosine) - np.exp(0.25)
