"""How large what a constraint compares may be, where only its g or h is known: from how much that changes.

What grows in proportion to the variables changes by 5 % of its size where they change by 5 %. So the sides of a
constraint are taken to have the size of its change divided by that share. Where limits are known, in the gallery, half
of these estimates are within a factor of two of them, and four in five within a factor of four.
"""

from __future__ import annotations

import numpy as np

from mapelites.core.problem import Array, Problem
from mapelites.problems.formulas.scales import good_solutions, rounded_median

MOVED = 0.1  # of its value, by which each variable changes at most
TYPICAL = MOVED / 2  # the median of that
MOVES = 40  # of each good solution
SEED = 2


def estimated_sizes(problem: Problem) -> dict[str, float]:
    """The size of each constraint without limit and scale, by its name; those of which nothing can be said left out."""
    unknown = [i for i, each in enumerate(problem.constraints) if each.reference is None]
    if not unknown:
        return {}
    apart = _changes(problem, good_solutions(problem)) / TYPICAL
    sizes = {problem.constraints[i].name: rounded_median(apart[:, i]) for i in unknown}
    return {name: size for name, size in sizes.items() if size is not None}


def _changes(problem: Problem, points: Array) -> Array:
    """By how much each g and h changes where the variables of some solutions do."""
    before = problem.rounded(np.repeat(points, MOVES, axis=0))
    shares = np.random.default_rng(SEED).uniform(-MOVED, MOVED, before.shape)
    after = np.clip(before + shares * np.abs(before), problem.lower, problem.upper)
    with np.errstate(all="ignore"):
        found: Array = np.abs(problem.values(after) - problem.values(before))[:, 1:]
    return found
