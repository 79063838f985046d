"""Command lines with every option, given what it does not expect."""

from __future__ import annotations

import argparse
import io
import json
import random
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import app
from mapelites import __main__ as engine
from tests.hostile import junk
from tests.hostile.slowest import Slowest

LONG = ("worker", "campaign", "compile", "run", "start")  # would work for long where the input is right by chance
DASHBOARD = "app.py"
NOWHERE = ("--host", "256.256.256.256")  # nobody can listen there, so that whatever is right is read and no more
NO_FOLDERS = ("file", "file/inside", "a" * 300, "/proc/nowhere", "/dev/null")
TEXTS = [each if isinstance(each, str) else json.dumps(each) for each in junk.VALUES]


def commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The subcommands of a parser."""
    (found,) = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    return dict(found.choices)


def options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Everything that can be given to it."""
    return [each for each in parser._actions if not isinstance(each, argparse._HelpAction)]


def word(random_: random.Random) -> str:
    """One word of a command line; the system allows none with a zero in it."""
    return random_.choice(TEXTS).replace("\0", "")[:2_000]


def line(random_: random.Random, name: str, parser: argparse.ArgumentParser, data: Path) -> list[str]:
    """A command line for one command."""
    made = [name]
    for each in options(parser):
        if each.dest in ("data", "out", "folder", "resume"):
            if each.dest != "data" and random_.random() < 0.1:
                made += [each.option_strings[0], str(data / random_.choice(("no/such/place", "file", "", "a" * 300)))]
            continue
        if each.option_strings and random_.random() < 0.4:
            made.append(random_.choice(each.option_strings))
            made += [] if each.nargs == 0 else [word(random_)]
        elif not each.option_strings:
            made += [word(random_) for _ in range(random_.choice((0, 1, 1, 1, 2)))]
    if any(each.dest == "data" for each in options(parser)):
        made += ["--data", str(data / random_.choice(NO_FOLDERS) if random_.random() < 0.1 else data)]
    return made


def run(main: Callable[[list[str]], int], arguments: list[str]) -> tuple[int, str]:
    """The exit code and what was said, as if it had been typed."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as error:  # argparse has refused it
            code = int(error.code or 0)
    return code, err.getvalue()


def storm(data: Path, count: int, seed: int, slowest: Slowest) -> dict[Any, int]:
    """So many command lines; how often each exit code came. What is not refused must have worked."""
    random_, known = random.Random(seed), {**commands(engine.parser()), DASHBOARD: app.parser()}
    codes: dict[Any, int] = {}
    (data / "file").write_bytes(b"PK\x03\x04 and no more")
    for number in range(count):
        name = random_.choice(sorted(known))
        arguments = line(random_, name, known[name], data)
        if name in LONG:
            arguments += ["--no-such-option", "1"] if random_.random() < 0.5 else []
        what = f"line {number} of seed {seed}: {arguments}"
        with _named(what), slowest.timing(what), chdir(data):  # where files may be written that somebody named
            code, said = _tried(name, arguments)
        assert code in (0, 1, 2), f"{arguments}: {code} {said}"
        assert "Traceback" not in said, f"{arguments}: {said}"
        assert code != 2 or said.strip(), f"{arguments} was refused without a word"
        assert code == 2 or name != DASHBOARD, f"{arguments} was not refused"
        codes[code] = codes.get(code, 0) + 1
    return codes


def _tried(name: str, arguments: list[str]) -> tuple[int, str]:
    """Do it, or, where it would work for long if it were right, only read it."""
    if name == DASHBOARD:
        return run(app.main, [*arguments[1:], *NOWHERE])
    if name not in LONG or "--no-such-option" in arguments:
        return run(engine.main, arguments)
    return read(arguments)


def read(arguments: list[str]) -> tuple[int, str]:
    """Read the words of a long command as it would, and go no further."""
    from mapelites.commands.campaign import parse_campaign
    from mapelites.commands.engine import parse_search
    from mapelites.core.errors import InputError

    err = io.StringIO()
    with redirect_stderr(err), redirect_stdout(io.StringIO()):
        try:
            given = engine.parser().parse_args(arguments)
            if given.command in ("run", "start"):
                parse_search(given)
            elif given.command == "campaign":
                parse_campaign(given)
        except InputError as error:
            return 2, str(error)
        except SystemExit as error:
            return int(error.code or 0), err.getvalue()
    return 0, ""


@contextmanager
def _named(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
