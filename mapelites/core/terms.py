"""A violation, a tolerance and a limit in words: the one place that says what they are in unit and in per cent.

>>> shear = Constraint("shear", "inequality", limit=13600.0, sense="<=", unit="psi")
>>> limit_text(shear), violation_text(shear, 680.0), value_text(shear, 680.0)
('≤ 13,600 psi', '680 psi (5 %)', '14,280 psi')
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal

from mapelites.core.constraint import Constraint
from mapelites.core.format import DIGITS, amount

SIGNS = {"<=": "≤", ">=": "≥", "=": "="}
ANY = "any"
LIMIT_DIGITS = 6
NEAT_DIGITS = 3  # of a per cent that a person would type
LONGEST = 6  # characters of a level in a short label


def percent_of_reference(constraint: Constraint, violation: float) -> float | None:
    """A violation in per cent of the limit or scale; None where neither is known."""
    return None if constraint.reference is None else 100.0 * violation / constraint.reference


def percent_text(constraint: Constraint, violation: float, digits: int = 3) -> str:
    """`5 %`; nothing where it cannot be told."""
    share = percent_of_reference(constraint, violation)
    return "" if share is None or not math.isfinite(share) else f"{amount(share, digits)} %"


def with_unit(number: str, unit: str) -> str:
    """A number with its unit behind it, where there is one."""
    return f"{number} {unit}" if unit else number


def quantity_text(constraint: Constraint, value: float, digits: int = DIGITS) -> str:
    """A number in the constraint's unit."""
    return with_unit(amount(value, digits), constraint.unit)


def violation_text(constraint: Constraint, violation: float, digits: int = DIGITS) -> str:
    """A violation or a tolerance, `680 psi (5 %)`; `any` where there is no end to it."""
    if math.isinf(violation):
        return ANY
    share = percent_text(constraint, violation, min(digits, 3)) if violation else ""
    return quantity_text(constraint, violation, digits) + (f" ({_of_what(constraint, share)})" if share else "")


def covering_text(constraint: Constraint, violation: float, digits: int = DIGITS) -> str:
    """Likewise, but rounded up: a tolerance that is told for a violation has to hold it."""
    if math.isinf(violation):
        return ANY
    share, told = (
        percent_of_reference(constraint, violation),
        quantity_text(constraint, rounded_up(violation, digits), digits),
    )
    return told if not share else f"{told} ({_of_what(constraint, f'{amount(rounded_up(share, 3), 3)} %')})"


def has_per_cent_unit(constraint: Constraint) -> bool:
    """Whether the constraint's own unit is a per cent, so that `5 %` alone could be either."""
    return "%" in constraint.unit


def _of_what(constraint: Constraint, share: str) -> str:
    """A per cent of the limit, with words where the unit is a per cent too: `0.8 % (2 % of the limit)`."""
    if not has_per_cent_unit(constraint):
        return share
    return f"{share} of the {'limit' if constraint.limit else 'size'}"


def rounded_up(value: float, digits: int) -> float:
    """The smallest number of so many digits that is no less.

    >>> rounded_up(0.13330038, 4), rounded_up(0.01, 4)
    (0.1334, 0.01)
    """
    if float(f"{value:.{digits - 1}e}") >= value:
        return float(f"{value:.{digits - 1}e}")
    return float(Context(digits, ROUND_CEILING).create_decimal(Decimal(value)))


def value_text(constraint: Constraint, raw: float, digits: int = DIGITS) -> str:
    """The engineer's number behind a raw g or h, `14,280 psi`; the raw number where there is no limit."""
    value = constraint.value(raw)
    return quantity_text(constraint, raw if value is None else value, digits)


