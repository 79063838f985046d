"""The logarithmic ruler of violations, which the inspector and the parallel coordinates share."""

from __future__ import annotations

import numpy as np

from mapelites.core.problem import Array

ZERO_SHARE = 0.08  # the share of a ruler that belongs to violation 0


def violation_places(violations: Array, levels: tuple[float, ...]) -> Array:
    """Where each violation lies on a logarithmic ruler, from 0 to 1; exactly 0 has a place of its own."""
    above = levels[1:] or (1.0,)
    # Two orders below the first level above 0 to three above the last; what lies beyond sits at the ends.
    low, high = np.log10(above[0]) - 2, np.log10(above[-1]) + 3
    with np.errstate(divide="ignore"):
        share = np.clip((np.log10(violations) - low) / (high - low), 0.0, 1.0)
    return np.where(violations > 0, ZERO_SHARE + (1 - ZERO_SHARE) * share, 0.0)


def ruler_place(violation: float, levels: tuple[float, ...]) -> float:
    """The place of one violation.

    >>> ruler_place(0.0, (0, 1e-4, 1)), ruler_place(1e9, (0, 1e-4, 1))
    (0.0, 1.0)
    """
    return float(violation_places(np.array([violation]), levels)[0])
