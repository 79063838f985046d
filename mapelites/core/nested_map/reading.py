"""The two readings of a map: the best solution *up to* a cell's upper levels, or the best *exactly* in its bins.

Exactly is the paper's map: a solution counts in the one cell in which its violations lie. Up to is what somebody asks
who allows so much: a solution counts in its own cell and in every cell that allows more, so a step away from the
feasible corner never makes anything worse. What is within the problem's tolerance of an equality counts as 0 there, as
in every question: the feasible corner holds the best feasible solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mapelites.core.archive import Archive, Elites
from mapelites.core.problem import Array, Problem
from mapelites.core.tolerances import PAPER_LEVELS, Tolerances

Reading = Literal["up-to", "exact"]
READINGS: tuple[str, ...] = get_args(Reading)
NO_ROW = -1  # where there is no solution


def usual_reading(problem: Problem, tolerances: Tolerances) -> Reading:
    """Up to, but exactly for a built-in problem without limits at the paper's levels, whose figures are compared.

    >>> from mapelites.problems import get
    >>> usual_reading(get("C16", 10), Tolerances.default(get("C16", 10)))
    'exact'
    """
    from_the_paper = all(levels == PAPER_LEVELS for levels in tolerances.levels) and not tolerances.hard
    plain = problem.source.kind == "name" and all(each.reference is None for each in problem.constraints)
    return "exact" if from_the_paper and plain else "up-to"


def rows_by_cell(
    archive: Archive, reading: Reading, axes: Sequence[int] | None = None, limits: Array | None = None
) -> NDArray[np.int64]:
    """For every cell of a map, the row of its solution among `archive.everything()`, or -1 where there is none.

    `axes` are the constraints that are the axes of the result, by default all; `limits` the largest violations that
    count of the others, by default any. A hard constraint is always satisfied. Of equals the first found counts.
    """
    tolerances = archive.tolerances
    shown = tuple(range(len(tolerances.names)) if axes is None else axes)
    most = np.full(len(tolerances.names), np.inf) if limits is None else np.array(limits, dtype=float)
    # An axis is limited by its cells, not by a limit of its own.
    most[list(shown)] = np.inf
    for name in tolerances.hard:
        i = tolerances.names.index(name)
        most[i] = archive.problem.feasible_up_to[i]
    violations = violations_read(archive.everything().violations, archive.problem, reading)
    return best_rows(archive.everything(), violations, tolerances, shown, most, reading)


def violations_read(violations: Array, problem: Problem, reading: Reading) -> Array:
    """The violations that a reading counts: whoever asks for 0 of an equality asks for what counts as satisfied."""
    return violations if reading == "exact" else np.where(violations <= problem.feasible_up_to, 0.0, violations)


def best_rows(
    found: Elites, violations: Array, tolerances: Tolerances, axes: Sequence[int], most: Array, reading: Reading
) -> NDArray[np.int64]:
    """The same for solutions with such violations, of at most so much, one number for each constraint."""
    sizes = [tolerances.shape[i] for i in axes]
    order = np.lexsort((found.found_at, found.f))
    order = order[np.all(tolerances.largest(violations[order]) <= most, axis=1)]
    grid = np.full(sizes, len(found), dtype=np.int64)  # the place in the order of the best one; so many for none
    bins = tolerances.bins(violations[order])[:, list(axes)]
    if bins.shape[1]:
        np.minimum.at(grid, tuple(bins.T), np.arange(len(order)))
    elif len(order):  # one cell
        grid[()] = 0
    # What lies within stricter bins lies within looser ones too: a running minimum along each axis.
    if reading == "up-to":
        for axis in range(len(sizes)):
            np.minimum.accumulate(grid, axis=axis, out=grid)
    # A grid entry is a place in the order, or len(found) for none: the padding makes that NO_ROW, however many
    # solutions the limits left out of the order.
    rows = np.append(order, np.full(len(found) + 1 - len(order), NO_ROW))
    return np.asarray(rows[grid], dtype=np.int64)
