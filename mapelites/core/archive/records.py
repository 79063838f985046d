"""Elites as named columns: what every table of them holds, whatever program it is for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.core.problem import Array, Problem, violations
from mapelites.core.tolerances import Tolerances

COLUMNS = ("cell", "f", "feasible", "found_at", "operator")  # of every table of elites


def elite_columns(
    problem: Problem,
    tolerances: Tolerances,
    x: Array,
    f: Array,
    g: Array,
    h: Array,
    cell: NDArray[np.int64],
    found_at: NDArray[np.int64],
    operator: NDArray[np.str_],
) -> dict[str, NDArray[Any]]:
    """One column for each thing that is known of elites, raw numbers in full precision."""
    names, violation = [each.name for each in problem.constraints], violations(g, h)
    values, bins = np.concatenate([g, h], axis=1), tolerances.bins(violation)
    found: dict[str, NDArray[Any]] = {
        "cell": cell,
        **{f"bin_{name}": np.array(tolerances.labels(i))[bins[:, i]] for i, name in enumerate(tolerances.names)},
        "f": f,
        **({f"objective_{problem.objective}": -f if problem.maximise else f} if problem.objective != "f" else {}),
        **{f"constraint_{name}" if name in COLUMNS else name: values[:, i] for i, name in enumerate(names)},
        **{f"violation_{name}": violation[:, i] for i, name in enumerate(names)},
        **_in_terms(problem, values, violation),
        "feasible": problem.feasible(violation),
        "found_at": found_at,
        "operator": operator,
    }
    for i, name in enumerate(problem.variables):
        found[f"variable_{name}" if name in found else name] = x[:, i]
    return found


def _in_terms(problem: Problem, values: Array, violation: Array) -> dict[str, NDArray[Any]]:
    """What the engineer calls the objective and the constraints: value, limit or scale, unit, per cent."""
    found: dict[str, NDArray[Any]] = {}
    rows = len(values)
    for i, each in enumerate(problem.constraints):
        if each.limit is not None:
            found[f"value_{each.name}"] = np.array([each.value(float(raw)) for raw in values[:, i]], dtype=np.float64)
            found[f"limit_{each.name}"] = np.full(rows, each.limit)
        if not each.limit and each.scale is not None:
            found[f"scale_{each.name}"] = np.full(rows, each.scale)
        if each.reference is not None:
            found[f"percent_{each.name}"] = 100.0 * violation[:, i] / each.reference
        if each.unit:
            found[f"unit_{each.name}"] = np.full(rows, each.unit)
    return found
