"""The constraints that a map does not show: which of their bins count, as a word for the address and for people.

`any` lets every bin count, `w2` those within level 2, `b3` the fourth bin alone. There is a word for every constraint
of the problem, so that one keeps its own while it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mapelites.errors import InputError
from mapelites.tolerances import Tolerances, short

ANY = "any"
WORD = re.compile(r"any|[wb][0-9]{1,2}")


def bins_of(word: str, tolerances: Tolerances, constraint: int) -> range:
    """The bins of a constraint that count.

    >>> bins_of("w1", Tolerances(("g1",), ((0, 1e-4, 1),)), 0)
    range(0, 2)
    """
    size, name = tolerances.shape[constraint], tolerances.names[constraint]
    if word == ANY:
        return range(size)
    number = int(word[1:]) if WORD.fullmatch(word) else size
    if number >= size - word.startswith("w"):
        raise InputError(
            f"rest: the bins of {name} must be any, w0 to w{size - 2} or b0 to b{size - 1}, but they were {word!r}"
        )
    return range(number + 1) if word[0] == "w" else range(number, number + 1)


def check(rest: Sequence[str] | None, tolerances: Tolerances) -> tuple[str, ...]:
    """A word for every constraint, or none at all where all are `any`."""
    if rest is None or all(word == ANY for word in rest):
        return ()
    if len(rest) != len(tolerances.names):
        raise InputError(
            f"rest: {len(tolerances.names)} words are needed, one per constraint, but there were {len(rest)}"
        )
    for i, word in enumerate(rest):
        bins_of(word, tolerances, i)
    return tuple(rest)


def fitting(rest: object, tolerances: Tolerances) -> list[str] | None:
    """The words, or none where other levels make bins that they do not know."""
    if not isinstance(rest, list) or not all(isinstance(word, str) for word in rest):
        return None
    try:
        check(rest, tolerances)
    except InputError:
        return None
    return rest


def choices(tolerances: Tolerances, constraint: int) -> dict[str, str]:
    """All words for a constraint, each as people read it."""
    levels, labels = tolerances.levels[constraint], tolerances.labels(constraint)
    within = {f"w{i}": f"within {short(level)}" for i, level in enumerate(levels)}
    only = {f"b{i}": f"only {label}" for i, label in enumerate(labels)}
    del only["b0"]  # the same as within 0
    return {ANY: "any", **within, **only}


def within_tolerance(tolerances: Tolerances, feasible_up_to: Sequence[float]) -> tuple[str, ...]:
    """The words that let only those bins count in which a constraint is kept."""
    found = []
    for levels, limit in zip(tolerances.levels, feasible_up_to, strict=True):
        found.append(f"w{max(i for i, level in enumerate(levels) if level <= limit)}")
    return tuple(found)
