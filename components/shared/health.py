"""How web, store and worker are, with the words for the banner."""

from __future__ import annotations

import time
from typing import Any

from components.shared.format import error_sentence
from mapelites.runs import Store, StoreError

MOMENT = 0.5  # seconds


class Health:
    """How web, store and worker are, in one table with the words for the banner."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lately: tuple[float, dict[str, Any]] | None = None

    def now(self) -> dict[str, Any]:
        """As it is now."""
        try:
            worker = self._store.worker()
        except StoreError as error:
            return {"web": True, "store": False, "worker": False, "problem": error_sentence(str(error))}
        problem = None if worker.problem is None else error_sentence(worker.problem)
        return {"web": True, "store": problem is None, "worker": worker.alive, "problem": problem}

    def lately(self) -> dict[str, Any]:
        """As it was a moment ago at the earliest: every open page asks for this, and few need to look."""
        if self._lately is None or time.monotonic() - self._lately[0] > MOMENT:
            self._lately = time.monotonic(), self.now()
        return self._lately[1]
