"""What the bins of a constraint are called on a map: `≤ 5 %` in the up-to reading, `1 to 5 %` in the exact one."""

from __future__ import annotations

from itertools import pairwise

from mapelites.core.constraint import Constraint
from mapelites.core.nested_map.reading import Reading
from mapelites.core.terms import ANY, level_words
from mapelites.core.tolerances import Tolerances


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
