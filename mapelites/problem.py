"""What is searched: an objective, bounds and constraints, and how a batch of points is evaluated."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mapelites.errors import InputError
from mapelites.kernels import evaluate_rows
from mapelites.rounding import snap_rows

Array = NDArray[np.float64]
Kind = Literal["inequality", "equality"]
KINDS: tuple[Kind, ...] = get_args(Kind)
EQUALITY_TOLERANCE = 1e-4
LONGEST_NAME = 40
LONGEST_SHOWN = 80  # characters of what a function returned
ALMOST_WHOLE = 1e-9
MOST_CONSTRAINTS = 62  # two bins for each of more than these are more cells than there are numbers for
NAME = re.compile(rf"[^\s=,;]([^\n\r=,;]{{0,{LONGEST_NAME - 2}}}[^\s=,;])?")


@dataclass(frozen=True)
class Constraint:
    """One constraint, `g <= 0` (inequality) or `h = 0` (equality)."""

    name: str
    kind: Kind
    formula: str = ""


@dataclass(frozen=True)
class Relation:
    """Two constraints whose values always add up to `total`, so not every pair of bins can exist."""

    first: str
    second: str
    total: float


@dataclass(frozen=True)
class Evaluation:
    """Objective and raw constraint values of a batch: f (batch,), g (batch, m), h (batch, p)."""

    f: Array
    g: Array
    h: Array

    @property
    def violations(self) -> Array:
        """One number per constraint, inequalities first, as a (batch, m + p) array."""
        return violations(self.g, self.h)


def violations(g: Array, h: Array) -> Array:
    """`max(0, g)` and `abs(h)` side by side; a NaN stays one."""
    return np.concatenate([np.maximum(g, 0.0), np.abs(h)], axis=-1)


@dataclass(frozen=True, eq=False)
class Problem:
    """An objective to minimise within bounds, subject to constraints.

    `function` is either a plain Python function of one solution that returns f, the list of g and the
    list of h, or a compiled one made with `mapelites.kernels.kernel`. One that evaluates a whole batch at once
    has a method `rows` that takes an (batch, n) array and returns an (batch, 1 + m + p) array.

    A variable with a step above 0 takes only the values lower, lower + step, and so on: a solution is rounded
    before it is evaluated, whatever evaluates it. `source` is what a run stores to find its problem again: the
    text of a problem typed as formulas, or which file it came from.

    >>> from mapelites.problem import Constraint, Problem
    >>> def disc(x):
    ...     return x[0] + x[1], [x[0] ** 2 + x[1] ** 2 - 1.0], []
    >>> problem = Problem("disc", [-2.0, -2.0], [2.0, 2.0], (Constraint("g1", "inequality"),), disc)
    >>> problem.evaluate([[0.0, -2.0]]).violations
    array([[3.]])
    """

    name: str
    lower: Array
    upper: Array
    constraints: tuple[Constraint, ...]
    function: Callable[..., Any]
    title: str = ""
    formula: str = ""
    difficulty: str = ""
    variables: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    best_known: float | None = None
    best_known_note: str = ""
    equality_tolerance: float = EQUALITY_TOLERANCE
    data: Array = field(default_factory=lambda: np.empty(0))
    units: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    steps: Array = field(default_factory=lambda: np.empty(0))
    definitions: tuple[str, ...] = ()
    reference: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            object.__setattr__(self, name, _readonly(getattr(self, name)))
        object.__setattr__(self, "data", np.array(self.data, dtype=np.float64))  # kernels take writable arrays
        object.__setattr__(self, "constraints", tuple(self.constraints))
        n = self.lower.size
        steps = np.zeros(n) if np.size(self.steps) == 0 else self.steps
        defaults = {"variables": tuple(f"x{i + 1}" for i in range(n)), "units": ("",) * n, "meanings": ("",) * n}
        for name, default in defaults.items():
            object.__setattr__(self, name, tuple(getattr(self, name)) or default)
        object.__setattr__(self, "steps", _readonly(steps))
        self._check()

    def _check(self) -> None:
        if self.lower.ndim != 1 or self.lower.size == 0 or self.lower.shape != self.upper.shape:
            raise InputError(
                f"{self.name}: lower and upper must be two vectors of one length, but their shapes "
                f"were {self.lower.shape} and {self.upper.shape}"
            )
        for i, (low, high) in enumerate(zip(self.lower, self.upper, strict=True)):
            if not (np.isfinite(low) and np.isfinite(high) and low < high):
                raise InputError(
                    f"{self.name}: the bounds of {self.variables[i]} must be finite and "
                    f"ascending, but they were [{low:g}, {high:g}]"
                )
        for name in ("variables", "units", "meanings", "steps"):
            if len(getattr(self, name)) != self.lower.size:
                raise InputError(
                    f"{self.name}: there must be one of {name} for each of {self.lower.size} variables, "
                    f"but there were {len(getattr(self, name))}"
                )
        if not np.all((self.steps >= 0) & (self.steps <= self.upper - self.lower)):
            raise InputError(f"{self.name}: a step must be from 0 to the width of the bounds, but one was not")
        if not self.constraints:
            raise InputError(f"{self.name}: a problem needs at least one constraint to map, but it has none")
        if len(self.constraints) > MOST_CONSTRAINTS:
            raise InputError(
                f"{self.name}: a map has room for {MOST_CONSTRAINTS} constraints, but there were "
                f"{len(self.constraints)}: put some of them together, such as their maximum"
            )
        for what, named in (("variables", self.variables), ("constraints", [each.name for each in self.constraints])):
            for name in named:
                if not NAME.fullmatch(name) or named.count(name) > 1:
                    raise InputError(
                        f"{self.name}: the names of {what} must differ, have up to {LONGEST_NAME} characters and "
                        f"neither = nor comma in them, but one was {name!r}"
                    )
        self._check_kinds()
        self._check_relations()

    def _check_kinds(self) -> None:
        kinds = [constraint.kind for constraint in self.constraints]
        for constraint in self.constraints:
            if constraint.kind not in KINDS:
                raise InputError(
                    f"{self.name}: the kind of {constraint.name} must be {' or '.join(KINDS)}, "
                    f"but it was {constraint.kind!r}"
                )
        if kinds != sorted(kinds, key=KINDS.index):
            raise InputError(f"{self.name}: inequalities must come before equalities, but the order was {kinds}")

    def _check_relations(self) -> None:
        names = [constraint.name for constraint in self.constraints]
        for each in self.relations:
            if each.first not in names or each.second not in names or each.first == each.second:
                raise InputError(
                    f"{self.name}: a relation must be between two of {', '.join(names)}, "
                    f"but one was between {each.first!r} and {each.second!r}"
                )
            if not np.isfinite(each.total):
                raise InputError(
                    f"{self.name}: what {each.first} and {each.second} add up to must be a finite number, "
                    f"but it was {each.total}"
                )

    @property
    def dimension(self) -> int:
        """The number of variables, n."""
        return int(self.lower.size)

    def rounded(self, x: ArrayLike) -> Array:
        """A copy of an (batch, n) array of solutions with every variable that has a step on its grid."""
        points = np.array(x, dtype=np.float64, order="C")
        if self.steps.any():
            snap_rows(points, self.lower, self.upper, self.steps)
        return points

    def __call__(self, x: ArrayLike) -> Any:
        """What the problem's function says of one solution: f, the list of g and the list of h."""
        values = self.values(np.asarray(x, dtype=np.float64)[None])[0]
        m = self.inequalities
        return float(values[0]), values[1 : 1 + m].tolist(), values[1 + m :].tolist()

    @cached_property
    def inequalities(self) -> int:
        """The number of inequality constraints, m."""
        return sum(constraint.kind == "inequality" for constraint in self.constraints)

    @property
    def equalities(self) -> int:
        """The number of equality constraints, p."""
        return len(self.constraints) - self.inequalities

    @cached_property
    def feasible_up_to(self) -> Array:
        """The largest violation of each constraint that still counts as feasible."""
        limits = [0.0 if c.kind == "inequality" else self.equality_tolerance for c in self.constraints]
        return _readonly(limits)

    @property
    def compiled(self) -> bool:
        """Whether the function is a kernel, so that the whole search runs compiled."""
        return hasattr(self.function, "py_func")

    def evaluate(self, x: ArrayLike) -> Evaluation:
        """Evaluate a batch of solutions, an (batch, n) array, with the function the search calls."""
        values = self.values(x)
        m = self.inequalities
        return Evaluation(values[:, 0].copy(), values[:, 1 : 1 + m].copy(), values[:, 1 + m :].copy())

    def values(self, x: ArrayLike) -> Array:
        """f, g and h of a batch side by side, a (batch, 1 + m + p) array."""
        points = np.array(x, dtype=np.float64, order="C")  # kernels take writable arrays
        if points.ndim != 2 or points.shape[1] != self.dimension:
            raise InputError(f"{self.name}: x must have shape (batch, {self.dimension}), but it was {points.shape}")
        points = self.rounded(points)
        out = np.empty((len(points), 1 + len(self.constraints)))
        if hasattr(self.function, "rows"):
            out[:] = self._rows(points, out.shape)
        elif self.compiled:
            evaluate_rows(self.function, points, self.data, out)
        else:
            for row, point in zip(out, points, strict=True):
                row[:] = self._call(point)
        return out

    def _rows(self, points: Array, shape: tuple[int, ...]) -> Array:
        found = np.asarray(self.function.rows(points))  # type: ignore[attr-defined]
        if found.shape != shape:
            raise InputError(f"{self.name}: `rows` must return an array of shape {shape}, but it was {found.shape}")
        return found

    def _call(self, point: Array) -> Array:
        found = self.function(point.copy())
        try:
            f, g, h = found
            parts = [np.asarray(part, dtype=np.float64).reshape(-1) for part in (f, g, h)]
        except (TypeError, ValueError):
            raise InputError(
                f"{self.name}: the function must return f, the list of g and the list of h, all of them numbers, "
                f"but it returned {' '.join(repr(found).split())[:LONGEST_SHOWN]}"
            ) from None
        sizes = [part.size for part in parts]
        if sizes != [1, self.inequalities, self.equalities]:
            raise InputError(
                f"{self.name}: the function must return one f, {self.inequalities} inequalities and "
                f"{self.equalities} equalities, but it returned {sizes[0]}, {sizes[1]} and {sizes[2]}"
            )
        return np.concatenate(parts)

    def feasible(self, violation: Array) -> NDArray[np.bool_]:
        """Which rows of a (batch, m + p) array of violations count as feasible."""
        inside: NDArray[np.bool_] = np.all(violation <= self.feasible_up_to, axis=-1)
        return inside


def whole_bounds(low: float, high: float) -> tuple[float, float] | None:
    """The smallest and the largest whole number within bounds, or None where there are not two.

    >>> whole_bounds(0.5, 4.5), whole_bounds(0.5, 1.5)
    ((1.0, 4.0), None)
    """
    # A bound that was computed may be a whole number but for its last digits.
    first, last = float(np.ceil(low - ALMOST_WHOLE)), float(np.floor(high + ALMOST_WHOLE))
    return (first, last) if first < last else None


def _readonly(values: ArrayLike) -> Array:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array
