"""What was made last, kept for whoever asks next: so many of each kind, in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RecentValues(Generic[Key, Value]):
    """The values that were put in or asked for last, for any number of threads.

    >>> recent = RecentValues[str, int](2)
    >>> for place, name in enumerate("abc"):
    ...     recent.put(name, place)
    >>> recent.get("a"), recent.get("b"), recent.get("c")
    (None, 1, 2)
    """

    def __init__(self, most: int, weigh: Callable[[Value], int] = lambda value: 0, heaviest: int = 2**62) -> None:
        """Keep so many at most, and those that weigh `heaviest` together; the newest in any case."""
        self._most, self._weigh, self._heaviest = most, weigh, heaviest
        self._kept: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """The value, or None where it is not kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def remember(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value, made now where it is not kept; two threads that ask at once may both make it."""
        found = self.get(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found

    def put(self, key: Key, value: Value) -> None:
        """Keep a value, and let go of the one that was wanted longest ago."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and (len(self._kept) > self._most or self._weight() > self._heaviest):
                self._kept.popitem(last=False)

    def _weight(self) -> int:
        return sum(map(self._weigh, self._kept.values()))
