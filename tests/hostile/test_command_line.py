"""Whatever is typed, the answer is the result or one clear line, never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

import app
from mapelites import __main__ as engine
from tests.hostile.command_line import NOWHERE, commands, storm
from tests.hostile.junk import VALUES
from tests.hostile.slowest import Slowest


def test_command_lines_with_unexpected_words_are_refused_in_words(tmp_path: Path) -> None:
    codes = storm(tmp_path, 200, 1, Slowest())
    assert codes[2] > 80


def test_every_command_is_tried(tmp_path: Path) -> None:
    assert {"run", "runs", "start", "export", "import", "limit", "worker", "campaign", "report", "doctor"} <= set(
        commands(engine.parser())
    )


def test_the_options_of_the_dashboard_are_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    names = [each.option_strings[0] for each in app.parser()._actions if each.option_strings and each.dest != "help"]
    for name in names:
        if name in ("--host", "--data"):
            continue
        for value in VALUES[::7]:
            text = str(value)[:200].replace("\0", "")
            assert _code([name, text, *NOWHERE]) == 2, (name, text)
            assert capsys.readouterr().err.strip(), (name, text)


@pytest.mark.parametrize("host", ["..", "a" * 5_000, "\u202e", "../../etc/passwd", "9" * 400, "x y", "-1", NOWHERE[1]])
def test_a_host_that_cannot_be_is_refused_in_words(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _code([f"--host={host}", "--port", "0"]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(("--host must be", "cannot listen at"))


@pytest.mark.parametrize("path", ["file", "file/inside", "/proc/nowhere", "a" * 300])
def test_a_folder_that_cannot_be_is_refused_in_words(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert _code(["--data", str(tmp_path / path), "--port", "0"]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("store: ")


@pytest.mark.parametrize(
    "words",
    [
        "run C17 --dim 10 --evaluations 3000 --out {}",
        "campaign --problems C17 --dims 10 --runs 1 --evaluations 3000 --folder {}",
        "campaign --resume {}",
        "report x --data {}",
        "report {}",
        "show {}",
        "export {} --csv",
        "import {}",
        "runs --data {}",
    ],
)
def test_a_name_that_is_too_long_is_refused_in_a_line_before_anything_is_done(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert engine.main(words.format(tmp_path / ("a" * 300)).split()) == 2
    said = capsys.readouterr()
    assert (said.out, len(said.err.splitlines())) == ("", 1)


def _code(arguments: list[str]) -> int:
    try:
        return app.main(arguments)
    except SystemExit as error:
        return int(error.code or 0)
