"""What a Python file declares of its objective and constraints, and raw values from what its function returns.

"stress"                 the function returns g, which is at most 0 where the constraint is satisfied
"stress <= 13600 psi"    the function returns the stress itself
"volume = 2 l"           the function returns the volume itself
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mapelites.core.constraint import LONGEST_MEANING, LONGEST_UNIT, Constraint, Kind, Sense
from mapelites.core.errors import InputError
from mapelites.core.levels import NUMBER
from mapelites.core.problem import LONGEST_NAME, Array

SIGNS: dict[str, Sense] = {"<=": "<=", "≤": "<=", ">=": ">=", "≥": ">=", "==": "=", "=": "="}
COMPARED = re.compile(r"(.*?)(<=|≤|>=|≥|==|=)(.*)", re.DOTALL)
STRICT = re.compile(rf".*[<>](?:{NUMBER.pattern})", re.ASCII | re.DOTALL)  # `stress < 500 psi`
# What a calculation or a number goes on with, but a unit does not begin with: 2*5, 3/4, 1_000; 1/s is a unit.
NO_UNIT = re.compile(r"[.,+\-*^_<>=]|/\s*[^A-Za-z]|(?!1\s*/\s*[A-Za-z])\d", re.ASCII)
OBJECTIVE = re.compile(r"([^\[\]]*)(?:\[([^\[\]]*)\]\s*)?")


@dataclass(frozen=True, eq=False)
class RawValues:
    """f, g and h from what a function returns: its numbers times `factor` plus `offset`, each (1 + m + p,)."""

    factor: Array
    offset: Array

    @classmethod
    def of(cls, constraints: Sequence[Constraint], maximise: bool) -> RawValues | None:
        """For these constraints; None where the function returns the raw values themselves."""
        declared = [each for each in constraints if each.limit is not None]
        if not declared and not maximise:
            return None
        factor = [-1.0 if maximise else 1.0, *(-1.0 if each.sense == ">=" else 1.0 for each in constraints)]
        limits = [(each.limit or 0.0) * (1.0 if each.sense == ">=" else -1.0) for each in constraints]
        return cls(np.array(factor), np.array([0.0, *limits]))

    def from_returned(self, values: Array) -> Array:
        """f, g and h of each row of what the function returned."""
        found: Array = values * self.factor + self.offset
        return found


def constraints_of(
    inequalities: Sequence[str], equalities: Sequence[str], meanings: Mapping[str, str]
) -> tuple[tuple[Constraint, ...], tuple[Constraint, ...]]:
    """The constraints as they are declared, each with its limit where it has one."""
    g = tuple(_constraint(each, "inequality", meanings) for each in _listed("inequalities", inequalities))
    h = tuple(_constraint(each, "equality", meanings) for each in _listed("equalities", equalities))
    return g, h


def objective_of(text: str) -> tuple[str, str]:
    """The name and the unit of the objective.

    >>> objective_of("cost [$]"), objective_of("")
    (('cost', '$'), ('f', ''))
    """
    match = OBJECTIVE.fullmatch(text) if isinstance(text, str) else None
    if match is None or len(text) > LONGEST_NAME + LONGEST_UNIT:
        raise InputError(f"objective must be a name and its unit, such as 'cost [$]', but it was {text!r}")
    return match[1].strip() or "f", (match[2] or "").strip()


def _constraint(text: str, kind: Kind, meanings: Mapping[str, str]) -> Constraint:
    compared = COMPARED.fullmatch(text)
    if compared is None and STRICT.fullmatch(text):
        raise InputError(f"{text!r}: write {'<= or >=' if kind == 'inequality' else '='} between a name and its limit")
    if compared is None:
        return Constraint(text, kind, meaning=_meaning(meanings, text))
    name, sense, limit = compared[1].strip(), SIGNS[compared[2]], NUMBER.fullmatch(compared[3])
    example = "stress <= 13600 psi" if kind == "inequality" else "volume = 2 l"
    if (sense == "=") != (kind == "equality"):
        wanted = "<= or >=" if kind == "inequality" else "="
        raise InputError(f"{text!r}: an {kind} is written with {wanted}, such as {example!r}")
    if not name or limit is None or NO_UNIT.match(limit[2]):
        raise InputError(f"{text!r}: a limit is a number and its unit behind a name, such as {example!r}")
    unit = limit[2].strip("[]").strip()
    return Constraint(
        name, kind, limit=float(limit[1].replace(",", "")), sense=sense, unit=unit, meaning=_meaning(meanings, name)
    )


def _meaning(meanings: Mapping[str, str], name: str) -> str:
    return str(meanings.get(name, ""))[:LONGEST_MEANING]


def _listed(what: str, names: Any) -> Sequence[str]:
    if isinstance(names, str) or not all(isinstance(name, str) and name for name in names):
        raise InputError(f"{what} must be a list of names, but it was {names!r}")
    return names  # type: ignore[no-any-return]
