"""Tolerance levels: how they are typed, checked and written, and which ones a constraint has by default."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import pairwise

from mapelites.core.constraint import Constraint
from mapelites.core.errors import InputError

PAPER_LEVELS = (0.0, 1e-4, 1e-2, 1.0)
# In per cent of the limit or scale; the first of these whose cells can be numbered is the default.
PERCENT_LEVELS: tuple[tuple[float, ...], ...] = ((0, 1, 2, 5, 10), (0, 1, 5, 10), (0, 5, 10), (0, 10), (0,))
MOST_LEVELS = 40
MOST_CELLS = 2**63 - 1  # cells have 64-bit numbers
DIGITS = 12  # of a level worked out from a per cent: 5 % of 0.3 is 0.015, not 0.015000000000000001
NUMBER = re.compile(  # and what is behind it, up to its last sign that is no blank
    r"\s*([+-]?(?:\d+(?:,\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*((?:.*\S)?)\s*", re.ASCII | re.DOTALL
)

Levels = tuple[float, ...]


def default_levels(constraints: int) -> Levels:
    """The paper's levels (section 4), or as many of them as so many constraints have room for.

    >>> default_levels(4), default_levels(38)
    ((0.0, 0.0001, 0.01, 1.0), (0.0, 0.0001))
    """
    choices = (PAPER_LEVELS, (0.0, 1e-4, 1.0), (0.0, 1e-4), (0.0,))
    fitting = (levels for levels in choices if (len(levels) + 1) ** constraints <= MOST_CELLS)
    return next(fitting, choices[-1])


def levels_by_default(constraints: Iterable[Constraint]) -> tuple[Levels, ...]:
    """0, 1, 2, 5 and 10 % of each constraint's limit or scale, and the paper's levels where it has neither.

    >>> levels_by_default([Constraint("shear", "inequality", limit=13600.0), Constraint("g2", "inequality")])
    ((0.0, 136.0, 272.0, 680.0, 1360.0), (0.0, 0.0001, 0.01, 1.0))
    """
    found, plain = tuple(constraints), default_levels(len(tuple(constraints)))
    known = [each.reference is not None for each in found]
    for percents in PERCENT_LEVELS:
        # An equality is searched with one level more, see `Tolerances.searched`.
        sizes = [
            len(percents if has_reference else plain) + 1 + (each.kind == "equality")
            for each, has_reference in zip(found, known, strict=True)
        ]
        if math.prod(sizes) <= MOST_CELLS:
            break
    return tuple(
        plain if each.reference is None else tuple(percent_of(each, percent) for percent in percents) for each in found
    )


def percent_of(constraint: Constraint, percent: float) -> float:
    """So many per cent of a constraint's limit or scale; an `InputError` where it has neither."""
    if constraint.reference is None:
        raise InputError(
            f"{constraint.name}: {short(percent)}% cannot be worked out, because neither a limit nor a scale of "
            f"{constraint.name} is known: type the level as a number"
        )
    return float(f"{constraint.reference * percent / 100.0:.{DIGITS}g}")


def read_level(constraint: Constraint, level: object) -> float:
    """One level as a person types it, as a number in the constraint's unit: 680, "680 psi" or "5%".

    >>> read_level(Constraint("shear", "inequality", limit=13600.0, unit="psi"), "5%")
    680.0
    """
    name, unit = constraint.name, constraint.unit
    if not isinstance(level, str):
        return level_number(name, level)
    match = NUMBER.fullmatch(level)
    if match is None:
        return level_number(name, level)
    number, said = float(match[1].replace(",", "")), match[2]
    if said == "%":
        if math.isfinite(number) and number >= 0:
            return percent_of(constraint, number)
        raise InputError(f"{name}: a level must be a finite number that is not negative, but one was {level.strip()}")
    if said and not unit:
        raise InputError(f"{name}: a level must be a number, but one was {level!r}; {name} has no unit")
    if said and plain_unit(said) != plain_unit(unit):
        raise InputError(f"{name}: its unit is {unit}, but a level was typed as {level.strip()!r}")
    return number


def plain_unit(unit: str) -> str:
    """A unit without its blanks and brackets, so that `[psi]`, `psi` and ` psi ` are one."""
    return "".join(unit.split()).strip("[]")


def check_levels(name: str, levels: Iterable[float]) -> Levels:
    """The levels of one constraint, with 0 put in front where it is missing; or an error in words."""
    values = tuple(level_number(name, level) for level in levels)
    for value in values:
        if not math.isfinite(value):
            raise InputError(f"{name}: a level must be a finite number, but one was {value}")
        if value < 0:
            raise InputError(f"{name}: a level must not be negative, but one was {short(value)}")
    for low, high in pairwise(values):
        if low == high:
            raise InputError(f"{name}: level {short(low)} is there twice")
        if low > high:
            raise InputError(f"{name}: levels must ascend, but {short(low)} comes before {short(high)}")
    with_zero = (0.0, *(value for value in values if value > 0))
    if len(with_zero) > MOST_LEVELS:
        added = " and the level 0, which is always there" if len(with_zero) > len(values) else ""
        raise InputError(f"{name}: at most {MOST_LEVELS} levels are possible, but there were {len(values)}{added}")
    return with_zero


def level_number(name: str, level: object) -> float:
    """A level that is a number, or a text that is nothing but one."""
    try:
        if isinstance(level, (bool, complex)):
            raise TypeError
        return float(level)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: a level must be a number, but one was {level!r}") from None


def short(value: float) -> str:
    """A level as people write it: the shortest text that reads back as the same number."""
    text = repr(float(value))
    plain = text.removesuffix(".0")
    if ("e" not in text and 1e-3 <= abs(value) < 1e5) or value == 0:
        return plain
    mantissa, exponent = f"{value:e}".split("e")
    for digits in range(17):
        mantissa, exponent = f"{value:.{digits}e}".split("e")
        if float(f"{mantissa}e{exponent}") == value:
            break
    return f"{mantissa}e{int(exponent)}"
