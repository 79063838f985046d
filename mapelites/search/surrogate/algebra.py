"""Factors and solutions of small systems, summed in one order: the same bits whatever library numpy calls."""

from __future__ import annotations

import numpy as np

from mapelites.search.pieces import piece


@piece
def factorise(A, n):
    """Cholesky's factor in the lower half of `A`, in place. Returns whether `A` was positive definite."""
    for i in range(n):
        for j in range(i + 1):
            rest = A[i, j]
            for k in range(j):
                rest -= A[i, k] * A[j, k]
            if j < i:
                A[i, j] = rest / A[j, j]
            elif rest > 0.0:
                A[i, i] = np.sqrt(rest)
            else:
                return False
    return True


@piece
def solve_factorised(L, b):
    """`b` becomes the solution of L L' x = b."""
    for i in range(b.size):
        rest = b[i]
        for k in range(i):
            rest -= L[i, k] * b[k]
        b[i] = rest / L[i, i]
    for i in range(b.size - 1, -1, -1):
        b[i] /= L[i, i]
        for k in range(i):
            b[k] -= L[i, k] * b[i]


@piece
def invert_factor(L, inverse):
    """Fill the lower half of `inverse` with that of the factor."""
    for i in range(L.shape[0]):
        for j in range(i + 1):
            rest = 1.0 if i == j else 0.0
            for k in range(j, i):
                rest -= L[i, k] * inverse[k, j]
            inverse[i, j] = rest / L[i, i]
