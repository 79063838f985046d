"""A checked tree of formulas as a model of the solver: the same variables, the same formulas, nothing left out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from pyscipopt import Model, log
from pyscipopt.scip import buildGenExprObj

from mapelites.core.problem import Problem
from mapelites.problems.formulas.functions import (
    ADD,
    COMPUTE,
    CONSTANTS,
    DIVIDE,
    FUNCTIONS,
    MULTIPLY,
    NEGATE,
    POWER,
    SUBTRACT,
)
from mapelites.problems.formulas.tree import (
    Call,
    Expression,
    Name,
    Negative,
    Number,
    Power,
    ProblemDocument,
    Product,
    Sum,
    TypedConstraint,
)
from mapelites.proof.intervals import Interval, point
from mapelites.proof.rewriting import IN_ITS_SIZE, REWRITTEN, Auxiliary, RefusedError, power_of_e
from mapelites.proof.terms import Term, UnprovableError, divided, in_one_size, multiplied, number, raised, size_of

ALMOST_WHOLE = 1e-9
LARGEST = 1e19  # the solver takes 1e20 for infinity


@dataclass(frozen=True)
class Translation:
    """The formulas of a problem inside a model: its variables, f, and the raw value of every constraint.

    Each variable is one of the solver's, what is added to its value, and what its value is multiplied by.
    """

    model: Any
    variables: tuple[tuple[Any, float, float], ...]
    objective: Term
    constraints: tuple[Term, ...]

    def point(self, solution: Any) -> list[float]:
        """The x of one of the solver's solutions."""
        return [offset + factor * float(solution[variable]) for variable, offset, factor in self.variables]


def translate(problem: Problem, document: ProblemDocument) -> Translation:
    """A new model that has a problem's variables, and its formulas as expressions of them."""
    model = Model()
    model.hideOutput()
    variables, terms = _variables(model, problem)
    translator = _Translator(model, terms, document)
    f = translator.part(document.objective, "the objective")
    objective = translator.do(NEGATE, f) if document.maximise else f
    restrictions = (*document.inequalities, *document.equalities)
    constraints = tuple(translator.restriction(each) for each in restrictions)
    return Translation(model, variables, objective, constraints)


