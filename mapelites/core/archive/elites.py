"""Solutions that were found, one or many, with their raw numbers."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Problem, violations

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Elite:
    """One solution with its raw numbers, its place on the map, when it was found and by what."""

    x: Array
    f: float
    g: Array
    h: Array
    violations: Array
    cell: int
    bins: tuple[int, ...]
    feasible: bool
    found_at: int
    operator: str


@dataclass(frozen=True)
class Elites:
    """Many elites, one per row: x (k, n), f (k,), g (k, m), h (k, p), found_at and operator (k,)."""

    x: Array
    f: Array
    g: Array
    h: Array
    found_at: Integers
    operator: NDArray[np.str_]

    def __post_init__(self) -> None:
        for each in fields(self):
            array = getattr(self, each.name)
            if array.flags.writeable or not array.flags.owndata:  # the caller's stays writable
                array = array.copy()
                array.flags.writeable = False
            object.__setattr__(self, each.name, array)

    @classmethod
    def empty(cls, problem: Problem) -> Elites:
        """No elites of this problem."""
        m, p = problem.inequalities, problem.equalities
        none = np.empty(0, dtype=np.int64)
        return cls(
            np.empty((0, problem.dimension)),
            np.empty(0),
            np.empty((0, m)),
            np.empty((0, p)),
            none,
            np.empty(0, dtype="U16"),
        )

    def __len__(self) -> int:
        return len(self.f)

    def rows(self, index: ArrayLike) -> Elites:
        """The elites at these places, in this order."""
        at = np.asarray(index)
        return Elites(self.x[at], self.f[at], self.g[at], self.h[at], self.found_at[at], self.operator[at])

    def and_(self, others: Elites) -> Elites:
        """These elites, then the others."""
        pairs = ((getattr(self, name), getattr(others, name)) for name in ("x", "f", "g", "h", "found_at", "operator"))
        return Elites(*(np.concatenate(pair) for pair in pairs))

    @cached_property
    def violations(self) -> Array:
        """(k, m + p): inequalities first."""
        return violations(self.g, self.h)

    def check_for(self, problem: Problem) -> None:
        """An `InputError` where the shape or the kind of an array is none that elites of a problem have."""
        k = len(self)
        shapes = {
            "x": (k, problem.dimension), "f": (k,), "g": (k, problem.inequalities), "h": (k, problem.equalities),
            "found_at": (k,), "operator": (k,),
        }  # fmt: skip
        kinds = {"found_at": "i", "operator": "U"}
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape or array.dtype.kind != kinds.get(name, "f"):
                raise InputError(f"{name} must have shape {shape}, but it was {array.dtype} {array.shape}")


@dataclass(frozen=True)
class PlacedElites(Elites):
    """Elites with the cell each lies in, in ascending order of cells."""

    cell: Integers = field(kw_only=True)
