"""Local models of f and of every constraint round one of the points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mapelites.core.problem import Array
from mapelites.search.surrogate.descent import descend, new_descent, predict
from mapelites.search.surrogate.kernels import Fit, fill_slope_covariance, fit_outputs, new_fit
from mapelites.search.surrogate.points import FAILED, ConstraintRanges, Points

REACH = 6.0  # a point further away, in units of the model, is not used while there are enough others
CLIP = 50.0  # a value further from the centre's, in units of a typical one, counts as so far
SLOPE_STEP = 0.02  # in units of the model, to the points that stand for gradients
SPREAD, QUANTILE = 0.2, 0.9
PRICE = 1e4  # of what lies outside of an interval, in units of typical values
NEAR = 1e-2  # of the squared distance that takes the place of f in a restoration
FINE, OUT = -1.0, 1.0  # the output that tells failed points from others
SAFE = -0.1


class Optimum(NamedTuple):
    """The end of a descent on the models."""

    merit: float
    x: Array
    multipliers: Array  # of the constraints, in f per unit of each


class LocalModel:
    """Models of all outputs, fitted to at most `most` points near the centre, which is row `centre` of the points.

    Points whose evaluation failed are one more output: 1 there and -1 elsewhere, to be kept below 0. Points on their
    way say nothing of the values, only that what can be learned there will be known.
    """

    def __init__(self, points: Points, centre: int, radius: float, most: int) -> None:
        told = points.told
        self.centre = points.x[centre].copy()
        away = np.abs(points.x[told] - self.centre).max(axis=1)
        order = np.argsort(away, kind="stable")[:most]
        away, rows, n = away[order], told[order], points.x.shape[1]
        self.scale = max(radius, float(away[min(len(away) - 1, n + 2)]), 1e-9)
        count = max(int((away <= REACH * self.scale).sum()), min(len(away), 2 * n + 2))
        rows, away = rows[:count], away[:count]
        self.base = points.values[centre].copy()
        self.unit = _typical(points.values[rows] - self.base, away <= 2.0 * self.scale)
        self.guarded = False
        beside, sloped = points.beside(rows, SLOPE_STEP * self.scale, most)
        x, values = np.concatenate([points.x[rows], beside]), np.concatenate([points.values[rows], sloped])
        self._fit(x, values, None)
        pending, failed = (
            each[np.abs(points.x[each] - self.centre).max(axis=1) <= REACH * self.scale][-most:]
            for each in (points.pending, np.flatnonzero(points.status == FAILED))
        )
        self._pending = (points.x[pending] - self.centre) / self.scale
        if len(failed):
            expected = np.array([self.predict(each) for each in points.x[failed]])
            hidden = np.r_[np.full(len(x), FINE), np.full(len(failed), OUT)]
            self._fit(np.concatenate([x, points.x[failed]]), np.concatenate([values, expected]), hidden)

    def _fit(self, x: Array, values: Array, hidden: Array | None) -> None:
        at = np.ascontiguousarray((x - self.centre) / self.scale)
        plain = (values - self.base) / self.unit
        outputs = np.column_stack([plain, np.clip(plain, -CLIP, CLIP)])
        if hidden is not None:
            outputs, self.guarded = np.column_stack([outputs, hidden - FINE]), True
        nearness = (1.0 + (at**2).sum(axis=1) / at.shape[1]) ** -2.0
        both = new_fit(at, outputs.shape[1])
        fit_outputs(both, np.ascontiguousarray(outputs.T), nearness / nearness.sum())
        self.fit = _better(both, len(self.unit))

    def predict(self, x: Array) -> Array:
        """f and every constraint at a point."""
        found = np.empty(len(self.fit.chosen))
        predict(self.fit, (x - self.centre) / self.scale, np.empty(len(self.fit.points)), found)
        return np.asarray(self.base + self.unit * found[: len(self.unit)])

    def descend(
        self, aim: ConstraintRanges, low: Array, high: Array, start: Array, *, steps: int = 25, restoring: bool = False
    ) -> Optimum:
        """The best point between `low` and `high` that a descent from `start` finds.

        A restoration asks for the nearest point that keeps the constraints in place of the best one.
        """
        ends = [(end - self.base[1:]) / self.unit[1:] for end in aim]
        if self.guarded:
            ends = [np.append(ends[0], -np.inf), np.append(ends[1], SAFE - FINE)]
        box = [(end - self.centre) / self.scale for end in (low, high)]
        at = new_descent(len(self.fit.points), len(start), *ends, *box)
        at.u[:] = (start - self.centre) / self.scale
        at.near[0] = NEAR if restoring else 0.0
        merit = descend(self.fit, at, PRICE, steps)
        x = np.clip(self.centre + self.scale * at.u, low, high)
        return Optimum(merit, x, at.multipliers[: len(self.unit) - 1] * self.unit[0] / self.unit[1:])

    @property
    def typical_error(self) -> float:
        """How far the model of f is off at a point near the centre that is left out."""
        return float(np.sqrt(self.fit.errors[0]) * self.unit[0])

    def unknown_directions(self) -> tuple[Array, Array]:
        """How much of the slope is open in each of n directions, ascending (1 and more: all of it), and these."""
        fit = self.fit
        if len(self._pending):
            fit = new_fit(np.ascontiguousarray(np.concatenate([fit.points, self._pending])), 1)
        count, n = fit.points.shape
        left = np.empty((n, n))
        fill_slope_covariance(fit, np.empty((count, n)), left)
        shares, directions = np.linalg.eigh(left)
        return shares * self.fit.lengths[0] ** 2, directions


def _better(both: Fit, count: int) -> Fit:
    """Of each output the model of its values as they are, or cut off where they are far: whichever errs less.

    A linear constraint is known exactly from points that are far off; a function that grows beyond all bounds is not.
    """
    places = np.arange(count)
    places[both.errors[count : 2 * count] < both.errors[:count]] += count
    places = np.r_[places, np.arange(2 * count, len(both.chosen))]
    return both._replace(
        chosen=both.chosen[places], weights=both.weights[places], slopes=both.slopes[places], errors=both.errors[places]
    )


def _typical(differences: Array, near: Array) -> Array:
    """A typical size of each output's differences, from the near points where there are some.

    Where most points keep an equality, the few that do not still count: they alone tell its slope.
    """
    sizes = np.abs(differences[near] if near.sum() > 3 else differences)
    size = np.maximum(np.median(sizes, axis=0), SPREAD * np.quantile(sizes, QUANTILE, axis=0))
    size = np.where(size > 0.0, size, np.abs(differences).max(axis=0))
    return np.asarray(np.where(size > 0.0, size, 1.0))