class _Translator:
    """Goes through the tree as the compiled machine does, and does each step with intervals besides."""

    def __init__(self, model: Any, variables: dict[str, Term], document: ProblemDocument) -> None:
        self.auxiliary = Auxiliary(model)
        self.lets = dict(document.lets)
        self.known = dict(variables)
        self.where = ""

    def part(self, node: Expression, where: str) -> Term:
        """The term of a whole formula, which errors name."""
        before, self.where = self.where, where
        term = self.term(node)
        self.where = before
        return term

    def restriction(self, each: TypedConstraint) -> Term:
        """The raw value g or h: left minus right, or the other way round for >=."""
        left, right = (self.part(side, f"`{each.name}`") for side in (each.left, each.right))
        if each.comparison == ">=":
            left, right = right, left
        return left if right.value == 0.0 else self.do(SUBTRACT, left, right)

    def term(self, node: Expression) -> Term:
        """The term of a node."""
        if isinstance(node, Number):
            return number(node.value)
        if isinstance(node, Name):
            return self._name(node.name)
        if isinstance(node, Negative):
            return self.do(NEGATE, self.term(node.inner))
        if isinstance(node, Power):
            return self.do(POWER, self.term(node.base), self.term(node.exponent))
        if isinstance(node, Call):
            given = [self.term(each) for each in node.arguments]
            if len(given) == 1:
                return self._call(node.function, *given)
            return reduce(lambda a, b: self._call(node.function, a, b), given)
        if isinstance(node, Sum):
            value = self.term(node.terms[0][0])
            for each, subtracted in node.terms[1:]:
                value = self.do(SUBTRACT if subtracted else ADD, value, self.term(each))
            return value
        return self._product(node)

    def do(self, code: int, a: Term, b: Term | None = None) -> Term:
        """The result of an operator; of numbers it is a number."""
        if a.value is not None and (b is None or b.value is not None):
            return number(_computed(code, a, b))
        if b is None:
            return self._with_reach(replace(a, expression=-a.expression, interval=-a.interval), (a,), linear=True)
        by_number = (code == MULTIPLY and a.value is not None) or (code in (MULTIPLY, DIVIDE) and b.value is not None)
        poles = (b,) if code == DIVIDE else (a,) if code == POWER and not (b.value or 0.0) > 0 else ()
        linear = by_number or code in (ADD, SUBTRACT)
        return self._with_reach(self._done(code, a, b), (a, b), poles, linear=linear)

    def _done(self, code: int, a: Term, b: Term) -> Term:
        if code in (ADD, SUBTRACT):
            left, right, size = in_one_size(a, b)
            if code == ADD:
                return Term(left + right, a.interval + b.interval, a.stepped or b.stepped, size)
            return Term(left - right, a.interval - b.interval, a.stepped or b.stepped, size)
        if code == MULTIPLY:
            return multiplied(a, b)
        return self._divide(a, b) if code == DIVIDE else self._power(a, b)

    def _product(self, node: Product) -> Term:
        value = self.term(node.factors[0][0])
        for each, divides in node.factors[1:]:
            factor = self.term(each)
            if divides and isinstance(self._meant(each), Sum) and factor.value is None:
                factor = self._bounded(factor)
            value = self.do(DIVIDE if divides else MULTIPLY, value, factor)
        return value

    def _bounded(self, divisor: Term) -> Term:
        """A divisor that is a sum as a variable of its own, where its interval keeps it away from 0."""
        known = not divisor.interval.has_zero and divisor.interval.bounded
        return self.auxiliary.named(divisor) if known else divisor

    def _meant(self, node: Expression) -> Expression:
        while isinstance(node, Name) and node.name in self.lets:
            node = self.lets[node.name]
        return node

    def _name(self, name: str) -> Term:
        if name not in self.known:
            self.known[name] = self.part(self.lets[name], f"`{name}`") if name in self.lets else number(CONSTANTS[name])
        return self.known[name]

    def _divide(self, a: Term, b: Term) -> Term:
        if b.value == 0.0:
            raise UnprovableError("a division by 0", self.where)
        self._refuse_jump(b)
        if b.value is not None:
            return replace(multiplied(a, number(1.0 / b.value)), interval=a.interval * b.interval.inverse())
        return divided(a, b)

    def _power(self, base: Term, exponent: Term) -> Term:
        if exponent.value is not None:
            return self._raised(base, exponent.value)
        self._refuse_jump(base, exponent)
        base, exponent = base.whole, exponent.whole
        if base.value == 1.0:
            return number(1.0)
        limit = base.interval.low == 0 and exponent.interval.low > 0 and not base.stepped
        if not (base.interval.positive or limit):
            raise UnprovableError("a power whose exponent varies and whose base may be 0 or less", self.where)
        if base.value is not None:
            value, logarithm = exponent.expression * math.log(base.value), point(math.log(base.value))
        else:
            value, logarithm = exponent.expression * log(base.expression), base.interval.through(math.log)
        interval = (exponent.interval * logarithm).through(math.exp)
        return power_of_e(value, interval, stepped=base.stepped or exponent.stepped)

    def _raised(self, base: Term, exponent: float) -> Term:
        if exponent == 0.0:
            return number(1.0)
        if exponent == 1.0:
            return base
        if exponent < 0:
            self._refuse_jump(base)
        return raised(base, exponent)

    def _call(self, name: str, *given: Term) -> Term:
        if all(each.value is not None for each in given):
            return number(_computed(FUNCTIONS[name].code, *given))
        self._refuse_jump(*given)
        try:
            sized = given if name in IN_ITS_SIZE else tuple(each.whole for each in given)
            found = REWRITTEN[name](self.auxiliary, *sized)
        except RefusedError:
            raise UnprovableError(name, self.where) from None
        return self._with_reach(found, sized, sized)

    def _with_reach(
        self, found: Term, given: tuple[Term, ...], poles: tuple[Term, ...] = (), *, linear: bool = False
    ) -> Term:
        """A result, marked where it may be above what the solver takes for infinity: it leaves such points out.

        That does no harm where more is only worse, so one such term may be added to others, up to f or a g; elsewhere
        the problem is refused. What is infinite at a pole, where one of `poles` is 0, is no loss.
        """
        at_pole = not all(each.interval.bounded for each in given) or (
            not found.interval.bounded and any(each.interval.has_zero for each in poles)
        )
        before = sum(each.huge for each in given)
        huge = before > 0 or (not at_pole and found.interval.magnitude > LARGEST * found.size)
        downwards = found.interval.low < -LARGEST * found.size
        if found.value is None and huge and (downwards or before > linear):
            raise UnprovableError(f"values that may be above {LARGEST:g}", self.where)
        return replace(found, huge=huge)

    def _refuse_jump(self, *given: Term) -> None:
        """What may be infinite at a point that stands alone may be finite again after the next step."""
        if any(each.may_jump for each in given):
            raise UnprovableError("what may be infinite for some whole values", self.where)


def _computed(code: int, *given: Term | None) -> float:
    with np.errstate(all="ignore"):
        return float(COMPUTE[code](*(np.float64(each.value) for each in given if each is not None)))


def _variables(model: Any, problem: Problem) -> tuple[tuple[tuple[Any, float, float], ...], dict[str, Term]]:
    """The variables with their bounds; one with a step is a whole number of steps above its lower bound."""
    found, terms = [], {}
    for name, low, high, step in zip(problem.variables, problem.lower, problem.upper, problem.steps, strict=True):
        bounds = Interval(float(low), float(high))
        if not step:
            size = size_of(bounds.magnitude)
            x = model.addVar(name, lb=bounds.low / size, ub=bounds.high / size)
            found.append((x, 0.0, size))
            terms[name] = Term(buildGenExprObj(x), bounds, size=size)
            continue
        steps = math.floor((high - low) / step + ALMOST_WHOLE)
        whole = step == 1.0 and low == int(low)  # then it is the solver's whole number itself
        k = model.addVar(name, vtype="I", lb=low if whole else 0, ub=low + steps if whole else steps)
        offset, factor = (0.0, 1.0) if whole else (float(low), float(step))
        found.append((k, offset, factor))
        size = 1.0 if whole else size_of(bounds.magnitude)
        value = buildGenExprObj(k) if whole else offset / size + factor / size * buildGenExprObj(k)
        terms[name] = Term(value, Interval(bounds.low, float(low + steps * step)), stepped=True, size=size)
    return tuple(found), terms
