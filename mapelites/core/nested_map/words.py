"""What the bins of a constraint are called on a map: `≤ 5 %` in the up-to reading, `1 to 5 %` in the exact one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mapelites.core.constraint import Constraint
from mapelites.core.format import amount
from mapelites.core.nested_map.reading import Reading
from mapelites.core.terms import ANY, percent_text
from mapelites.core.tolerances import Tolerances

NEAT_DIGITS = 3  # of a per cent that a person would type
LONGEST = 6  # characters of a level in a short label


def level_words(constraint: Constraint, levels: Sequence[float]) -> tuple[str, ...]:
    """Levels in per cent of the limit where all of them are such, else as numbers; 0 is just 0.

    >>> level_words(Constraint("shear", "inequality", limit=13600.0, unit="psi"), (0, 136, 680))
    ('0', '1 %', '5 %')
    """
    if is_in_percent(constraint, levels):
        return tuple(percent_text(constraint, level, NEAT_DIGITS) if level else "0" for level in levels)
    return tuple(brief_level(level) for level in levels)


def is_in_percent(constraint: Constraint, levels: Sequence[float]) -> bool:
    """Whether all levels are per cents of the limit that a person would type."""
    reference = constraint.reference
    if not reference or not any(levels):
        return False
    shares = [100 * level / reference for level in levels]
    return all(abs(float(f"{share:.{NEAT_DIGITS}g}") - share) <= 1e-9 * share for share in shares)


def unit_words(constraint: Constraint, levels: Sequence[float]) -> str:
    """The unit that stands behind the constraint's name where its levels are numbers."""
    return constraint.unit if constraint.unit and not is_in_percent(constraint, levels) else ""


def bin_words(constraint: Constraint, tolerances: Tolerances, place: int, reading: Reading) -> tuple[str, ...]:
    """The bins of the constraint at a place, in full.

    >>> g = Constraint("g1", "inequality", limit=50.0)
    >>> bin_words(g, Tolerances(("g1",), ((0, 0.5, 2.5),)), 0, "up-to")
    ('0', '≤ 1 %', '≤ 5 %', 'any')
    >>> bin_words(g, Tolerances(("g1",), ((0, 0.5, 2.5),)), 0, "exact")
    ('0', '0 to 1 %', '1 to 5 %', '> 5 %')
    """
    if tolerances.shape[place] == 1:
        return ("satisfied",)
    levels = tolerances.levels[place]
    words = level_words(constraint, levels)
    if reading == "up-to":
        return (words[0], *(f"≤ {each}" for each in words[1:]), ANY)
    ranges = [f"{low.removesuffix(' %')} to {high}" for low, high in pairwise(words)]
    return (words[0], *ranges, f"> {words[-1]}")


def short_bin_words(constraint: Constraint, tolerances: Tolerances, place: int, reading: Reading) -> tuple[str, ...]:
    """The same in few characters: `≤5%` and `1–5%`."""
    full = bin_words(constraint, tolerances, place, reading)
    return tuple(each.replace(" to ", "–").replace(" ", "") for each in full)


def brief_level(level: float) -> str:
    """A level in few characters: three digits where all of them would not fit."""
    text = amount(level, 12).replace(",", "") if level < 1e5 else amount(level, 12)
    return text if len(text) <= LONGEST else amount(level, NEAT_DIGITS)
