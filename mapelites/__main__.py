"""The command line: `python -m mapelites <command>`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from mapelites.commands import campaign, doctor, engine, runs
from mapelites.commands.parsing import Parser
from mapelites.errors import InputError


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    top = Parser(prog="python -m mapelites", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    for group in (engine, runs, campaign, doctor):
        group.register(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; bad input gives one clear line and exit code 2, an interrupt one and 130."""
    try:
        options = parser().parse_args(arguments)
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
