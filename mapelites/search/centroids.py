"""Centroids in log violation space: few cells of like size for many constraints, as the paper proposes.

A grid has a number of cells that grows exponentially with the constraints. A centroidal Voronoi tessellation
(V. Vassiliades, K. Chatzilygeroudis and J.-B. Mouret, "Using centroidal Voronoi tessellations to scale up the
multidimensional archive of phenotypic elites algorithm", 2018) has as many cells as one likes: a solution belongs to
the nearest of so many points, which k-means has spread evenly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mapelites.core.kernels import INDICES, MATRIX, compiled_for, inlined
from mapelites.core.tolerances import Tolerances

KEPT = 0.15  # the coordinate where violations above 0 begin; at 0 the constraint is kept
SATISFIED = 0.3  # of the sampled violations are 0
BELOW, ABOVE = 2.0, 3.0  # orders of magnitude around the levels above 0
SAMPLES_PER_CELL, MOST_SAMPLES = 10, 20_000
ROUNDS = 5


@dataclass(frozen=True)
class Centroids:
    """Points (cells, constraints) in log violation space, and the orders of magnitude (constraints, 2) it spans.

    >>> centroids = Centroids.of(Tolerances(("g1", "g2"), ((0, 1e-4, 1), (0, 1))), cells=10, seed=1)
    >>> len(centroids), centroids.cell(np.zeros((1, 2))).shape
    (10, (1,))
    """

    points: NDArray[np.float64]
    span: NDArray[np.float64]

    @classmethod
    def of(cls, tolerances: Tolerances, cells: int, seed: int) -> Centroids:
        """So many cells, spread over the violations that the levels tell apart; the same seed gives the same ones."""
        return _spread(tolerances, cells, seed)

    def __len__(self) -> int:
        return len(self.points)

    def cell(self, violations: NDArray[np.float64]) -> NDArray[np.int64]:
        """The cell of each row of violations, (batch, constraints) to (batch,)."""
        low, high = self.span[:, 0], self.span[:, 1]
        with np.errstate(divide="ignore"):
            share = np.clip((np.log10(violations) - low) / (high - low), 0.0, 1.0)
        coordinates = np.where(violations > 0.0, KEPT + (1.0 - KEPT) * share, 0.0)
        cells = np.empty(len(coordinates), dtype=np.int64)
        _assign(self.points.copy(), np.ascontiguousarray(coordinates), cells)
        return cells


@lru_cache(maxsize=16)  # a run's page asks for the same ones again and again
def _spread(tolerances: Tolerances, cells: int, seed: int) -> Centroids:
    """Lloyd's k-means on random violations, some of which are 0."""
    rng, count = np.random.default_rng([seed, cells]), len(tolerances.names)
    size = max(cells, min(SAMPLES_PER_CELL * cells, MOST_SAMPLES))
    samples = np.where(rng.random((size, count)) < SATISFIED, 0.0, KEPT + (1.0 - KEPT) * rng.random((size, count)))
    points = samples[:cells].copy()
    points[0] = 0.0  # where every constraint is kept
    owner = np.empty(size, dtype=np.int64)
    for _ in range(ROUNDS):
        _assign(points, samples, owner)
        sums, members = np.zeros_like(points), np.bincount(owner, minlength=cells)
        np.add.at(sums, owner, samples)
        met = members > 0
        points[met] = sums[met] / members[met, None]
        points[0] = 0.0
    points.flags.writeable = False
    return Centroids(points, _span(tolerances))


def _span(tolerances: Tolerances) -> NDArray[np.float64]:
    """The orders of magnitude around the levels of each constraint."""
    above = [levels[1:] or (1.0,) for levels in tolerances.levels]
    return np.array([(math.log10(each[0]) - BELOW, math.log10(each[-1]) + ABOVE) for each in above])


@inlined
def log_coordinate(violation, low, high):
    """The place of a violation in log violation space, from 0 to 1."""
    if violation <= 0.0:
        return 0.0
    return KEPT + (1.0 - KEPT) * min(max((np.log10(violation) - low) / (high - low), 0.0), 1.0)


@inlined
def nearest_centroid(centroids, point):
    """The place of the centroid nearest to a point, the first of equals."""
    best, least = 0, np.inf
    for k in range(centroids.shape[0]):
        distance = 0.0
        for i in range(point.size):
            step = centroids[k, i] - point[i]
            distance += step * step
            if distance >= least:
                break
        if distance < least:
            best, least = k, distance
    return best


@compiled_for(MATRIX, MATRIX, INDICES)
def _assign(centroids, samples, cells):
    """Fill `cells` with the nearest centroid of each sample."""
    for row in range(samples.shape[0]):
        cells[row] = nearest_centroid(centroids, samples[row])
