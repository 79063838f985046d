"""The typical size of a constraint's sides near good solutions, by a short search that is the same each time.

Differential evolution (R. Storn and K. Price, 1997) with K. Deb's rules for constraints (2000): feasible before
infeasible, then the smaller violation, then the better objective. It need not end at an optimum: two digits of the
size of what is compared there are enough to say what 1 % of it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mapelites.core.kernels import evaluate_rows
from mapelites.core.problem import Array, Problem
from mapelites.problems.formulas.machine import machine

POPULATION, GENERATIONS = 40, 80
STEP, CROSSED = 0.6, 0.9  # F and CR of differential evolution
GOOD = 10  # solutions of the last population, whose median counts
MOVED = 0.1  # of its range, by which each variable changes at most where sides vanish
TYPICAL = MOVED / 2  # the median of that
VANISHING = 0.01  # of the size judged from changes: what is smaller may be 0
MOVES = 40  # of each good solution
SEED = 2
DIGITS = 2


class Size(NamedTuple):
    """How large what a constraint compares is; estimated where its sides vanish near good solutions."""

    value: float
    estimated: bool = False


def typical_sizes(problem: Problem, sides: Array) -> list[Size | None]:
    """The size of the larger side of each pair of `sides`, a program of the machine; None where it is 0 or unknown.

    Where `log(x) <= 0` holds with equality, its one side is 0 but for the accuracy of the search: no larger than it
    differs among good solutions, and next to nothing beside how much it changes. From that its size is judged then.
    """
    points = good_solutions(problem)
    values = _sides(problem, sides, points)
    sizes = [rounded_median(column) for column in np.abs(values).max(axis=2).T]
    around = _sides(problem, sides, moved(problem, points))
    with np.errstate(invalid="ignore"):  # a side may be infinite; what is no finite number does not count
        apart = np.ptp(values, axis=0).max(axis=1)
        # How much the difference of the two sides changes near good solutions, in all of the moves around them.
        change = np.abs(np.diff(around - np.repeat(values, MOVES, axis=0))[:, :, 0])
    estimates = [rounded_median(column / TYPICAL) for column in change.T]
    return [_size(*each) for each in zip(sizes, apart.tolist(), estimates, strict=True)]


def _size(size: float | None, apart: float, judged: float | None) -> Size | None:
    if judged is not None and (size is None or size <= min(apart, VANISHING * judged)):
        return Size(judged, estimated=True)
    return None if size is None else Size(size)


def _sides(problem: Problem, sides: Array, points: Array) -> Array:
    """The two sides of every constraint at some points, (points, constraints, 2)."""
    values = np.empty((len(points), int(sides[3])))
    evaluate_rows(machine, problem.rounded(points), sides.copy(), values)
    return values.reshape(len(points), -1, 2)


def moved(problem: Problem, points: Array) -> Array:
    """Some solutions around each of these, in which every variable has moved by up to a tenth of its range."""
    width = problem.upper - problem.lower
    shares = np.random.default_rng(SEED).uniform(-MOVED, MOVED, (len(points) * MOVES, problem.dimension))
    found: Array = np.clip(np.repeat(points, MOVES, axis=0) + shares * width, problem.lower, problem.upper)
    return found


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
        # Violations of any unit count alike: each is divided by its median in the first population.
        unit = np.array([np.median(column[column > 0]) if (column > 0).any() else 1.0 for column in violation.T])
        total = (violation / unit).sum(axis=1)
        for _ in range(GENERATIONS):
            best = points[np.lexsort((f, total))[: POPULATION // 4]]
            a, b = (points[rng.permutation(POPULATION)] for _ in range(2))
            towards = best[rng.integers(len(best), size=POPULATION)]
            # The strategy current-to-pbest/1, with the best quarter as pbest.
            made = points + STEP * (towards - points) + STEP * (a - b)
            made = np.where(rng.random((POPULATION, n)) < CROSSED, made, points)
            # Half way back between what leaves the bounds and where it came from, so that nothing piles up on a bound.
            made = np.where((made < problem.lower) | (made > problem.upper), (towards + points) / 2, made)
            new_f, new_violation = _judged(problem, made)
            new_total = (new_violation / unit).sum(axis=1)
            # Deb's rules: less violation first; of equals, and so of feasible ones, the objective.
            wins = (new_total < total) | ((new_total == total) & (new_f <= f))
            points[wins], f[wins], total[wins] = made[wins], new_f[wins], new_total[wins]
    return points[np.lexsort((f, total))[:GOOD]]


def _judged(problem: Problem, points: Array) -> tuple[Array, NDArray[np.float64]]:
    """f and the violations, what counts as satisfied taken off; a solution without numbers is worse than any other."""
    found = problem.evaluate(points)
    violation = np.maximum(found.violations - problem.feasible_up_to, 0.0)
    fine = np.isfinite(found.f) & np.isfinite(violation).all(axis=1)
    return np.where(fine, found.f, np.inf), np.where(fine[:, None], violation, 1e300)
