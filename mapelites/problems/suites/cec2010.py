"""The 18 problems of the CEC 2010 competition on constrained real-parameter optimisation.

Definitions: R. Mallipeddi and P. N. Suganthan, "Problem definitions and evaluation criteria for the CEC
2010 competition on constrained real-parameter optimization", as the competition's own code computes
them. The shifts and rotations in `data/cec2010_constants.json` are the published ones.

A kernel's `data` is the shift o (n numbers), followed by the rotation M row by row where there is one.
Throughout, z = x - o and y = z M.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from math import e, pi
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from mapelites.core.errors import InputError, unknown
from mapelites.core.kernels import kernel
from mapelites.core.problem import Constraint, Problem, Relation
from mapelites.problems.suites.suite import Suite

MOST_VARIABLES = 30
ROTATED_DIMENSIONS = (10, 30)
OFFSET = 483.6106156535  # of C06


@njit(inline="always")
def _rotated(x, data, offset):
    """(z + offset) M - offset."""
    n = x.size
    y = np.full(n, -offset)
    for k in range(n):
        z = x[k] - data[k] + offset
        row = n + k * n
        for i in range(n):
            y[i] += z * data[row + i]
    return y


@njit(inline="always")
def _shifted(x, data, offset):
    """z + offset."""
    n = x.size
    z = np.empty(n)
    for i in range(n):
        z[i] = x[i] - data[i] + offset
    return z


@njit(inline="always")
def _rosenbrock(w):
    """R(w)."""
    total = 0.0
    for i in range(w.size - 1):
        valley = w[i] * w[i] - w[i + 1]
        total += 100.0 * valley * valley + (w[i] - 1.0) * (w[i] - 1.0)
    return total


@njit(inline="always")
def _schwefel_sin(w):
    """S(w)."""
    total = 0.0
    for i in range(w.size):
        total += w[i] * np.sin(np.sqrt(np.abs(w[i])))
    return total


@njit(inline="always")
def _schwefel_cos(w):
    """T(w)."""
    total = 0.0
    for i in range(w.size):
        total += w[i] * np.cos(np.sqrt(np.abs(w[i])))
    return total


@njit(inline="always")
def _griewank(w):
    """sum w^2 / 4000 - P(w) + 1."""
    squares, product = 0.0, 1.0
    for i in range(w.size):
        squares += w[i] * w[i]
        product *= np.cos(w[i] / np.sqrt(i + 1.0))
    return squares / 4000.0 - product + 1.0


@njit(inline="always")
def _steps(w, first, last):
    """The sum of (w_i - w_{i+1})^2 for i from `first` to `last` - 1."""
    total = 0.0
    for i in range(first, last):
        step = w[i] - w[i + 1]
        total += step * step
    return total


@njit(inline="always")
def _chain(w, first, last):
    """The sum of (w_i^2 - w_{i+1})^2 for i from `first` to `last` - 1."""
    total = 0.0
    for i in range(first, last):
        step = w[i] * w[i] - w[i + 1]
        total += step * step
    return total


@kernel
def c01(x, data, out):
    z = _shifted(x, data, 0.0)
    fourth, squared, product, total, weighted = 0.0, 1.0, 1.0, 0.0, 0.0
    for i in range(z.size):
        cosine = np.cos(z[i])
        fourth += cosine * cosine * cosine * cosine
        squared *= cosine * cosine
        product *= z[i]
        total += z[i]
        weighted += (i + 1.0) * z[i] * z[i]
    out[0] = -np.abs((fourth - 2.0 * squared) / np.sqrt(weighted))
    out[1] = 0.75 - product
    out[2] = total - 7.5 * z.size


@kernel
def c02(x, data, out):
    z = _shifted(x, data, 0.0)
    n = z.size
    largest, plain, moved = z[0], 0.0, 0.0
    for i in range(n):
        largest = max(largest, z[i])
        plain += z[i] * z[i] - 10.0 * np.cos(2.0 * pi * z[i]) + 10.0
        w = z[i] - 0.5
        moved += w * w - 10.0 * np.cos(2.0 * pi * w) + 10.0
    out[0] = largest
    out[1] = 10.0 - plain / n
    out[2] = plain / n - 15.0
    out[3] = moved / n - 20.0


@kernel
def c03(x, data, out):
    z = _shifted(x, data, 0.0)
    out[0] = _rosenbrock(z)
    out[1] = _steps(z, 0, z.size - 1)


@kernel
def c04(x, data, out):
    z = _shifted(x, data, 0.0)
    n = z.size
    largest, total = z[0], 0.0
    for i in range(n):
        largest = max(largest, z[i])
        total += z[i]
    out[0] = largest
    out[1] = _schwefel_cos(z) / n
    out[2] = _steps(z, 0, n // 2 - 1)
    out[3] = _chain(z, n // 2, n - 1)
    out[4] = total


@njit(inline="always")
def _c05_constraints(w, out):
    n = w.size
    h1, h2 = 0.0, 0.0
    for i in range(n):
        root = np.sqrt(np.abs(w[i]))
        h1 -= w[i] * np.sin(root)
        h2 -= w[i] * np.cos(0.5 * root)
    out[1] = h1 / n
    out[2] = h2 / n


@kernel
def c05(x, data, out):
    z = _shifted(x, data, 0.0)
    out[0] = z.max()
    _c05_constraints(z, out)


@kernel
def c06(x, data, out):
    largest = x[0] - data[0]
    for i in range(x.size):
        largest = max(largest, x[i] - data[i])
    out[0] = largest
    _c05_constraints(_rotated(x, data, OFFSET), out)


@njit(inline="always")
def _c07_constraint(w):
    n = w.size
    squares, cosines = 0.0, 0.0
    for i in range(n):
        squares += w[i] * w[i]
        cosines += np.cos(0.1 * w[i])
    return 0.5 - np.exp(-0.1 * np.sqrt(squares / n)) - 3.0 * np.exp(cosines / n) + e


@kernel
def c07(x, data, out):
    out[0] = _rosenbrock(_shifted(x, data, 1.0))
    out[1] = _c07_constraint(_shifted(x, data, 0.0))


@kernel
def c08(x, data, out):
    out[0] = _rosenbrock(_shifted(x, data, 1.0))
    out[1] = _c07_constraint(_rotated(x, data, 0.0))


@kernel
def c09(x, data, out):
    out[0] = _rosenbrock(_shifted(x, data, 1.0))
    out[1] = _schwefel_sin(_shifted(x, data, 0.0))


@kernel
def c10(x, data, out):
    out[0] = _rosenbrock(_shifted(x, data, 1.0))
    out[1] = _schwefel_sin(_rotated(x, data, 0.0))


@kernel
def c11(x, data, out):
    y = _rotated(x, data, 0.0)
    total = 0.0
    for i in range(y.size):
        total -= y[i] * np.cos(2.0 * np.sqrt(np.abs(y[i])))
    out[0] = total / y.size
    out[1] = _rosenbrock(_shifted(x, data, 1.0))


@kernel
def c12(x, data, out):
    z = _shifted(x, data, 0.0)
    total = 0.0
    for i in range(z.size):
        total += z[i] - 100.0 * np.cos(0.1 * z[i]) + 10.0
    out[0] = _schwefel_sin(z)
    out[1] = total
    out[2] = _chain(z, 0, z.size - 1)


@kernel
def c13(x, data, out):
    z = _shifted(x, data, 0.0)
    n = z.size
    squares, sines = 0.0, 0.0
    for i in range(n):
        squares += z[i] * z[i]
        sines += np.sin(pi * z[i] / 50.0)
    out[0] = -_schwefel_sin(z) / n
    out[1] = squares / (100.0 * n) - 50.0
    out[2] = 50.0 / n * sines
    out[3] = 75.0 - 50.0 * _griewank(z)


@njit(inline="always")
def _c14_constraints(w, out):
    n = w.size
    sines, cosines = 0.0, 0.0
    for i in range(n):
        root = np.sqrt(np.abs(w[i]))
        sines += w[i] * np.sin(root)
        cosines += w[i] * np.cos(root)
    out[1] = -cosines - n
    out[2] = cosines - n
    out[3] = sines - 10.0 * n


@kernel
def c14(x, data, out):
    out[0] = _rosenbrock(_shifted(x, data, 1.0))
    _c14_constraints(_shifted(x, data, 0.0), out)


@kernel
def c15(x, data, out):
    out[0] = _rosenbrock(_shifted(x, data, 1.0))
    _c14_constraints(_rotated(x, data, 0.0), out)


@kernel
def c16(x, data, out):
    z = _shifted(x, data, 0.0)
    total, product = 0.0, 1.0
    for i in range(z.size):
        total += z[i] * z[i] - 100.0 * np.cos(pi * z[i]) + 10.0
        product *= z[i]
    schwefel = _schwefel_sin(z)
    out[0] = _griewank(z)
    out[1] = total
    out[2] = product
    out[3] = -schwefel
    out[4] = schwefel


@kernel
def c17(x, data, out):
    z = _shifted(x, data, 0.0)
    product, total, waves = 1.0, 0.0, 0.0
    for i in range(z.size):
        product *= z[i]
        total += z[i]
        waves += z[i] * np.sin(4.0 * np.sqrt(np.abs(z[i])))
    out[0] = _steps(z, 0, z.size - 1)
    out[1] = product
    out[2] = total
    out[3] = waves


@kernel
def c18(x, data, out):
    z = _shifted(x, data, 0.0)
    schwefel = _schwefel_sin(z) / z.size
    out[0] = _steps(z, 0, z.size - 1)
    out[1] = -schwefel
    out[2] = schwefel


class _Definition(NamedTuple):
    """What a problem is besides its kernel. Formulas are LaTeX; `g` and `h` list the constraints'."""

    kernel: Any
    low: float
    high: float
    formula: str
    g: tuple[str, ...]
    h: tuple[str, ...]
    difficulty: str
    rotated: bool = False


