"""Whether a process can hear what it is asked: told to its supervisor through memory that both share."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from mmap import mmap


class BusyMark:
    """Since when a process is at something during which it listens to nobody; made before the process is forked.

    >>> attention = BusyMark()
    >>> with attention.busy():
    ...     attention.is_busy_since(time.monotonic())
    True
    >>> attention.is_busy_since(time.monotonic())
    False
    """

    def __init__(self) -> None:
        shared = memoryview(mmap(-1, 24)).cast("d")
        self._since, self._slept, self._finishing = shared[:1], shared[1:2], shared[2:]
        self._since[0] = math.inf

    @contextmanager
    def busy(self) -> Iterator[None]:
        """For the process: what is done in here takes as long as it takes."""
        self._since[0] = time.monotonic()
        try:
            yield
        finally:
            self._since[0] = math.inf

    def is_busy_since(self, moment: float) -> bool:
        """For the supervisor: whether the process has not listened since that moment of the monotonic clock."""
        return self._since[0] <= moment

    @property
    def is_finishing(self) -> bool:
        """For the supervisor: whether the process let go of its run and only waits for evaluations under way."""
        return bool(self._finishing[0])

    def mark_finishing(self) -> None:
        """For the process: say so."""
        self._finishing[0] = 1.0

    @property
    def seconds_asleep(self) -> float:
        """For the process: the seconds for which its supervisor has had it sleep, of which it notices nothing."""
        return self._slept[0]

    def add_sleep(self, seconds: float) -> None:
        """For the supervisor: so many more."""
        self._slept[0] += seconds
