"""The formulas of a kernel: it is run once on variables that write down what is done with them.

What comes out is the text that a person would have typed, so a built-in problem can be proven like a typed one. A
kernel that decides by a value, or uses one as an index, has no formulas; it is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from mapelites.core.errors import InputError

SUM, PRODUCT, POWER, ATOM = range(4)  # how tightly the parts of a text hold together
FUNCTIONS = {"sqrt": "sqrt", "exp": "exp", "log": "log", "log10": "log10", "sin": "sin", "cos": "cos", "tan": "tan",
             "arcsin": "asin", "arccos": "acos", "arctan": "atan", "tanh": "tanh"}  # fmt: skip


class UntraceableError(InputError):
    """A kernel does something that no formula says."""


class TracedValue:
    """A value that knows how it was made: a sign and the values that it was made of.

    >>> x = TracedValue("x", (), ATOM)
    >>> (2 * x**2 - np.sqrt(x + 1.5)).text()
    '2.0*x^2.0 - sqrt(x + 1.5)'
    """

    __array_ufunc__: Any
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, sign: str, parts: tuple[Any, ...], tightness: int) -> None:
        self.sign, self.parts, self.tightness = sign, parts, tightness
        self.name = ""  # once it is defined as one

    def text(self) -> str:
        """It as people type it, with names for what is defined."""
        return self.name or self.formula()

    def formula(self) -> str:
        """How it is made, even where it has a name."""
        if not self.parts:
            return self.sign
        if self.tightness == ATOM:
            return f"{self.sign}({', '.join(_text(each) for each in self.parts)})"
        if len(self.parts) == 1:
            return f"-{_text(self.parts[0], POWER)}"
        left, right = self.parts
        if self.tightness == POWER:
            return f"{_text(left, ATOM)}^{_text(right, ATOM)}"
        # a - (b - c) and a / (b * c) need their brackets, a + (b + c) does not. A product keeps its right one, since
        # numbers that are rounded are not associative.
        looser = self.tightness + (self.sign != " + ")
        return f"{_text(left, self.tightness)}{self.sign}{_text(right, looser)}"

    def __add__(self, other: Any) -> TracedValue:
        return TracedValue(" + ", (self, other), SUM)

    def __radd__(self, other: Any) -> TracedValue:
        return TracedValue(" + ", (other, self), SUM)

    def __sub__(self, other: Any) -> TracedValue:
        return TracedValue(" - ", (self, other), SUM)

    def __rsub__(self, other: Any) -> TracedValue:
        return TracedValue(" - ", (other, self), SUM)

    def __mul__(self, other: Any) -> TracedValue:
        return TracedValue("*", (self, other), PRODUCT)

    def __rmul__(self, other: Any) -> TracedValue:
        return TracedValue("*", (other, self), PRODUCT)

    def __truediv__(self, other: Any) -> TracedValue:
        return TracedValue("/", (self, other), PRODUCT)

    def __rtruediv__(self, other: Any) -> TracedValue:
        return TracedValue("/", (other, self), PRODUCT)

    def __pow__(self, other: Any) -> TracedValue:
        return TracedValue("^", (self, other), POWER)

    def __rpow__(self, other: Any) -> TracedValue:
        return TracedValue("^", (other, self), POWER)

    def __neg__(self) -> TracedValue:
        return TracedValue("-", (self,), SUM)

    def __abs__(self) -> TracedValue:
        return TracedValue("abs", (self,), ATOM)

    def __getattr__(self, name: str) -> Callable[[], TracedValue]:
        """The functions that numpy looks for in an object."""
        if name not in FUNCTIONS:
            raise AttributeError(name)
        return lambda: TracedValue(FUNCTIONS[name], (self,), ATOM)

    def _refused(self, *others: Any) -> Any:
        raise UntraceableError("a kernel that decides by a value has no formulas")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = __float__ = __int__ = __index__ = _refused


class _Numpy:
    """numpy with arrays that take values of any kind."""

    def __getattr__(self, name: str) -> Any:
        if name in ("zeros", "empty"):
            return lambda shape, dtype=None: getattr(np, name.replace("empty", "zeros"))(shape, dtype=object)
        return getattr(np, name)


def nearest_whole(value: Any) -> Any:
    """The nearest whole number: what `whole` of the kernels is but for a half below 0."""
    return TracedValue("floor", (value + 0.5,), ATOM) if isinstance(value, TracedValue) else math.floor(value + 0.5)


def formulas_of(
    kernel: Callable[..., Any], data: Any, bounds: Sequence[tuple[float, float]], inequalities: int, equalities: int
) -> str:
    """The text of a problem whose kernel takes x1, x2, ..., `data` and an array to fill with f, all g and all h."""
    x = np.array([TracedValue(f"x{i + 1}", (), ATOM) for i in range(len(bounds))], dtype=object)
    out = np.zeros(1 + inequalities + equalities, dtype=object)
    with np.errstate(all="ignore"):
        assert isinstance(kernel, FunctionType)
        _open(kernel)(x, data, out)
    lines = [f"variable x{i + 1} from {low!r} to {high!r}" for i, (low, high) in enumerate(bounds)]
    lines += _definitions(list(out))
    lines += [f"minimise {_text(out[0])}", "subject to"]
    lines += [f"    g{i + 1}: {_text(each)} <= 0" for i, each in enumerate(out[1 : 1 + inequalities])]
    lines += [f"    h{i + 1}: {_text(each)} = 0" for i, each in enumerate(out[1 + inequalities :])]
    return "\n".join(lines) + "\n"


def _open(kernel: FunctionType) -> FunctionType:
    """The kernel, and the functions of its file, for values of any kind."""
    # The kernel's code runs in a world of its own: its numpy takes values of any kind, and nothing else sees that.
    world = {**kernel.__globals__, "np": _Numpy(), "whole": nearest_whole}
    for name, each in kernel.__globals__.items():
        if isinstance(each, FunctionType) and each.__module__ == kernel.__module__:
            world[name] = FunctionType(each.__code__, world)
    return FunctionType(kernel.__code__, world)


def _definitions(results: list[Any]) -> list[str]:
    """A line for every value that is used more than once, those first that others need; it has a name from then on."""
    uses: dict[int, int] = {}
    order: list[TracedValue] = []

    def count(value: Any) -> None:
        if not isinstance(value, TracedValue):
            return
        uses[id(value)] = uses.get(id(value), 0) + 1
        # The first visit comes before that of the parts, the entry into the order after it: what is needed stands
        # first.
        if uses[id(value)] == 1:
            for each in value.parts:
                count(each)
            order.append(value)

    for result in results:
        count(result)
    lines: list[str] = []
    for value in order:
        if uses[id(value)] > 1 and value.parts:
            formula = value.formula()
            value.name = f"t{len(lines) + 1}"
            lines.append(f"let {value.name} = {formula}")
    return lines


def _text(value: Any, least: int = SUM) -> str:
    """A value as text, in brackets where it holds together less tightly than it has to."""
    if isinstance(value, TracedValue):
        loose = not value.name and value.tightness < least
        return f"({value.text()})" if loose else value.text()
    number = float(value)
    return f"({number!r})" if number < 0 and least > SUM else repr(number)
