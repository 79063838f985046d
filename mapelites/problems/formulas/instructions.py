"""From formulas to the instructions that the compiled machine follows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from mapelites.core.problem import Array
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
    Sum,
    TypedConstraint,
)

MOST_SQUARED = 4  # the largest power that is worked out by multiplying
NO_VALUE = "a part of it without variables has no value"


@dataclass(frozen=True)
class _Register:
    """A place for a number; the number itself where it is a constant."""

    kind: str
    place: int
    value: float | None = None


class InstructionBuilder:
    """Collects constants and instructions; what was worked out once is not worked out again."""

    def __init__(self, variables: tuple[str, ...]) -> None:
        self.known: dict[str, _Register] = {}
        self.constants: dict[float, _Register] = {}
        self.instructions: dict[tuple[int, _Register, _Register], _Register] = {}
        self.flaw = ""  # why something in it has no finite value whatever the variables are
        for name in variables:
            self.variable(name)

    def variable(self, name: str) -> None:
        """Have a register for a variable, if there is none."""
        self.known.setdefault(name, _Register("variable", len(self.known)))

    def constant(self, value: float) -> _Register:
        """The register of a constant."""
        if math.isnan(value):
            self.flaw = self.flaw or NO_VALUE
        return self.constants.setdefault(float(value), _Register("constant", len(self.constants), float(value)))

    def do(self, code: int, a: _Register, b: _Register | None = None) -> _Register:
        """The register that holds the result of an instruction; of constants it is a constant."""
        if code == DIVIDE and b is not None and b.value == 0.0:
            self.flaw = "it divides by zero"
        if a.value is not None and (b is None or b.value is not None):
            with np.errstate(all="ignore"):
                given = [np.float64(each.value) for each in (a, b) if each is not None]
                return self.constant(float(COMPUTE[code](*given)))
        key = (code, a, b or a)
        return self.instructions.setdefault(key, _Register("result", len(self.instructions)))

    def expression(self, node: Expression) -> _Register:
        """The register that holds an expression's value."""
        if isinstance(node, Number):
            return self.constant(node.value)
        if isinstance(node, Name):
            return self.known[node.name] if node.name in self.known else self.constant(CONSTANTS[node.name])
        if isinstance(node, Negative):
            return self.do(NEGATE, self.expression(node.inner))
        if isinstance(node, Power):
            return self._power(self.expression(node.base), self.expression(node.exponent))
        if isinstance(node, Call):
            function = FUNCTIONS[node.function]
            given = [self.expression(each) for each in node.arguments]
            return self.do(function.code, given[0]) if len(given) == 1 else reduce(
                lambda a, b: self.do(function.code, a, b), given
            )  # fmt: skip
        pairs, codes = (node.terms, (ADD, SUBTRACT)) if isinstance(node, Sum) else (node.factors, (MULTIPLY, DIVIDE))
        value = self.expression(pairs[0][0])
        for each, other in pairs[1:]:
            value = self.do(codes[other], value, self.expression(each))
        return value

    def _power(self, base: _Register, exponent: _Register) -> _Register:
        if exponent.value is not None and exponent.value in range(2, MOST_SQUARED + 1):
            return reduce(lambda value, _: self.do(MULTIPLY, value, base), range(int(exponent.value) - 1), base)
        return self.do(POWER, base, exponent)

    def restriction(self, each: TypedConstraint) -> _Register:
        """The register of g or h: left minus right, or the other way round for >=."""
        left, right = self.expression(each.left), self.expression(each.right)
        if each.comparison == ">=":
            left, right = right, left
        return left if right.value == 0.0 else self.do(SUBTRACT, left, right)


def data_of(document: ProblemDocument) -> Array:
    """What the machine needs to compute a problem."""
    program = InstructionBuilder(tuple(each.name for each in document.variables))
    for name, node in document.lets:
        program.known[name] = program.expression(node)
    f = program.expression(document.objective)
    results = [program.do(NEGATE, f) if document.maximise else f]
    results += [program.restriction(each) for each in (*document.inequalities, *document.equalities)]
    return packed(len(document.variables), program, results)


def data_of_expressions(document: ProblemDocument, expressions: Iterable[Expression]) -> Array:
    """Likewise, to compute some expressions of a problem instead of f, g and h."""
    program = InstructionBuilder(tuple(each.name for each in document.variables))
    for name, node in document.lets:
        program.known[name] = program.expression(node)
    return packed(len(document.variables), program, [program.expression(each) for each in expressions])


def packed(n: int, program: InstructionBuilder, results: list[_Register]) -> Array:
    """A program of n variables as the machine reads it."""
    k = len(program.constants)
    first = {"variable": 0, "constant": n, "result": n + k}
    head = [n, k, len(program.instructions), len(results)]
    steps = [
        number
        for code, a, b in program.instructions
        for number in (code, first[a.kind] + a.place, first[b.kind] + b.place)
    ]
    ends = [first[each.kind] + each.place for each in results]
    return np.array([*head, *program.constants, *steps, *ends], dtype=np.float64)
