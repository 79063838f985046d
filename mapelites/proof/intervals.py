"""Interval arithmetic: between which numbers a formula lies while its variables stay within their bounds.

Every result is a little wider than what is computed, so that rounding never makes an interval too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

WIDER = 1e-12


@dataclass(frozen=True)
class Interval:
    """All numbers from low to high; an end may be infinite.

    >>> Interval(1, 2) - Interval(0, 4)
    Interval(low=-3.000000000003, high=2.000000000002)
    """

    low: float
    high: float

    @property
    def positive(self) -> bool:
        """Whether every number in it is above 0."""
        return self.low > 0

    @property
    def has_zero(self) -> bool:
        """Whether 0 is in it."""
        return self.low <= 0 <= self.high

    @property
    def bounded(self) -> bool:
        """Whether both ends are finite."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def magnitude(self) -> float:
        """The largest absolute value in it."""
        return max(abs(self.low), abs(self.high))

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __add__(self, other: Interval) -> Interval:
        return _wider(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        ends = [_times(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return _wider(min(ends), max(ends))

    def inverse(self) -> Interval:
        """One divided by it; all numbers where 0 is inside of it."""
        if self.low < 0 < self.high or self.low == self.high == 0:
            return ALL
        low = 1 / self.high if self.high else -math.inf
        high = 1 / self.low if self.low else math.inf
        return _wider(low, high)

    def root(self) -> Interval:
        """Its square root, where it has one."""
        return _wider(math.sqrt(max(self.low, 0.0)), math.sqrt(max(self.high, 0.0)), least=0.0)

    def absolute(self) -> Interval:
        """Its absolute value."""
        return Interval(0.0 if self.has_zero else min(abs(self.low), abs(self.high)), self.magnitude)

    def to_the(self, exponent: float) -> Interval:
        """It to the power of a number."""
        if exponent == 0:
            return Interval(1.0, 1.0)
        if exponent < 0:
            return self.to_the(-exponent).inverse()
        if exponent == int(exponent):
            even = int(exponent) % 2 == 0
            base = self.absolute() if even else self
            return _wider(_raised(base.low, exponent), _raised(base.high, exponent), least=0.0 if even else -math.inf)
        return _wider(_raised(max(self.low, 0.0), exponent), _raised(max(self.high, 0.0), exponent), least=0.0)

    def through(self, function: Callable[[float], float], domain: Interval | None = None) -> Interval:
        """What a function that never falls makes of it, within the function's domain."""
        inside = self.within(domain) if domain else self
        return _wider(_value(function, inside.low), _value(function, inside.high))

    def within(self, other: Interval) -> Interval:
        """The part of it that lies in another, or the nearest end of the other."""
        return Interval(min(max(self.low, other.low), other.high), max(min(self.high, other.high), other.low))

    def sine(self) -> Interval:
        """Its sine."""
        return (self - Interval(math.pi / 2, math.pi / 2)).cosine()

    def cosine(self) -> Interval:
        """Its cosine."""
        if not self.bounded or self.high - self.low >= 2 * math.pi:
            return Interval(-1.0, 1.0)
        ends = math.cos(self.low), math.cos(self.high)
        most = 1.0 if _has_multiple(self, 0.0) else max(ends)
        least = -1.0 if _has_multiple(self, math.pi) else min(ends)
        return _wider(least, most, least=-1.0, most=1.0)


ALL = Interval(-math.inf, math.inf)


def point(value: float) -> Interval:
    """The interval of one number."""
    return Interval(value, value)


def _has_multiple(inside: Interval, offset: float) -> bool:
    """Whether offset + 2 k pi is inside for a whole k, or so near that rounding could hide it."""
    k = math.ceil((inside.low - offset) / (2 * math.pi) - 1e-9)
    return offset + 2 * math.pi * k <= inside.high + 1e-9


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b  # an unbounded end is never reached, so 0 times it is 0


def _raised(base: float, exponent: float) -> float:
    try:
        return float(base**exponent)
    except OverflowError:
        return math.copysign(math.inf, base) if exponent % 2 == 1 else math.inf


def _value(function: Callable[[float], float], at: float) -> float:
    try:
        return function(at)
    except OverflowError:
        return math.inf if at > 0 else -math.inf
    except ValueError:  # a logarithm of 0
        return -math.inf


def _wider(low: float, high: float, *, least: float = -math.inf, most: float = math.inf) -> Interval:
    if math.isnan(low) or math.isnan(high):
        return Interval(least, most)
    return Interval(max(least, low - WIDER * abs(low)), min(most, high + WIDER * abs(high)))
