"""What every page needs and nothing else: the store, the memory of what was drawn, and who may be worked with."""

from __future__ import annotations

from dataclasses import dataclass

from components.cache import Memory
from mapelites.runs import Store


@dataclass(frozen=True)
class Context:
    """Handed to every page's `layout` and `register`.

    `context.cache.remember(("map", run_id, version, scheme), make)` makes a figure once per key, where
    `make()` returns JSON values (`figure.to_plotly_json()` with lists or base64 arrays); use
    `remember_bytes` for bytes.
    """

    store: Store
    cache: Memory
    schedulers: tuple[str, ...] = ()  # the Dask schedulers that the dashboard was started with
