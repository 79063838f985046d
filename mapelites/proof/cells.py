"""Which cells of a map cannot exist: whole blocks of cells are put to the solver, and split where it finds somebody."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.core.archive.empty import Block, EmptyBlocks
from mapelites.core.errors import InputError
from mapelites.core.problem import Array
from mapelites.core.tolerances import Indices, Tolerances
from mapelites.proof.process import GaveUpError
from mapelites.proof.prover import Prover
from mapelites.proof.region import Aim, Effort, Region

LEAST_SECONDS = 0.1
RIM, MOST_RIM = 1e-5, 0.1  # in shares of the typical size of a constraint, and of its narrowest bin


@dataclass(frozen=True)
class EmptyCells:
    """What is proven of the cells of a map: the blocks in which no solution can lie, and how many cells are in them.

    In a block of `rims` a solution could only lie within a rim at the lower ends of its bins, one number for each
    constraint in `rim`: there the solver cannot tell what touches a cell from what lies in it. `open` are the cells
    that nobody was found in and that are not proven empty either.
    """

    tolerances: Tolerances
    blocks: tuple[Block, ...]
    rims: tuple[Block, ...]
    rim: tuple[float, ...]
    occupied: int
    open: int

    @property
    def cells(self) -> int:
        """How many cells are proven empty, some but for a rim; blocks do not overlap."""
        return sum(_size(block) for block in (*self.blocks, *self.rims))

    @property
    def possible(self) -> int:
        """How many cells can exist at most."""
        return self.tolerances.cells - self.cells

    def as_blocks(self) -> EmptyBlocks:
        """The cells that are proven empty, some but for a rim, as a map takes them."""
        return EmptyBlocks(self.tolerances.shape, (*self.blocks, *self.rims))

    def as_value(self) -> dict[str, Any]:
        """What stands for it in JSON."""
        return {
            "names": list(self.tolerances.names),
            "levels": [list(each) for each in self.tolerances.levels],
            "hard": list(self.tolerances.hard),
            "places": [list(each) for each in self.tolerances.places],
            "blocks": [[list(first), list(last)] for first, last in self.blocks],
            "rims": [[list(first), list(last)] for first, last in self.rims],
            "rim": list(self.rim),
            "occupied": self.occupied,
            "open": self.open,
        }

    @classmethod
    def from_value(cls, value: Mapping[str, Any]) -> EmptyCells:
        """What `as_value` put down, with every block looked at."""
        levels = tuple(tuple(map(float, each)) for each in value["levels"])
        places = tuple(tuple(map(int, each)) for each in value.get("places", ()))
        tolerances = Tolerances(tuple(value["names"]), levels, tuple(value["hard"]), places)
        blocks, rims = ([_checked(block, tolerances.shape) for block in value[name]] for name in ("blocks", "rims"))
        rim = tuple(map(float, value["rim"]))
        return cls(tolerances, tuple(blocks), tuple(rims), rim, int(value["occupied"]), int(value["open"]))

    def holds(self, bins: Indices) -> NDArray[np.bool_]:
        """Which rows of bins are of a cell that is proven empty, but for a rim perhaps."""
        return self.as_blocks().hold(bins)


@dataclass
class _CellSearch:
    """What is known so far while blocks are gone through."""

    prover: Prover
    tolerances: Tolerances
    effort: Effort
    until: float
    empty: list[Block] = field(default_factory=list)
    rims: list[Block] = field(default_factory=list)

    def occupied(self) -> Indices:
        """The bins of every solution that is known, each cell once, of those within the hard constraints."""
        known = self.prover.known.violations
        hard = self.tolerances.by_constraint(np.isin(self.tolerances.names, self.tolerances.hard))
        inside = np.all(known[:, hard] <= self.prover.problem.feasible_up_to[hard], axis=1)
        return np.unique(self.tolerances.bins(known[inside]), axis=0)


def find_empty(
    prover: Prover,
    tolerances: Tolerances,
    effort: Effort,
    *,
    seconds: float,
    report: Callable[[int, int], None] = lambda decided, cells: None,
) -> EmptyCells:
    """Prove cells empty for so many seconds; solutions that the solver finds on the way are kept by the prover.

    A cell whose lower edge a solution touches can only be proven empty but for a rim.
    """
    search = _CellSearch(prover, tolerances, effort, time.monotonic() + seconds)
    last = tuple(size - 1 for size in tolerances.shape)
    waiting: list[Block] = [((0,) * len(last), last)]
    total = tolerances.cells
    while waiting:
        waiting.sort(key=_size)
        block = waiting.pop()
        if time.monotonic() > search.until - LEAST_SECONDS or prover.cancelled():
            break
        waiting += _decided(search, block)
        report(total - sum(map(_size, waiting)), total)
    rim = tuple(map(float, _rim(search)))
    occupied = search.occupied()
    found = EmptyCells(tolerances, tuple(search.empty), tuple(search.rims), rim, len(occupied), 0)
    return replace(found, open=found.possible - int((~found.holds(occupied)).sum()))


def _decided(search: _CellSearch, block: Block) -> list[Block]:
    """Decide a block, or return the parts of it that are to be decided each on its own."""
    inside = _inside(search.occupied(), block)
    if len(inside) == _size(block):
        return []
    if not len(inside):
        regions = _regions(search, block)
        if all(_is_empty(search, each) for each in regions):
            search.empty.append(block)
            return []
        inside = _inside(search.occupied(), block)
        if _size(block) == 1:
            rim = not len(inside) and all(_is_empty(search, each.without_rim(_rim(search))) for each in regions)
            search.rims += [block] if rim else []
            return []
    return _parts(block, inside)


def _regions(search: _CellSearch, block: Block) -> tuple[Region, ...]:
    return Region.of_bins(search.tolerances, search.prover.problem, np.array(block[0]), np.array(block[1]))


def _rim(search: _CellSearch) -> Array:
    """More than the solver's tolerance, and little of the narrowest bin."""
    widths = [min((b - a for a, b in pairwise(levels)), default=np.inf) for levels in search.tolerances.levels]
    narrowest = search.tolerances.by_constraint(np.array(widths))
    return np.minimum(RIM * np.array(search.prover.sizes.constraints), MOST_RIM * narrowest)


