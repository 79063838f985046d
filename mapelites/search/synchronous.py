"""A method whose evaluations are answered at once: nothing is ever on its way, and nothing has to be let go of."""

from __future__ import annotations

from mapelites.core.problem import Array
from mapelites.evaluation.known import KnownPoints
from mapelites.evaluation.queue import QueueEntry
from mapelites.search.outlook import Outlook


class SynchronousMethod:
    """What such methods have in common."""

    @property
    def failures(self) -> dict[str, tuple[int, str]]:
        """None is counted: what the function raises ends the search."""
        return {}

    @property
    def under_way(self) -> int:
        """No evaluation is being done between two calls."""
        return 0

    def queue(self) -> tuple[QueueEntry, ...]:
        """Nor does one wait."""
        return ()

    def outlook(self) -> Outlook | None:
        """There are no models."""
        return None

    def take_known(self, known: KnownPoints) -> None:
        """The archive knows it, and there is nothing else to learn."""

    def start_from(self, designs: Array) -> None:
        """Nothing waits here: whoever has designs evaluates them and takes them in as known."""
        raise NotImplementedError

    def settle(self, seconds: float) -> None:
        """Nothing is on its way."""

    def close(self) -> None:
        """There is nothing to let go of."""
