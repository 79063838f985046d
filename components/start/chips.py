"""Chips to levels: how the levels of one row are read as they are typed, and what is wrong with each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mapelites.core.constraint import Constraint
from mapelites.core.errors import InputError
from mapelites.core.levels import (
    MOST_LEVELS,
    NUMBER,
    Levels,
    check_levels,
    percent_of,
    read_level,
    short,
)
from mapelites.core.terms import percent_of_reference

MOST_FAULTS = 5  # that are named
TOLD_DIGITS = 3  # of a level that is told in per cent
GROUPED = re.compile(r"[1-9]\d{0,2}(,\d{3})+(\.\d*)?\s*(?!%$)[^\s\d,.][^,]*", re.ASCII)  # `1,360 psi`


@dataclass(frozen=True)
class LevelRow:
    """The levels of a constraint as numbers in its unit, and as they are typed, both ascending and with 0."""

    levels: Levels
    texts: tuple[str, ...]


def parse_levels(constraint: Constraint, typed: Any) -> LevelRow:
    """The levels of one row of chips, sorted and checked; an `InputError` says what is wrong with each."""
    name = constraint.name
    if not isinstance(typed, list):
        raise InputError(f"{name}: levels must be a list, but they were {typed!r}")
    chips = split_chip(typed)
    faults = [_fault(constraint, [chip]) for chip in chips]
    right = [chip for chip, fault in zip(chips, faults, strict=True) if not fault]
    right.sort(key=lambda chip: read_level(constraint, chip))
    wrong = list(dict.fromkeys(filter(None, [*faults, _fault(constraint, right)])))
    if wrong:
        more = [] if len(wrong) <= MOST_FAULTS else [f"and {len(wrong) - MOST_FAULTS} more"]
        raise InputError(f"{name}: {'; '.join([*wrong[:MOST_FAULTS], *more])}")
    levels = check_levels(name, [read_level(constraint, chip) for chip in right])
    texts = tuple(plain_text(constraint, chip) for chip in right if read_level(constraint, chip) > 0)
    return LevelRow(levels, ("0", *texts))


def split_chip(typed: Sequence[Any]) -> list[Any]:
    """Several levels in one chip are several chips: `0 0.1 1` or `0,0.1,1`; a number with its unit stays one.

    >>> split_chip(["0 0.1,5%", "680 psi", "1,360 psi"])
    ['0', '0.1', '5%', '680 psi', '1,360 psi']
    """
    found: list[Any] = []
    for chip in (part for each in typed for part in _at_commas(each)):
        parts = chip.split() if isinstance(chip, str) else []
        several = len(parts) > 1 and all((match := NUMBER.fullmatch(part)) and match[2] in ("", "%") for part in parts)
        found += parts if several else [chip]
    return found


def _at_commas(chip: Any) -> list[Any]:
    """A chip cut at its commas, unless these only group the digits of a number with a unit, as the page writes it."""
    if not isinstance(chip, str) or GROUPED.fullmatch(chip.strip()):
        return [chip]
    return [part.strip() for part in chip.split(",") if part.strip()] or [chip]


def plain_text(constraint: Constraint, chip: Any) -> str:
    """A level as it stands in its chip: what was typed, with the shortest number."""
    match = NUMBER.fullmatch(chip) if isinstance(chip, str) else None
    if match is None:
        return short(read_level(constraint, chip))
    number, said = short(float(match[1].replace(",", ""))), match[2]
    return number if not said else f"{number}%" if said == "%" else f"{number} {constraint.unit}"


def texts_of(constraint: Constraint, levels: Sequence[float]) -> list[str]:
    """Levels as chips: in per cent where that is a round number, else as numbers in the constraint's unit."""
    return [_text_of(constraint, level) for level in levels]


def _text_of(constraint: Constraint, level: float) -> str:
    share = percent_of_reference(constraint, level)
    if share is None or level == 0:
        return short(level)
    rounded = float(f"{share:.{TOLD_DIGITS}g}")
    return f"{short(rounded)}%" if percent_of(constraint, rounded) == level else short(level)


def wrong_places(constraint: Constraint, typed: Any) -> list[int]:
    """Which chips of a row are wrong, counted from 1: of two alike the later one, of too many the last ones.

    >>> wrong_places(Constraint("g1", "inequality"), ["0", "-1", "1", "abc", "1.0", "2,3", "4,x"])
    [2, 4, 5, 7]
    """
    wrong: list[int] = []
    seen: set[float] = set()
    chips = enumerate(typed if isinstance(typed, list) else [], start=1)
    for place, level in ((place, level) for place, chip in chips for level in split_chip([chip])):
        if _fault(constraint, [level]):
            wrong.append(place)
            continue
        value = read_level(constraint, level)
        too_many = value > 0 and len(seen - {0.0}) >= MOST_LEVELS - 1  # 0 is always there
        if value in seen or too_many:
            wrong.append(place)
        seen.add(value)
    return list(dict.fromkeys(wrong))


def _fault(constraint: Constraint, chips: Sequence[Any]) -> str | None:
    """What is wrong with levels, one by itself or all that are right by themselves."""
    try:
        check_levels(constraint.name, [read_level(constraint, chip) for chip in chips])
    except InputError as error:
        return str(error).removeprefix(f"{constraint.name}: ")
    return None
