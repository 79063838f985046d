"""A problem as a Python function: the decorator, and what kind of function it is.

    from mapelites import problem

    @problem(bounds={"width": (0.1, 2.0), "height": (0.1, 10.0)}, inequalities=["stress"], equalities=["volume"])
    def beam(x):
        width, height = x
        return width * height, [6e4 / (width * height**2) - 1e3], [width * height - 2]

A constraint may be named with its limit, `inequalities=["stress <= 1000 psi"]`: then the function returns the stress
itself. The function takes one solution, or a batch as an (batch, n) array, and returns f, all g and all h; or it is
compiled with numba's `njit`. Which of these it is need not be said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from mapelites.core.errors import InputError
from mapelites.core.problem import EQUALITY_TOLERANCE, Array, Problem, whole_bounds
from mapelites.core.returned import side_by_side
from mapelites.problems.own.declared import RawValues, constraints_of, objective_of
from mapelites.problems.own.njit import kernel_around


def problem(
    bounds: Mapping[str, tuple[float, float]],
    inequalities: Sequence[str] = (),
    equalities: Sequence[str] = (),
    *,
    units: Mapping[str, str] | None = None,
    meanings: Mapping[str, str] | None = None,
    integers: Sequence[str] = (),
    steps: Mapping[str, float] | None = None,
    title: str = "",
    best_known: float | None = None,
    reference: str = "",
    equality_tolerance: float = EQUALITY_TOLERANCE,
    objective: str = "",
    maximise: bool = False,
) -> Callable[[Callable[..., Any]], Problem]:
    """Make a problem of the function below; its name is the function's.

    >>> @problem(bounds={"a": (0, 1), "n": (1, 9)}, inequalities=["limit"], integers=["n"])
    ... def small(x):
    ...     return x[0] * x[1], [2.0 - x[0] - x[1]], []
    >>> small([0.5, 3.2])
    (1.5, [-1.5], [])

    `objective` is what the function returns first, such as "cost [$]"; with `maximise` it is wanted large.
    """
    ranges = _ranges(bounds)
    names = tuple(ranges)
    g, h = constraints_of(inequalities, equalities, meanings or {})
    explained = tuple(each.name for each in g + h)
    _check_names(names, {"units": units or {}, "integers": integers, "steps": steps or {}})
    _check_names((*names, *explained), {"meanings": meanings or {}}, "the variables and constraints")
    ranges |= {name: _whole(name, *ranges[name]) for name in integers}
    grid = {**dict.fromkeys(integers, 1.0), **(steps or {})}
    for name in integers:
        if grid[name] % 1:
            raise InputError(f"steps: the step of {name} must be whole, since {name} is, but it was {grid[name]!r}")
    raw = RawValues.of(g + h, maximise)
    called_objective, objective_unit = objective_of(objective)

    def make(function: Callable[..., Any]) -> Problem:
        lower, upper = (np.array([ranges[name][end] for name in names]) for end in (0, 1))
        spacing = np.array([grid.get(name, 0.0) for name in names])
        called = str(function.__name__)
        compiled = hasattr(function, "py_func")
        return Problem(
            name=called.replace("_", "-"),
            lower=lower,
            upper=upper,
            constraints=g + h,
            function=kernel_around(function, called, len(g), len(h), raw)
            if compiled
            else UserFunction(function, len(g), len(h), raw),
            title=title or called.replace("_", " ").capitalize(),
            difficulty=" ".join((function.__doc__ or "").split()),
            variables=names,
            best_known=best_known,
            equality_tolerance=equality_tolerance,
            units=tuple((units or {}).get(name, "") for name in names),
            meanings=tuple((meanings or {}).get(name, "") for name in names),
            steps=spacing,
            reference=reference,
            objective=called_objective,
            objective_unit=objective_unit,
            maximise=maximise,
        )

    return make


class UserFunction:
    """A function in plain Python or numpy, called the way it was written for.

    One that cannot be called with a vector is tried with a batch; which it is, is found out at the first call, unless
    somebody knows it already and says so in `batch`.
    """

    def __init__(
        self, function: Callable[..., Any], inequalities: int, equalities: int, raw: RawValues | None = None
    ) -> None:
        self.function, self.m, self.p, self.raw = function, inequalities, equalities, raw
        self.batch: bool | None = None

    def __call__(self, x: Array) -> Any:
        """What the function itself says."""
        return self.function(x)

    def row(self, point: Array) -> Array:
        """f, g and h of one solution side by side."""
        if self.batch is not False:
            return np.asarray(self.rows(point[None])[0])
        found = self._of_one(point)
        return found if self.raw is None else self.raw.from_returned(found)

    def rows(self, points: Array) -> Array:
        """f, g and h of a batch side by side."""
        found = self._returned(points)
        return found if self.raw is None else self.raw.from_returned(found)

    def _returned(self, points: Array) -> Array:
        """What the function returns for a batch, side by side."""
        found = [self._first(points[0])] if self.batch is None and len(points) else []
        if self.batch:
            return self._of_batch(points)
        found += [self._of_one(point) for point in points[len(found) :]]
        return np.array(found).reshape(len(points), 1 + self.m + self.p)

    def _first(self, point: Array) -> Array:
        """The values at a point, and from now on which kind it is; where it fails either way, that is still open."""
        unusable = IndexError, ValueError, TypeError
        try:
            row, self.batch = self._of_one(point), False
        except unusable:
            # One row more than anything else is long, so that a row is not taken for a column.
            many = np.tile(point, (point.size + self.m + self.p + 1, 1))
            with suppress(*unusable):
                row, self.batch = self._of_batch(many)[0], True
            if self.batch is None:
                raise
        return row

    def _of_one(self, point: Array) -> Array:
        found = self._parts(self.function(point.copy()))
        row = side_by_side(found, self.m, self.p)
        if row is not None:
            return row
        parts = [np.asarray(each, dtype=np.float64).reshape(-1) for each in found]
        self._check([part.size for part in parts])
        return np.concatenate(parts)

    def _of_batch(self, points: Array) -> Array:
        f, g, h = self._parts(self.function(points.copy()))
        parts = [_columns(each, len(points)) for each in (f, g, h)]
        self._check([part.shape[1] for part in parts])
        return np.concatenate(parts, axis=1)

    def _parts(self, found: Any) -> tuple[Any, Any, Any]:
        if isinstance(found, tuple) and len(found) == 3:
            return found
        if isinstance(found, tuple) and len(found) == 2 and self.p == 0:
            return (*found, [])
        came = f"a tuple of {len(found)}" if isinstance(found, tuple) else type(found).__name__
        raise ShapeError(f"it must return f, the list of g and the list of h, but it returned {came}")

    def _check(self, sizes: Sequence[int]) -> None:
        if list(sizes) != [1, self.m, self.p]:
            raise ShapeError(
                f"it must return one f, {self.m} inequalities and {self.p} equalities, "
                f"but it returned {sizes[0]}, {sizes[1]} and {sizes[2]}"
            )


class ShapeError(InputError):
    """A function returned something else than its declaration says."""


def _columns(part: Any, rows: int) -> Array:
    """One part of a batch's values as columns: a vector, a list of vectors, or an (batch, k) array."""
    if isinstance(part, (list, tuple)):
        part = np.stack([np.broadcast_to(np.asarray(each, dtype=np.float64), rows) for each in part], 1) if part else []
    array = np.asarray(part, dtype=np.float64)
    if array.size == 0:
        return np.empty((rows, 0))
    array = array.reshape(-1, 1) if array.ndim == 1 else array
    if array.ndim != 2 or len(array) != rows:
        raise ShapeError(f"for {rows} solutions it must return {rows} values of each, but the shape was {array.shape}")
    return array


