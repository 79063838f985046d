"""What every page needs and nothing else: the store, where runs begin, and the cache of what was drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from components.shared.follow import PollPacer
from components.shared.queue import RunQueue
from mapelites.runs import Store

Key = tuple[str | int | float | bool | None, ...]


class DrawingCache(Protocol):
    """Makes each derived thing once, however many browsers ask for it at the same time."""

    def remember(self, key: Key, make: Callable[[], Any]) -> Any:
        """What `make` returns, JSON values only, made once per key."""

    def remember_bytes(self, key: Key, make: Callable[[], bytes]) -> bytes:
        """Like `remember`, for bytes."""


@dataclass(frozen=True)
class Context:
    """Handed to every page's `layout` and `register`.

    `context.cache.remember(("map", run_id, version, scheme), make)` makes a figure once per key, where
    `make()` returns JSON values (`figure.to_plotly_json()` with lists or base64 arrays); use
    `remember_bytes` for bytes.
    """

    store: Store
    cache: DrawingCache
    queue: RunQueue
    pacer: PollPacer = field(default_factory=PollPacer)  # one for all pages: they share the machine

    @property
    def schedulers(self) -> tuple[str, ...]:
        """The Dask schedulers that the dashboard was started with."""
        return self.queue.schedulers