def _is_empty(search: _CellSearch, region: Region) -> bool:
    if search.prover.best(region) is not None:  # perhaps in another cell, where members are many
        return False
    left = max(LEAST_SECONDS, search.until - time.monotonic())
    effort = replace(search.effort, seconds=min(left, search.effort.seconds))
    try:
        solved = search.prover.ask(region, Aim("feasibility"), effort)
    except GaveUpError:
        return False
    # Somebody known inside of it would contradict the solver.
    return solved.infeasible and search.prover.best(region) is None


def _parts(block: Block, inside: Indices) -> list[Block]:
    """Two parts of a block: one as large as can be with nobody in it, or halves."""
    first, last = block
    best, size = None, 0
    for axis in range(len(first)):
        if first[axis] == last[axis] or not len(inside):
            continue
        low, high = int(inside[:, axis].min()), int(inside[:, axis].max())
        width = _size(block) // (last[axis] - first[axis] + 1)
        for cut, free in ((low, low - first[axis]), (high + 1, last[axis] - high)):
            if free * width > size:
                best, size = (axis, cut), free * width
    axis, cut = best or _middle(block)
    before = (*last[:axis], cut - 1, *last[axis + 1 :])
    after = (*first[:axis], cut, *first[axis + 1 :])
    return [(first, before), (after, last)]


def _middle(block: Block) -> tuple[int, int]:
    widths = [b - a + 1 for a, b in zip(*block, strict=True)]
    axis = int(np.argmax(widths))
    return axis, block[0][axis] + widths[axis] // 2


def _inside(bins: Indices, block: Block) -> Indices:
    return bins[np.all((bins >= block[0]) & (bins <= block[1]), axis=1)]


def _checked(block: Any, shape: tuple[int, ...]) -> Block:
    first, last = (tuple(int(each) for each in side) for side in block)
    if not len(first) == len(last) == len(shape):
        raise InputError(f"a block must have two bins for each of {len(shape)} constraints, but it was {block!r}")
    if not all(0 <= a <= b < size for a, b, size in zip(first, last, shape, strict=True)):
        raise InputError(f"a block must lie within the map, but it was {block!r}")
    return first, last


def _size(block: Block) -> int:
    return math.prod(b - a + 1 for a, b in zip(*block, strict=True))
