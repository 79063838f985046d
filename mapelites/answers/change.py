"""How the design changes along a price curve: which variables move, and which stay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mapelites.answers.designs import Designs
from mapelites.answers.price import Price
from mapelites.core.problem import Array

STILL = 0.005  # the share of its bounds that a variable must move across to be shown


@dataclass(frozen=True)
class VariableChange:
    """One variable along a curve: its value at every step (NaN where nothing was found), and how far it moves."""

    variable: int
    values: Array
    share: float  # of the width of its bounds

    @property
    def moves(self) -> bool:
        """Whether it is worth showing."""
        return self.share >= STILL


def largest_changes(designs: Designs, curve: Price) -> tuple[VariableChange, ...]:
    """All variables, the one that moves most first."""
    width = designs.problem.upper - designs.problem.lower
    x = np.full((len(curve.steps), designs.problem.dimension), np.nan)
    for place, step in enumerate(curve.steps):
        if step.row is not None:
            x[place] = designs.found.x[step.row]
    known = x[~np.isnan(x[:, 0])]
    share = np.ptp(known, axis=0) / width if len(known) else np.zeros(len(width))
    return tuple(VariableChange(int(i), x[:, i], float(share[i])) for i in np.argsort(-share, kind="stable"))
