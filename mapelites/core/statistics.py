"""What answers and reports both count by."""

from __future__ import annotations

import math

import numpy as np

from mapelites.core.problem import Problem


def counted_violations(problem: Problem, violations: np.ndarray) -> np.ndarray:
    """G_i and H_j of equation 1: a violation within the problem's own tolerance counts as none."""
    return np.where(violations > problem.feasible_up_to, violations, 0.0)


def quartile_places(runs: int) -> tuple[int, int, int]:
    """Where the lower quartile, the median and the upper quartile stand among so many ranked runs, counted from 0.

    Each is one of the runs: the first that a quarter, a half, three quarters of them do not beat. The median so is
    that of `summarise`.

    >>> quartile_places(25), quartile_places(4), quartile_places(2)
    ((6, 12, 18), (0, 1, 2), (0, 0, 1))
    """
    first, second, third = (math.ceil(quarters * runs / 4) - 1 for quarters in (1, 2, 3))
    return first, second, third
