"""The unit box: where a search starts, and the steps of variables that take only some values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mapelites.core.problem import Array, Problem

TRIES = 20  # of which the design with the widest gaps is kept
WIDER = 1.01  # a trust region reaches the next step of a variable, and a little further


@dataclass(frozen=True, eq=False)
class Space:
    """The bounds of a problem as the unit box, with the step of each variable there, 0 for none."""

    lower: Array
    width: Array
    steps: Array

    @classmethod
    def of(cls, problem: Problem) -> Space:
        """The unit box of a problem."""
        width = problem.upper - problem.lower
        return cls(problem.lower.copy(), width, problem.steps / width)

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.width)

    @property
    def stepped(self) -> NDArray[np.int64]:
        """The variables that take only some values."""
        return np.flatnonzero(self.steps > 0.0)

    def to_unit(self, x: Array) -> Array:
        """The place of a solution in the unit box."""
        return np.asarray((x - self.lower) / self.width)

    def from_unit(self, u: Array) -> Array:
        """The solution at a place of the unit box."""
        return np.asarray(np.clip(self.lower + self.width * u, self.lower, self.lower + self.width))

    def snapped(self, u: Array) -> Array:
        """The nearest place whose variables are on their steps."""
        u, at = np.clip(u, 0.0, 1.0), self.stepped
        if len(at):
            steps = self.steps[at]
            u[..., at] = np.minimum(np.round(u[..., at] / steps), np.floor(1.0 / steps + 1e-9)) * steps
        return np.asarray(u)

    def box(self, u: Array, radius: float) -> tuple[Array, Array]:
        """The part of the unit box that a trust region of this radius reaches."""
        half = np.maximum(radius, WIDER * self.steps)
        return np.maximum(0.0, u - half), np.minimum(1.0, u + half)

    def design(self, count: int, rng: np.random.Generator) -> Array:
        """So many points that fill the space: a Latin hypercube of wide gaps, its first point in the middle."""
        best, widest = np.empty((count, self.n)), -1.0
        for _ in range(TRIES):
            strata = np.stack([rng.permutation(count) for _ in range(self.n)], axis=1)
            points = (strata + rng.random((count, self.n))) / count
            gaps = ((points[:, None] - points[None]) ** 2).sum(axis=-1) + 9.0 * self.n * np.eye(count)
            if gaps.min() > widest:
                best, widest = points, float(gaps.min())
        best[0] = 0.5
        return self.snapped(best)

    def on_steps(
        self, x: Array, low: Array, high: Array, solve: Callable[[Array, Array, Array], tuple[float, Array]]
    ) -> Array:
        """The best place near x whose variables are on their steps.

        `solve(low, high, start)` returns the merit and the place of the best point of a box. The other variables are
        solved for again with each rounding, and one variable at a time goes a step up or down while that helps.
        """
        at = self.stepped

        def with_steps(place: Array) -> tuple[float, Array]:
            first, last = low.copy(), high.copy()
            first[at] = last[at] = place[at]
            return solve(first, last, place)

        best = with_steps(self.snapped(x))
        for _ in range(2):
            before = best[0]
            for j in at:
                for side in (-1.0, 1.0):
                    place = best[1].copy()
                    place[j] += side * self.steps[j]
                    if max(low[j], 0.0) - 1e-9 <= place[j] <= min(high[j], 1.0) + 1e-9:
                        found = with_steps(self.snapped(place))
                        best = found if found[0] < best[0] else best
            if not best[0] < before:
                break
        return best[1]
