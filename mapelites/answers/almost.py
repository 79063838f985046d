"""Almost feasible and better: what beats the best feasible design by violating little."""

from __future__ import annotations

import math

import numpy as np

from mapelites.answers.designs import Designs
from mapelites.errors import InputError
from mapelites.problem import Array


def almost_feasible(designs: Designs, margin: Array, most_violated: int, most: int = 10) -> tuple[int, ...] | None:
    """Rows better than the best feasible design that break at most so many constraints, each within its margin.

    The best come first. None where there is no feasible design to beat.
    """
    best = designs.best(designs.satisfied)
    if best is None:
        return None
    broken = designs.violations > designs.satisfied
    within = ~(broken & (designs.violations > margin)).any(axis=1)
    number = broken.sum(axis=1)
    chosen = (designs.f < designs.f[best]) & within & (number > 0) & (number <= most_violated)
    order = designs.by_objective
    return tuple(int(row) for row in order[chosen[order]][:most])


def read_margin(text: str, designs: Designs) -> Array:
    """A margin as people write it: `0.01` for every constraint, or `5 %` of each one's last level."""
    plain = text.strip()
    share = plain.endswith("%")
    try:
        value = float(plain.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"the margin must be a number above 0, or a percentage such as 5 %, but it was {text!r}")
    return designs.scale * value / 100 if share else np.full(len(designs.names), value)
