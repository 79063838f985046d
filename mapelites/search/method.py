"""What a search is to those who run it, and which one a name stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

from mapelites.core.problem import Array, Problem
from mapelites.core.settings import SLOW_SEARCH, Settings
from mapelites.core.tolerances import Tolerances
from mapelites.evaluation.answer import RunServices
from mapelites.evaluation.known import KnownPoints
from mapelites.evaluation.queue import QueueEntry
from mapelites.search.outlook import Outlook
from mapelites.search.paper import PaperMethod
from mapelites.search.state import MapArrays, State


class Method(Protocol):
    """A search at work on a state. It has to end in the same state however it is cut into pieces."""

    state: State

    @property
    def operators(self) -> tuple[str, ...]:
        """What can make a candidate; a tag of the state is a place in this list."""

    @property
    def spent(self) -> dict[str, int]:
        """The evaluations by the part of the search that asked for them."""

    @property
    def failures(self) -> dict[str, tuple[int, str]]:
        """How many evaluations came to nothing, by kind, and what was said of the last one."""

    @property
    def under_way(self) -> int:
        """How many evaluations are being done at this moment."""

    def queue(self) -> tuple[QueueEntry, ...]:
        """The evaluations under way, waiting, and ended lately."""

    def outlook(self) -> Outlook | None:
        """What models expect of the map, where the method has any."""

    def advance(self, until: int) -> None:
        """Search up to evaluation `until`; a step that has begun may go beyond it, but not beyond the budget."""

    def take_known(self, known: KnownPoints) -> None:
        """Learn from what was evaluated before; the state knows it already."""

    def start_from(self, designs: Array) -> None:
        """Have these solutions evaluated first."""

    def settle(self, seconds: float) -> None:
        """Wait at most so long for answers that are on their way."""

    def close(self) -> None:
        """Let go of everything that is not memory."""

    def memory(self) -> dict[str, NDArray[Any]]:
        """Copies of what the method holds besides the state."""

    def remember(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `memory` gave, and from the present state."""


def method_for(
    problem: Problem, m: MapArrays, settings: Settings, state: State, outside: RunServices, tolerances: Tolerances,
    searched: Tolerances,
) -> Method:  # fmt: skip
    """The method that the settings name, at work on this state; `searched` are the levels that it tells apart."""
    if settings.search == SLOW_SEARCH:
        from mapelites.search.surrogate.method import SurrogateMethod  # compiled when it is first needed

        return SurrogateMethod(problem, m, settings, state, outside, tolerances, searched)
    if settings.batch > 1 and not settings.workers and not problem.compiled:
        from mapelites.search.parallel.batches import BatchMethod

        return BatchMethod(problem, m, settings, state, outside)
    if (settings.workers or settings.batch) and not problem.compiled:
        from mapelites.search.parallel.method import ParallelMethod

        return ParallelMethod(problem, m, settings, state, outside)
    if settings.search == "directed":
        from mapelites.search.directed.loop import Directed  # compiled when it is first needed

        return Directed(problem, m, settings, state)
    return PaperMethod(problem, m, settings, state)