_ROSENBROCK = r"\sum_{i<n} 100\,(w_i^2 - w_{i+1})^2 + (w_i - 1)^2"
_SHIFTED_ROSENBROCK = _ROSENBROCK + r",\quad w = z + 1"
_C05_H1 = r"-\tfrac1n \sum w_i \sin\sqrt{|w_i|} = 0"
_C05_H2 = r"-\tfrac1n \sum w_i \cos\left(0.5\sqrt{|w_i|}\right) = 0"
_C07_G = (
    r"0.5 - \exp\left(-0.1\sqrt{\tfrac1n\sum %s_i^2}\right)"
    r" - 3\exp\left(\tfrac1n\sum\cos(0.1\,%s_i)\right) + e \le 0"
)
_C14_G = (
    r"-\sum %s_i\cos\sqrt{|%s_i|} - n \le 0",
    r"\sum %s_i\cos\sqrt{|%s_i|} - n \le 0",
    r"\sum %s_i\sin\sqrt{|%s_i|} - 10n \le 0",
)
_STEPS = r"\sum_{i<n} (z_i - z_{i+1})^2"
_GRIEWANK = r"\sum \tfrac{z_i^2}{4000} - \prod \cos\tfrac{z_i}{\sqrt i} + 1"

_DEFINITIONS = {
    "C01": _Definition(
        c01, 0, 10,
        r"-\left|\frac{\sum\cos^4 z_i - 2\prod\cos^2 z_i}{\sqrt{\sum i\,z_i^2}}\right|",
        (r"0.75 - \prod z_i \le 0", r"\sum z_i - 7.5\,n \le 0"), (),
        "Bumpy objective whose best point lies on the edge of the feasible region.",
    ),
    "C02": _Definition(
        c02, -5.12, 5.12, r"\max_i z_i",
        (r"10 - q(z) \le 0", r"q(z) - 15 \le 0,\quad q(w) = \tfrac1n\sum w_i^2 - 10\cos 2\pi w_i + 10"),
        (r"q(z - 0.5) - 20 = 0",),
        "A thin multimodal surface; the two inequalities can never fail together.",
    ),
    "C03": _Definition(
        c03, -1000, 1000, _ROSENBROCK.replace("w", "z"), (), (rf"{_STEPS} = 0",),
        "The equality is a sum of squares: its gradient vanishes where it holds.",
    ),
    "C04": _Definition(
        c04, -50, 50, r"\max_i z_i", (),
        (
            r"\tfrac1n\sum z_i\cos\sqrt{|z_i|} = 0",
            r"\sum_{i=1}^{n/2-1} (z_i - z_{i+1})^2 = 0",
            r"\sum_{i=n/2+1}^{n-1} (z_i^2 - z_{i+1})^2 = 0",
            r"\sum z_i = 0",
        ),
        "Four equalities at once, two of them sums of squares: the feasible region is almost a point.",
    ),
    "C05": _Definition(
        c05, -600, 600, r"\max_i z_i", (), (_C05_H1.replace("w", "z"), _C05_H2.replace("w", "z")),
        "Two multimodal equalities; random points violate both by far.",
    ),
    "C06": _Definition(
        c06, -600, 600, r"\max_i z_i,\quad w = (z + 483.61)\,M - 483.61", (), (_C05_H1, _C05_H2),
        "Like C05, but the constraints are rotated, so variables cannot be handled one by one.", True,
    ),
    "C07": _Definition(
        c07, -140, 140, _SHIFTED_ROSENBROCK, (_C07_G % ("z", "z"),), (),
        "A narrow curved valley crossing disconnected feasible regions.",
    ),
    "C08": _Definition(
        c08, -140, 140, _SHIFTED_ROSENBROCK, (_C07_G % ("y", "y"),), (),
        "Like C07 with a rotated constraint.", True,
    ),
    "C09": _Definition(
        c09, -500, 500, _SHIFTED_ROSENBROCK, (), (r"\sum z_i\sin\sqrt{|z_i|} = 0",),
        "A curved valley cut by a multimodal equality.",
    ),
    "C10": _Definition(
        c10, -500, 500, _SHIFTED_ROSENBROCK, (), (r"\sum y_i\sin\sqrt{|y_i|} = 0",),
        "Like C09 with a rotated constraint.", True,
    ),
    "C11": _Definition(
        c11, -100, 100, r"-\tfrac1n\sum y_i\cos\left(2\sqrt{|y_i|}\right)", (),
        (_ROSENBROCK + r" = 0,\quad w = z + 1",),
        "The feasible region is one point at the end of a curved valley.", True,
    ),
    "C12": _Definition(
        c12, -1000, 1000, r"\sum z_i\sin\sqrt{|z_i|}",
        (r"\sum z_i - 100\cos(0.1\,z_i) + 10 \le 0",), (r"\sum_{i<n} (z_i^2 - z_{i+1})^2 = 0",),
        "Feasible points form a chain of squares; the best of them are far from the obvious one.",
    ),
    "C13": _Definition(
        c13, -500, 500, r"-\tfrac1n\sum z_i\sin\sqrt{|z_i|}",
        (
            r"\tfrac{1}{100n}\sum z_i^2 - 50 \le 0",
            r"\tfrac{50}{n}\sum\sin\tfrac{\pi z_i}{50} \le 0",
            r"75 - 50\left(" + _GRIEWANK + r"\right) \le 0",
        ), (),
        "Only inequalities, but the feasible region has next to no volume.",
    ),
    "C14": _Definition(
        c14, -1000, 1000, _SHIFTED_ROSENBROCK, tuple(g % ("z", "z") for g in _C14_G), (),
        "A curved valley with three wavy walls; the first two can never fail together.",
    ),
    "C15": _Definition(
        c15, -1000, 1000, _SHIFTED_ROSENBROCK, tuple(g % ("y", "y") for g in _C14_G), (),
        "Like C14 with rotated constraints.", True,
    ),
    "C16": _Definition(
        c16, -10, 10, _GRIEWANK,
        (r"\sum z_i^2 - 100\cos\pi z_i + 10 \le 0", r"\prod z_i \le 0"),
        (r"-\sum z_i\sin\sqrt{|z_i|} = 0", r"\sum z_i\sin\sqrt{|z_i|} = 0"),
        "The two equalities are one and the same with opposite signs.",
    ),
    "C17": _Definition(
        c17, -10, 10, _STEPS, (r"\prod z_i \le 0", r"\sum z_i \le 0"),
        (r"\sum z_i\sin\left(4\sqrt{|z_i|}\right) = 0",),
        "Smooth objective, wavy equality: many trade-offs, and a map that fills well.",
    ),
    "C18": _Definition(
        c18, -50, 50, _STEPS, (r"-\tfrac1n\sum z_i\sin\sqrt{|z_i|} \le 0",),
        (r"\tfrac1n\sum z_i\sin\sqrt{|z_i|} = 0",),
        "The inequality is the equality with the sign turned.",
    ),
}  # fmt: skip

