"""Levels to bins to cells: how violations are cut into the places of the map."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mapelites.errors import InputError
from mapelites.problem import Kind, Problem

PAPER_LEVELS = (0.0, 1e-4, 1e-2, 1.0)
# What a problem has that nobody chose levels for: the first of these whose cells can be numbered.
DEFAULT_LEVELS = (PAPER_LEVELS, (0.0, 1e-4, 1.0), (0.0, 1e-4), (0.0,))
MOST_LEVELS = 40
MOST_CELLS = 2**63 - 1  # cells have 64-bit numbers

Levels = tuple[float, ...]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Tolerances:
    """The tolerance levels of every constraint of a problem.

    >>> tolerances = Tolerances(("g1",), ((0, 0.5),))
    >>> tolerances.labels(0)
    ('{0}', '(0, 0.5]', '(0.5, ∞)')
    >>> tolerances.bins([[0.5]])
    array([[1]])
    """

    names: tuple[str, ...]
    levels: tuple[Levels, ...]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.levels):
            raise InputError(
                f"tolerances: {len(self.names)} constraints need {len(self.names)} lists of levels, "
                f"but there were {len(self.levels)}"
            )
        levels = tuple(check_levels(name, each) for name, each in zip(self.names, self.levels, strict=True))
        object.__setattr__(self, "levels", levels)
        if self.cells > MOST_CELLS:
            raise InputError(
                f"tolerances: the levels of {', '.join(self.names)} make {self.cells:,} cells, "
                f"but a map has at most {MOST_CELLS:,}; take fewer levels"
            )

    @classmethod
    def default(cls, problem: Problem) -> Tolerances:
        """The paper's levels for every constraint (section 4), or as many of them as so many constraints allow."""
        return cls.same(problem, default_levels(len(problem.constraints)))

    @classmethod
    def same(cls, problem: Problem, levels: Iterable[float]) -> Tolerances:
        """One set of levels for every constraint."""
        names = tuple(constraint.name for constraint in problem.constraints)
        return cls(names, (tuple(levels),) * len(names))

    @classmethod
    def of(cls, problem: Problem, levels: Mapping[str, Iterable[float]]) -> Tolerances:
        """Levels by constraint name; one that is not named gets those of `default`."""
        names = tuple(constraint.name for constraint in problem.constraints)
        for name in levels:
            if name not in names:
                raise InputError(f"tolerances: {problem.name} has constraints {', '.join(names)}, but not {name!r}")
        default = default_levels(len(names))
        return cls(names, tuple(tuple(levels.get(name, default)) for name in names))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of bins of each constraint."""
        return tuple(len(levels) + 1 for levels in self.levels)

    @property
    def cells(self) -> int:
        """The number of cells of the whole map."""
        return math.prod(self.shape)

    def bins(self, violations: ArrayLike) -> Indices:
        """The bin of each violation: (batch, constraints) numbers to (batch, constraints) indices."""
        values = np.asarray(violations, dtype=np.float64)
        columns = [np.searchsorted(levels, values[:, i], side="left") for i, levels in enumerate(self.levels)]
        return np.stack(columns, axis=1).astype(np.int64)

    def cell(self, bins: ArrayLike) -> Indices:
        """The flat index of the cell of each row of bins."""
        columns = np.asarray(bins, dtype=np.int64).T
        return np.asarray(np.ravel_multi_index(tuple(columns), self.shape), dtype=np.int64)

    def bins_of(self, cells: ArrayLike) -> Indices:
        """The bins of each flat cell index, the inverse of `cell`."""
        return np.stack(np.unravel_index(np.asarray(cells, dtype=np.int64), self.shape), axis=-1)

    def labels(self, constraint: int) -> tuple[str, ...]:
        """The bins of one constraint in words, `{0}`, `(0, 0.0001]` and so on."""
        levels = self.levels[constraint]
        inner = [f"({short(low)}, {short(high)}]" for low, high in pairwise(levels)]
        return ("{0}", *inner, f"({short(levels[-1])}, ∞)")

    def possible(self, problem: Problem, bins: Mapping[int, ArrayLike] | None = None) -> NDArray[np.bool_]:
        """Which cells can exist, given the relations between constraints: an array of shape `shape`.

        Constraints whose `bins` are given have no axis of their own: the array says whether any cell can exist with
        one of these bins. So a part of a map can be asked for that is too large as a whole.
        """
        named = {i: np.asarray(each, dtype=np.int64) for i, each in (bins or {}).items()}
        shown = [i for i in range(len(self.names)) if i not in named]
        mask = np.ones([self.shape[i] for i in shown], dtype=bool)
        for members, part in self._related(problem):
            for axis, i in enumerate(members):
                if i in named:
                    part = np.asarray(np.take(part, named[i], axis=axis).any(axis=axis, keepdims=True))
            # Members ascend and so do the axes, so the sizes alone put each in its place.
            mask &= part.reshape([self.shape[i] if i in members else 1 for i in shown])
        return mask

    def possible_cells(self, problem: Problem) -> int:
        """How many cells can exist, given the relations between constraints."""
        found = self.cells
        for members, part in self._related(problem):
            found = found // math.prod(self.shape[i] for i in members) * int(part.sum())
        return found

    def can_exist(self, problem: Problem, bins: Indices) -> NDArray[np.bool_]:
        """Which rows of bins, a (batch, constraints) array, are those of a cell that can exist."""
        found = np.ones(len(bins), dtype=bool)
        for members, part in self._related(problem):
            found &= part[tuple(bins[:, i] for i in members)]
        return found

    def _related(self, problem: Problem) -> list[tuple[tuple[int, ...], NDArray[np.bool_]]]:
        """The groups of constraints that depend on each other, with which of their bins can be together."""
        groups: list[set[int]] = []
        pairs = [(self.names.index(each.first), self.names.index(each.second), each) for each in problem.relations]
        for i, j, _ in pairs:
            met = [group for group in groups if i in group or j in group]
            groups = [group for group in groups if group not in met] + [{i, j}.union(*met)]
        found = []
        for group in groups:
            members = tuple(sorted(group))
            mask = np.ones([self.shape[i] for i in members], dtype=bool)
            for i, j, relation in pairs:
                if i in group:
                    kinds = problem.constraints[i].kind, problem.constraints[j].kind
                    together = _together(self.levels[i], self.levels[j], kinds, relation.total)
                    # The axes of the two come first in this view, so the pairs of their bins fit all the others.
                    view = np.moveaxis(mask, (members.index(i), members.index(j)), (0, 1))
                    view &= together.reshape(*together.shape, *[1] * (mask.ndim - 2))
            found.append((members, mask))
        return found

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """All levels in one array, padded with infinity: what the compiled loop searches."""
        width = max(len(levels) for levels in self.levels)
        table = np.full((len(self.levels), width), np.inf)
        for row, levels in zip(table, self.levels, strict=True):
            row[: len(levels)] = levels
        return table


class _Values(NamedTuple):
    """Numbers between two ends, each of which may belong to them.

    A finite end is a fraction, so that sums are exact; no sum is infinite, so it makes no difference whether an
    infinite end belongs to them.
    """

    low: Fraction | float
    high: Fraction | float
    with_low: bool
    with_high: bool

    def can_add_up(self, other: _Values, total: Fraction) -> bool:
        """Whether one of these and one of the others have this sum."""
        least, most = self.low + other.low, self.high + other.high
        above = least < total or (least == total and self.with_low and other.with_low)
        below = total < most or (total == most and self.with_high and other.with_high)
        return above and below


def _values_of(levels: Levels, kind: Kind) -> list[tuple[_Values, ...]]:
    """The values of a constraint that fall in each of its bins, which for an equality are on both sides of 0."""
    zero = Fraction(0)
    ends: list[Fraction | float] = [*map(Fraction, levels), math.inf]
    found: list[tuple[_Values, ...]] = [(_Values(-math.inf if kind == "inequality" else zero, zero, True, True),)]
    for low, high in pairwise(ends):
        above = _Values(low, high, with_low=False, with_high=True)
        below = _Values(-high, -low, with_low=True, with_high=False)
        found.append((above,) if kind == "inequality" else (above, below))
    return found


@lru_cache(maxsize=256)
def _together(first: Levels, second: Levels, kinds: tuple[Kind, Kind], total: float) -> NDArray[np.bool_]:
    """Which bins of two constraints can be met at once when their values always add up to `total`."""
    rows, columns, exact = _values_of(first, kinds[0]), _values_of(second, kinds[1]), Fraction(total)
    mask = np.array([[any(a.can_add_up(b, exact) for a in row for b in column) for column in columns] for row in rows])
    mask.flags.writeable = False
    return mask


def default_levels(constraints: int) -> Levels:
    """The levels of each of so many constraints where nobody chose any.

    >>> default_levels(4), default_levels(38)
    ((0.0, 0.0001, 0.01, 1.0), (0.0, 0.0001))
    """
    fitting = (levels for levels in DEFAULT_LEVELS if (len(levels) + 1) ** constraints <= MOST_CELLS)
    return next(fitting, DEFAULT_LEVELS[-1])


def check_levels(name: str, levels: Iterable[float]) -> Levels:
    """The levels of one constraint, with 0 put in front where it is missing; or an error in words."""
    values = tuple(_number(name, level) for level in levels)
    for value in values:
        if not np.isfinite(value):
            raise InputError(f"{name}: a level must be a finite number, but one was {value}")
        if value < 0:
            raise InputError(f"{name}: a level must not be negative, but one was {short(value)}")
    for low, high in pairwise(values):
        if low == high:
            raise InputError(f"{name}: level {short(low)} is there twice")
        if low > high:
            raise InputError(f"{name}: levels must ascend, but {short(low)} comes before {short(high)}")
    with_zero = (0.0, *(value for value in values if value > 0))
    if len(with_zero) > MOST_LEVELS:
        added = " and the level 0, which is always there" if len(with_zero) > len(values) else ""
        raise InputError(f"{name}: at most {MOST_LEVELS} levels are possible, but there were {len(values)}{added}")
    return with_zero


def _number(name: str, level: object) -> float:
    try:
        if isinstance(level, (bool, complex)):
            raise TypeError
        return float(level)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: a level must be a number, but one was {level!r}") from None


def short(value: float) -> str:
    """A level as people write it: the shortest text that reads back as the same number."""
    text = repr(float(value))
    plain = text.removesuffix(".0")
    if ("e" not in text and 1e-3 <= abs(value) < 1e5) or value == 0:
        return plain
    mantissa, exponent = f"{value:e}".split("e")
    for digits in range(17):
        mantissa, exponent = f"{value:.{digits}e}".split("e")
        if float(f"{mantissa}e{exponent}") == value:
            break
    return f"{mantissa}e{int(exponent)}"