def _ranges(bounds: Any) -> dict[str, tuple[float, float]]:
    """The bounds by variable, as numbers."""
    if not isinstance(bounds, Mapping):
        if callable(bounds):
            raise InputError("@problem needs parentheses: write @problem(bounds={...}, inequalities=[...])")
        raise InputError(f'bounds must be by variable, such as {{"width": (0.1, 2)}}, but they were {bounds!r}')
    found: dict[str, tuple[float, float]] = {}
    for name, pair in bounds.items():
        if not isinstance(name, str):
            raise InputError(f"bounds: a variable's name must be a text, but it was {name!r}")
        try:
            if isinstance(pair, str):
                raise TypeError
            low, high = pair
            found[name] = float(low), float(high)
        except (TypeError, ValueError):
            raise InputError(
                f"bounds: {name} must have a lower and an upper number, such as (0, 1), but it had {pair!r}"
            ) from None
    return found


def _whole(name: str, low: float, high: float) -> tuple[float, float]:
    found = whole_bounds(low, high)
    if found is None:
        raise InputError(
            f"integers: two whole numbers or more must lie within the bounds of {name}, "
            f"but they were [{low:g}, {high:g}]"
        )
    return found


def _check_names(names: tuple[str, ...], given: Mapping[str, Any], what_they_are: str = "the variables") -> None:
    if not names:
        raise InputError("bounds: a problem needs at least one variable, but there was none")
    for what, mentioned in given.items():
        for name in mentioned:
            if name not in names:
                raise InputError(f"{what}: {what_they_are} are {', '.join(names)}, but {name!r} is not among them")
