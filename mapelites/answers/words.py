"""Answers as sentences. Every number in one is an elite's own, to as many digits as tell the two apart."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from mapelites.answers.least import LeastRelaxation
from mapelites.answers.price import PriceStep, RelaxationGain
from mapelites.core.constraint import Constraint
from mapelites.core.format import DIGITS, amount
from mapelites.core.problem import Problem
from mapelites.core.terms import (
    LIMIT_DIGITS,
    covering_text,
    objective_text,
    rounded_up,
    value_text,
    violation_text,
    with_unit,
)

MOST_DIGITS = 15
MOST_LISTED = 6  # constraints named in one sentence
THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?(e[+-]?\d+)?", re.IGNORECASE)
VERDICTS = {
    "binding": "binding",
    "later": "binding further out",
    "free": "not limiting",
    "unknown": "not known",
    "blocking": "in the way",
    "unmet": "cannot be met",
    "together": "not met",
    "open": "not limited",
    "hard": "hard",
}


def at_least(value: float, digits: int = DIGITS) -> str:
    """A number to so many digits, rounded up: a tolerance as told must hold the violation it is told for.

    >>> at_least(0.13330038), at_least(150523.8), at_least(0.01)
    ('0.1334', '1.506e5', '0.01')
    """
    return amount(rounded_up(value, digits), digits)


def plain_number(text: str) -> float:
    """A number as people type it, thousands separated or not; a `ValueError` where it is none.

    >>> plain_number("1,200.5"), plain_number(" 2e-3 ")
    (1200.5, 0.002)
    """
    plain = text.strip()
    return float(plain.replace(",", "") if THOUSANDS.fullmatch(plain) else plain)


def format_apart(first: float, second: float, most: int = MOST_DIGITS) -> tuple[str, str]:
    """Two numbers to as many digits, up to so many, as show their difference.

    >>> format_apart(6059.714335, 5912.3)
    ('6,060', '5,912')
    >>> format_apart(1.000000012, 1.0)
    ('1.000000012', '1')
    """
    digits = DIGITS
    gap, size = abs(first - second), max(abs(first), abs(second))
    if 0 < gap < size:
        digits = max(DIGITS, min(most, math.ceil(math.log10(size / gap)) + 2))
    return amount(first, digits), amount(second, digits)


def percent_change(first: float, second: float) -> str:
    """The change relative to the first, ` (-2.4 %)`; nothing where the first is 0, the signs differ or all is gone."""
    if first == 0 or (first > 0) != (second > 0):
        return ""
    share = 100 * (second - first) / abs(first)
    if -100 < share < -99.9:
        return ""  # orders of magnitude: the two numbers say it better
    digits = 2 if abs(share) < 99 else 3 if abs(share) < 100 else len(f"{abs(share):.0f}")
    return f" ({'+' if share > 0 else ''}{amount(share, digits)} %)"


def format_gain(first: float, second: float) -> str:
    """By how much the second is lower, and which share of the first that is.

    >>> format_gain(200.0, 150.0)
    '50 (25 %)'
    """
    return f"{amount(first - second)}{percent_change(first, second).replace('(-', '(')}"


def format_among(value: float, others: Iterable[float], most: int = MOST_DIGITS) -> str:
    """A number to as many digits, up to so many, as tell it from the nearest of the others.

    >>> format_among(6059.714335, [6059.08, 1584.0])
    '6,059.71'
    """
    nearest = min((each for each in others if each != value), key=lambda each: abs(each - value), default=value)
    return format_apart(value, nearest, most)[0]


def list_in_words(parts: Sequence[str], last: str = "and", most: int = MOST_LISTED) -> str:
    """Several things in one sentence, the rest of very many only counted.

    >>> list_in_words(["g1", "g2", "g3"]), list_in_words(["g1", "g2", "g3", "g4"], most=2)
    ('g1, g2 and g3', 'g1, g2 and 2 more')
    """
    if len(parts) > most:
        return f"{', '.join(parts[:most])} {last} {len(parts) - most} more"
    return f" {last} ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def ended(words: str) -> str:
    """A sentence with its full stop, which a unit such as `p.u.` brings along.

    >>> ended("it breaks fit by 2 in"), ended("it breaks load by 2 p.u.")
    ('it breaks fit by 2 in.', 'it breaks load by 2 p.u.')
    """
    return words if words.endswith(".") else f"{words}."


def relaxation_sentence(
    constraint: Constraint, start: PriceStep, end: PriceStep, problem: Problem | None = None
) -> str:
    """What going from one tolerance to a larger one buys, in one sentence; of this problem, as people mean its f."""
    shown = _as_it_is if problem is None else problem.shown_objective
    name, before_it = constraint.name, violation_text(constraint, start.tolerance)
    way = f"Relaxing {name} from {before_it} to {violation_text(constraint, end.tolerance)}"
    if math.isinf(end.tolerance):
        way = f"Allowing any violation of {name} instead of {before_it}"
    if end.f is None:
        return f"{way} does not help: no design was found within it."
    if start.f is None:
        return f"{way} gives a first design, with objective {amount(shown(end.f))}; without it none was found."
    if end.f == start.f:
        return f"{way} buys nothing: the objective stays at {amount(shown(start.f))}."
    before, after = format_apart(shown(start.f), shown(end.f))
    goes = "raises" if problem is not None and problem.maximise else "lowers"
    after = with_unit(after, "" if problem is None else problem.objective_unit)
    return f"{way} {goes} the objective from {before} to {after}{percent_change(shown(start.f), shown(end.f))}."


def objective_head(problem: Problem) -> str:
    """What the objective is called over a column, with its unit: `cost [$]`."""
    return objective_text("objective" if problem.objective == "f" else problem.objective, problem.objective_unit)


def _as_it_is(f: float) -> float:
    return f


def broken_by(constraint: Constraint, violation: float, raw: float | None = None) -> str:
    """A constraint, its violation and its value, `shear by 680 psi (5 %) to 14,280 psi`; `raw` is its g or h."""
    value = _reached(constraint, violation if raw is None and constraint.kind == "inequality" else raw)
    return f"{constraint.name} by {violation_text(constraint, violation)}{value}"


def relaxed_by(constraint: Constraint, violation: float) -> str:
    """Likewise for a tolerance that has to hold a violation: rounded up."""
    return f"{constraint.name} by {covering_text(constraint, violation)}"


def _reached(constraint: Constraint, raw: float | None) -> str:
    """The value behind a raw g or h; nothing where that or the limit is not known."""
    if raw is None or not constraint.limit or not math.isfinite(raw):
        return ""
    return f" to {value_text(constraint, raw, LIMIT_DIGITS)}"


def none_within(ways: Sequence[LeastRelaxation]) -> str:
    """A word where every way to what is wanted goes beyond the allowances; empty where one does not, or none is."""
    if not ways or any(way.within for way in ways):
        return ""
    return "None of them stays within your allowances, the last levels of the constraints."


def worth_sentence(constraint: Constraint, value: RelaxationGain, problem: Problem | None = None) -> str:
    """What relaxing a constraint buys: by one level, or as far as it takes."""
    name, shown = constraint.name, _as_it_is if problem is None else problem.shown_objective
    if value.verdict == "hard":
        return f"{name} is marked hard and stays satisfied."
    if value.next is None:
        return f"Any violation of {name} is allowed already."
    if value.verdict == "unmet":
        found = "" if value.first is None else f" {relaxation_sentence(constraint, value.start, value.first, problem)}"
        within = violation_text(constraint, value.start.tolerance)
        return f"No design was found that keeps {name} within {within}.{found}"
    if value.verdict == "together":
        return f"Relaxing {name} alone does not help: within the other tolerances no design was found."
    if value.verdict == "unknown":
        return f"Nothing was found that relaxes only {name}, so what it would buy is not known."
    if value.slight and value.start.f is not None:
        return f"Relaxing {name} buys next to nothing: the objective stays at about {amount(shown(value.start.f))}."
    if value.verdict == "free" and value.start.f is not None:
        among = f"the {value.alone:,} designs that relax" if value.alone > 1 else "the one design that relaxes"
        return f"Nothing better than {amount(shown(value.start.f))} was found among {among} only {name}."
    if value.verdict == "later" and value.first is not None:
        later = relaxation_sentence(constraint, value.start, value.first, problem)
        return f"Within one level more of {name} nothing better was found. {later}"
    return relaxation_sentence(constraint, value.start, value.first or value.next, problem)
