"""Brings a point that all but satisfies its limits within them, as our own evaluation sees it.

The solver accepts a point that breaks a limit by its feasibility tolerance. Newton's method on the limits that are
broken or all but reached moves it by as little as possible; whole values and steps stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from mapelites.core.problem import Array, Evaluation, Problem
from mapelites.problems.formulas import problem_of
from mapelites.proof.region import Region, Sizes

STEPS = 12
JUMPS = re.compile(r"\b(floor|ceil|sign)\b")
ASIDE = 1e-6  # of a variable's range
BROKEN = 100.0  # what breaking a limit by its typical size counts, in typical sizes of f
NEAR = 1e-4  # what counts as all but reached, as a share of the typical size of a constraint
INSIDE = 1e-10  # how far within a limit to aim at, as the same share
# Limits that are all but reached are held too, unless they are too many; further inside where rounding undoes a step.
AIMS = ((INSIDE, NEAR), (INSIDE, 0.0), (1e3 * INSIDE, 1e-3 * NEAR), (1e5 * INSIDE, NEAR))


def best_inside(
    problem: Problem,
    points: Iterable[Array],
    region: Region,
    sizes: Sizes,
    count: Callable[[int], None] = lambda evaluations: None,
) -> tuple[Array, Evaluation] | None:
    """The best of some points, each brought within a region, with its evaluation; None where none can be.

    `count` is told of the evaluations that it takes.
    """
    starts = [np.asarray(point, dtype=np.float64) for point in points]
    found = [restore(problem, point, region, sizes, count) for point in starts]
    if JUMPS.search(problem.formulas) or not any(each is not None for each in found):
        aside = (_moved_aside(problem, point, region, sizes, count) for point in starts)
        found += [restore(problem, point, region, sizes, count) for point in aside]
    kept = [each for each in found if each is not None]
    if not kept:
        return None
    x = np.array(kept)
    values = problem.evaluate(x)
    best = int(np.argmin(values.f))
    return x[best], problem.evaluate(x[best : best + 1])


def _moved_aside(problem: Problem, point: Array, region: Region, sizes: Sizes, count: Callable[[int], None]) -> Array:
    """The point with each variable a little to the side that is better.

    The solver may stand on a jump: to it both ends of a step belong to it, to us only one does. Or at a corner where so
    many limits meet that Newton's method does not get out.
    """
    x: Array = problem.rounded(np.clip(point, problem.lower, problem.upper)[None])[0]
    f = abs(float(problem.evaluate(x[None]).f[0]))
    count(1)
    size = f if 0 < f < sizes.objective else sizes.objective  # f may be huge elsewhere, and nothing beside that here
    for j in np.flatnonzero(problem.steps == 0):
        tried = np.tile(x, (3, 1))
        tried[1:, j] += np.array([1.0, -1.0]) * ASIDE * (problem.upper[j] - problem.lower[j])
        tried = np.clip(tried, problem.lower, problem.upper)
        values = problem.evaluate(tried)
        count(len(tried))
        broken = np.maximum(values.violations - np.array(region.high), 0.0) / np.array(sizes.constraints)
        merit = values.f / size + BROKEN * np.nan_to_num(broken, nan=np.inf).sum(axis=1)
        x = tried[int(np.argmin(np.where(np.isfinite(merit), merit, np.inf)))]
    return x


def restore(
    problem: Problem,
    point: Array,
    region: Region,
    sizes: Sizes,
    count: Callable[[int], None] = lambda evaluations: None,
) -> Array | None:
    """The point, or one close to it that lies in the region; None where none is found."""
    x: Array = problem.rounded(np.clip(point, problem.lower, problem.upper)[None])[0]
    free = np.flatnonzero(problem.steps == 0)
    for aim, near in AIMS:
        y: Array = x.copy()
        for _ in range(STEPS):
            values = problem.evaluate(y[None])
            count(1)
            if not np.isfinite(np.r_[values.f, values.g[0], values.h[0]]).all():
                return None
            if region.holds(values.violations)[0]:
                return y
            if not free.size:
                return None
            count(len(free))  # about what the derivatives cost
            y = _moved(problem, y, values, region, sizes, free, (aim, near))
    return None


def _moved(
    problem: Problem,
    x: Array,
    values: Evaluation,
    region: Region,
    sizes: Sizes,
    free: NDArray[np.int64],
    aims: tuple[float, float],
) -> Array:
    """One step of Newton's method, of least length in shares of the variables' ranges."""
    raw = np.r_[values.g[0], values.h[0]]
    wanted = _wanted(problem, raw, region, np.array(sizes.constraints), *aims)
    rows = np.flatnonzero(np.isfinite(wanted))
    width = (problem.upper - problem.lower)[free]
    size = np.array(sizes.constraints)[rows]
    slopes = _slopes(problem, x, free, width)[rows] / size[:, None]
    room = (problem.lower[free] - x[free]) / width, (problem.upper[free] - x[free]) / width
    y = x.copy()
    y[free] += width * _least_step(slopes, (wanted - raw)[rows] / size, *room)
    y[free] = np.clip(y[free], problem.lower[free], problem.upper[free])
    return y if np.isfinite(y).all() else x


def _least_step(slopes: Array, wanted: Array, least: Array, most: Array) -> Array:
    """The shortest step with these effects that stays within bounds: what would leave them stops there, one by one."""
    step = np.zeros(slopes.shape[1])
    open_ = np.ones(step.size, dtype=bool)
    while open_.any():
        left = wanted - slopes[:, ~open_] @ step[~open_]
        step[open_] = np.linalg.lstsq(slopes[:, open_], left, rcond=1e-10)[0]
        beyond = np.maximum(least - step, step - most)
        worst = int(np.argmax(np.where(open_, beyond, -np.inf)))
        if beyond[worst] <= 0:
            break
        step[worst] = np.clip(step[worst], least[worst], most[worst])
        open_[worst] = False
    return step


def _wanted(problem: Problem, raw: Array, region: Region, size: Array, aim: float, near: float) -> Array:
    """The raw value to have of each constraint that is broken or all but reached; NaN for the others."""
    wanted = np.full(raw.size, np.nan)
    for i, value in enumerate(raw):
        equality = i >= problem.inequalities
        violation = abs(value) if equality else max(0.0, value)
        side = -1.0 if equality and value < 0 else 1.0
        least = max(region.low[i], 0.0) if equality else region.low[i]
        inside = min(aim * size[i], (region.high[i] - least) / 2)
        reached = abs(value) if equality else value
        if reached > region.high[i] - near * size[i]:
            wanted[i] = side * min(reached, region.high[i] - inside)
        elif violation <= region.low[i]:
            wanted[i] = side * (region.low[i] + inside)
    return wanted


def _slopes(problem: Problem, x: Array, free: NDArray[np.int64], width: Array) -> Array:
    """The exact derivatives of the constraints by the free variables, in shares of their ranges."""
    slopes = problem_of(problem.formulas).gradients(x)[1:, free] * width
    usable: Array = np.nan_to_num(slopes, nan=0.0, posinf=0.0, neginf=0.0)
    return usable
