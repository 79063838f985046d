"""Computes formulas and their derivatives: a small compiled machine that follows a list of instructions.

Every problem that is written as formulas has the same compiled function; what tells them apart is `data`, which
holds the instructions. So nothing is compiled for a new problem, and nothing but arithmetic can happen.

Registers hold the variables, then the constants, then one result for each instruction. `data` is n, k, i, o; then
k constants; i instructions (code and two registers); the registers of the o results: f, then g, then h.

Derivatives come in forward mode (A. Griewank and A. Walther, "Evaluating derivatives", 2008, chapter 3): beside each
register stand its n derivatives. Where a function has a kink or a jump, the derivative is that of one side: of abs at
0 it is 0, of min and max that of the argument taken, of floor, ceil and sign 0. Where there is none, as of sqrt at 0,
it is not finite.
"""

from __future__ import annotations

import math

import numpy as np

from mapelites.core.kernels import inlined, kernel
from mapelites.problems.formulas.functions import (
    ABS,
    ACOS,
    ADD,
    ASIN,
    ATAN,
    ATAN2,
    CEIL,
    COS,
    COSH,
    DIVIDE,
    EXP,
    FLOOR,
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

LN_10 = math.log(10.0)


@inlined
def computed(code, a, b):
    """The result of an instruction; those of one argument have it in `a`."""
    if code == ADD:
        return a + b
    if code == SUBTRACT:
        return a - b
    if code == MULTIPLY:
        return a * b
    if code == DIVIDE:
        return a / b
    if code == POWER:
        return a**b
    if code == NEGATE:
        return -a
    if code == SQRT:
        return np.sqrt(a)
    if code == EXP:
        return np.exp(a)
    if code == LOG:
        return np.log(a)
    if code == LOG10:
        return np.log10(a)
    if code == SIN:
        return np.sin(a)
    if code == COS:
        return np.cos(a)
    if code == TAN:
        return np.tan(a)
    if code == ASIN:
        return np.arcsin(a)
    if code == ACOS:
        return np.arccos(a)
    if code == ATAN:
        return np.arctan(a)
    if code == SINH:
        return np.sinh(a)
    if code == COSH:
        return np.cosh(a)
    if code == TANH:
        return np.tanh(a)
    if code == ABS:
        return np.abs(a)
    if code == FLOOR:
        return np.floor(a)
    if code == CEIL:
        return np.ceil(a)
    if code == SIGN:
        return np.sign(a)
    if code == MIN:
        return np.minimum(a, b)
    if code == MAX:
        return np.maximum(a, b)
    if code == ATAN2:
        return np.arctan2(a, b)
    return np.nan


@inlined
def slopes_of(code, a, b, value):
    """What the result of an instruction changes by, for a change of a and of b."""
    if code == ADD:
        return 1.0, 1.0
    if code == SUBTRACT:
        return 1.0, -1.0
    if code == MULTIPLY:
        return b, a
    if code == DIVIDE:
        return 1.0 / b, -value / b
    if code == POWER:
        by_a = b * a ** (b - 1.0) if b != 0.0 else 0.0
        return by_a, value * np.log(a) if a > 0.0 else (0.0 if a == 0.0 and b > 0.0 else np.nan)
    if code == NEGATE:
        return -1.0, 0.0
    if code == SQRT:
        return 0.5 / value, 0.0
    if code == EXP:
        return value, 0.0
    if code == LOG:
        return 1.0 / a, 0.0
    if code == LOG10:
        return 1.0 / (a * LN_10), 0.0
    if code == SIN:
        return np.cos(a), 0.0
    if code == COS:
        return -np.sin(a), 0.0
    if code == TAN:
        return 1.0 + value * value, 0.0
    if code == ASIN:
        return 1.0 / np.sqrt(1.0 - a * a), 0.0
    if code == ACOS:
        return -1.0 / np.sqrt(1.0 - a * a), 0.0
    if code == ATAN:
        return 1.0 / (1.0 + a * a), 0.0
    if code == SINH:
        return np.cosh(a), 0.0
    if code == COSH:
        return np.sinh(a), 0.0
    if code == TANH:
        return 1.0 - value * value, 0.0
    if code == ABS:
        return np.sign(a), 0.0
    if code == MIN:
        return (1.0, 0.0) if a <= b else (0.0, 1.0)
    if code == MAX:
        return (1.0, 0.0) if a >= b else (0.0, 1.0)
    if code == ATAN2:
        return b / (a * a + b * b), -a / (a * a + b * b)
    return 0.0, 0.0  # floor, ceil and sign are flat but for their jumps


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
        registers[i] = computed(int(data[at]), registers[int(data[at + 1])], registers[int(data[at + 2])])
        at += 3
    for i in range(results):
        out[i] = registers[int(data[at + i])]


@kernel
def derivatives(x, data, out):
    """Fill `out` with the gradient of f, then of each g and h: n numbers each."""
    n, constants, instructions, results = int(data[0]), int(data[1]), int(data[2]), int(data[3])
    first = n + constants
    registers, slopes = np.empty(first + instructions), np.zeros((first + instructions, n))
    registers[:n] = x
    registers[n:first] = data[4 : 4 + constants]
    for j in range(n):
        slopes[j, j] = 1.0
    at = 4 + constants
    for i in range(first, first + instructions):
        code, left, right = int(data[at]), int(data[at + 1]), int(data[at + 2])
        a, b = registers[left], registers[right]
        at += 3
        registers[i] = value = computed(code, a, b)
        by_a, by_b = slopes_of(code, a, b, value)
        one_argument = NEGATE <= code <= SIGN
        for j in range(n):
            by = 0.0
            if slopes[left, j] != 0.0:  # so that what does not depend on x_j stays 0 beside an infinity
                by = by_a * slopes[left, j]
            if not one_argument and slopes[right, j] != 0.0:
                by += by_b * slopes[right, j]
            slopes[i, j] = by
    for i in range(results):
        for j in range(n):
            out[i * n + j] = slopes[int(data[at + i]), j]
