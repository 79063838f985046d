"""Rank correlation over the elites: of the objective with every violation, and of the violations with each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mapelites.answers.designs import Designs
from mapelites.core.problem import Array


@dataclass(frozen=True)
class Correlation:
    """Spearman's coefficients: the objective first, then the constraints; NaN where one of the two never varies."""

    names: tuple[str, ...]
    matrix: Array
    designs: int  # how many stand behind every number

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All pairs with a number, the strongest first."""
        size = len(self.names)
        both = [(i, j) for i in range(size) for j in range(i + 1, size) if not np.isnan(self.matrix[i, j])]
        return tuple(sorted(both, key=lambda pair: -abs(self.matrix[pair])))


def rank_correlation(designs: Designs) -> Correlation:
    """Over all designs; equal values share a rank."""
    columns = np.column_stack([designs.shown_f, designs.violations])
    ranks = np.column_stack([average_ranks(column) for column in columns.T])
    centred = ranks - ranks.mean(axis=0) if len(ranks) else ranks
    length = np.sqrt((centred**2).sum(axis=0))
    products = centred.T @ centred
    scale = np.outer(length, length)
    matrix = np.full(products.shape, np.nan)
    np.divide(products, scale, out=matrix, where=scale > 0)
    return Correlation(("objective", *designs.names), np.clip(matrix, -1.0, 1.0), len(designs))


def average_ranks(values: Array) -> Array:
    """The rank of each value, counted from 1; equals share the middle of their ranks.

    >>> average_ranks(np.array([5.0, 0.0, 0.0])).tolist()
    [3.0, 1.5, 1.5]
    """
    _, which, number = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(number)
    return np.asarray((last - (number - 1) / 2)[which], dtype=np.float64)
