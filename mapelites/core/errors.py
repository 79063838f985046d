"""The one error a caller's bad input raises: its text is meant to be read by a person."""

from __future__ import annotations

import traceback
from pathlib import Path

LONGEST_WORDS = 500


class InputError(ValueError):
    """Something asked for is wrong; the message names what, what was expected and what came."""


class ProgramError(RuntimeError):
    """An outside program gave no answer; the message says why, and what it said last."""


def unknown(what: str, got: object, known: object) -> InputError:
    """An error for a name that is not one of the known ones."""
    names = ", ".join(str(name) for name in known)  # type: ignore[attr-defined]
    return InputError(f"{what} must be one of {names}, but it was {got!r}")


def describe_raised(error: BaseException) -> str:
    """What was raised and where, in one line."""
    if isinstance(error, ProgramError):  # where in our code it was raised is of no use to anybody
        return str(error)[:LONGEST_WORDS]
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{what.splitlines()[0]} ({Path(place.filename).name}, line {place.lineno})"[:LONGEST_WORDS]
