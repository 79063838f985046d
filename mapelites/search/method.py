"""What a search is to those who run it, and which one a name stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

from mapelites.problem import Problem
from mapelites.search.paper import Paper
from mapelites.search.settings import Settings
from mapelites.search.state import Map, State


class Method(Protocol):
    """A search at work on a state. It has to end in the same state however it is cut into pieces."""

    state: State

    @property
    def operators(self) -> tuple[str, ...]:
        """What can make a candidate; a tag of the state is a place in this list."""

    @property
    def spent(self) -> dict[str, int]:
        """The evaluations by the part of the search that asked for them."""

    def advance(self, until: int) -> None:
        """Search up to evaluation `until`; a step that has begun may go beyond it, but not beyond the budget."""

    def memory(self) -> dict[str, NDArray[Any]]:
        """Copies of what the method holds besides the state."""

    def remember(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `memory` gave, and from the present state."""


def method_for(problem: Problem, m: Map, settings: Settings, state: State) -> Method:
    """The method that the settings name, at work on this state."""
    if settings.search == "directed":
        from mapelites.search.directed import Directed  # compiled when it is first needed

        return Directed(problem, m, settings, state)
    return Paper(problem, m, settings, state)
