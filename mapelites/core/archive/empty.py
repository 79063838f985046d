"""Cells that are proven empty, as blocks of cells: what a map takes for impossible beside what relations say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_CELLS = 4_000_000  # of a map that is gone through cell by cell
Block = tuple[tuple[int, ...], tuple[int, ...]]  # the first and the last bin of each constraint


@dataclass(frozen=True)
class EmptyBlocks:
    """Blocks of a map of some shape in which no solution can lie.

    >>> blocks = EmptyBlocks((2, 3), (((0, 1), (0, 2)),))
    >>> blocks.possible().tolist()
    [[True, False, False], [True, True, True]]
    >>> blocks.possible({1: [1, 2]}).tolist()
    [False, True]
    """

    shape: tuple[int, ...]
    blocks: tuple[Block, ...]

    def possible(self, counted: Mapping[int, ArrayLike] | None = None) -> NDArray[np.bool_]:
        """Which cells may exist; a constraint in `counted` has no axis, and any of its bins that are counted is enough.

        Of a map with very many cells all may.
        """
        counted = counted or {}
        if np.prod(self.shape, dtype=float) > MOST_CELLS:
            return np.ones([size for i, size in enumerate(self.shape) if i not in counted], dtype=bool)
        mask = np.ones(self.shape, dtype=bool)
        for first, last in self.blocks:
            mask[tuple(slice(a, b + 1) for a, b in zip(first, last, strict=True))] = False
        for axis in sorted(counted, reverse=True):  # from the last on, so that the others keep their places
            mask = np.asarray(np.take(mask, np.asarray(counted[axis], dtype=np.int64), axis=axis).any(axis=axis))
        return mask

    def hold(self, bins: ArrayLike) -> NDArray[np.bool_]:
        """Which rows of bins are those of a cell that is proven empty."""
        rows = np.asarray(bins, dtype=np.int64)
        found = np.zeros(len(rows), dtype=bool)
        for first, last in self.blocks:
            found |= np.all((rows >= first) & (rows <= last), axis=1)
        return found
