"""The functions and constants that formulas may use: there are no others.

Each has its code in the compiled machine, what it computes on plain numbers, and how it is typeset.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

CONSTANTS = {"pi": math.pi, "e": math.e}

(
    ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, NEGATE, SQRT, EXP, LOG, LOG10, SIN, COS, TAN, ASIN, ACOS, ATAN, SINH,
    COSH, TANH, ABS, FLOOR, CEIL, SIGN, MIN, MAX, ATAN2,
) = range(26)  # fmt: skip


class Function(NamedTuple):
    """A function: its code, how many arguments it takes (0 for two or more), its values, and its typeset form."""

    code: int
    arguments: int
    compute: Callable[..., float]
    typeset: str  # {0} stands for the arguments


FUNCTIONS = {
    "sqrt": Function(SQRT, 1, np.sqrt, r"\sqrt{{{0}}}"),
    "exp": Function(EXP, 1, np.exp, r"\exp\left({0}\right)"),
    "log": Function(LOG, 1, np.log, r"\ln\left({0}\right)"),
    "ln": Function(LOG, 1, np.log, r"\ln\left({0}\right)"),
    "log10": Function(LOG10, 1, np.log10, r"\log_{{10}}\left({0}\right)"),
    "sin": Function(SIN, 1, np.sin, r"\sin\left({0}\right)"),
    "cos": Function(COS, 1, np.cos, r"\cos\left({0}\right)"),
    "tan": Function(TAN, 1, np.tan, r"\tan\left({0}\right)"),
    "asin": Function(ASIN, 1, np.arcsin, r"\arcsin\left({0}\right)"),
    "acos": Function(ACOS, 1, np.arccos, r"\arccos\left({0}\right)"),
    "atan": Function(ATAN, 1, np.arctan, r"\arctan\left({0}\right)"),
    "sinh": Function(SINH, 1, np.sinh, r"\sinh\left({0}\right)"),
    "cosh": Function(COSH, 1, np.cosh, r"\cosh\left({0}\right)"),
    "tanh": Function(TANH, 1, np.tanh, r"\tanh\left({0}\right)"),
    "abs": Function(ABS, 1, np.abs, r"\left|{0}\right|"),
    "floor": Function(FLOOR, 1, np.floor, r"\left\lfloor{0}\right\rfloor"),
    "ceil": Function(CEIL, 1, np.ceil, r"\left\lceil{0}\right\rceil"),
    "sign": Function(SIGN, 1, np.sign, r"\operatorname{{sign}}\left({0}\right)"),
    "min": Function(MIN, 0, np.minimum, r"\min\left({0}\right)"),
    "max": Function(MAX, 0, np.maximum, r"\max\left({0}\right)"),
    "atan2": Function(ATAN2, 2, np.arctan2, r"\operatorname{{atan2}}\left({0}\right)"),
}
OPERATORS = {
    ADD: np.add, SUBTRACT: np.subtract, MULTIPLY: np.multiply, DIVIDE: np.divide, POWER: np.power, NEGATE: np.negative,
}  # fmt: skip
COMPUTE: dict[int, Callable[..., float]] = {**OPERATORS, **{each.code: each.compute for each in FUNCTIONS.values()}}
