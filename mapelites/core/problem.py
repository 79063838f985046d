"""What is searched: an objective, bounds and constraints, and how a batch of points is evaluated."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mapelites.core.constraint import KINDS, Constraint, Kind, Relation
from mapelites.core.errors import InputError, unknown
from mapelites.core.kernels import evaluate_rows
from mapelites.core.returned import side_by_side
from mapelites.core.rounding import snap_rows

__all__ = ["KINDS", "Array", "Constraint", "Evaluation", "Kind", "Problem", "ProblemSource", "Relation"]

Array = NDArray[np.float64]
EQUALITY_TOLERANCE = 1e-4
LONGEST_NAME = 40
LONGEST_SHOWN = 80  # characters of what a function returned
ALMOST_WHOLE = 1e-9
MOST_CONSTRAINTS = 1000
LONGEST_OBJECTIVE = 40
NAME = re.compile(rf"[^\s=,;]([^\n\r=,;]{{0,{LONGEST_NAME - 2}}}[^\s=,;])?")


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


@dataclass(frozen=True)
class ProblemSource:
    """How a problem is found again: by its name, by the formulas it was typed as, or by the file of its function.

    `text` is empty for a name, the formulas as they were typed, or the JSON description of what is in the file.

    >>> ProblemSource.from_value("minimise: x") == ProblemSource("formulas", "minimise: x")
    True
    """

    kind: Literal["name", "formulas", "file"] = "name"
    text: str = ""

    def __post_init__(self) -> None:
        if self.kind not in SOURCE_KINDS:
            raise unknown("the kind of a source", self.kind, SOURCE_KINDS)
        if bool(self.text) == (self.kind == "name"):
            needs = "no text" if self.kind == "name" else "a text"
            raise InputError(f"a source of kind {self.kind} has {needs}, but it was {self.text[:40]!r}")

    def as_value(self) -> dict[str, str]:
        """What stands for it in JSON."""
        return {"kind": self.kind, "text": self.text}

    @classmethod
    def from_value(cls, value: Any) -> ProblemSource:
        """What `as_value` put down, or the one text of earlier versions, in which a description began with a brace."""
        if isinstance(value, str):
            return cls("file" if value.startswith("{") else "formulas", value) if value else BY_NAME
        if not isinstance(value, Mapping):
            raise InputError(f"a source must be a table with kind and text, but it was {value!r}")
        return cls(str(value["kind"]), str(value["text"]))  # type: ignore[arg-type]


SOURCE_KINDS = ("name", "formulas", "file")
BY_NAME = ProblemSource()


@dataclass(frozen=True, eq=False)
class Problem:
    """An objective to minimise within bounds, subject to constraints.

    `function` is either a plain Python function of one solution that returns f, the list of g and the
    list of h, or a compiled one made with `mapelites.core.kernels.kernel`. One that evaluates a whole batch at once
    has a method `rows` that takes an (batch, n) array and returns an (batch, 1 + m + p) array.

    A variable with a step above 0 takes only the values lower, lower + step, and so on: a solution is rounded
    before it is evaluated, whatever evaluates it. `source` is what a run stores to find its problem again.

    `objective` is what f is called, in `objective_unit`. Where `maximise` is set, f is minus what people want much of.

    >>> from mapelites.core.problem import Constraint, Problem
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
    source: ProblemSource = BY_NAME
    objective: str = "f"
    objective_unit: str = ""
    maximise: bool = False
    formulas: str = ""  # the text it was read from, where it is written as formulas
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()  # constraints that belong together, by a name
    unconstrained: bool = False  # whether it may be without any constraint, so that its map is one cell
    jacobian: Callable[..., Any] | None = None  # compiled: fills (x, data, out) with the gradients of f, g and h

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
        if not self.constraints and not self.unconstrained:
            raise InputError(f"{self.name}: a problem needs at least one constraint to map, but it has none")
        if len(self.constraints) > MOST_CONSTRAINTS:
            raise InputError(
                f"{self.name}: there can be at most {MOST_CONSTRAINTS:,} constraints, "
                f"but there were {len(self.constraints):,}"
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

    @cached_property
    def equalities(self) -> int:
        """The number of equality constraints, p."""
        return len(self.constraints) - self.inequalities

    @cached_property
    def feasible_up_to(self) -> Array:
        """The largest violation of each constraint that still counts as feasible."""
        limits = [0.0 if c.kind == "inequality" else self.equality_tolerance for c in self.constraints]
        return _readonly(limits)

    @cached_property
    def dependent(self) -> tuple[tuple[int, ...], ...]:
        """The constraints in groups: those that are functions of each other by `relations` are one negotiable thing.

        Every constraint is in one group, most of them alone, in the order of the problem.
        """
        names = [constraint.name for constraint in self.constraints]
        group = list(range(len(names)))
        for each in self.relations:
            first, second = group[names.index(each.first)], group[names.index(each.second)]
            group = [min(first, second) if i in (first, second) else i for i in group]
        return tuple(tuple(i for i, of in enumerate(group) if of == leader) for leader in sorted(set(group)))

    def shown_objective(self, f: float) -> float:
        """The objective as people mean it: of a problem that is maximised, f is minus that."""
        return -f if self.maximise else f

    def with_scales(self, scales: Mapping[str, float]) -> Problem:
        """The same problem where these constraints have these scales; names it does not have are left alone."""
        if all(scales.get(each.name, each.scale) == each.scale for each in self.constraints):
            return self
        told = tuple(replace(each, scale=scales.get(each.name, each.scale)) for each in self.constraints)
        return replace(self, constraints=told)

    @property
    def scales(self) -> dict[str, float]:
        """The scale of each constraint that has one."""
        return {each.name: each.scale for each in self.constraints if each.scale is not None}

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

    def gradients(self, x: ArrayLike) -> Array:
        """The exact gradients of f, each g and each h at one solution, a (1 + m + p, n) array; for typed formulas."""
        if self.jacobian is None:
            raise InputError(f"{self.name}: exact gradients need typed formulas, but it has none")
        point = self.rounded(np.asarray(x, dtype=np.float64)[None])[0]
        out = np.empty((1 + len(self.constraints)) * self.dimension)
        self.jacobian(point, self.data, out)
        return out.reshape(-1, self.dimension)

    def _rows(self, points: Array, shape: tuple[int, ...]) -> Array:
        found = np.asarray(_in_one_process(self.function.rows, points))  # type: ignore[attr-defined]
        if found.shape != shape:
            raise InputError(f"{self.name}: `rows` must return an array of shape {shape}, but it was {found.shape}")
        return found

    def values_at(self, point: Array) -> Array:
        """f, g and h of one solution whose variables are on their steps: `values` for whoever calls it very often."""
        if hasattr(self.function, "row"):
            return np.asarray(_in_one_process(self.function.row, point))
        return self.values(point[None])[0] if hasattr(self.function, "rows") or self.compiled else self._call(point)

    def _call(self, point: Array) -> Array:
        found = _in_one_process(self.function, point.copy())
        row = side_by_side(found, self.inequalities, self.equalities)
        if row is not None:
            return row
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


def _in_one_process(function: Callable[[Array], Any], x: Array) -> Any:
    """What a function returns. The copy of this process that it makes by a fork and comes back in, ends there.

    Two would answer where one is asked: what the second says would be taken for the answer to the next solution.
    """
    here = os.getpid()
    try:
        return function(x)
    finally:
        if os.getpid() != here:
            os._exit(0)


def _readonly(values: ArrayLike) -> Array:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array
