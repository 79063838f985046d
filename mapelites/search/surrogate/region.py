"""A trust region: how far the models are believed when one question is asked, learned from what came of it.

The radius follows the ratio of the merit's actual to its promised fall (A. R. Conn, N. I. M. Gould and Ph. L. Toint,
"Trust-region methods", 2000, chapter 6). The merit is f plus a price for what lies outside of the intervals.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mapelites.core.problem import Array
from mapelites.search.surrogate.points import ConstraintRanges

FIRST_RADIUS, LARGEST_RADIUS = 0.25, 0.5  # of the unit box
BAD, POOR, GOOD = 0.1, 0.3, 0.7  # ratios
DEARER = 2.0  # than what is just enough
FORGET = 0.3  # of the error of the step before


@dataclass(eq=False)
class TrustRegion:
    """The trust region of one question."""

    aim: ConstraintRanges
    prices: Array  # (constraints,): in f per unit of each
    least_prices: Array  # (constraints,): learned where something that breaks the constraints held the region
    errors: Array  # (constraints,): how wrong the models lately were
    error_size: float = 0.0  # of the step after which they were so
    radius: float = FIRST_RADIUS
    failed: int = 0  # steps in a row that brought nothing
    done: bool = False
    gain: float = np.inf  # the part of f that the last step promised
    looked: int = 0  # how many points there were then
    best: float = np.inf  # f where it ended
    own: list[int] = field(default_factory=list)  # the rows of a restart, which looks at no others
    is_restart: bool = False

    @classmethod
    def of(cls, aim: ConstraintRanges, radius: float = FIRST_RADIUS, *, is_restart: bool = False) -> TrustRegion:
        """A region that knows nothing yet."""
        count = len(aim.low)
        return cls(aim, np.zeros(count), np.zeros(count), np.zeros(count), radius=radius, is_restart=is_restart)

    def merit(self, values: Array) -> Array:
        """f and the price of what lies outside, of (..., 1 + constraints) values."""
        found: Array = values[..., 0] + self.aim.excess(values) @ self.prices
        return found

    def set_prices(self, multipliers: Array, least: Array) -> None:
        """Twice the multipliers is enough for the merit's minimum to lie inside; a price that was too high falls."""
        least = np.maximum(least, self.least_prices)
        self.prices = np.maximum(np.maximum(2.0 * multipliers, 0.5 * self.prices), least)

    def learn_prices(self, centre: Array, kept: Array) -> None:
        """Let what keeps the constraints have a lower merit than what does not: values of two points."""
        paid = float(self.aim.excess(centre) @ self.prices)
        if paid > 0.0:
            self.least_prices = DEARER * self.prices * max(1.0, float(kept[0] - centre[0]) / paid)

    def errors_at(self, size: float) -> Array:
        """How wrong the models may be after a step of this size: shorter steps are surer."""
        return self.errors * (min(1.0, size / self.error_size) if self.error_size > 0.0 else 1.0)

    def learn(
        self, centre: Array, expected: Array, values: Array, size: float, *, well_known: bool, plain: bool = True
    ) -> None:
        """What became of a step of this size: values at the centre, expected at its end, and found there.

        One that was made beside others says nothing against the radius.
        """
        self.errors = np.maximum(np.abs(values - expected)[1:], FORGET * self.errors_at(size))
        self.error_size = size
        before = float(self.merit(centre))
        fall, promised = before - float(self.merit(values)), before - float(self.merit(expected))
        ratio = fall / promised if promised > 0.0 else -1.0
        if not plain:
            if ratio > GOOD and size > self.radius:
                self.radius = min(size, LARGEST_RADIUS)
            return
        if ratio < BAD:
            self.shorten(size, well_known=well_known)
            return
        self.failed = 0
        if ratio > GOOD and size > 0.9 * self.radius:
            self.radius = min(2.0 * self.radius, LARGEST_RADIUS)
        elif ratio < POOR:
            self.radius *= 0.7

    def shorten(self, size: float, *, well_known: bool = True) -> None:
        """After a step that brought nothing, less where the points were too few to blame the radius."""
        self.failed += 1
        self.radius *= max(0.5 * min(1.0, size / self.radius), 0.1) if well_known else 0.8

    def packed(self) -> dict[str, Any]:
        """Its numbers for a checkpoint, without what it aims at."""
        return {
            "prices": self.prices.tolist(), "least_prices": self.least_prices.tolist(), "errors": self.errors.tolist(),
            "error_size": self.error_size, "radius": self.radius,
            "failed": self.failed, "done": self.done, "gain": self.gain, "looked": self.looked, "best": self.best,
            "own": list(self.own),
        }  # fmt: skip

    def restore(self, numbers: dict[str, Any]) -> None:
        """Go on from what `packed` gave."""
        for name, value in numbers.items():
            setattr(self, name, np.array(value) if name in ("prices", "least_prices", "errors") else value)
