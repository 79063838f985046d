"""The typical size of a constraint's sides near good solutions, by a short search that is the same each time.

Differential evolution (R. Storn and K. Price, 1997) with K. Deb's rules for constraints (2000): feasible before
infeasible, then the smaller violation, then the better objective. It need not end at an optimum: two digits of the
size of what is compared there are enough to say what 1 % of it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mapelites.core.kernels import evaluate_rows
from mapelites.core.problem import Array, Problem
from mapelites.problems.formulas.machine import machine

POPULATION, GENERATIONS = 40, 80
STEP, CROSSED = 0.6, 0.9  # F and CR of differential evolution
GOOD = 10  # solutions of the last population, whose median counts
DIGITS = 2


def typical_sizes(problem: Problem, sides: Array) -> list[float | None]:
    """The size of the larger side of each pair of `sides`, a program of the machine; None where it is 0 or unknown."""
    points = good_solutions(problem)
    values = np.empty((len(points), int(sides[3])))
    evaluate_rows(machine, problem.rounded(points), sides.copy(), values)
    pairs = np.abs(values).reshape(len(points), -1, 2).max(axis=2)
    return [rounded_median(column) for column in pairs.T]


def rounded_median(sizes: Array) -> float | None:
    """The median of what is finite, to two digits; None where there is nothing but 0."""
    known = sizes[np.isfinite(sizes)]
    size = float(f"{np.median(known):.{DIGITS}g}") if len(known) else 0.0
    return size if size > 0.0 and np.isfinite(size) else None


def good_solutions(problem: Problem) -> Array:
    """The best solutions that the short search ends with."""
    rng, n = np.random.default_rng(1), problem.dimension
    width = problem.upper - problem.lower
    points = problem.lower + rng.random((POPULATION, n)) * width
    with np.errstate(all="ignore"):
        f, violation = _judged(problem, points)
        unit = np.array([np.median(column[column > 0]) if (column > 0).any() else 1.0 for column in violation.T])
        total = (violation / unit).sum(axis=1)
        for _ in range(GENERATIONS):
            best = points[np.lexsort((f, total))[: POPULATION // 4]]
            a, b = (points[rng.permutation(POPULATION)] for _ in range(2))
            towards = best[rng.integers(len(best), size=POPULATION)]
            made = points + STEP * (towards - points) + STEP * (a - b)
            made = np.where(rng.random((POPULATION, n)) < CROSSED, made, points)
            made = np.where((made < problem.lower) | (made > problem.upper), (towards + points) / 2, made)
            new_f, new_violation = _judged(problem, made)
            new_total = (new_violation / unit).sum(axis=1)
            wins = (new_total < total) | ((new_total == total) & (new_f <= f))
            points[wins], f[wins], total[wins] = made[wins], new_f[wins], new_total[wins]
    return points[np.lexsort((f, total))[:GOOD]]


def _judged(problem: Problem, points: Array) -> tuple[Array, NDArray[np.float64]]:
    """f and the violations, what counts as satisfied taken off; a solution without numbers is worse than any other."""
    found = problem.evaluate(points)
    violation = np.maximum(found.violations - problem.feasible_up_to, 0.0)
    fine = np.isfinite(found.f) & np.isfinite(violation).all(axis=1)
    return np.where(fine, found.f, np.inf), np.where(fine[:, None], violation, 1e300)
