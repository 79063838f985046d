"""Levels that suit a problem, from what a search found: where the objective changes, or by known violations."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mapelites.core.archive import Archive, Elites
from mapelites.core.levels import MOST_CELLS, PAPER_LEVELS, Levels, levels_by_default, percent_of
from mapelites.core.problem import Array, Constraint, Problem
from mapelites.core.tolerances import Tolerances

STEPS = 4  # levels above 0
DIGITS = 2  # of a suggested level
MOST_PERCENT = 10.0  # of the limit, beyond which nobody is taken to relax
LEAST_GAIN = 1e-4  # of the best feasible objective: what buys less needs no levels of its own


def suggested_levels(archive: Archive) -> Tolerances:
    """Levels between which relaxing a constraint alone buys about the same each time, within 10 % of its limit.

    A constraint that buys nothing by itself keeps its default levels, and so does every one while nothing feasible
    is known.
    """
    problem, found = archive.problem, archive.everything()
    default = levels_by_default(problem.constraints)
    best = archive.best(feasible=True)
    if best is None:
        return Tolerances(archive.tolerances.names, default).with_hard(problem, archive.tolerances.hard)
    levels = tuple(_steps(problem, found, i, best.f, usual) for i, usual in enumerate(default))
    return _fitting(archive, levels, default)


def normalised_levels(archive: Archive) -> Tolerances:
    """The paper's levels of violations that are normalised by the least and the largest ones known (section 5)."""
    problem, violations = archive.problem, archive.everything().violations
    default = levels_by_default(problem.constraints)
    each = zip(violations.T, problem.constraints, default, strict=True)
    levels = tuple(_normalised(column, constraint, usual) for column, constraint, usual in each)
    return _fitting(archive, levels, default)


def _fitting(archive: Archive, levels: tuple[Levels, ...], default: tuple[Levels, ...]) -> Tolerances:
    """Tolerances of these levels where a map has room for them, with the same hard constraints as before."""
    cells = 1
    for each, constraint in zip(levels, archive.problem.constraints, strict=True):
        cells *= len(each) + 1 + (constraint.kind == "equality")
    chosen = levels if cells <= MOST_CELLS else default
    return Tolerances(archive.tolerances.names, chosen).with_hard(archive.problem, archive.tolerances.hard)


def _normalised(violations: Array, constraint: Constraint, usual: Levels) -> Levels:
    broken = violations[violations > 0]
    if not len(broken):
        return usual
    least, largest = float(violations.min()), float(broken.max())
    return _distinct([least + share * (largest - least) for share in PAPER_LEVELS], constraint)


def _steps(problem: Problem, found: Elites, constraint: int, feasible: float, usual: Levels) -> Levels:
    """Where the objective falls by equal steps as this constraint alone is relaxed."""
    others = np.delete(found.violations <= problem.feasible_up_to, constraint, axis=1).all(axis=1)
    reference = problem.constraints[constraint].reference
    most = usual[-1] if reference is None else reference * MOST_PERCENT / 100
    rows = np.flatnonzero(others & (found.violations[:, constraint] <= most) & (found.f < feasible))
    satisfied = problem.feasible_up_to[constraint]
    rows = rows[found.violations[rows, constraint] > satisfied]
    if not len(rows):
        return usual
    order = rows[np.lexsort((found.f[rows], found.violations[rows, constraint]))]
    gain = np.maximum.accumulate(feasible - found.f[order])
    if gain[-1] <= LEAST_GAIN * max(abs(feasible), 1.0):
        return usual
    # Between two designs that were found the gain is taken to grow evenly.
    wanted = gain[-1] * np.arange(1, STEPS + 1) / STEPS
    at = np.interp(wanted, [0.0, *gain], [satisfied, *found.violations[order, constraint]])
    return _distinct(at.tolist(), problem.constraints[constraint])


def _distinct(levels: Iterable[float], constraint: Constraint) -> Levels:
    """The levels to two digits, of per cent where that is possible, each once; 0 is always there."""
    share = (constraint.reference or 100.0) / 100.0
    short = (float(f"{level / share:.{DIGITS}g}") for level in levels)
    found = (each if constraint.reference is None else percent_of(constraint, each) for each in short)
    return tuple(sorted({0.0, *found}))
