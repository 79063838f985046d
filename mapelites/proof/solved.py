"""What the solver says to one question."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Solved:
    """A bound on what was made small, whether nothing can exist, and its best points with the value at the first."""

    bound: float | None
    infeasible: bool
    points: tuple[tuple[float, ...], ...]
    value: float | None
    nodes: int
    seconds: float
