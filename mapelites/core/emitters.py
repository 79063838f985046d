"""What the emitters of a search are called and coloured, for those who know nothing of searching.

The search registers where its emitters are; settings, tables and legends read here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mapelites.core.registry import check_own

OTHER_COLOUR = "#999999"  # of what a run from elsewhere calls by a name that is not known here
ERROR_COLOUR = "#d55e00"  # the vermilion of Okabe and Ito's palette stays free for errors
LONGEST_OPERATOR = 16  # characters: archives keep so many


@dataclass(frozen=True, kw_only=True)
class EmitterDescription:
    """One part of a search, in words and colours.

    `operators` are the names that its elites carry, each with its colour on the map. `share` is its part of the budget
    of the directed search before anything is known of its success; 0 for one that only slow functions have.
    """

    name: str
    order: int
    label: str
    operators: Mapping[str, str] = field(default_factory=dict)
    share: float = 0.0


_sources: list[Callable[[], Sequence[EmitterDescription]]] = []


def describe_from(source: Callable[[], Sequence[EmitterDescription]]) -> None:
    """Register where emitters come from; the source is asked when somebody wants to know."""
    _sources.append(source)


def emitter_descriptions() -> tuple[EmitterDescription, ...]:
    """All emitters, in order."""
    return tuple(sorted((each for source in _sources for each in source()), key=lambda each: each.order))


def emitter_names() -> tuple[str, ...]:
    """The emitters of the directed search, which the settings can switch off."""
    return tuple(each.name for each in emitter_descriptions() if each.share > 0.0)


def operator_colours() -> dict[str, str]:
    """The colour of every operator; each has its own, whichever others there are."""
    return {name: colour for each in emitter_descriptions() for name, colour in each.operators.items()}


def check_descriptions(emitters: Sequence[EmitterDescription]) -> None:
    """Refuse emitters that could not be told apart, in a table or on the map."""
    check_own("the name of an emitter", [each.name for each in emitters])
    check_own("the name of an operator", [name for each in emitters for name in each.operators])
    colours = [(name, colour.lower()) for each in emitters for name, colour in each.operators.items()]
    check_own("the colour of an operator", [colour for _, colour in colours])
    for name, colour in colours:
        if not re.fullmatch("#[0-9a-f]{6}", colour) or colour in (OTHER_COLOUR, ERROR_COLOUR):
            raise ValueError(f"the colour of {name} must be like #0072b2 and free, but it was {colour!r}")
        if not 0 < len(name) <= LONGEST_OPERATOR:
            raise ValueError(
                f"the name of an operator must have 1 to {LONGEST_OPERATOR} characters, but it was {name!r}"
            )
    for each in emitters:
        if not 0.0 <= each.share <= 1.0:
            raise ValueError(f"the share of {each.name} must be from 0 to 1, but it was {each.share:g}")
        if not each.operators:
            raise ValueError(f"{each.name}: at least one operator is needed, but there was none")
