"""Interpolation by kernels: every output has the one, of a few, that predicts each point best from the others.

A kernel of a large length is nearly a polynomial whose degree grows with the points, a short one follows what is not
smooth. Each has a linear part that costs next to nothing. The error at a point that is left out follows from the
factor of the whole (S. Sundararajan and S. S. Keerthi, "Predictive approaches for choosing hyperparameters in
Gaussian processes", 2001, equation 7), so the choice costs no further fit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof
from numpy.typing import NDArray

from mapelites.core.kernels import MATRIX, VECTOR, compiled_for
from mapelites.search.directed.common import fill_with
from mapelites.search.pieces import piece
from mapelites.search.surrogate.algebra import factorise, invert_factor, solve_factorised

SQUARED_EXPONENTIAL, MATERN = 0, 1
FAMILIES = np.array([SQUARED_EXPONENTIAL] * 3 + [MATERN])
LENGTHS = np.array([1.5, 3.0, 6.0, 3.0])  # in units of the model
LINEAR = 100.0  # the weight of the linear part beside the kernel's own, which is 1
NUGGET = 1e-10  # of the diagonal


class Fit(NamedTuple):
    """Models of several outputs over the same points; they are 0 at the origin but for their constant."""

    points: NDArray[np.float64]  # (N, n)
    families: NDArray[np.int64]  # of the kernels to choose from
    lengths: NDArray[np.float64]
    chosen: NDArray[np.int64]  # (outputs,)
    weights: NDArray[np.float64]  # (outputs, N)
    slopes: NDArray[np.float64]  # (outputs, n + 1): the linear part, the constant last
    errors: NDArray[np.float64]  # (outputs,): mean square of what each point is off when it is left out
    square: NDArray[np.float64]  # (N, N): scratch space
    inverse: NDArray[np.float64]
    column: NDArray[np.float64]  # (N,)
    diagonal: NDArray[np.float64]


def new_fit(points: NDArray[np.float64], outputs: int) -> Fit:
    """Models that are not fitted yet."""
    count, n = points.shape
    return Fit(
        points, FAMILIES.copy(), LENGTHS.copy(), np.zeros(outputs, dtype=np.int64), np.zeros((outputs, count)),
        np.zeros((outputs, n + 1)), np.zeros(outputs), np.zeros((count, count)), np.zeros((count, count)),
        np.zeros(count), np.zeros(count),
    )  # fmt: skip


FIT_TYPE = typeof(new_fit(np.zeros((1, 1)), 1))


@piece
def radial(family, length, square):
    """The kernel at a squared distance, and its first two derivatives with respect to that."""
    scale = length * length
    if family == SQUARED_EXPONENTIAL:
        value = np.exp(-0.5 * square / scale)
        return value, -0.5 * value / scale, 0.25 * value / (scale * scale)
    root = np.sqrt(5.0 * square / scale)
    decay = np.exp(-root)
    return (
        (1.0 + root + root * root / 3.0) * decay,
        -5.0 / (6.0 * scale) * (1.0 + root) * decay,
        25.0 / (12.0 * scale * scale) * decay,
    )


@piece
def fill_covariance(fit, family, length):
    """The lower half of the points' covariance."""
    points, square = fit.points, fit.square
    for a in range(points.shape[0]):
        for b in range(a + 1):
            distance, product = 0.0, 1.0
            for j in range(points.shape[1]):
                step = points[a, j] - points[b, j]
                distance += step * step
                product += points[a, j] * points[b, j]
            square[a, b] = radial(family, length, distance)[0] + LINEAR * product
        square[a, a] += NUGGET * square[a, a]


@piece
def _fill_inverse_diagonal(fit):
    """The diagonal of the inverse covariance."""
    for j in range(fit.diagonal.size):
        total = 0.0
        for i in range(j, fit.diagonal.size):
            total += fit.inverse[i, j] * fit.inverse[i, j]
        fit.diagonal[j] = total


@piece
def _try_kernel(fit, values, nearness, o, c):
    """Have output `o` use kernel `c` where that errs less than what it has."""
    error = 0.0
    for i in range(nearness.size):
        fit.column[i] = values[o, i]
    solve_factorised(fit.square, fit.column)
    for i in range(nearness.size):
        off = fit.column[i] / fit.diagonal[i]
        error += nearness[i] * off * off
    if error < fit.errors[o]:
        fit.errors[o] = error
        fit.chosen[o] = c
        for i in range(nearness.size):
            fit.weights[o, i] = fit.column[i]


@piece
def _fill_slopes(fit, o):
    """What the weights of an output make of the linear part."""
    n = fit.points.shape[1]
    for j in range(n + 1):
        total = 0.0
        for i in range(fit.points.shape[0]):
            total += fit.weights[o, i] * (fit.points[i, j] if j < n else 1.0)
        fit.slopes[o, j] = LINEAR * total


@compiled_for(FIT_TYPE, MATRIX, VECTOR)
def fit_outputs(fit, values, nearness):
    """Fit each row of `values` (outputs, N); an error counts as much as its point is near."""
    fill_with(fit.errors, np.inf)
    for c in range(fit.families.size):
        fill_covariance(fit, fit.families[c], fit.lengths[c])
        if factorise(fit.square, nearness.size):
            invert_factor(fit.square, fit.inverse)
            _fill_inverse_diagonal(fit)
            for o in range(values.shape[0]):
                _try_kernel(fit, values, nearness, o, c)
    for o in range(values.shape[0]):
        _fill_slopes(fit, o)


@compiled_for(FIT_TYPE, MATRIX, MATRIX)
def fill_slope_covariance(fit, across, left):
    """Fill `left` (n, n) with the covariance that the points leave to the slope at the origin, for the first kernel.

    `across` (N, n) is scratch space.
    """
    family, length, count = fit.families[0], fit.lengths[0], fit.points.shape[0]
    fill_covariance(fit, family, length)
    known = factorise(fit.square, count)
    for j in range(left.shape[0]):
        for a in range(count):
            distance = 0.0
            for k in range(left.shape[0]):
                distance += fit.points[a, k] * fit.points[a, k]
            rest = (LINEAR - 2.0 * radial(family, length, distance)[1]) * fit.points[a, j]
            for k in range(a):
                rest -= fit.square[a, k] * across[k, j]
            across[a, j] = rest / fit.square[a, a] if known else 0.0
    for i in range(left.shape[0]):
        for j in range(left.shape[0]):
            left[i, j] = LINEAR - 2.0 * radial(family, length, 0.0)[1] if i == j else 0.0
            for a in range(count):
                left[i, j] -= across[a, i] * across[a, j]
