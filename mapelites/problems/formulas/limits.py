"""Which side of a typed constraint is the limit, and what its sides are made of where both of them vary.

tau <= 13600            limit 13600
13600 >= tau            the same
P <= P_c                limit P, a constant, so P_c >= P
1 - Q <= 0              Q >= 1: a sum against 0 with one constant, and all that varies on its other side
2*(Q - 3) <= 0          the same once the sum is multiplied out: 2 Q <= 6
h <= b                  no limit: a scale, the typical size of h and b
0.0193*x3 - x1 <= 0     the same, of what is added and what is subtracted
x*(1 - y) <= 0          the same, of x and x y
"""

from __future__ import annotations

from dataclasses import dataclass

from mapelites.core.constraint import Sense
from mapelites.problems.formulas.instructions import InstructionBuilder
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
Terms = tuple[tuple[Expression, bool], ...]  # the second of each pair says whether it is subtracted


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
    terms = _terms(varying, lets)
    values = [program.expression(node).value for node, _ in terms]
    # Constants among the terms are added up; what varies keeps its sign beside them.
    constant = sum((-1 if minus else 1) * value for value, (_, minus) in zip(values, terms, strict=True) if value)
    moving = [(node, minus) for value, (node, minus) in zip(values, terms, strict=True) if value is None]
    signs = {minus for _, minus in moving}
    if constant and signs == {True}:  # constant - Q <= 0 is Q >= constant
        return FoundLimit(constant, TURNED[sense], not mirrored)
    if constant and signs == {False}:
        return FoundLimit(-constant, sense, mirrored)
    if len(signs) < 2:  # everything on one side: nothing to compare its size with but itself
        return FoundLimit(0.0, sense, mirrored, (varying, NOTHING))
    # Terms of both signs: what is added is compared with what is taken away, as if it were typed on two sides.
    added, taken = (tuple((node, False) for node, minus in terms if minus is side) for side in (False, True))
    return FoundLimit(0.0, sense, mirrored, (_sum(added), _sum(taken)))


def _terms(node: Expression, lets: dict[str, Expression], minus: bool = False) -> Terms:
    """The terms of what a constraint compares with 0; a single one is opened or multiplied out where it holds a sum."""
    if isinstance(node, Name) and node.name in lets:
        return _terms(lets[node.name], lets, minus)
    if isinstance(node, Negative):
        return _terms(node.inner, lets, not minus)
    if isinstance(node, Sum):
        return tuple((term, own is not minus) for term, own in (_without_sign(*each) for each in node.terms))
    plain, minus = _without_sign(node, minus)
    if isinstance(plain, Product):
        for place, (factor, divides) in enumerate(plain.factors):
            inner = () if divides else _terms(factor, lets)
            if len(inner) > 1:
                others = plain.factors[:place] + plain.factors[place + 1 :]
                return tuple((_product(term, others), own is not minus) for term, own in inner)
    return ((plain, minus),)


def _product(first: Expression, others: Terms) -> Expression:
    return Product(((first, False), *others)) if others else first


def _without_sign(node: Expression, minus: bool) -> tuple[Expression, bool]:
    """A term without the sign in front of it, and whether it is subtracted."""
    if isinstance(node, Negative):
        return node.inner, not minus
    if isinstance(node, Product) and isinstance(node.factors[0][0], Negative):
        first = node.factors[0][0]
        return Product(((first.inner, False), *node.factors[1:])), not minus
    return node, minus


def _sum(terms: Terms) -> Expression:
    return terms[0][0] if len(terms) == 1 else Sum(terms)
