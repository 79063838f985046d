"""Functions that the solver has not got, rewritten by those that it has: exactly, or not at all.

Each takes the model and its arguments. An auxiliary variable stands where a function is told by its inverse, so
asin(u) is the y from -pi/2 to pi/2 with sin(y) = u. Steps are told by whole variables whose ends overlap: what is
allowed is a little more than the function, never less, so a bound stays a bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyscipopt
from pyscipopt.scip import buildGenExprObj

from mapelites.proof.intervals import ALL, Interval
from mapelites.proof.terms import Term, in_one_size, number, size_of

LARGEST_EXPONENT = 40.0  # the solver takes 1e20, about exp(46), for infinity
HALF_TURN = Interval(-math.pi, math.pi)
ROUNDING = 1e-9  # by how much what is rounded to a whole number may have been computed wrong


class RefusedError(Exception):
    """A function cannot be rewritten for arguments like these."""


class Auxiliary:
    """The variables that a model has besides those of its problem."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def variable(self, interval: Interval, kind: str = "C") -> Any:
        """A new variable within an interval, as an expression."""
        low = interval.low if math.isfinite(interval.low) else None
        high = interval.high if math.isfinite(interval.high) else None
        return buildGenExprObj(self.model.addVar(vtype=kind, lb=low, ub=high))

    def require(self, condition: Any) -> None:
        """One more constraint."""
        self.model.addCons(condition)

    def slack(self, expression: Any) -> Any:
        """A variable of the model, 0 or more, that equals an expression."""
        slack = self.model.addVar(lb=0.0, ub=None)
        self.require(buildGenExprObj(slack) == expression)
        return slack

    def require_one_zero(self, variables: list[Any]) -> None:
        """At most one of these variables of the model is not 0."""
        self.model.addConsSOS1(variables)

    def named(self, term: Term) -> Term:
        """A variable that equals a term and has its bounds: so the solver knows what it could not find out."""
        y = self.variable(Interval(term.interval.low / term.size, term.interval.high / term.size))
        self.require(y == term.expression)
        return replace(term, expression=y)


def tangent(aux: Auxiliary, u: Term) -> Term:
    """The sine by the cosine, where the cosine is never 0."""
    sine, cosine = u.interval.sine(), u.interval.cosine()
    if cosine.has_zero:
        raise RefusedError
    value = pyscipopt.sin(u.expression) / pyscipopt.cos(u.expression)
    return Term(value, sine * cosine.inverse(), u.stepped)


def arc_sine(aux: Auxiliary, u: Term) -> Term:
    """The y with sin(y) = u, a quarter turn at most."""
    interval = u.interval.through(math.asin, Interval(-1.0, 1.0))
    y = aux.variable(interval)
    aux.require(pyscipopt.sin(y) == u.expression)
    return Term(y, interval, u.stepped)


def arc_cosine(aux: Auxiliary, u: Term) -> Term:
    """A quarter turn less the arc sine."""
    y = arc_sine(aux, u)
    quarter = math.pi / 2
    return Term(quarter - y.expression, Interval(quarter, quarter) - y.interval, u.stepped)


def arc_tangent(aux: Auxiliary, u: Term) -> Term:
    """The y with sin(y) = u cos(y), less than a quarter turn."""
    interval = u.interval.through(math.atan)
    y = aux.variable(interval)
    size = max(1.0, u.interval.magnitude) if u.interval.bounded else 1.0
    aux.require(pyscipopt.sin(y) * (1.0 / size) == u.in_size(size) * pyscipopt.cos(y))
    return Term(y, interval, u.stepped)


def arc_tangent_2(aux: Auxiliary, y: Term, x: Term) -> Term:
    """The angle of a point from the origin: its coordinates are a distance times sine and cosine of it.

    They are told as shares of the larger of both: the solver cannot add the squares of large and small numbers.
    """
    if not (y.interval.bounded and x.interval.bounded):
        raise RefusedError
    size = max(y.interval.magnitude, x.interval.magnitude) or 1.0
    up, along = y.in_size(size), x.in_size(size)
    r, angle = aux.variable(Interval(0.0, 2.0)), aux.variable(HALF_TURN)
    aux.require(r**2 == up**2 + along**2)
    aux.require(r * pyscipopt.sin(angle) == up)
    aux.require(r * pyscipopt.cos(angle) == along)
    return Term(angle, HALF_TURN, y.stepped or x.stepped)


def hyperbolic_sine(aux: Auxiliary, u: Term) -> Term:
    """By exponentials."""
    _refuse_large(u)
    value = (pyscipopt.exp(u.expression) - pyscipopt.exp(-u.expression)) / 2.0
    return Term(value, u.interval.through(math.sinh), u.stepped)


def hyperbolic_cosine(aux: Auxiliary, u: Term) -> Term:
    """By exponentials."""
    _refuse_large(u)
    value = (pyscipopt.exp(u.expression) + pyscipopt.exp(-u.expression)) / 2.0
    return Term(value, u.interval.absolute().through(math.cosh), u.stepped)


def hyperbolic_tangent(aux: Auxiliary, u: Term) -> Term:
    """By one exponential."""
    _refuse_large(u, LARGEST_EXPONENT / 2)
    value = 1.0 - 2.0 / (pyscipopt.exp(2.0 * u.expression) + 1.0)
    return Term(value, u.interval.through(math.tanh), u.stepped)


def smaller(aux: Auxiliary, a: Term, b: Term) -> Term:
    """The smaller of two: both are at least that, and one of them by nothing."""
    interval = Interval(min(a.interval.low, b.interval.low), min(a.interval.high, b.interval.high))
    if a.interval.high <= b.interval.low:
        return a
    if b.interval.high <= a.interval.low:
        return b
    return _one_of_both(aux, a, b, interval, 1.0)


