"""The evaluations of a run as people look at them: which wait, which are under way since when, and how others ended."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

from mapelites.core.errors import InputError
from mapelites.evaluation.answer import KINDS

WAITING, UNDER_WAY = "waiting", "under way"
STATES = (WAITING, UNDER_WAY, *KINDS)
KEPT, KEPT_FAILURES = 20, 10  # of those that ended last
MOST_ENTRIES = 10_000
LONGEST = 2_000  # characters of what was said


@dataclass(frozen=True)
class QueueEntry:
    """One evaluation: why it is made, its state, when it began in seconds since 1970, how long it took, and where."""

    number: int
    purpose: str
    state: str
    started: float = 0.0
    seconds: float = 0.0
    where: str = ""
    words: str = ""

    def as_list(self) -> list[Any]:
        """Plain values for a file."""
        return list(astuple(self))

    @classmethod
    def from_list(cls, values: Sequence[Any]) -> QueueEntry:
        """From a file, where anybody may have written it; an `InputError` where it is none."""
        number, purpose, state, started, seconds, where, words = values
        whole = isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**53
        times = all(isinstance(each, (int, float)) and math.isfinite(each) for each in (started, seconds))
        texts = all(isinstance(each, str) and len(each) <= LONGEST for each in (purpose, where, words))
        if not (whole and times and texts) or state not in STATES:
            raise InputError(f"an evaluation must have a number, texts and times, but it was {values!r:.200}")
        return cls(number, purpose, state, float(started), float(seconds), where, words)


def read_queue(rows: Any) -> tuple[QueueEntry, ...]:
    """The entries that a file has."""
    if not isinstance(rows, list) or len(rows) > MOST_ENTRIES:
        raise InputError(f"the queue must be a list of at most {MOST_ENTRIES:,} evaluations, but it was {rows!r:.80}")
    return tuple(QueueEntry.from_list(each) for each in rows)
