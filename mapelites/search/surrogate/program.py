"""A small convex quadratic program whose constraints may be broken at a price.

    minimise 1/2 d'Hd + g'd + ν sum(s)  subject to  A d <= b + s,  s >= 0,  low <= d <= high

It always has a solution, which keeps A d <= b where that is possible at all and the price ν is high. The method is the
predictor-corrector one of S. Mehrotra, "On the implementation of a primal-dual interior point method", 1992.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof
from numpy.typing import NDArray

from mapelites.search.directed.common import largest
from mapelites.search.pieces import piece
from mapelites.search.surrogate.algebra import factorise, solve_factorised

ROUNDS = 40
PRECISION = 1e-11
NARROW = 1e-14  # a variable between bounds so close stays where it is
SHORTEN = 0.995  # so much of the way to the nearest bound is gone
Floats = NDArray[np.float64]


class Program(NamedTuple):
    """The program, its solution `d` with the multipliers `λ` of its rows, and what the method keeps."""

    H: Floats  # (n, n)
    g: Floats  # (n,)
    A: Floats  # (rows, n)
    b: Floats  # (rows,)
    low: Floats
    high: Floats
    d: Floats
    λ: Floats
    s: Floats  # by how much each row is broken
    z: Floats  # by how much it is kept
    below: Floats  # multipliers of the lower bounds
    above: Floats
    free: Floats  # 1 for a variable that can move, else 0
    dd: Floats  # the direction of each
    dλ: Floats
    ds: Floats
    dz: Floats
    dbelow: Floats
    dabove: Floats
    off: Floats  # (n,): residuals of the dual
    open: Floats  # (rows,): residuals of the rows
    kept: Floats  # (rows,): what the products λz, (ν-λ)s and those of the bounds still have to change by
    broken: Floats
    under: Floats
    over: Floats
    M: Floats  # (n, n)


def new_program(n: int, rows: int) -> Program:
    """Room for a program of this size."""
    v, r = (lambda: np.zeros(n)), (lambda: np.zeros(rows))
    return Program(
        np.zeros((n, n)), v(), np.zeros((rows, n)), r(), v(), v(), v(), r(), r(), r(), v(), v(), v(), v(), r(), r(),
        r(), v(), v(), v(), r(), r(), r(), v(), v(), np.zeros((n, n)),
    )  # fmt: skip


PROGRAM_TYPE = typeof(new_program(1, 1))


@piece
def solve_program(p, ν):
    """Fill `d` and `λ`."""
    scale = _start(p, ν)
    for _ in range(ROUNDS):
        pairs, gap = _gap(p, ν, 0.0)
        if _residuals(p) < 100.0 * PRECISION * scale and gap < pairs * PRECISION * scale:
            break
        if not _factorise(p, ν):
            break
        μ = gap / max(pairs, 1)
        _aim(p, ν, 0.0, 0.0)
        _direct(p, ν)
        left = _gap(p, ν, _longest(p, ν))[1] / max(pairs, 1) / μ
        _aim(p, ν, μ * left * left * left, 1.0)
        _direct(p, ν)
        step = SHORTEN * _longest(p, ν)
        if not np.isfinite(step + largest(p.dd)):
            break
        _advance(p, ν, step)


@piece
def _start(p, ν):
    """Begin in the middle of the bounds. Returns the size of the gradient, at least 1."""
    scale = 1.0
    for j in range(p.g.size):
        p.free[j] = 1.0 if p.high[j] - p.low[j] >= NARROW else 0.0
        p.d[j] = 0.5 * (p.low[j] + p.high[j])
        scale = max(scale, abs(p.g[j]))
    for j in range(p.g.size):
        p.below[j] = p.above[j] = scale
    for i in range(p.b.size):
        p.λ[i] = min(1.0, 0.5 * ν)
        beyond = -p.b[i]
        for j in range(p.d.size):
            beyond += p.A[i, j] * p.d[j]
        p.s[i] = max(beyond, 0.0) + 0.1
        p.z[i] = max(-beyond, 0.0) + 0.1
    return scale


@piece
def _gap(p, ν, step):
    """How many complementary pairs there are, and the sum of their products after a step in the direction."""
    pairs, gap = 0, 0.0
    for i in range(p.b.size):
        λ = p.λ[i] + step * p.dλ[i]
        gap += λ * (p.z[i] + step * p.dz[i]) + (ν - λ) * (p.s[i] + step * p.ds[i])
        pairs += 2
    for j in range(p.g.size):
        if p.free[j] > 0.0:
            d = p.d[j] + step * p.dd[j]
            gap += (p.below[j] + step * p.dbelow[j]) * (d - p.low[j])
            gap += (p.above[j] + step * p.dabove[j]) * (p.high[j] - d)
            pairs += 2
    return pairs, gap


@piece
def _residuals(p):
    """Fill `off` and `open`; returns the largest."""
    worst = 0.0
    for j in range(p.g.size):
        total = p.g[j] - p.below[j] + p.above[j]
        for k in range(p.g.size):
            total += p.H[j, k] * p.d[k]
        for i in range(p.b.size):
            total += p.A[i, j] * p.λ[i]
        p.off[j] = total * p.free[j]
        worst = max(worst, abs(p.off[j]))
    for i in range(p.b.size):
        total = p.z[i] - p.s[i] - p.b[i]
        for j in range(p.g.size):
            total += p.A[i, j] * p.d[j]
        p.open[i] = total
        worst = max(worst, abs(total))
    return worst


@piece
def _softness(p, ν, i):
    """By how much row i gives way when its multiplier grows by 1."""
    return p.s[i] / (ν - p.λ[i]) + p.z[i] / p.λ[i]


@piece
def _factorise(p, ν):
    """Factorise the matrix of the condensed system."""
    M, n = p.M, p.g.size
    for j in range(n):
        for k in range(j + 1):
            M[j, k] = p.H[j, k] * p.free[j] * p.free[k]
        if p.free[j] > 0.0:
            M[j, j] += p.below[j] / (p.d[j] - p.low[j]) + p.above[j] / (p.high[j] - p.d[j])
        else:
            M[j, j] = 1.0
    for i in range(p.b.size):
        stiffness = 1.0 / _softness(p, ν, i)
        for j in range(n):
            part = stiffness * p.A[i, j] * p.free[j]
            for k in range(j + 1):
                M[j, k] += part * p.A[i, k] * p.free[k]
    return factorise(M, n)


@piece
def _aim(p, ν, μ, second):
    """By how much each product has to change to become μ; `second` is 1 to correct for the direction found before."""
    for i in range(p.b.size):
        p.kept[i] = μ - p.λ[i] * p.z[i] - second * p.dλ[i] * p.dz[i]
        p.broken[i] = μ - (ν - p.λ[i]) * p.s[i] + second * p.dλ[i] * p.ds[i]
    for j in range(p.g.size):
        p.under[j] = μ - p.below[j] * (p.d[j] - p.low[j]) - second * p.dbelow[j] * p.dd[j]
        p.over[j] = μ - p.above[j] * (p.high[j] - p.d[j]) + second * p.dabove[j] * p.dd[j]


@piece
def _direct(p, ν):
    """Newton's direction."""
    for j in range(p.g.size):
        p.dd[j] = 0.0
        if p.free[j] > 0.0:
            p.dd[j] = p.under[j] / (p.d[j] - p.low[j]) - p.over[j] / (p.high[j] - p.d[j]) - p.off[j]
    for i in range(p.b.size):
        push = (p.open[i] - p.broken[i] / (ν - p.λ[i]) + p.kept[i] / p.λ[i]) / _softness(p, ν, i)
        for j in range(p.g.size):
            p.dd[j] -= p.A[i, j] * push * p.free[j]
    solve_factorised(p.M, p.dd)
    for i in range(p.b.size):
        change = p.open[i] - p.broken[i] / (ν - p.λ[i]) + p.kept[i] / p.λ[i]
        for j in range(p.g.size):
            change += p.A[i, j] * p.dd[j]
        p.dλ[i] = change / _softness(p, ν, i)
        p.ds[i] = (p.broken[i] + p.s[i] * p.dλ[i]) / (ν - p.λ[i])
        p.dz[i] = (p.kept[i] - p.z[i] * p.dλ[i]) / p.λ[i]
    for j in range(p.g.size):
        p.dbelow[j] = p.dabove[j] = 0.0
        if p.free[j] > 0.0:
            p.dbelow[j] = (p.under[j] - p.below[j] * p.dd[j]) / (p.d[j] - p.low[j])
            p.dabove[j] = (p.over[j] + p.above[j] * p.dd[j]) / (p.high[j] - p.d[j])