def larger(aux: Auxiliary, a: Term, b: Term) -> Term:
    """The larger of two: both are at most that, and one of them by nothing."""
    interval = Interval(max(a.interval.low, b.interval.low), max(a.interval.high, b.interval.high))
    if a.interval.low >= b.interval.high:
        return a
    if b.interval.low >= a.interval.high:
        return b
    return _one_of_both(aux, a, b, interval, -1.0)


def _one_of_both(aux: Auxiliary, a: Term, b: Term, interval: Interval, side: float) -> Term:
    """One of two, which both lie on one side of it.

    Half of the sum less half of the distance would be the smaller too, but not to the solver where one of them is
    large: there the difference of the two is lost.
    """
    x, y, size = in_one_size(a, b)
    one = aux.variable(Interval(interval.low / size, interval.high / size))
    aux.require_one_zero([aux.slack(side * (x - one)), aux.slack(side * (y - one))])
    return Term(one, interval, a.stepped or b.stepped, size)


def floor(aux: Auxiliary, u: Term) -> Term:
    """The whole k with k <= u <= k + 1."""
    k, slack = _whole(aux, u)
    distance = u.in_size(k.size) - k.expression
    aux.require(distance >= -slack)
    aux.require(distance <= 1.0 / k.size + slack)
    return k


def ceiling(aux: Auxiliary, u: Term) -> Term:
    """The whole k with k - 1 <= u <= k."""
    k, slack = _whole(aux, u)
    distance = k.expression - u.in_size(k.size)
    aux.require(distance >= -slack)
    aux.require(distance <= 1.0 / k.size + slack)
    return k


def sign(aux: Auxiliary, u: Term) -> Term:
    """Two choices, above and below: above allows only what is 0 or more, below what is 0 or less, neither only 0."""
    low, high = u.interval.low, u.interval.high
    if low > 0 or high < 0:
        return number(1.0 if low > 0 else -1.0)
    if not u.interval.bounded:
        raise RefusedError
    above, below = (aux.variable(Interval(0.0, 1.0), "B") for _ in range(2))
    aux.require(above + below <= 1.0)
    aux.require(u.expression - high * above <= 0.0)
    aux.require(u.expression - low * below >= 0.0)
    return Term(above - below, Interval(-1.0, 1.0), stepped=True)


def _whole(aux: Auxiliary, u: Term) -> tuple[Term, float]:
    """A whole variable next to a term, and the slack for rounding in its size.

    The solver loses whole numbers that are large; there any number serves, since a step is next to nothing.
    """
    if not u.interval.bounded:
        raise RefusedError
    interval = Interval(math.floor(u.interval.low) - 1.0, math.ceil(u.interval.high) + 1.0)
    size = size_of(interval.magnitude)
    kind = "I" if size == 1.0 else "C"
    k = aux.variable(Interval(interval.low / size, interval.high / size), kind)
    return Term(k, interval, stepped=True, size=size), ROUNDING * max(1.0, interval.magnitude / size)


def _refuse_large(u: Term, most: float = LARGEST_EXPONENT) -> None:
    if u.interval.magnitude > most:
        raise RefusedError


def _root(aux: Auxiliary, u: Term) -> Term:
    return Term(pyscipopt.sqrt(u.expression), u.interval.root(), u.stepped, math.sqrt(u.size))


def _exponential(aux: Auxiliary, u: Term) -> Term:
    if u.interval.high > LARGEST_EXPONENT:
        raise RefusedError
    return power_of_e(u.expression, u.interval.through(math.exp), stepped=u.stepped)


def power_of_e(exponent: Any, interval: Interval, *, stepped: bool) -> Term:
    """The number e to the power of an expression, which lies in an interval, in the size of its largest value."""
    size = size_of(interval.high)
    return Term(pyscipopt.exp(exponent - math.log(size) if size != 1.0 else exponent), interval, stepped, size)


def _logarithm(aux: Auxiliary, u: Term) -> Term:
    value = pyscipopt.log(u.expression) + math.log(u.size)
    return Term(value, u.interval.within(POSITIVE).through(math.log), u.stepped)


def _decimal_logarithm(aux: Auxiliary, u: Term) -> Term:
    value = (pyscipopt.log(u.expression) + math.log(u.size)) * (1.0 / math.log(10.0))
    return Term(value, u.interval.within(POSITIVE).through(math.log10), u.stepped)


def _sine(aux: Auxiliary, u: Term) -> Term:
    return Term(pyscipopt.sin(u.expression), u.interval.sine(), u.stepped)


def _cosine(aux: Auxiliary, u: Term) -> Term:
    return Term(pyscipopt.cos(u.expression), u.interval.cosine(), u.stepped)


def _absolute(aux: Auxiliary, u: Term) -> Term:
    return Term(abs(u.expression), u.interval.absolute(), u.stepped, u.size)


POSITIVE = Interval(0.0, ALL.high)
REWRITTEN: dict[str, Callable[..., Term]] = {
    "sqrt": _root, "exp": _exponential, "log": _logarithm, "ln": _logarithm, "log10": _decimal_logarithm,
    "sin": _sine, "cos": _cosine, "abs": _absolute,
    "tan": tangent, "asin": arc_sine, "acos": arc_cosine, "atan": arc_tangent, "atan2": arc_tangent_2,
    "sinh": hyperbolic_sine, "cosh": hyperbolic_cosine, "tanh": hyperbolic_tangent,
    "min": smaller, "max": larger, "floor": floor, "ceil": ceiling, "sign": sign,
}  # fmt: skip
IN_ITS_SIZE = frozenset(
    {"atan", "atan2", "sqrt", "log", "ln", "log10", "abs", "min", "max"}
)  # the others take their arguments whole
