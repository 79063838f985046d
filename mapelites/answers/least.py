"""The question asked backwards: for an objective below this, what is the least that must be relaxed?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mapelites.answers.designs import Designs, Mask


@dataclass(frozen=True)
class Needed:
    """One constraint to relax: the violation the design has, and the level that covers it."""

    constraint: int
    violation: float
    level: float  # infinite where the violation is above the last level


@dataclass(frozen=True)
class Least:
    """A design that is good enough, with everything that must be relaxed for it."""

    row: int
    needed: tuple[Needed, ...]
    relative: float  # the sum of the violations, each relative to the last level of its constraint


def least(designs: Designs, below: float, most: int = 5) -> tuple[Least, ...]:
    """The ways to an objective below this, fewest relaxed constraints first, then least relative tolerance.

    Of all designs that relax the same constraints only the one that relaxes them least is told, and one that relaxes
    further constraints only where it takes less tolerance for that.
    """
    rows = np.flatnonzero(designs.f < below)
    relaxed = designs.violations[rows] > designs.satisfied
    relative = np.where(relaxed, designs.violations[rows] / designs.scale, 0.0).sum(axis=1)
    found: dict[bytes, Least] = {}
    for at in np.lexsort((designs.f[rows], relative, relaxed.sum(axis=1))):
        which = relaxed[at].tobytes()
        if which not in found and not _is_covered(relaxed[at], float(relative[at]), found.values()):
            row = int(rows[at])
            needed = tuple(_needed(designs, row, int(i)) for i in np.flatnonzero(relaxed[at]))
            found[which] = Least(row, needed, float(relative[at]))
        if len(found) == most or not relaxed[at].any():
            break  # where nothing must be relaxed, there is no more to say
    return tuple(found.values())


def _is_covered(relaxed: Mask, relative: float, known: Iterable[Least]) -> bool:
    """Whether a way that is known already relaxes some of these constraints and no other, for no more tolerance."""
    return any(each.relative <= relative and all(relaxed[n.constraint] for n in each.needed) for each in known)


def _needed(designs: Designs, row: int, constraint: int) -> Needed:
    violation = float(designs.violations[row, constraint])
    above = [level for level in designs.steps(constraint) if level >= violation]
    return Needed(constraint, violation, min(above, default=math.inf))
