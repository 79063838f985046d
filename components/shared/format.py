"""Numbers, times and states as people read them; whoever copies a value gets it in full instead.

>>> count(1234567), duration(83.2)
('1,234,567', '1:23')
"""

from __future__ import annotations

import math
import re
import time
import unicodedata
from datetime import datetime

from mapelites.core.format import clock_time, number

LARGEST_EXACT = 2**53  # beyond it a browser's whole numbers are no longer exact
LONGEST_IN_FILE_NAME = 60
STATES = {
    "queued": "waiting",
    "running": "running",
    "paused": "paused",
    "finished": "finished",
    "stopped": "stopped",
    "failed": "failed",
}


def exact_number(value: float) -> str:
    """A value in full: the shortest text that reads back as the same number."""
    return repr(float(value))


def count(value: int) -> str:
    """A whole number with thousands separators."""
    return f"{value:,}"


def rough_count(value: int) -> str:
    """A whole number in full up to a billion, and in four digits beyond.

    >>> rough_count(48_828_125), rough_count(1_350_851_717_672_992_089)
    ('48,828,125', '1.351e18')
    """
    return count(value) if value < 1e9 else number(float(value))


def many(value: int, one: str, more: str | None = None) -> str:
    """A count with its noun, `1 run` or `2 runs`."""
    return f"{count(value)} {one if value == 1 else more or one + 's'}"


def duration(seconds: float | None) -> str:
    """A length of time, `0.4 s`, `1:23` or `2:03:04`."""
    if seconds is None or not math.isfinite(seconds):
        return "unknown"
    if seconds < 59.95:
        return f"{max(0.0, seconds):.1f} s"
    return clock_time(seconds)


def local_time(moment: float | None) -> str:
    """A moment in the server's local time, `2026-11-16 04:15`."""
    if moment is None:
        return "never"
    return datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M")


def time_ago(moment: float, now: float | None = None) -> str:
    """How long ago a moment was, in the largest unit that fits."""
    passed = max(0.0, (time.time() if now is None else now) - moment)
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if passed >= size:
            return f"{many(int(passed // size), unit)} ago"
    return "just now"


def run_state_text(name: str) -> str:
    """The state of a run in words."""
    return STATES.get(name, name)


def error_sentence(text: str) -> str:
    """What an error says, as a sentence on a page; which part of the program says it is of use in a terminal alone.

    >>> error_sentence("store: the disk is full"), error_sentence("Why?")
    ('The disk is full.', 'Why?')
    """
    text = text.removeprefix("store: ")
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def in_file_name(text: str) -> str:
    """A name that somebody chose as a part of a file's: no more than every system and every header can hold.

    >>> in_file_name("../épaisseur\\n漢"), in_file_name("C16")
    ('epaisseur', 'C16')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "-", plain)[:LONGEST_IN_FILE_NAME].strip("-") or "problem"


def cell_for_browser(cell: int | None) -> int | str | None:
    """The cell as a number where a browser's are exact, else as text."""
    return str(cell) if cell is not None and cell > LARGEST_EXACT else cell
