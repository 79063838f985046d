"""What the models of a search expect of the map, and how far they were off: never taken for what was evaluated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mapelites.core.archive import Elites
from mapelites.core.problem import Array, Problem

EXPECTED = "expected"  # where an elite has what made it


@dataclass(frozen=True, eq=False)
class Outlook:
    """Solutions (k, n) that nobody evaluated, with the f, g and h that models give them (k, 1 + m + p).

    `told` and `found` are what the models said of the latest evaluations before they were made, and what came of
    them, two (j, 1 + m + p) arrays, the latest last.
    """

    x: Array
    values: Array
    told: Array
    found: Array

    def elites(self, problem: Problem) -> Elites:
        """The expected solutions in the form of elites, to be binned and drawn apart from them."""
        m, k = problem.inequalities, len(self.x)
        return Elites(
            self.x, self.values[:, 0].copy(), self.values[:, 1 : 1 + m].copy(), self.values[:, 1 + m :].copy(),
            np.zeros(k, dtype=np.int64), np.full(k, EXPECTED, dtype="U16"),
        )  # fmt: skip

    def errors(self) -> Array:
        """How far the models typically were off, the medians for f and each constraint's value, (1 + m + p,)."""
        return np.asarray(np.median(np.abs(self.told - self.found), axis=0))
