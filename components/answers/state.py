"""What somebody asks of a map: which question, at which tolerances, with which constraints hard.

It all comes from a browser or an address, so everything is checked:
`/run/k3x?view=price&about=g2&allow=g1:0.01,h1:any&hard=g3`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from components.answers.question import AskedQuestion
from components.answers.registry import tab_labels
from mapelites.answers import MEASURES
from mapelites.answers.words import plain_number
from mapelites.core.errors import InputError, unknown
from mapelites.core.tolerances import Tolerances, short

ANY = "any"
OBJECTIVE = "objective"
MARGIN = "5 %"
LONGEST = 40  # characters of a number that somebody types


def read_question(data: Any, tolerances: Tolerances) -> AskedQuestion:
    """A question from a browser; an `InputError` where it makes no sense."""
    given = data if isinstance(data, Mapping) else {}
    names = tolerances.names
    view, measure = given.get("view") or "map", given.get("measure") or "total"
    if view not in tab_labels():
        raise unknown("view", view, tab_labels())
    if measure not in MEASURES:
        raise unknown("measure", measure, MEASURES)
    about = given.get("about") or None
    if about is not None:
        _named("about", about, names)
    hard = given.get("hard") or []
    if not isinstance(hard, list):
        raise InputError(f"hard: a list of constraints is needed, but it was {hard!r}")
    for name in hard:
        _named("hard", name, names)
    return AskedQuestion(
        view=str(view),
        about=about,
        allow=_allowed(given.get("allow") or {}, names),
        hard=tuple(sorted(set(hard), key=names.index)),
        need=_typed("need", given.get("need")),
        margin=_typed("margin", given.get("margin")) or MARGIN,
        most=2 if given.get("most") in (2, "2") else 1,
        measure=str(measure),
        pair=_pair(given.get("pair"), names),
        behind=given.get("behind") is True,
    )


def as_data(asked: AskedQuestion) -> dict[str, Any]:
    """A question as a browser holds it."""
    return {
        "view": asked.view,
        "about": asked.about,
        "allow": {name: tolerance_text(value) for name, value in asked.allow.items()},
        "hard": list(asked.hard),
        "need": asked.need,
        "margin": asked.margin,
        "most": asked.most,
        "measure": asked.measure,
        "pair": list(asked.pair) if asked.pair else None,
        "behind": asked.behind,
    }


def tolerance_text(value: float) -> str:
    """A tolerance as it is typed."""
    return ANY if math.isinf(value) else short(value)


def read_number(what: str, text: str) -> float:
    """A finite number that somebody typed, thousands separators and all."""
    try:
        value = plain_number(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{what} must be a number, but it was {text!r}")
    return value


def _allowed(given: Any, names: tuple[str, ...]) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise InputError(f"allow: a tolerance for each constraint is needed, but it was {given!r}")
    allowed = {}
    for name, text in given.items():
        _named("allow", name, names)
        value = math.inf if text == ANY else read_number(f"allow: the tolerance of {name}", str(text)[:LONGEST])
        if value < 0:
            raise InputError(f"allow: the tolerance of {name} must not be negative, but it was {short(value)}")
        allowed[name] = value
    return allowed


def _pair(given: Any, names: tuple[str, ...]) -> tuple[str, str] | None:
    if given is None:
        return None
    if not isinstance(given, list) or len(given) != 2:
        raise InputError(f"pair: two names are needed, but it was {given!r}")
    for name in given:
        _named("pair", name, (OBJECTIVE, *names))
    return given[0], given[1]


def _named(what: str, name: Any, names: tuple[str, ...]) -> None:
    if not isinstance(name, str) or name not in names:
        raise unknown(f"{what}: a constraint", name, names)


def _typed(what: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InputError(f"{what}: a number is needed, but it was {value!r}")
    return str(value).strip()[:LONGEST]
