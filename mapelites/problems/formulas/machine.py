"""Computes formulas: a small compiled machine that follows a list of instructions.

Every problem that is written as formulas has the same compiled function; what tells them apart is `data`, which
holds the instructions. So nothing is compiled for a new problem, and nothing but arithmetic can happen.

Registers hold the variables, then the constants, then one result for each instruction. `data` is n, k, i, o; then
k constants; i instructions (code and two registers); the registers of the o results: f, then g, then h.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from mapelites.core.kernels import kernel
from mapelites.core.problem import Array
from mapelites.problems.formulas.functions import (
    ABS,
    ACOS,
    ADD,
    ASIN,
    ATAN,
    ATAN2,
    CEIL,
    COMPUTE,
    CONSTANTS,
    COS,
    COSH,
    DIVIDE,
    EXP,
    FLOOR,
    FUNCTIONS,
    LOG,
    LOG10,
    MAX,
    MIN,
    MULTIPLY,
    NEGATE,
    POWER,
    SIGN,
    SIN,
    SINH,
    SQRT,
    SUBTRACT,
    TAN,
    TANH,
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


@kernel
def machine(x, data, out):
    """Follow the instructions in `data`."""
    n, constants, instructions, results = int(data[0]), int(data[1]), int(data[2]), int(data[3])
    registers = np.empty(n + constants + instructions)
    registers[:n] = x
    at = 4
    for i in range(n, n + constants):
        registers[i] = data[at]
        at += 1
    for i in range(n + constants, n + constants + instructions):
        code, a, b = int(data[at]), registers[int(data[at + 1])], registers[int(data[at + 2])]
        at += 3
        if code == ADD:
            value = a + b
        elif code == SUBTRACT:
            value = a - b
        elif code == MULTIPLY:
            value = a * b
        elif code == DIVIDE:
            value = a / b
        elif code == POWER:
            value = a**b
        elif code == NEGATE:
            value = -a
        elif code == SQRT:
            value = np.sqrt(a)
        elif code == EXP:
            value = np.exp(a)
        elif code == LOG:
            value = np.log(a)
        elif code == LOG10:
            value = np.log10(a)
        elif code == SIN:
            value = np.sin(a)
        elif code == COS:
            value = np.cos(a)
        elif code == TAN:
            value = np.tan(a)
        elif code == ASIN:
            value = np.arcsin(a)
        elif code == ACOS:
            value = np.arccos(a)
        elif code == ATAN:
            value = np.arctan(a)
        elif code == SINH:
            value = np.sinh(a)
        elif code == COSH:
            value = np.cosh(a)
        elif code == TANH:
            value = np.tanh(a)
        elif code == ABS:
            value = np.abs(a)
        elif code == FLOOR:
            value = np.floor(a)
        elif code == CEIL:
            value = np.ceil(a)
        elif code == SIGN:
            value = np.sign(a)
        elif code == MIN:
            value = np.minimum(a, b)
        elif code == MAX:
            value = np.maximum(a, b)
        elif code == ATAN2:
            value = np.arctan2(a, b)
        else:
            value = np.nan
        registers[i] = value
    for i in range(results):
        out[i] = registers[int(data[at + i])]


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
    return _packed(document, program, results)


def data_of_expressions(document: ProblemDocument, expressions: Iterable[Expression]) -> Array:
    """Likewise, to compute some expressions of a problem instead of f, g and h."""
    program = InstructionBuilder(tuple(each.name for each in document.variables))
    for name, node in document.lets:
        program.known[name] = program.expression(node)
    return _packed(document, program, [program.expression(each) for each in expressions])


def _packed(document: ProblemDocument, program: InstructionBuilder, results: list[_Register]) -> Array:
    n, k = len(document.variables), len(program.constants)
    first = {"variable": 0, "constant": n, "result": n + k}
    head = [n, k, len(program.instructions), len(results)]
    steps = [
        number
        for code, a, b in program.instructions
        for number in (code, first[a.kind] + a.place, first[b.kind] + b.place)
    ]
    ends = [first[each.kind] + each.place for each in results]
    return np.array([*head, *program.constants, *steps, *ends], dtype=np.float64)
