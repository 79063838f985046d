"""Almost feasible and better: what beats the best feasible design by violating little."""

from __future__ import annotations

import math

import numpy as np

from mapelites.answers.designs import Designs
from mapelites.answers.words import plain_number
from mapelites.core.errors import InputError
from mapelites.core.problem import Array


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
    """A margin as people write it: `0.01` for every constraint, or `5 %` of each one's limit."""
    try:
        value = plain_number(text.strip().removesuffix("%"))
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"the margin must be a number above 0, or a percentage such as 5 %, but it was {text!r}")
    return value * margin_unit(text, designs)


def margin_unit(text: str, designs: Designs) -> Array:
    """What 1 means in a margin, per constraint: itself, or one per cent of the limit (the last level without one)."""
    return designs.hundred / 100 if text.strip().endswith("%") else np.ones(len(designs.names))


def least_margin(designs: Designs, unit: Array, most_violated: int) -> float | None:
    """The smallest margin, in these units, at which `almost_feasible` finds any; None where none is large enough."""
    best = designs.best(designs.satisfied)
    broken = designs.violations > designs.satisfied
    number = broken.sum(axis=1)
    better = (number > 0) & (number <= most_violated) & (designs.f < (math.inf if best is None else designs.f[best]))
    needed = np.where(broken, designs.violations / unit, 0.0).max(axis=1)[better]
    return float(needed.min()) if len(needed) else None
