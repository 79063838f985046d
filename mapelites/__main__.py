"""The command line: `python -m mapelites <command>`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from mapelites import __version__
from mapelites.commands import backup, campaign, doctor, engine, proof, runs
from mapelites.commands.parsing import CommandParser
from mapelites.core.errors import InputError

NAME = "python -m mapelites"


def parser(name: str = NAME) -> argparse.ArgumentParser:
    """All commands with their options; `name` is what was typed before them."""
    top = CommandParser(prog=name, description=__doc__)
    add_version(top)
    register(top.add_subparsers(dest="command", required=True, metavar="command"))
    return top


def add_version(options: argparse.ArgumentParser) -> None:
    """Have a parser know `--version`."""
    options.add_argument("--version", action="version", version=f"Illuminate {__version__}", help="say which one it is")


def register(commands: Any) -> None:
    """Add all commands to a parser."""
    for group in (engine, runs, campaign, proof, doctor, backup):
        group.register(commands)


def main(arguments: Sequence[str] | None = None, name: str = NAME) -> int:
    """Run one command; bad input gives one clear line and exit code 2, an interrupt one and 130."""
    try:
        options = parser(name).parse_args(arguments)
        return int(options.action(options) or 0)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    except BrokenPipeError:
        return 0


if __name__ == "__main__":
    sys.exit(main())
