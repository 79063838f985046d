"""What the processes say while they work: lines for a person, or one JSON table a line for a collector of logs.

MAPELITES_LOG=json, or `python app.py --log json`, chooses the second. What a message is about goes into fields
of its own: `log.info("run finished", extra={"run": run_id})`.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from typing import Any

from mapelites.core.errors import unknown

VARIABLE = "MAPELITES_LOG"
KINDS = ("text", "json")
USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


def log_format() -> str:
    """The kind of lines that the environment asks for."""
    asked = os.environ.get(VARIABLE) or KINDS[0]
    if asked not in KINDS:
        raise unknown(VARIABLE, asked, KINDS)
    return asked


def log_handler(part: str) -> logging.Handler:
    """Writes the lines of one part of the whole, such as the worker, to the standard error."""
    made = logging.StreamHandler(sys.stderr)
    made.setFormatter(JSONLineFormatter(part) if log_format() == "json" else LineFormatter("%(asctime)s %(message)s"))
    return made


def set_up(part: str, level: int = logging.INFO) -> None:
    """Have everything of this process written by one handler."""
    logging.basicConfig(level=level, handlers=[log_handler(part)], force=True)


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """What a message is about."""
    return {name: value for name, value in vars(record).items() if name not in USUAL}


def without_control_characters(text: str) -> str:
    """Text without what would begin another line or command a terminal: clients have a say in what is logged.

    >>> without_control_characters("no\\n2026-11-17 all is well\\x1b[2J")
    'no\\\\n2026-11-17 all is well\\\\x1b[2J'
    """
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


class LineFormatter(logging.Formatter):
    """The message, and what it is about as name=value, in one line; a traceback stands below it, indented."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - so called by logging
        """The line."""
        fields = (f"{name}={value}" for name, value in fields_of(record).items())
        return without_control_characters(" ".join([super().formatMessage(record), *fields]))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - so called by logging
        """The traceback."""
        return "\n".join(f"    {without_control_characters(line)}" for line in super().formatException(ei).split("\n"))


class JSONLineFormatter(logging.Formatter):
    """One JSON table a line: time (UTC), level, part, message, its fields, and the traceback as one text."""

    def __init__(self, part: str) -> None:
        super().__init__()
        self.part = part

    def format(self, record: logging.LogRecord) -> str:
        """One line, whatever the message holds."""
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        table = {
            "time": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "part": self.part,
            "logger": record.name,
            "message": record.getMessage(),
            **fields_of(record),
        }
        if record.exc_info:
            table["error"] = self.formatException(record.exc_info)
        return json.dumps(table, default=str)
