"""Mechanical engineering: structures that are computed by finite elements, RC27 and RC33."""

from __future__ import annotations

from math import pi

import numpy as np
from numba.extending import register_jitable

from mapelites.core.on_demand import kernel_on_demand

BAR_NODES = ((2, 4), (0, 2), (3, 5), (1, 3), (2, 3), (0, 1), (3, 4), (2, 5), (1, 2), (0, 3))
NODES = ((18.288, 9.144), (18.288, 0.0), (9.144, 9.144), (9.144, 0.0), (0.0, 9.144), (0.0, 0.0))


@register_jitable
def _frequencies_squared(stiffness, mass):
    """The eigenvalues w of K u = w M u in ascending order, with M = L L^T and Jacobi's rotations of L^-1 K L^-T.

    G. H. Golub and C. F. Van Loan, Matrix computations (1996), sections 4.2 and 8.4. A call of a library costs ten
    times as much as this for 8 variables, and a minute of compiling.
    """
    n = mass.shape[0]
    lower = np.zeros((n, n))
    for j in range(n):
        for i in range(j, n):
            total = mass[i, j]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            lower[i, j] = np.sqrt(total) if i == j else total / lower[j, j]
    a = stiffness.copy()
    for _ in range(2):  # from the left, and after a transposition from the right
        for column in range(n):
            for i in range(n):
                for k in range(i):
                    a[i, column] -= lower[i, k] * a[k, column]
                a[i, column] /= lower[i, i]
        a = a.T.copy()
    for _ in range(30):
        away = 0.0
        for p in range(n - 1):
            for q in range(p + 1, n):
                away += a[p, q] ** 2
                _rotate(a, p, q)
        if away == 0.0:
            break
    found = np.empty(n)
    for i in range(n):
        found[i] = a[i, i]
    return np.sort(found)


@register_jitable
def _rotate(a, p, q):
    """The rotation that makes a_pq zero."""
    if a[p, q] == 0.0:
        return
    theta = (a[q, q] - a[p, p]) / (2.0 * a[p, q])
    t = (1.0 if theta >= 0.0 else -1.0) / (abs(theta) + np.sqrt(theta**2 + 1.0))
    c = 1.0 / np.sqrt(t**2 + 1.0)
    s = t * c
    for k in range(a.shape[0]):
        first, second = a[k, p], a[k, q]
        a[k, p], a[k, q] = c * first - s * second, s * first + c * second
    for k in range(a.shape[0]):
        first, second = a[p, k], a[q, k]
        a[p, k], a[q, k] = c * first - s * second, s * first + c * second


@register_jitable
def _solve_banded(matrix, right, width):
    """Solve a symmetric system in place, with zeros further than `width` from the diagonal, by L D L^T."""
    n = right.size
    for j in range(n):
        last = min(n, j + width + 1)
        for i in range(j + 1, last):
            factor = matrix[j, i] / matrix[j, j]
            for k in range(i, last):
                matrix[i, k] -= factor * matrix[j, k]
            right[i] -= factor * right[j]
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, min(n, j + width + 1)):
            right[j] -= matrix[j, k] * right[k]
        right[j] /= matrix[j, j]


@kernel_on_demand
def rc27(x, data, out):
    density, modulus, added = 2770.0, 6.98e10, 454.0
    stiffness, mass = np.zeros((12, 12)), np.zeros((12, 12))
    weight = 0.0
    for bar in range(10):
        i, j = BAR_NODES[bar]
        dx, dy = NODES[j][0] - NODES[i][0], NODES[j][1] - NODES[i][1]
        length = np.sqrt(dx * dx + dy * dy)
        weight += density * length * x[bar]
        t = (dx / length, dy / length, -dx / length, -dy / length)
        at = (2 * i, 2 * i + 1, 2 * j, 2 * j + 1)
        for r in range(4):
            for s in range(4):
                stiffness[at[r], at[s]] += modulus * x[bar] / length * t[r] * t[s]
                if (r - s) % 2 == 0:
                    mass[at[r], at[s]] += density * length * x[bar] / 6.0 * (2.0 if r == s else 1.0)
    for r in range(12):
        mass[r, r] += added
    found = _frequencies_squared(stiffness[:8, :8], mass[:8, :8])
    out[0] = weight
    out[1] = 7.0 / (np.sqrt(found[0]) / (2.0 * pi)) - 1.0
    out[2] = 15.0 / (np.sqrt(found[1]) / (2.0 * pi)) - 1.0
    out[3] = 20.0 / (np.sqrt(found[2]) / (2.0 * pi)) - 1.0


@kernel_on_demand
def rc33(x, data, out):
    element = data.reshape((8, 8))
    stiffness = np.zeros((88, 88))
    freedom = np.empty((30, 8), dtype=np.int64)
    for column in range(3):
        for row in range(10):
            each = 10 * column + row
            first = 2 * (11 * column + row)
            for k in range(2):
                freedom[each, k] = first + k
                freedom[each, 2 + k] = first + 22 + k
                freedom[each, 4 + k] = first + 24 + k
                freedom[each, 6 + k] = first + 2 + k
            for r in range(8):
                for s in range(8):
                    stiffness[freedom[each, r], freedom[each, s]] += x[each] ** 3 * element[r, s]
    moved = np.zeros(88)
    moved[87] = -10000.0
    _solve_banded(stiffness[22:, 22:], moved[22:], 25)
    energy = np.zeros(30)
    for each in range(30):
        for r in range(8):
            for s in range(8):
                energy[each] += moved[freedom[each, r]] * element[r, s] * moved[freedom[each, s]]
    out[0] = 0.0
    for column in range(3):
        for row in range(10):
            each = 10 * column + row
            out[0] += x[each] ** 3 * energy[each]
            total = weights = 0.0
            for c in range(max(column - 1, 0), min(column + 2, 3)):
                for r in range(max(row - 1, 0), min(row + 2, 10)):
                    near = 10 * c + r
                    weight = max(0.0, 1.5 - np.sqrt((column - c) ** 2 + (row - r) ** 2))
                    weights += weight
                    total += weight * x[near] * (-3.0 * x[near] ** 2 * energy[near])
            out[1 + each] = total / (x[each] * weights)
