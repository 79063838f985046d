"""The model of one descent step: linear pieces of f and linear constraints, around a quadratic bowl.

Minimise over d:  max_k (height_k + g_kᵀ d) + dᵀ B d / 2   with   low_i <= c_i + ∇c_iᵀ d <= high_i.

Its dual has one weight per piece, which add up to 1, and one multiplier per constraint, with the sign of the side that
holds it back; then d = -B⁻¹ (Σ weight_k g_k + Σ λ_i ∇c_i). There are few of them, so they are found one at a time:
C. Hildreth, "A quadratic programming procedure", 1957, for the constraints; exchanges between two pieces, as
J. Platt's sequential minimal optimization (1998), for the weights.
"""

from __future__ import annotations

import numpy as np

from mapelites.search.directed.common import aimed_change, dot
from mapelites.search.pieces import piece

SWEEPS = 60


@piece
def solve_model(gram, heights, pieces, values, low, high, weights, change):
    """Find the weights of the pieces, then of the constraints, in place.

    `gram` holds the inner products vᵀ B⁻¹ v of all gradients; `change` becomes what the step does to each.
    """
    count = low.size
    size = pieces + count
    for i in range(size):
        change[i] = 0.0
        for j in range(size):
            change[i] -= gram[i, j] * weights[j]
    for _ in range(SWEEPS):
        most = 0.0
        for i in range(count):
            most = max(most, fit_constraint(gram, pieces + i, size, values[1 + i], low[i], high[i], weights, change))
        for _ in range(pieces - 1):
            by = exchange(gram, heights, pieces, size, weights, change)
            most = max(most, by)
            if by == 0.0:
                break
        if most == 0.0:
            break


@piece
def fit_constraint(gram, k, size, value, low, high, weights, change):
    """Set one multiplier so that its constraint ends in its interval. Returns how far that moved it."""
    if not gram[k, k] > 1e-300:
        return 0.0
    to = value + change[k]
    wanted = max(weights[k] + (to - high) / gram[k, k], 0.0)
    if wanted == 0.0:
        wanted = min(weights[k] + (to - low) / gram[k, k], 0.0)
    by = wanted - weights[k]
    if by == 0.0 or not np.isfinite(by):
        return 0.0
    weights[k] = wanted
    for j in range(size):
        change[j] -= gram[j, k] * by
    return abs(by) * gram[k, k]


@piece
def exchange(gram, heights, pieces, size, weights, change):
    """Move weight from the lowest piece that has some to the highest one. Returns how far that moved them."""
    up, down = 0, -1
    for k in range(pieces):
        if heights[k] + change[k] > heights[up] + change[up]:
            up = k
        if weights[k] > 0.0 and (down < 0 or heights[k] + change[k] < heights[down] + change[down]):
            down = k
    rise = heights[up] + change[up] - heights[down] - change[down]
    bend = gram[up, up] - 2.0 * gram[up, down] + gram[down, down]
    if up == down or not bend > 0.0 or not rise > 1e-14 * (abs(change[up]) + abs(heights[up])):
        return 0.0
    by = min(rise / bend, weights[down])
    weights[up] += by
    weights[down] -= by
    for j in range(size):
        change[j] -= (gram[j, up] - gram[j, down]) * by
    return by * bend


@piece
def gram_matrix(inverse, gradients, size, frozen, images, gram):
    """Inner products of the gradients in the metric B⁻¹, and B⁻¹ times each; frozen variables do not move."""
    n = frozen.size
    for k in range(size):
        for i in range(n):
            total = 0.0
            if frozen[i] == 0:
                for j in range(n):
                    if frozen[j] == 0:
                        total += inverse[i, j] * gradients[k, j]
            images[k, i] = total
    for k in range(size):
        for i in range(size):
            gram[k, i] = dot(gradients[k], images[i])


@piece
def combine(images, weights, size, step):
    """step = -Σ weight · image."""
    for j in range(step.size):
        step[j] = 0.0
        for k in range(size):
            step[j] -= weights[k] * images[k, j]


@piece
def expected_change(gradients, heights, pieces, values, low, high, penalties, step):
    """What the linear model says a step changes the merit function by."""
    rise = -np.inf
    for k in range(pieces):
        rise = max(rise, heights[k] + dot(gradients[k], step))
    for i in range(low.size):
        before = abs(aimed_change(values[1 + i], low[i], high[i]))
        after = abs(aimed_change(values[1 + i] + dot(gradients[pieces + i], step), low[i], high[i]))
        rise += penalties[i] * (after - before)
    return rise


@piece
def update_hessian(B, H, s, y, Bs, Hy):
    """Powell's damped BFGS update of B and of its inverse H, for a step s that changed the gradient by y."""
    n = s.size
    sBs, sy = 0.0, 0.0
    for i in range(n):
        Bs[i] = dot(B[i], s)
        sBs += s[i] * Bs[i]
        sy += s[i] * y[i]
    if sBs > 0.0 and sBs < np.inf and np.isfinite(sy):
        if sy < 0.2 * sBs:
            theta = 0.8 * sBs / (sBs - sy)  # eq. 5.9 of Powell
            for i in range(n):
                y[i] = theta * y[i] + (1.0 - theta) * Bs[i]
            sy = dot(s, y)
        yHy = 0.0
        for i in range(n):
            Hy[i] = dot(H[i], y)
            yHy += y[i] * Hy[i]
        first = (1.0 + yHy / sy) / sy
        if sy > 0.0 and np.isfinite(first):
            for i in range(n):
                for j in range(n):
                    B[i, j] += y[i] * y[j] / sy - Bs[i] * Bs[j] / sBs
                    H[i, j] += first * s[i] * s[j] - (s[i] * Hy[j] + Hy[i] * s[j]) / sy


@piece
def scaled_identity(B, H, size):
    """B = I / size and H = I · size."""
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] = 1.0 / size if i == j else 0.0
            H[i, j] = size if i == j else 0.0
