"""Who gets the next turn: every emitter has a part of the budget for good, and earns the rest.

What a turn earned is what it did to the map: 1 for a cell that was empty, and for a better elite the part by
which f fell; the same once more for the best feasible solution. An emitter's credit is the average of that per
evaluation, recent turns counting most (probability matching as in D. Thierens, "An adaptive pursuit strategy for
allocating operator probabilities", 2005, with a floor for each). Turns are dealt out by stride scheduling
(C. A. Waldspurger, 1995).
"""

from __future__ import annotations

import numpy as np

from mapelites.search.directed.memory import Floats

PATIENCE, TIRED = 0.3, 0.7  # of the evaluations so far: since when the feasible corner has stood still
LEAST = 0.4  # of the part of an emitter that works on the corner alone is left to it
EARNED = 0.2  # of the budget goes by credit
MEMORY = 0.1  # how much the last turn counts


def shares(base: Floats, credit: Floats) -> Floats:
    """The part of the budget of each emitter; those with base 0 get nothing."""
    earned = np.where(base > 0.0, credit, 0.0)
    total = earned.sum()
    fixed = base / base.sum()
    parts: Floats = (1.0 - EARNED) * fixed + EARNED * (earned / total if total > 0.0 else fixed)
    return parts


def part_left(evaluations: int, improved: int) -> float:
    """What is left of the parts of those who work on the feasible corner alone, where it last improved so long ago."""
    idle = (evaluations - improved) / max(evaluations, 1)
    return float(np.clip(1.0 - (1.0 - LEAST) * (idle - PATIENCE) / (TIRED - PATIENCE), LEAST, 1.0))


def first_passes(base: Floats) -> Floats:
    """The passes at the beginning: as if everybody had just had a turn, so that the largest parts come first."""
    found: Floats = np.divide(base.sum(), base, out=np.zeros_like(base), where=base > 0.0)
    return found


def next_emitter(base: Floats, passes: Floats) -> int:
    """The emitter whose turn it is: the one with the lowest pass."""
    return int(np.argmin(np.where(base > 0.0, passes, np.inf)))


def settle(base: Floats, passes: Floats, credit: Floats, emitter: int, gain: float, evaluations: int) -> None:
    """Take a turn's evaluations and gain into account."""
    spent = max(evaluations, 1)
    passes[emitter] += spent / shares(base, credit)[emitter]
    credit[emitter] += MEMORY * (gain / spent - credit[emitter])
