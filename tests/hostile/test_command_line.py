"""Whatever is typed, the answer is the result or one clear line, never a traceback."""

from __future__ import annotations

from pathlib import Path

import app
from mapelites import __main__ as engine
from tests.hostile.command_line import commands, storm
from tests.hostile.junk import VALUES
from tests.hostile.slowest import Slowest


def test_command_lines_with_unexpected_words_are_refused_in_words(tmp_path: Path) -> None:
    codes = storm(tmp_path, 200, 1, Slowest())
    assert codes[2] > 80


def test_every_command_is_tried(tmp_path: Path) -> None:
    assert {"run", "runs", "start", "export", "import", "limit", "worker", "campaign", "report", "doctor"} <= set(
        commands(engine.parser())
    )


def test_the_options_of_the_dashboard_are_refused_in_words(capsys: object) -> None:
    names = [each.option_strings[0] for each in app.parser()._actions if each.option_strings and each.dest != "help"]
    for name in names:
        if name in ("--host", "--data", "--trust"):
            continue
        for value in VALUES[::7]:
            text = str(value)[:200].replace("\0", "")
            try:
                code = app.main([name, text, "--host", "256.256.256.256"])  # nobody can listen there
            except SystemExit as error:
                code = int(error.code or 0)
            assert code == 2, (name, text)