def relaxed_limit_text(constraint: Constraint, tolerance: float) -> str:
    """The limit once so much more is allowed, `≤ 14,280 psi`; nothing where there is none, or no end to it.

    >>> relaxed_limit_text(Constraint("buckling", "inequality", limit=6000.0, sense=">=", unit="lb"), 600.0)
    '≥ 5,400 lb'
    """
    if not constraint.limit or not math.isfinite(tolerance):
        return ""
    if constraint.kind == "equality":
        return f"{limit_text(constraint)} ± {quantity_text(constraint, tolerance)}"
    relaxed = constraint.limit + (-tolerance if constraint.sense == ">=" else tolerance)
    return f"{SIGNS.get(constraint.sense, '')} {quantity_text(constraint, relaxed, LIMIT_DIGITS)}".strip()


def limit_text(constraint: Constraint) -> str:
    """`≤ 13,600 psi`, `typical size 0.21 in`, or nothing."""
    if constraint.limit is not None and (constraint.limit or constraint.scale is None):
        return f"{SIGNS.get(constraint.sense, '')} {quantity_text(constraint, constraint.limit, LIMIT_DIGITS)}".strip()
    return scale_text(constraint)


def scale_text(constraint: Constraint) -> str:
    """What 100 % is of a constraint that has no limit, and whether that is an estimate."""
    called = "estimated size" if constraint.estimated else "typical size"
    return "" if constraint.scale is None else f"{called} {quantity_text(constraint, constraint.scale)}"


def named_limit(constraint: Constraint) -> str:
    """`shear ≤ 13,600 psi`, `fit (typical size 0.21 in)`, or the name alone."""
    said = limit_text(constraint)
    if not said:
        return constraint.name
    return f"{constraint.name} ({said})" if said == scale_text(constraint) else f"{constraint.name} {said}"


def level_words(constraint: Constraint, levels: Sequence[float]) -> tuple[str, ...]:
    """Levels in per cent of the limit where all of them are such, else as numbers; 0 is just 0.

    >>> level_words(Constraint("shear", "inequality", limit=13600.0, unit="psi"), (0, 136, 680))
    ('0', '1 %', '5 %')
    >>> level_words(Constraint("purity", "inequality", limit=40.0, unit="%"), (0, 0.4, 2))
    ('0', '0.4', '2')
    """
    if is_in_percent(constraint, levels):
        return tuple(percent_text(constraint, level, NEAT_DIGITS) if level else "0" for level in levels)
    return tuple(brief_level(level) for level in levels)


def is_in_percent(constraint: Constraint, levels: Sequence[float]) -> bool:
    """Whether levels are told in per cent of the limit: all are such that a person would type, and nobody errs."""
    return are_neat_percents(constraint, levels) and not has_per_cent_unit(constraint)


def are_neat_percents(constraint: Constraint, levels: Sequence[float]) -> bool:
    """Whether all levels are per cents of the limit that a person would type."""
    reference = constraint.reference
    if not reference or not any(levels):
        return False
    shares = [100 * level / reference for level in levels]
    return all(abs(float(f"{share:.{NEAT_DIGITS}g}") - share) <= 1e-9 * share for share in shares)


def unit_words(constraint: Constraint, levels: Sequence[float]) -> str:
    """The unit that stands behind the constraint's name where its levels are numbers."""
    return constraint.unit if constraint.unit and not is_in_percent(constraint, levels) else ""


def brief_level(level: float) -> str:
    """A level in few characters: three digits where all of them would not fit."""
    text = amount(level, 12).replace(",", "") if level < 1e5 else amount(level, 12)
    return text if len(text) <= LONGEST else amount(level, NEAT_DIGITS)


def bin_text(constraint: Constraint, levels: Sequence[float], place: int) -> str:
    """One bin of a constraint in its unit and in per cent, `up to 680 psi (5 %)`."""
    if place == 0:
        return "satisfied exactly" if constraint.kind == "equality" else "satisfied"
    if place == len(levels):
        return f"more than {violation_text(constraint, levels[-1])}"
    return f"up to {violation_text(constraint, levels[place])}"


def objective_text(name: str, unit: str) -> str:
    """`cost [$]`, or the name alone."""
    return f"{name} [{unit}]" if unit else name
