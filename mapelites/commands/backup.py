"""`backup` and `restore`: a whole store as one file, and back."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from mapelites.commands.engine import check_place
from mapelites.core.errors import InputError
from mapelites.runs import Store


def register(commands: Any) -> None:
    """Add these commands to the parser."""
    for name, about, action in (
        ("backup", "write the whole store to a file, safely while runs go on", make_backup),
        ("restore", "make a store from such a file", restore_backup),
    ):
        command = commands.add_parser(name, help=about)
        command.add_argument("file", type=Path)
        command.add_argument(
            "--data", type=Path, default=Store.default_path(), help="the store's folder; restored into, it is a new one"
        )
        command.set_defaults(action=action)


def make_backup(options: argparse.Namespace) -> None:
    """Write the file; it is there when all of it has been read again and found right."""
    if not options.data.is_dir():
        raise InputError(f"backup: there is no store at {options.data}")
    check_place(options.file)
    count = Store(options.data).backup(options.file)
    print(f"{count:,} files of {options.data} are in {options.file}, each with a check sum")


def restore_backup(options: argparse.Namespace) -> None:
    """Make the store."""
    count = Store.restore(options.file, options.data)
    print(f"{count:,} files of {options.file} are in {options.data}, each as it was")
