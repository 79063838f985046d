"""What the solver says to one question."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Solved:
    """A bound on what was made small, whether nothing can exist, and its best points with the value at the first."""

    bound: float | None
    infeasible: bool
    points: tuple[tuple[float, ...], ...]
    value: float | None
    nodes: int
    seconds: float

    def after(self, earlier: Solved) -> Solved:
        """This answer with what an earlier one to the same question took; the higher of two bounds."""
        bounds = [each for each in (self.bound, earlier.bound) if each is not None]
        nodes, seconds = self.nodes + earlier.nodes, self.seconds + earlier.seconds
        return replace(self, bound=max(bounds, default=None), nodes=nodes, seconds=seconds)
