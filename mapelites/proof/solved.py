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

    @classmethod
    def nothing(cls) -> Solved:
        """No answer, which took nothing."""
        return cls(None, False, (), None, 0, 0.0)

    def after(self, earlier: Solved) -> Solved:
        """This answer with what an earlier one to the same question took."""
        return replace(self, nodes=self.nodes + earlier.nodes, seconds=self.seconds + earlier.seconds)

    def without_answer(self) -> Solved:
        """What it took alone."""
        return replace(Solved.nothing(), nodes=self.nodes, seconds=self.seconds)

    def without_bound(self) -> Solved:
        """Whether nothing can exist alone: of a question in which nothing was made small."""
        return replace(self, bound=None, value=None)