NAMES = tuple(_DEFINITIONS)


def _relations(name: str, n: int) -> tuple[Relation, ...]:
    """Constraints whose values add up to a constant, by their formulas."""
    return {
        "C02": (Relation("g1", "g2", -5.0),),
        "C14": (Relation("g1", "g2", -2.0 * n),),
        "C15": (Relation("g1", "g2", -2.0 * n),),
        "C16": (Relation("h1", "h2", 0.0),),
        "C18": (Relation("g1", "h1", 0.0),),
    }.get(name, ())


@cache
def _file(name: str) -> Any:
    return json.loads((resources.files("mapelites.problems.suites") / "data" / name).read_text("utf-8"))


def dimensions(name: str) -> tuple[int, ...]:
    """The dimensions in which a problem is defined."""
    if name not in _DEFINITIONS:
        raise unknown("the problem", name, NAMES)
    if _DEFINITIONS[name].rotated:
        return ROTATED_DIMENSIONS
    return tuple(range(1, MOST_VARIABLES + 1))  # where there is nothing to add up, a sum is 0


def get(name: str, n: int) -> Problem:
    """The problem of that name in n dimensions."""
    possible = dimensions(name)
    if n not in possible:
        spelled = f"{possible[0]} to {possible[-1]}" if len(possible) > 2 else " or ".join(map(str, possible))
        raise InputError(f"{name}: the dimension must be {spelled}, but it was {n!r}")
    n = int(n)  # 10.0 is as good as 10
    definition = _DEFINITIONS[name]
    constants = _file("cec2010_constants.json")[name]
    data = np.array(constants["shift"][:n])
    if definition.rotated:
        data = np.concatenate([data, np.ravel(constants["rotation"][str(n)])])
    g = tuple(Constraint(f"g{i}", "inequality", text) for i, text in enumerate(definition.g, 1))
    h = tuple(Constraint(f"h{i}", "equality", text) for i, text in enumerate(definition.h, 1))
    known = _file("cec2010_best_known.json")["values"][name].get(str(n), {})
    return Problem(
        name=name,
        title=f"{name} {n}D",
        lower=np.full(n, float(definition.low)),
        upper=np.full(n, float(definition.high)),
        constraints=g + h,
        function=definition.kernel,
        formula=definition.formula,
        difficulty=definition.difficulty,
        relations=_relations(name, n),
        best_known=known.get("f"),
        best_known_note=known.get("note", ""),
        data=data,
    )


def budget(name: str, n: int) -> int:
    """The evaluations of a run in the competition."""
    return 20_000 * n


SUITE = Suite(title="CEC 2010", order=20, names=NAMES, get=get, dimensions=dimensions, budget=budget)
