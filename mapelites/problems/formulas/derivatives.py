"""Exact derivatives of formulas: the machine's instructions followed once, each with its chain rule.

Forward mode (A. Griewank and A. Walther, "Evaluating derivatives", 2008, chapter 3): beside each register stand its n
derivatives. Where a function has a kink or a jump, the derivative is that of one side: of abs at 0 it is 0, of min and
max that of the argument taken, of floor, ceil and sign 0. Where there is none, as of sqrt at 0, it is not finite.
"""

from __future__ import annotations

import math

import numpy as np

from mapelites.core.kernels import kernel
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
        by_a, by_b = 0.0, 0.0  # what the result changes by, for a change of a and of b
        if code == ADD:
            value, by_a, by_b = a + b, 1.0, 1.0
        elif code == SUBTRACT:
            value, by_a, by_b = a - b, 1.0, -1.0
        elif code == MULTIPLY:
            value, by_a, by_b = a * b, b, a
        elif code == DIVIDE:
            value, by_a = a / b, 1.0 / b
            by_b = -value / b
        elif code == POWER:
            value = a**b
            by_a = b * a ** (b - 1.0) if b != 0.0 else 0.0
            by_b = value * np.log(a) if a > 0.0 else (0.0 if a == 0.0 and b > 0.0 else np.nan)
        elif code == NEGATE:
            value, by_a = -a, -1.0
        elif code == SQRT:
            value = np.sqrt(a)
            by_a = 0.5 / value
        elif code == EXP:
            value = np.exp(a)
            by_a = value
        elif code == LOG:
            value, by_a = np.log(a), 1.0 / a
        elif code == LOG10:
            value, by_a = np.log10(a), 1.0 / (a * LN_10)
        elif code == SIN:
            value, by_a = np.sin(a), np.cos(a)
        elif code == COS:
            value, by_a = np.cos(a), -np.sin(a)
        elif code == TAN:
            value = np.tan(a)
            by_a = 1.0 + value * value
        elif code == ASIN:
            value, by_a = np.arcsin(a), 1.0 / np.sqrt(1.0 - a * a)
        elif code == ACOS:
            value, by_a = np.arccos(a), -1.0 / np.sqrt(1.0 - a * a)
        elif code == ATAN:
            value, by_a = np.arctan(a), 1.0 / (1.0 + a * a)
        elif code == SINH:
            value, by_a = np.sinh(a), np.cosh(a)
        elif code == COSH:
            value, by_a = np.cosh(a), np.sinh(a)
        elif code == TANH:
            value = np.tanh(a)
            by_a = 1.0 - value * value
        elif code == ABS:
            value, by_a = np.abs(a), np.sign(a)
        elif code == FLOOR:
            value = np.floor(a)
        elif code == CEIL:
            value = np.ceil(a)
        elif code == SIGN:
            value = np.sign(a)
        elif code == MIN:
            value = np.minimum(a, b)
            by_a, by_b = (1.0, 0.0) if a <= b else (0.0, 1.0)
        elif code == MAX:
            value = np.maximum(a, b)
            by_a, by_b = (1.0, 0.0) if a >= b else (0.0, 1.0)
        elif code == ATAN2:
            value = np.arctan2(a, b)
            by_a, by_b = b / (a * a + b * b), -a / (a * a + b * b)
        else:
            value = np.nan
        registers[i] = value
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
