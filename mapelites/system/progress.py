"""A progress bar for the terminal: how far, how fast, how long still."""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType
from typing import TextIO

from mapelites.core.format import seconds_each

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
        return f"{share:4.0%}  {count}  {pace_text(rate)}  {left} left  {note}"


def pace_text(rate: float) -> str:
    """So many per second, or seconds for each.

    >>> pace_text(1_210.0), pace_text(0.25)
    ('1.21k/s', '4 s each')
    """
    return seconds_each(rate) if 0.0 < rate < 1.0 else f"{short_count(rate)}/s"


def short_count(count: float) -> str:
    """A count to three digits or so: 950, 12.3k, 1.21M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= size:
            return f"{count / size:.3g}{unit}" if count < 1000 * size else f"{count / size:.0f}{unit}"
    return f"{count:.0f}"


def clock_time(seconds: float) -> str:
    """A length of time as people read it: 0:07, 12:30, 1:02:03."""
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
