"""The question asked backwards: for an objective below this, what is the least that must be relaxed?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mapelites.answers.designs import Designs, Mask


@dataclass(frozen=True)
class NeededTolerance:
    """One constraint to relax: the violation the design has, and the level that covers it."""

    constraint: int
    violation: float
    level: float  # infinite where the violation is above the last level


@dataclass(frozen=True)
class LeastRelaxation:
    """A design that is good enough, with everything that must be relaxed for it."""

    row: int
    needed: tuple[NeededTolerance, ...]
    relative: float  # the sum of the violations, each as a share of the limit of its constraint
    within: bool  # whether no violation is above the last level of its constraint


def least_relaxations(designs: Designs, below: float, most: int = 5) -> tuple[LeastRelaxation, ...]:
    """The ways to an objective below this: those within the allowances first, then by their per cent of the limits.

    Of all designs that relax the same constraints only the one that relaxes them least is told, and one that relaxes
    further constraints only where it takes less tolerance for that.
    """
    rows = np.flatnonzero(designs.f < below)
    relaxed = designs.violations[rows] > designs.satisfied
    relative = np.where(relaxed, designs.violations[rows] / designs.hundred, 0.0).sum(axis=1)
    within = designs.within_allowance[rows]
    found: dict[bytes, LeastRelaxation] = {}
    # The last key of lexsort counts most: within the allowances, least relaxed, fewest constraints, lowest f.
    for at in np.lexsort((designs.f[rows], relaxed.sum(axis=1), relative, ~within)):
        which = relaxed[at].tobytes()
        if which not in found and not _is_covered(relaxed[at], float(relative[at]), found.values()):
            row = int(rows[at])
            needed = tuple(_needed(designs, row, int(i)) for i in np.flatnonzero(relaxed[at]))
            found[which] = LeastRelaxation(row, needed, float(relative[at]), bool(within[at]))
        if len(found) == most or not relaxed[at].any():
            break  # where nothing must be relaxed, there is no more to say
    return tuple(found.values())


def _is_covered(relaxed: Mask, relative: float, known: Iterable[LeastRelaxation]) -> bool:
    """Whether a way that is known already relaxes some of these constraints and no other, for no more tolerance."""
    return any(each.relative <= relative and all(relaxed[n.constraint] for n in each.needed) for each in known)


def _needed(designs: Designs, row: int, constraint: int) -> NeededTolerance:
    violation = float(designs.violations[row, constraint])
    above = [level for level in designs.steps(constraint) if level >= violation]
    return NeededTolerance(constraint, violation, min(above, default=math.inf))
