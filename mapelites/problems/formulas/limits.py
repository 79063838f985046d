"""Which side of a typed constraint is the limit, and what its sides are made of where both of them vary.

tau <= 13600            limit 13600
13600 >= tau            the same
P <= P_c                limit P, a constant, so P_c >= P
1 - Q <= 0              Q >= 1: a sum against 0 with one constant, and all that varies on its other side
h <= b                  no limit: a scale, the typical size of h and b
0.0193*x3 - x1 <= 0     the same, of what is added and what is subtracted
"""

from __future__ import annotations

from dataclasses import dataclass

from mapelites.core.constraint import Sense
from mapelites.problems.formulas.machine import InstructionBuilder
from mapelites.problems.formulas.tree import (
    Expression,
    Name,
    Negative,
    Number,
    ProblemDocument,
    Product,
    Sum,
    TypedConstraint,
)

TURNED: dict[str, Sense] = {"<=": ">=", ">=": "<=", "=": "="}
NOTHING = Number(0.0, "0")


@dataclass(frozen=True)
class FoundLimit:
    """A constraint's limit and sense, or the sides that its scale is found from.

    `mirrored` says that the value falls as the raw g or h grows, so that it is the limit minus g or h.
    """

    value: float | None
    sense: Sense
    mirrored: bool = False
    sides: tuple[Expression, Expression] | None = None


def limits_of(document: ProblemDocument) -> tuple[FoundLimit, ...]:
    """The limit of each constraint, inequalities first."""
    program = InstructionBuilder(tuple(each.name for each in document.variables))
    for name, node in document.lets:
        program.known[name] = program.expression(node)
    lets = dict(document.lets)
    return tuple(_limit(each, program, lets) for each in (*document.inequalities, *document.equalities))


def _limit(each: TypedConstraint, program: InstructionBuilder, lets: dict[str, Expression]) -> FoundLimit:
    left, right = (program.expression(side).value for side in (each.left, each.right))
    constant, varying = (right, each.left) if right is not None else (left, each.right)
    sense: Sense = each.comparison if right is not None else TURNED[each.comparison]
    # The raw value is left minus right, or right minus left for >=; so for = a limit on the left is mirrored.
    mirrored = sense == ">=" or (sense == "=" and right is None)
    if constant is None:
        return FoundLimit(None, "", sides=(each.left, each.right))
    if constant != 0.0:
        return FoundLimit(constant, sense, mirrored)
    return _against_zero(varying, sense, mirrored, program, lets)


def _against_zero(
    varying: Expression, sense: Sense, mirrored: bool, program: InstructionBuilder, lets: dict[str, Expression]
) -> FoundLimit:
    """A constraint against 0: its limit may be a constant among the terms, or it has two sides of its own."""
    while isinstance(varying, Name) and varying.name in lets:
        varying = lets[varying.name]
    terms = _signed_terms(varying)
    values = [program.expression(node).value for node, _ in terms]
    constant = sum((-1 if minus else 1) * value for value, (_, minus) in zip(values, terms, strict=True) if value)
    moving = [(node, minus) for value, (node, minus) in zip(values, terms, strict=True) if value is None]
    signs = {minus for _, minus in moving}
    if constant and signs == {True}:  # constant - Q <= 0 is Q >= constant
        return FoundLimit(constant, TURNED[sense], not mirrored)
    if constant and signs == {False}:
        return FoundLimit(-constant, sense, mirrored)
    if len(signs) < 2:  # everything on one side: nothing to compare its size with but itself
        return FoundLimit(0.0, sense, mirrored, (varying, NOTHING))
    added, taken = (tuple((node, False) for node, minus in terms if minus is side) for side in (False, True))
    return FoundLimit(0.0, sense, mirrored, (_sum(added), _sum(taken)))


def _signed_terms(node: Expression) -> list[tuple[Expression, bool]]:
    """The terms of a sum without their signs, and whether each is subtracted."""
    found = []
    for term, minus in node.terms if isinstance(node, Sum) else ((node, False),):
        plain = term
        if isinstance(plain, Negative):
            plain, minus = plain.inner, not minus
        elif isinstance(plain, Product) and isinstance(plain.factors[0][0], Negative):
            first = plain.factors[0][0]
            plain, minus = Product(((first.inner, False), *plain.factors[1:])), not minus
        found.append((plain, minus))
    return found


def _sum(terms: tuple[tuple[Expression, bool], ...]) -> Expression:
    return terms[0][0] if len(terms) == 1 else Sum(terms)
