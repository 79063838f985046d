"""What came of one evaluation, and where answers are kept so that none is asked for twice."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FINE, RAISED, NOT_FINITE, WRONG_SHAPE, DIED, TOO_SLOW = range(6)
KINDS = ("fine", "raised", "not finite", "wrong shape", "died", "too slow")
TRIED_AGAIN = (DIED, TOO_SLOW)  # what may go better another time; what raises will raise again


@dataclass(frozen=True)
class Answer:
    """f, g and h side by side (not numbers where there are none), how it went, and why it did not go well.

    `seconds` and `where` say how long it took and who did it, where somebody kept count.
    """

    values: Array
    status: int = FINE
    words: str = ""
    seconds: float = 0.0
    where: str = ""

    @classmethod
    def without_values(cls, width: int, status: int, words: str) -> Answer:
        """An evaluation that came to nothing."""
        return cls(np.full(width, np.nan), status, words)


class AnswerLog(Protocol):
    """All answers by the number of their candidate."""

    def find(self, number: int, x: Array) -> Answer | None:
        """What this candidate was answered before, or None."""

    def add(self, number: int, x: Array, operator: int, answer: Answer) -> None:
        """Keep an answer for good."""


class NoLog:
    """Keeps nothing: for a search that begins and ends in one go."""

    def find(self, number: int, x: Array) -> Answer | None:
        """Nothing is known."""
        return None

    def add(self, number: int, x: Array, operator: int, answer: Answer) -> None:
        """Forgotten at once."""


@dataclass(frozen=True)
class RunServices:
    """What a search has from those who run it: a log, and how many seconds it may wait for answers (None: for ever)."""

    log: AnswerLog = field(default_factory=NoLog)
    patience: float | None = None
