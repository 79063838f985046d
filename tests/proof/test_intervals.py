"""An interval holds every value that a formula can have, and little else."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from mapelites.proof.intervals import ALL, WIDER, Interval, point

ENDS = (-50.0, -7.25, -3.0, -1.0, -0.4, 0.0, 0.3, 1.0, 2.0, 4.5, 50.0)
FINITE = [Interval(low, high) for i, low in enumerate(ENDS) for high in ENDS[i:]]
POINTS = 41
ALMOST = 1e-9
ACROSS = ("square", "absolute", "inverse", "square of the inverse")
Function = Callable[[np.ndarray], np.ndarray]

# Each operation on one interval, what it means for a number, and where that has a value.
ONE: dict[str, tuple[Callable[[Interval], Interval], Function]] = {
    "negative": (lambda u: -u, np.negative),
    "absolute": (Interval.absolute, np.abs),
    "root": (Interval.root, np.sqrt),
    "exponential": (lambda u: u.through(math.exp), np.exp),
    "logarithm": (lambda u: u.within(Interval(0.0, math.inf)).through(math.log), np.log),
    "arc tangent": (lambda u: u.through(math.atan), np.arctan),
    "arc sine": (lambda u: u.through(math.asin, Interval(-1.0, 1.0)), np.arcsin),
    "to the 0": (lambda u: u.to_the(0.0), lambda u: u**0.0),
    "square": (lambda u: u.to_the(2.0), lambda u: u**2.0),
    "cube": (lambda u: u.to_the(3.0), lambda u: u**3.0),
    "to the 1.5": (lambda u: u.to_the(1.5), lambda u: u**1.5),
    "to the -1.5": (lambda u: u.to_the(-1.5), lambda u: u**-1.5),
    "square of the inverse": (lambda u: u.to_the(-2.0), lambda u: u**-2.0),
    "inverse": (Interval.inverse, lambda u: 1 / u),
}
TWO: dict[str, tuple[Callable[[Interval, Interval], Interval], Callable[[np.ndarray, np.ndarray], np.ndarray]]] = {
    "sum": (lambda u, v: u + v, np.add),
    "difference": (lambda u, v: u - v, np.subtract),
    "product": (lambda u, v: u * v, np.multiply),
}


def values_of(function: Function, inside: Interval) -> np.ndarray:
    """The finite values at points of an interval, both ends among them."""
    with np.errstate(all="ignore"):
        found = function(np.linspace(inside.low, inside.high, POINTS))
    return found[np.isfinite(found)]


def holds(interval: Interval, values: np.ndarray) -> bool:
    return bool(((interval.low <= values) & (values <= interval.high)).all())


def is_tight(interval: Interval, values: np.ndarray) -> bool:
    ends = (interval.low, values.min()), (interval.high, values.max())
    return all(abs(end - value) <= ALMOST * max(1.0, abs(value)) for end, value in ends)


@pytest.mark.parametrize("name", ONE)
def test_what_is_done_with_one_interval_holds_every_value_and_ends_where_they_end(name: str) -> None:
    operation, function = ONE[name]
    for inside in FINITE:
        values, found = values_of(function, inside), operation(inside)
        assert holds(found, values)
        across = inside.low < 0 < inside.high and name in ACROSS  # the points may miss where it turns or has a pole
        if values.size == POINTS and not across:
            assert is_tight(found, values)


@pytest.mark.parametrize("name", ["square", "absolute"])
def test_the_least_of_what_is_never_below_0_is_0_where_0_is_inside(name: str) -> None:
    operation = ONE[name][0]
    found = operation(Interval(-0.4, 0.3))
    assert found.low == 0.0
    assert found.high == pytest.approx(0.4 if name == "absolute" else 0.16)


@pytest.mark.parametrize("name", TWO)
def test_what_is_done_with_two_intervals_holds_every_value_and_ends_where_they_end(name: str) -> None:
    operation, function = TWO[name]
    for a in FINITE[::3]:
        for b in FINITE:
            grid = np.meshgrid(np.linspace(a.low, a.high, 5), np.linspace(b.low, b.high, 5))
            values, found = function(*grid).ravel(), operation(a, b)
            assert holds(found, values)
            assert is_tight(found, values)


@pytest.mark.parametrize(("name", "function"), [("sine", np.sin), ("cosine", np.cos)])
def test_waves_hold_every_value_and_know_where_they_turn(name: str, function: Function) -> None:
    for low in np.linspace(-9, 9, 61):
        for width in (0.0, 0.2, 1.0, 2.5, 3.3, 6.0, 6.4):
            inside = Interval(float(low), float(low + width))
            with np.errstate(all="ignore"):
                values = function(np.linspace(inside.low, inside.high, 4001))
            found = getattr(inside, name)()
            assert holds(found, values)
            assert found.low == pytest.approx(values.min(), abs=1e-5)
            assert found.high == pytest.approx(values.max(), abs=1e-5)
    assert getattr(ALL, name)() == Interval(-1.0, 1.0)


def test_an_open_end_stays_open() -> None:
    above = Interval(2.0, math.inf)
    assert above + point(1.0) == Interval(3.0 - 3.0 * WIDER, math.inf)
    assert above * point(0.0) == point(0.0)
    assert (above * Interval(-1.0, 1.0)) == ALL
    assert above.inverse() == Interval(0.0, 0.5 + 0.5 * WIDER)
    assert above.to_the(2.0).high == above.root().high == above.through(math.exp).high == math.inf
    assert Interval(-math.inf, math.inf).to_the(3.0) == ALL
    assert ALL.to_the(2.0) == Interval(0.0, math.inf)
    assert (above - above) == ALL
    assert Interval(300.0, 400.0).to_the(200.0).high == math.inf
    assert Interval(-400.0, -300.0).to_the(201.0).low == -math.inf
    assert Interval(-400.0, -300.0).to_the(200.0).high == math.inf
    assert Interval(0.0, 1e4).through(math.exp).high == math.inf
    assert Interval(-1e4, 0.0).through(math.sinh).low == -math.inf


def test_an_inverse_next_to_0_is_open_and_across_0_it_is_anything() -> None:
    assert Interval(0.0, 4.0).inverse() == Interval(0.25 - 0.25 * WIDER, math.inf)
    assert Interval(-4.0, 0.0).inverse() == Interval(-math.inf, -0.25 + 0.25 * WIDER)
    assert Interval(-1.0, 2.0).inverse() == point(0.0).inverse() == ALL


def test_an_interval_knows_its_nature() -> None:
    assert [Interval(*each).has_zero for each in ((-1, 1), (0, 1), (-1, 0), (1, 2), (-2, -1))] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert [Interval(*each).positive for each in ((0.1, 1), (0, 1), (-2, -1))] == [True, False, False]
    assert [Interval(*each).bounded for each in ((0, 1), (0, math.inf), (-math.inf, 0))] == [True, False, False]
    assert [Interval(*each).magnitude for each in ((-3, 1), (1, 2), (-math.inf, 0))] == [3, 2, math.inf]
    assert Interval(-3, 5).within(Interval(0, 2)) == Interval(0, 2)
    assert Interval(3, 5).within(Interval(0, 2)) == Interval(2, 2)
    assert Interval(-5, -3).within(Interval(0, 2)) == Interval(0, 0)


def test_every_result_is_a_little_wider_than_what_was_computed() -> None:
    for found, low, high in (
        (Interval(1.0, 2.0) + Interval(3.0, 4.0), 4.0, 6.0),
        (Interval(1.0, 2.0) * Interval(-4.0, -3.0), -8.0, -3.0),
        (Interval(4.0, 9.0).root(), 2.0, 3.0),
        (Interval(2.0, 4.0).inverse(), 0.25, 0.5),
        (Interval(2.0, 3.0).to_the(2.0), 4.0, 9.0),
        (Interval(2.0, 3.0).to_the(1.5), 2.0**1.5, 3.0**1.5),
        (Interval(1.0, 2.0).through(math.exp), math.e, math.e**2),
        (Interval(0.5, 1.0).cosine(), math.cos(1.0), math.cos(0.5)),
    ):
        assert low * (1 - 2 * WIDER * np.sign(low)) <= found.low < low
        assert high < found.high <= high * (1 + 2 * WIDER * np.sign(high))
