"""A question that somebody asks of a map, as the answers get it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AskedQuestion:
    """One question, checked. `need` and `margin` are kept as they were typed; the views say what is wrong with them.

    `behind`: the design selected is the best feasible one, where the elite of its cell hides it.
    """

    view: str
    about: str | None
    allow: dict[str, float]
    hard: tuple[str, ...]
    need: str
    margin: str
    most: int
    measure: str
    pair: tuple[str, str] | None
    behind: bool

    @property
    def key(self) -> str:
        """Names the question among all others."""
        return repr(self)
