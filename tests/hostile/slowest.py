"""How long the slowest of many took. One that hangs ends everything, with where it hangs."""

from __future__ import annotations

import faulthandler
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

HANG = 60.0  # seconds; only a hang gets there


@dataclass
class Slowest:
    """The one that took longest so far."""

    seconds: float = 0.0
    what: str = "nothing"

    @contextmanager
    def timing(self, what: str) -> Iterator[None]:
        """Measure one of them."""
        faulthandler.dump_traceback_later(HANG, exit=True)
        started = time.perf_counter()
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
        seconds = time.perf_counter() - started
        if seconds > self.seconds:
            self.seconds, self.what = seconds, what
