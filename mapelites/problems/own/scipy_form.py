"""A problem in SciPy's vocabulary: an objective, bounds and constraints as `scipy.optimize.minimize` takes them.

Nothing of SciPy is imported: its objects are known by their attributes `lb`, `ub`, `fun` and `A`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Constraint, Problem

Part = tuple[Callable[[Array], Any], Any, Any]  # a function and what its values must lie between


def scipy_problem(fun: Callable[[Array], float], bounds: Any, constraints: Any) -> Problem:
    """The problem of minimising `fun` within bounds, subject to constraints.

    >>> found = scipy_problem(lambda x: x[0], [(0, 1), (0, 2)], {"type": "ineq", "fun": lambda x: x[0] - 0.5})
    >>> found([0.25, 1.0])
    (0.25, [0.25], [])
    """
    if not callable(fun):
        raise InputError(f"fun must be a problem or a function of one solution, but it was {fun!r}")
    lower, upper = _bounds(bounds)
    parts = [_part(f"c{i + 1}", each) for i, each in enumerate(_listed(constraints))]
    middle = (lower + upper) / 2
    kinds: dict[str, list[tuple[str, int, int, float, float]]] = {"inequality": [], "equality": []}
    for i, (part, low, high) in enumerate(parts):
        name = f"c{i + 1}"
        size = np.atleast_1d(np.asarray(part(middle.copy()), dtype=np.float64)).size
        try:
            lows, highs = (np.broadcast_to(np.asarray(end, dtype=np.float64), size) for end in (low, high))
        except (TypeError, ValueError):
            raise InputError(
                f"constraints: lb and ub of {name} must be numbers, one or {size}, but they were {low!r} and {high!r}"
            ) from None
        for k, (a, b) in enumerate(zip(lows, highs, strict=True)):
            called = name if size == 1 else f"{name}[{k + 1}]"
            if not a <= b:
                raise InputError(f"constraints: lb of {called} must be at most ub, but they were {a:g} and {b:g}")
            if a == b:
                kinds["equality"].append((called, i, k, 1.0, a))
                continue
            both = bool(np.isfinite(a) and np.isfinite(b))
            if np.isfinite(a):
                kinds["inequality"].append((f"{called} low" if both else called, i, k, -1.0, a))
            if np.isfinite(b):
                kinds["inequality"].append((f"{called} high" if both else called, i, k, 1.0, b))

    def function(x: Array) -> tuple[Any, list[float], list[float]]:
        values = [np.atleast_1d(np.asarray(each[0](x.copy()), dtype=np.float64)).ravel() for each in parts]
        g, h = ([sign * (values[i][k] - end) for _, i, k, sign, end in kinds[kind]] for kind in kinds)
        return fun(x.copy()), g, h

    named = [Constraint(each[0], kind) for kind in ("inequality", "equality") for each in kinds[kind]]
    called = str(getattr(fun, "__name__", "")).strip("<>").replace("_", "-") or "function"
    return Problem(called, lower, upper, tuple(named), function)


def _bounds(bounds: Any) -> tuple[Array, Array]:
    expected = "bounds must be a list of (lower, upper), one for each variable, or SciPy's Bounds"
    if bounds is None:
        raise InputError(f"{expected}, but there were none")
    try:
        if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
            ends = np.broadcast_arrays(*(np.atleast_1d(np.asarray(each, float)) for each in (bounds.lb, bounds.ub)))
            return ends[0].copy(), ends[1].copy()
        pairs = np.array([(float(low), float(high)) for low, high in bounds])
        return pairs[:, 0], pairs[:, 1]
    except (TypeError, ValueError, IndexError):
        raise InputError(f"{expected}, but they were {bounds!r}") from None


def _listed(constraints: Any) -> list[Any]:
    single = isinstance(constraints, Mapping) or hasattr(constraints, "lb")
    found = [constraints] if single else constraints
    if not isinstance(found, (list, tuple)) or not found:
        raise InputError(f"constraints must be a list of at least one constraint to map, but it was {constraints!r}")
    return list(found)


def _part(name: str, given: Any) -> Part:
    if isinstance(given, Mapping):
        if given.get("type") not in ("ineq", "eq"):
            raise InputError(f"constraints: type of {name} must be 'ineq' or 'eq', but it was {given.get('type')!r}")
        if not callable(given.get("fun")):
            raise InputError(f"constraints: fun of {name} must be a function, but it was {given.get('fun')!r}")
        inside, arguments = given["fun"], tuple(given.get("args", ()))
        return (lambda x: inside(x, *arguments)), 0.0, np.inf if given["type"] == "ineq" else 0.0
    if hasattr(given, "lb") and hasattr(given, "ub"):
        if callable(getattr(given, "fun", None)):
            return given.fun, given.lb, given.ub
        if hasattr(given, "A"):
            dense = given.A.toarray() if hasattr(given.A, "toarray") else given.A
            matrix = np.atleast_2d(np.asarray(dense, dtype=np.float64))
            return (lambda x: matrix @ x), given.lb, given.ub
    raise InputError(
        f"constraints: {name} must be a NonlinearConstraint, a LinearConstraint or a dictionary with type and fun, "
        f"but it was {given!r}"
    )
