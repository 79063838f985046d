"""The log: lines for a person, or one JSON table a line."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from mapelites.core.errors import InputError
from mapelites.system import logs


def record(message: str, **fields: object) -> logging.LogRecord:
    made = logging.getLogger("x").makeRecord("x", logging.WARNING, "f", 1, message, (), None, extra=fields)
    made.created, made.msecs = 1_700_000_000.25, 250.0
    return made


def test_a_json_line_is_one_line_with_time_level_part_message_and_fields() -> None:
    line = logs.JSONLineFormatter("worker").format(record('a "quoted"\nline', run="k3x", path=Ellipsis))
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "2023-11-14T22:13:20.250Z", "level": "warning", "part": "worker", "logger": "x",
        "message": 'a "quoted"\nline', "run": "k3x", "path": "Ellipsis",
    }  # fmt: skip


def test_a_json_line_holds_the_traceback_too() -> None:
    made = record("it failed")
    try:
        raise ZeroDivisionError("no thickness")
    except ZeroDivisionError:
        made.exc_info = sys.exc_info()
    line = logs.JSONLineFormatter("web").format(made)
    assert "\n" not in line
    assert json.loads(line)["error"].endswith("ZeroDivisionError: no thickness")


def test_a_line_for_a_person_ends_with_its_fields() -> None:
    assert (
        logs.LineFormatter("%(message)s").format(record("refused", client="::1", status=401))
        == "refused client=::1 status=401"
    )


def test_what_a_client_sends_begins_no_line_and_commands_no_terminal() -> None:
    made = record("no run 'x\n2026-11-17 all is well'", path="/\x1b[2J\r\u2028\u202e")
    try:
        raise ValueError("x\n2026-11-17 all is well")
    except ValueError:
        made.exc_info = sys.exc_info()
    first, *others = logs.LineFormatter("%(message)s").format(made).splitlines()
    assert first == r"no run 'x\n2026-11-17 all is well' path=/\x1b[2J\r\u2028\u202e"
    assert all(each.startswith("    ") for each in others)
    assert others[-2:] == ["    ValueError: x", "    2026-11-17 all is well"]


def test_an_unknown_kind_of_log_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(logs.VARIABLE, "xml")
    with pytest.raises(InputError, match="MAPELITES_LOG must be one of text, json, but it was 'xml'"):
        logs.log_format()
