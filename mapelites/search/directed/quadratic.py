"""The step of a local descent, exactly: a quadratic bowl under linear constraints and bounds.

Minimise gᵀd + dᵀBd / 2 with below_i <= a_iᵀd <= above_i and left_j <= d_j <= right_j, where B is positive definite:
D. Goldfarb and A. Idnani, "A numerically stable dual method for solving strictly convex quadratic programs", 1983. It
starts at the bottom of the bowl and takes up one violated constraint after another; their multipliers come with it.

Constraints that contradict each other are relaxed together, each by the same part of what it lacks at d = 0, as small
a part as possible (D. Kraft, "A software package for sequential quadratic programming", 1988, section 2.2.3): one more
variable that is 0 where nothing is relaxed and 1 where d = 0 is allowed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import typeof

from mapelites.search.directed.common import fill_with
from mapelites.search.directed.memory import Floats, Integers
from mapelites.search.pieces import piece

SOLVED, CONTRADICTORY, LOST = range(3)
ROUNDING = 1e-11  # of a constraint's slope: a smaller violation is none
DEPENDENT = 1e-13  # of a normal's length: what is left of it beside the active ones, where it adds nothing to them
IMPLIED = 1e-9  # of a constraint's slope: what may be missed while one of the active ones could still be let go
NEGLIGIBLE = 1e-6  # of a constraint's slope: what may be missed where others stand in the way
RELAXED = 1e4  # how much dearer than f it is to relax


class Quadratic(NamedTuple):
    """The problem of one step and scratch space, for n variables and the one that relaxes."""

    bowl: Floats  # (n + 1, n + 1): B
    slope: Floats  # (n + 1,): g
    rows: Floats  # (constraints, n + 1): a
    below: Floats  # (constraints,)
    above: Floats  # (constraints,)
    left: Floats  # (n + 1,)
    right: Floats  # (n + 1,)
    step: Floats  # (n + 1,): d
    multipliers: Floats  # (constraints,): positive at the upper end, negative at the lower one
    basis: Floats  # (n + 1, n + 1): the inverse of the transposed Cholesky factor of B, turned; by columns
    triangle: Floats  # (n + 1, n + 1): R, of the active normals in that basis
    normal: Floats  # (n + 1,)
    seen: Floats  # (n + 1,): the normal in the basis
    along: Floats  # (n + 1,): the step that takes up a constraint
    back: Floats  # (n + 1,): what it changes the multipliers by
    weights: Floats  # (n + 2,): multipliers of the active constraints
    active: Integers  # (n + 2,)
    taken: Integers  # (2 constraints + 2 n + 2,): whether a side is active
    flat: Floats  # ((1 + constraints) n,): exact gradients as they come


def new_quadratic(n: int, constraints: int) -> Quadratic:
    """Scratch space for n variables."""
    k = n + 1
    return Quadratic(
        np.zeros((k, k)), np.zeros(k), np.zeros((constraints, k)), np.zeros(constraints), np.zeros(constraints),
        np.zeros(k), np.zeros(k), np.zeros(k), np.zeros(constraints), np.zeros((k, k)), np.zeros((k, k)), np.zeros(k),
        np.zeros(k), np.zeros(k), np.zeros(k), np.zeros(k + 1), np.zeros(k + 1, dtype=np.int64),
        np.zeros(2 * constraints + 2 * k, dtype=np.int64), np.zeros((1 + constraints) * n),
    )  # fmt: skip


QUADRATIC_TYPE = typeof(new_quadratic(1, 1))


@piece
def factorise(matrix, basis, n):
    """Fill `basis` with the inverse of the transposed Cholesky factor. Returns whether the matrix is positive."""
    for i in range(n):
        for j in range(n):
            basis[i, j] = 0.0
    # The factor L into the lower triangle.
    for j in range(n):
        total = matrix[j, j]
        for k in range(j):
            total -= basis[j, k] * basis[j, k]
        if not total > 1e-14 * abs(matrix[j, j]):
            return False
        basis[j, j] = np.sqrt(total)
        for i in range(j + 1, n):
            total = matrix[i, j]
            for k in range(j):
                total -= basis[i, k] * basis[j, k]
            basis[i, j] = total / basis[j, j]
    # Its inverse in place, then transposed.
    for j in range(n):
        basis[j, j] = 1.0 / basis[j, j]
        for i in range(j + 1, n):
            total = 0.0
            for k in range(j, i):
                total -= basis[i, k] * basis[k, j]
            basis[i, j] = total / basis[i, i]
    for i in range(n):
        for j in range(i):
            basis[j, i] = basis[i, j]
            basis[i, j] = 0.0
    return True


@piece
def bottom(q, n):
    """The bottom of the bowl without any constraint, into the step: -B⁻¹ g, where B⁻¹ is the basis times itself."""
    for k in range(n):
        total = 0.0
        for j in range(n):
            total += q.basis[j, k] * q.slope[j]
        q.seen[k] = total
    for j in range(n):
        total = 0.0
        for k in range(n):
            total -= q.basis[j, k] * q.seen[k]
        q.step[j] = total


@piece
def lacking(q, n, side):
    """By how much the step misses one side of a constraint or bound, in units of its slope; negative inside."""
    count = q.below.size
    if side < 2 * count:
        i = side if side < count else side - count
        end = q.above[i] if side < count else q.below[i]
        if not abs(end) < np.inf:
            return -np.inf
        value, size = 0.0, 0.0
        for j in range(n):
            value += q.rows[i, j] * q.step[j]
            size += q.rows[i, j] * q.rows[i, j]
        size = np.sqrt(size)
        over = value - end if side < count else end - value
        if size <= 1e-300:
            return np.inf if over > 1e-12 * (1.0 + abs(end)) else -np.inf
        return over / size
    j = side - 2 * count
    if j < n:
        return q.left[j] - q.step[j]
    return q.step[j - n] - q.right[j - n]


@piece
def most_lacking(q, n):
    """The side that the step misses most, or -1."""
    worst, most = -1, ROUNDING
    for side in range(2 * q.below.size + 2 * n):
        if q.taken[side] == 0:
            by = lacking(q, n, side)
            if by > most:
                worst, most = side, by
    return worst


@piece
def set_normal(q, n, side):
    """The normal of a side, inwards and of length 1."""
    count = q.below.size
    if side < 2 * count:
        i = side if side < count else side - count
        size = 0.0
        for j in range(n):
            size += q.rows[i, j] * q.rows[i, j]
        size = np.sqrt(size) if side >= count else -np.sqrt(size)
        for j in range(n):
            q.normal[j] = q.rows[i, j] / size
    else:
        for j in range(n):
            q.normal[j] = 0.0
        j = side - 2 * count
        q.normal[j if j < n else j - n] = 1.0 if j < n else -1.0


@piece
def look_along(q, n, used):
    """The normal in the basis, the step that it asks for, and what that does to the multipliers."""
    for k in range(n):
        total = 0.0
        for j in range(n):
            total += q.basis[j, k] * q.normal[j]
        q.seen[k] = total
    for j in range(n):
        total = 0.0
        for k in range(used, n):
            total += q.basis[j, k] * q.seen[k]
        q.along[j] = total
    for i in range(used - 1, -1, -1):
        total = q.seen[i]
        for k in range(i + 1, used):
            total -= q.triangle[i, k] * q.back[k]
        q.back[i] = total / q.triangle[i, i]


@piece
def turn_columns(matrix, n, a, b, cosine, sine):
    """Rotate two columns."""
    for j in range(n):
        first, second = matrix[j, a], matrix[j, b]
        matrix[j, a] = cosine * first + sine * second
        matrix[j, b] = cosine * second - sine * first


@piece
def take_up(q, n, used, side, weight):
    """Make a side active: its normal, seen in the basis, becomes a column of the triangle."""
    for k in range(n - 1, used, -1):
        a, b = q.seen[k - 1], q.seen[k]
        if b != 0.0:
            size = np.hypot(a, b)
            turn_columns(q.basis, n, k - 1, k, a / size, b / size)
            q.seen[k - 1], q.seen[k] = size, 0.0
    for k in range(used + 1):
        q.triangle[k, used] = q.seen[k]
    q.active[used] = side
    q.weights[used] = weight
    q.taken[side] = 1


@piece
def let_go(q, n, used, place):
    """Make the active side at a place inactive."""
    q.taken[q.active[place]] = 0
    for k in range(place, used - 1):
        q.active[k] = q.active[k + 1]
        q.weights[k] = q.weights[k + 1]
        for i in range(k + 2):
            q.triangle[i, k] = q.triangle[i, k + 1]
    for k in range(place, used - 1):
        a, b = q.triangle[k, k], q.triangle[k + 1, k]
        if b != 0.0:
            size = np.hypot(a, b)
            cosine, sine = a / size, b / size
            for i in range(k, used - 1):
                first, second = q.triangle[k, i], q.triangle[k + 1, i]
                q.triangle[k, i] = cosine * first + sine * second
                q.triangle[k + 1, i] = cosine * second - sine * first
            turn_columns(q.basis, n, k, k + 1, cosine, sine)


@piece
def first_to_free(q, used):
    """The active side whose multiplier falls to 0 first, and after which part of the way; -1 where none does."""
    place, part = -1, np.inf
    for k in range(used):
        if q.back[k] > 1e-14 and q.weights[k] < part * q.back[k]:
            place, part = k, q.weights[k] / q.back[k]
    return place, part


@piece
def add_constraint(q, n, used, side):
    """Take up a violated side, letting go of others where they are in the way. Returns how many are active, or -1."""
    set_normal(q, n, side)
    weight = 0.0
    for _ in range(2 * n + 2):
        look_along(q, n, used)
        place, part = first_to_free(q, used)
        rise = 0.0
        for k in range(used, n):
            rise += q.seen[k] * q.seen[k]
        whole = np.inf
        total = 0.0
        for k in range(n):
            total += q.seen[k] * q.seen[k]
        if rise > DEPENDENT * total:
            whole = max(lacking(q, n, side), 0.0) / rise
        if whole == np.inf and lacking(q, n, side) <= (IMPLIED if place >= 0 else NEGLIGIBLE):
            q.taken[side] = 1  # what rounding left of a constraint that the active ones imply
            return used
        if place < 0 and whole == np.inf:
            return -1
        by = min(part, whole)
        for k in range(used):
            q.weights[k] -= by * q.back[k]
        weight += by
        if whole < np.inf:
            for j in range(n):
                q.step[j] += by * q.along[j]
        if whole <= part:
            if used == n:
                return -1
            take_up(q, n, used, side, weight)
            return used + 1
        let_go(q, n, used, place)
        used -= 1
    return -1


@piece
def solve_quadratic(q, n):
    """Solve for the step and the multipliers of the constraints, among the first n variables. Returns how it went."""
    fill_with(q.taken, 0)
    fill_with(q.multipliers, 0.0)
    if not factorise(q.bowl, q.basis, n):
        return LOST
    bottom(q, n)
    used = 0
    for _ in range(8 * (n + q.below.size) + 40):
        side = most_lacking(q, n)
        if side < 0:
            count = q.below.size
            for k in range(used):
                side = q.active[k]
                if side < 2 * count:
                    i = side if side < count else side - count
                    size = 0.0
                    for j in range(n):
                        size += q.rows[i, j] * q.rows[i, j]
                    q.multipliers[i] += (q.weights[k] if side < count else -q.weights[k]) / np.sqrt(size)
            return SOLVED
        used = add_constraint(q, n, used, side)
        if used < 0:
            return CONTRADICTORY
    return LOST


@piece
def solve_relaxed(q, n):
    """The same for n variables where the constraints may contradict each other: relax them as little as possible.

    Returns how it went and the part by which they were relaxed.
    """
    said = solve_quadratic(q, n)
    if said == SOLVED:
        return said, 0.0
    dear = 0.0
    for j in range(n):
        dear = max(dear, abs(q.slope[j]))
        q.bowl[j, n], q.bowl[n, j] = 0.0, 0.0
    dear = RELAXED * max(dear, 1e-8)
    q.bowl[n, n], q.slope[n] = dear, dear
    q.left[n], q.right[n] = 0.0, 2.0  # not 1: where no other step is allowed, rounding may ask for a hair more
    for i in range(q.below.size):
        q.rows[i, n] = -max(-q.above[i], 0.0) + max(q.below[i], 0.0)
    said = solve_quadratic(q, n + 1)
    return said, q.step[n] if said == SOLVED else 1.0
