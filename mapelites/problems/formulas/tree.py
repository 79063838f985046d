"""What a problem that is written as formulas consists of, once it has been read and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Number:
    """A number as it was typed."""

    value: float
    text: str


@dataclass(frozen=True)
class Name:
    """A variable, a constant or something defined with `let`."""

    name: str


@dataclass(frozen=True)
class Call:
    """A known function of some arguments."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Negative:
    """Minus something."""

    inner: Expression


@dataclass(frozen=True)
class Power:
    """One thing to the power of another."""

    base: Expression
    exponent: Expression


@dataclass(frozen=True)
class Sum:
    """Terms added up; the second of each pair says whether it is subtracted instead."""

    terms: tuple[tuple[Expression, bool], ...]


@dataclass(frozen=True)
class Product:
    """Factors multiplied; the second of each pair says whether it divides instead."""

    factors: tuple[tuple[Expression, bool], ...]


Expression = Number | Name | Call | Negative | Power | Sum | Product
Comparison = Literal["<=", ">=", "="]


@dataclass(frozen=True)
class Variable:
    """One variable with its bounds; a step of 0 is for any value between them."""

    name: str
    low: float
    high: float
    step: float = 0.0
    unit: str = ""
    meaning: str = ""


@dataclass(frozen=True)
class TypedConstraint:
    """One constraint as it was typed: left, comparison, right, and the unit and meaning of what is compared."""

    name: str
    left: Expression
    comparison: Comparison
    right: Expression
    unit: str = ""
    meaning: str = ""


@dataclass(frozen=True)
class ProblemDocument:
    """A whole problem."""

    title: str
    about: str
    reference: str
    best: float | None
    best_note: str
    tolerance: float
    variables: tuple[Variable, ...]
    lets: tuple[tuple[str, Expression], ...]
    objective: Expression
    maximise: bool
    inequalities: tuple[TypedConstraint, ...]
    equalities: tuple[TypedConstraint, ...]
    objective_name: str = ""
    objective_unit: str = ""