@piece
def _until_zero(value, change, step):
    """The part of `change` that leads to 0, at most `step`."""
    return min(step, -value / change) if change < 0.0 else step


@piece
def _longest(p, ν):
    """The part of the direction that can be gone before something turns negative."""
    step = 1.0
    for j in range(p.g.size):
        if p.free[j] > 0.0:
            step = _until_zero(p.d[j] - p.low[j], p.dd[j], step)
            step = _until_zero(p.high[j] - p.d[j], -p.dd[j], step)
            step = _until_zero(p.below[j], p.dbelow[j], step)
            step = _until_zero(p.above[j], p.dabove[j], step)
    for i in range(p.b.size):
        step = _until_zero(p.λ[i], p.dλ[i], step)
        step = _until_zero(ν - p.λ[i], -p.dλ[i], step)
        step = _until_zero(p.s[i], p.ds[i], step)
        step = _until_zero(p.z[i], p.dz[i], step)
    return step


@piece
def _advance(p, ν, step):
    """Go a part of the direction; rounding leaves everything inside."""
    for j in range(p.g.size):
        if p.free[j] > 0.0:
            p.below[j] += step * p.dbelow[j]
            p.above[j] += step * p.dabove[j]
            least = 1e-3 * NARROW
            p.d[j] = min(max(p.d[j] + step * p.dd[j], p.low[j] + least), p.high[j] - least)
    for i in range(p.b.size):
        p.λ[i] = min(max(p.λ[i] + step * p.dλ[i], 1e-14 * ν), ν * (1.0 - 1e-14))
        p.s[i] += step * p.ds[i]
        p.z[i] += step * p.dz[i]
