"""A constraint as an engineer states it: what is limited, by which number, in which unit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from mapelites.core.errors import InputError

Kind = Literal["inequality", "equality"]
Sense = Literal["<=", ">=", "=", ""]
KINDS: tuple[Kind, ...] = get_args(Kind)
SENSES: tuple[Sense, ...] = get_args(Sense)
LONGEST_UNIT = 40
LONGEST_MEANING = 200


@dataclass(frozen=True)
class Constraint:
    """One constraint, `g <= 0` (inequality) or `h = 0` (equality), and what its raw value is measured against.

    `limit` is the number it was written against, with its `sense`. One whose sides both vary has no limit but a
    `scale`: the typical size of its sides near good solutions, or where these are not known an `estimated` one.

    >>> shear = Constraint("shear", "inequality", limit=13600.0, sense="<=", unit="psi")
    >>> shear.reference, shear.value(680.0)
    (13600.0, 14280.0)
    """

    name: str
    kind: Kind
    formula: str = ""
    limit: float | None = None
    sense: Sense = ""
    unit: str = ""
    meaning: str = ""
    scale: float | None = None
    estimated: bool = False  # whether the scale is judged from how much the raw value changes, no sides being known
    mirrored: bool = False  # an equality whose raw value is the limit minus the engineer's number

    def __post_init__(self) -> None:
        for what in ("limit", "scale"):
            number = getattr(self, what)
            if number is not None and not (math.isfinite(number) and (what == "limit" or number > 0)):
                raise InputError(f"{self.name}: the {what} must be a finite number, but it was {number!r}")
        if self.sense not in SENSES:
            raise InputError(f"{self.name}: the sense must be one of <=, >= and =, but it was {self.sense!r}")
        if self.sense and self.kind in KINDS and (self.sense == "=") != (self.kind == "equality"):
            raise InputError(f"{self.name}: an {self.kind} cannot have the sense {self.sense}")
        for what, most in (("unit", LONGEST_UNIT), ("meaning", LONGEST_MEANING)):
            if len(getattr(self, what)) > most:
                raise InputError(f"{self.name}: the {what} must have at most {most} characters")

    @property
    def reference(self) -> float | None:
        """What 100 % of a violation is: the size of the limit, or the scale; None where neither is known."""
        return abs(self.limit) if self.limit else self.scale

    def value(self, raw: float) -> float | None:
        """The engineer's number behind a raw value of g or h; None where there is no limit to count from."""
        if self.limit is None:
            return None
        return self.limit - raw if self.sense == ">=" or self.mirrored else self.limit + raw


@dataclass(frozen=True)
class Relation:
    """Two constraints whose values always add up to `total`, so not every pair of bins can exist."""

    first: str
    second: str
    total: float
