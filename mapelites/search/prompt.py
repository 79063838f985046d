"""A method whose evaluations are answered at once: nothing is ever on its way, and nothing has to be let go of."""

from __future__ import annotations


class Prompt:
    """What such methods have in common."""

    @property
    def failures(self) -> dict[str, tuple[int, str]]:
        """None is counted: what the function raises ends the search."""
        return {}

    def settle(self, seconds: float) -> None:
        """Nothing is on its way."""

    def close(self) -> None:
        """There is nothing to let go of."""
