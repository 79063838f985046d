"""A progress bar for the terminal: how far, how fast, how long still."""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType
from typing import TextIO

from mapelites.core.format import clock_time, evaluation_rate, short_count

REDRAW_SECONDS = 0.1
PLAIN_SECONDS = 60.0  # between two lines of a file
WIDTH = 24


class ProgressLine:
    """Draws one line and redraws it in place; where the output is not a terminal, a plain line a minute."""

    def __init__(self, total: int, *, quiet: bool = False, output: TextIO | None = None, unit: str = "") -> None:
        self.total, self.unit = total, unit
        self.output = output or sys.stderr
        self.shown = not quiet and self.output.isatty()
        self.plain = not quiet and not self.shown
        self.started = self.drawn = time.perf_counter()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.shown:
            self.output.write("\n")

    def update(self, done: int, note: str = "") -> None:
        """Say that so much is done; the bar is redrawn at most ten times a second, and at the end."""
        now = time.perf_counter()
        if self.plain and now - self.drawn >= PLAIN_SECONDS:
            self.drawn = now
            self.output.write(self._words(done, now - self.started, note) + "\n")
            self.output.flush()
        if not self.shown or (now - self.drawn < REDRAW_SECONDS and done < self.total):
            return
        self.drawn = now
        width = shutil.get_terminal_size().columns - 1
        self.output.write("\r" + self.line(done, now - self.started, note, width) + "\x1b[K")
        self.output.flush()

    def line(self, done: int, seconds: float, note: str, width: int) -> str:
        """The text of the bar; the bar itself takes what the numbers leave of the width."""
        share = done / self.total if self.total else 1.0
        words = self._words(done, seconds, note)
        room = min(WIDTH, width - len(words) - 3)
        bar = f"[{('=' * round(share * room)).ljust(room)}] " if room >= 4 else ""
        return (bar + words)[:width]

    def _words(self, done: int, seconds: float, note: str) -> str:
        share = done / self.total if self.total else 1.0
        rate = done / seconds if seconds else 0.0
        left = clock_time((self.total - done) / rate) if rate else "?"
        count = f"{short_count(done)}/{short_count(self.total)}{f' {self.unit}' if self.unit else ''}"
        return f"{share:4.0%}  {count}  {evaluation_rate(rate)}  {left} left  {note}"
