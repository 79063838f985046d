"""The next candidate of a trust region: the optimum of the models in it, or a point that makes the models better."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mapelites.core.problem import Array
from mapelites.search.surrogate.model import LocalModel
from mapelites.search.surrogate.points import ConstraintRanges, Points
from mapelites.search.surrogate.region import LARGEST_RADIUS, TrustRegion
from mapelites.search.surrogate.space import Space

LEAST_RADIUS = 1e-6
LEAST_FALL = 1e-7  # of f: a smaller one is not worth an evaluation
WELL_KNOWN = 0.6  # the largest part of the slope's variance that may be open in any direction
MARGIN = 0.2  # the most by which constraints are kept more than asked for, in units of a typical value
LOOKS = 20
STUCK, MUCH, FREED_RADIUS = 3, 1e-3, 0.05  # failed steps in a row, part of f, part of the unit box
RANDOM_STARTS, WIDE = 2, 0.02  # starts of descents within regions that are at least so wide
LEAST_PRICE, OPEN_PRICE = 0.1, 3.0  # in units of typical values: generally, and while nothing keeps the constraints


class Variant(NamedTuple):
    """One of the candidates that a region may have on its way at one time."""

    scale: float = 1.0  # of the radius
    ahead: bool = False  # whether it may start from a candidate that is on its way, as if that were answered
    only_geometry: bool = False  # whether it is there for the models' sake alone


PLAIN, SHORT, LONG = Variant(), Variant(scale=0.3), Variant(scale=2.5)
AHEAD, GEOMETRY = Variant(ahead=True), Variant(only_geometry=True)
AFTER_SUCCESS = (PLAIN, AHEAD, SHORT, GEOMETRY, LONG)
AFTER_FAILURE = (PLAIN, SHORT, GEOMETRY, AHEAD, LONG)


class Step(NamedTuple):
    """A candidate of a region, and what is needed to learn from its answer."""

    x: Array
    expected: Array  # f and the constraints
    centre: int  # the row from which the step starts
    size: float
    well_known: bool
    is_geometry: bool  # it is there for the models' sake
    variant: Variant = PLAIN


class Stepper:
    """Makes the steps of all regions of one search."""

    def __init__(self, points: Points, space: Space, allowed: Array) -> None:
        """`allowed` is what counts as satisfied of each constraint."""
        self.points, self.space, self.allowed = points, space, allowed
        n = space.n
        self.most = min(max(40, (n + 1) * (n + 2) // 2 + 2 * n), 120)

    def further_step(self, region: TrustRegion, rng: np.random.Generator, variant: Variant) -> Step | None:
        """A candidate beside those that a region has on its way, or None; it changes nothing of the region."""
        trial = replace(region, radius=min(region.radius * variant.scale, LARGEST_RADIUS))
        step = self._look(trial, rng, open_=self._is_open(region), restoring=False, variant=variant)
        return None if step is None else step._replace(variant=variant)

    def next_step(self, region: TrustRegion, rng: np.random.Generator, *, restore: bool = False) -> Step | None:
        """The next step, or None where the region has come to its end."""
        forced = False
        for _ in range(LOOKS):
            open_ = self._is_open(region)
            step = self._look(region, rng, open_=open_, restoring=open_ and (restore or forced))
            if step is not None:
                return step
            region.radius *= 0.3
            if region.radius < LEAST_RADIUS or len(self.space.stepped) == self.space.n:
                if not open_ or forced:
                    break
                forced, region.radius = True, 0.1
        region.done, region.best = True, self.answer(region)
        return None

    def answer(self, region: TrustRegion) -> float:
        """The lowest f that is known within the region's aim."""
        f = self.points.values[self.points.told]
        inside = region.aim.holds(f)
        return float(f[inside, 0].min()) if inside.any() else float("inf")

    def _is_open(self, region: TrustRegion) -> bool:
        """Whether nothing that is known keeps the constraints."""
        return not region.is_restart and not np.isfinite(self.answer(region))

    def _rows(self, region: TrustRegion) -> NDArray[np.int64]:
        """The points from which a step may start."""
        told = self.points.told
        return told[np.isin(told, region.own)] if region.is_restart else told

    def _look(
        self, region: TrustRegion, rng: np.random.Generator, *, open_: bool, restoring: bool, variant: Variant = PLAIN
    ) -> Step | None:
        """What the models offer at the present radius."""
        rows = self._rows(region)
        if not len(rows):
            return None
        values = self.points.values
        centre = int(rows[np.argmin(region.merit(values[rows]))])
        if restoring:
            centre = self._least_broken(region, rows, centre)
        elif region.failed >= STUCK and not variant.ahead and not region.is_restart:
            centre = self._freed(region, centre)
        model = LocalModel(self.points, centre, region.radius, self.most)
        place = self._place_ahead(model, region, values[centre]) if variant.ahead else model.centre
        if place is None:
            return None
        x, multipliers = self._optimum(model, region, place, rows, rng, restoring=restoring)
        unit = model.unit[0] / model.unit[1:]
        if not restoring:
            region.set_prices(multipliers, (OPEN_PRICE if open_ else LEAST_PRICE) * unit)
        here, expected = values[centre], model.predict(x)
        fall = float(region.merit(here)) - float(region.merit(expected))
        if restoring:
            fall = 1e3 * float(((region.aim.excess(here) - region.aim.excess(expected)) * unit).sum())
        shares, directions = model.unknown_directions()
        well_known = bool(shares[-1] < WELL_KNOWN)
        worth = fall >= LEAST_FALL * max(abs(here[0]), 1e-3 * model.unit[0]) and self.points.is_new(x)
        if worth and not variant.only_geometry and (well_known or region.failed < 1 or variant is not PLAIN):
            size = float(np.abs(x - model.centre).max())
            return Step(x, expected, centre, size, well_known, is_geometry=False)
        if well_known or variant not in (PLAIN, GEOMETRY):
            return None
        return self._geometry(model, region, centre, directions[:, -1])

    def _freed(self, region: TrustRegion, centre: int) -> int:
        """The best row that keeps the constraints, where the region is held by one that breaks them for a lower f."""
        told, values = self.points.told, self.points.values
        kept = told[region.aim.holds(values[told])]
        if not len(kept) or region.aim.holds(values[centre]):
            return centre
        best = int(kept[np.argmin(values[kept, 0])])
        if values[best, 0] - values[centre, 0] < MUCH * abs(values[best, 0]):
            return centre
        region.learn_prices(values[centre], values[best])
        region.failed, region.radius = 0, max(region.radius, FREED_RADIUS)
        return best

    def _least_broken(self, region: TrustRegion, rows: NDArray[np.int64], centre: int) -> int:
        """The row that breaks its constraints least, each in units of what is typical near the centre."""
        x, values = self.points.x, self.points.values
        near = rows[np.argsort(np.abs(x[rows] - x[centre]).max(axis=1), kind="stable")[: 2 * self.space.n + 2]]
        typical = np.median(np.abs(values[near, 1:]), axis=0)
        typical = np.where(typical > 0.0, typical, np.inf)
        return int(rows[np.argmin((region.aim.excess(values[rows]) / typical).sum(axis=1))])

    def _place_ahead(self, model: LocalModel, region: TrustRegion, here: Array) -> Array | None:
        """Of the points on their way near the centre the one that is expected to be best, if it is better than that."""
        x = self.points.x[self.points.pending]
        x = x[np.abs(x - model.centre).max(axis=1) <= 2.0 * region.radius]
        merits = [float(region.merit(model.predict(each))) for each in x]
        best = int(np.argmin(merits)) if len(x) else 0
        return x[best] if len(x) and merits[best] < float(region.merit(here)) else None

    def _optimum(
        self, model: LocalModel, region: TrustRegion, place: Array, rows: NDArray[np.int64], rng: np.random.Generator,
        *, restoring: bool,
    ) -> tuple[Array, Array]:  # fmt: skip
        """The best point round a place on the models, on the variables' steps, and the multipliers there."""
        low, high = self.space.box(place, region.radius)
        aim = self._safe_aim(model, region)
        x = self.points.x
        inside = rows[np.abs(x[rows] - place).max(axis=1) <= region.radius]
        order = np.argsort(region.merit(self.points.values[inside]), kind="stable")
        starts = [place, *x[inside[order][1:3]]]
        if region.radius > WIDE:
            starts += list(low + (high - low) * rng.random((RANDOM_STARTS, self.space.n)))
        found = [model.descend(aim, low, high, start, restoring=restoring) for start in starts]
        best = min(found, key=lambda each: each.merit)
        return self.on_steps(model, aim, low, high, best.x), best.multipliers

    def _safe_aim(self, model: LocalModel, region: TrustRegion) -> ConstraintRanges:
        """The aim with a margin for what the models were lately off, and half an equality's tolerance."""
        margin = np.minimum(region.errors_at(region.radius), MARGIN * model.unit[1:]) + 1e-10 * model.unit[1:]
        return region.aim.narrowed(np.maximum(margin, 0.5 * self.allowed))

    def on_steps(self, model: LocalModel, aim: ConstraintRanges, low: Array, high: Array, x: Array) -> Array:
        """A point with its variables on their steps, where there are any, and new if that can be."""
        if not len(self.space.stepped):
            return x

        def solve(first: Array, last: Array, start: Array) -> tuple[float, Array]:
            found = model.descend(aim, first, last, start, steps=10)
            return (found.merit if self.points.is_new(found.x) else np.inf), found.x

        return self.space.on_steps(x, low, high, solve)

    def _geometry(self, model: LocalModel, region: TrustRegion, centre: int, direction: Array) -> Step | None:
        """A point in the direction in which least is known, on the side that promises more."""
        reach = direction / np.abs(direction).max() * region.radius
        ends = [self.space.snapped(model.centre + sign * reach) for sign in (1.0, -1.0)]
        expected = [model.predict(each) for each in ends]
        side = int(region.merit(expected[1]) < region.merit(expected[0]))
        region.failed = 0
        if not self.points.is_new(ends[side]):
            return None
        return Step(ends[side], expected[side], centre, 0.0, True, is_geometry=True)
