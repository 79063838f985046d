"""How words on the command line are read, and what is said of those that make no sense."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import NoReturn


class CommandParser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong and where help is; so do those of its subcommands."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(2, f"{' '.join(message.split())}; `{self.prog} --help` tells more\n")


def whole_number(text: str) -> int:
    """A whole number as people write it.

    >>> whole_number("200000"), whole_number("200_000"), whole_number("2e5")
    (200000, 200000, 200000)
    """
    for read in (int, float):
        with suppress(ValueError, OverflowError):
            number = read(text)
            if number == int(number):
                return int(number)
    raise argparse.ArgumentTypeError(f"it must be a whole number, but it was {text!r}")
