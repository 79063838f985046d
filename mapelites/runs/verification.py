"""Whether the numbers in a file that came from somewhere are those of its solutions.

Every number shown re-evaluates to itself, and a file may claim anything: so its solutions are evaluated before it is
taken in. Another kind of machine may round the last digits differently, so numbers need only agree but for rounding.
"""

from __future__ import annotations

import numpy as np

from mapelites.core.archive import Elites
from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Problem
from mapelites.evaluation.answer import FINE
from mapelites.runs.evaluations import sound_records
from mapelites.snapshot.snapshot import Snapshot

ROUNDING = 1e-9  # relative, and absolute below 1


def check_snapshot(snapshot: Snapshot, problem: Problem) -> None:
    """An `InputError` where an elite has other numbers than its solution, or the curve ends in other ones."""
    elites, curve = snapshot.elites, snapshot.curve
    _check_counts(snapshot)
    check_elites(elites, problem)
    if not np.all((elites.found_at >= 1) & (elites.found_at <= snapshot.evaluations)):
        raise InputError(f"not a run file, because an elite was not found within {snapshot.evaluations:,} evaluations")
    if not len(curve):
        return
    evaluations, occupied, best = curve.T
    whole = np.all(np.isfinite(curve[:, :2])) and np.all(curve[:, :2] >= 0)
    if not whole or np.any(np.diff(evaluations) < 0) or evaluations[-1] > snapshot.evaluations:
        raise InputError("not a run file, because its curve does not go forward up to the moment it is of")
    feasible = elites.f[problem.feasible(elites.violations)]
    found = feasible.min() if len(feasible) else np.nan
    if occupied[-1] > len(elites) or not np.array_equal(best[-1], found, equal_nan=True):
        raise InputError("not a run file, because its curve does not end in the numbers of its map")


def _check_counts(snapshot: Snapshot) -> None:
    if snapshot.seconds < 0:
        raise InputError(f"not a run file, because it says that it took {snapshot.seconds} s")
    failures = {kind: count for kind, (count, _) in snapshot.failures.items()}
    for name, count in {"refused": snapshot.refused, **snapshot.spent, **failures}.items():
        if not 0 <= count <= snapshot.evaluations:
            raise InputError(
                f"not a run file, because it counts {count:,} {name} of {snapshot.evaluations:,} evaluations"
            )


def check_elites(elites: Elites, problem: Problem) -> None:
    """An `InputError` where an elite lies out of bounds, or has other numbers than its solution."""
    _check(elites.x, np.column_stack([elites.f, elites.g, elites.h]), problem)


def check_log(content: bytes, problem: Problem) -> None:
    """Likewise for evaluations that were answered."""
    records = sound_records(content, problem)
    answered = records[records["status"] == FINE]
    _check(answered["x"], answered["values"], problem)


def _check(x: Array, values: Array, problem: Problem) -> None:
    inside = (x >= problem.lower) & (x <= problem.upper)  # what is not a number is not inside
    finite = np.isfinite(values)
    for right, words in ((inside, "lies outside of the bounds"), (finite, "has a value that is not a finite number")):
        if not right.all():
            raise InputError(f"not a run file, because solution {np.argwhere(~right)[0, 0] + 1} {words}")
    if problem.source.kind == "file":  # a function from a Python file is the worker's alone
        return
    again = problem.values(x)
    differ = np.argwhere(~np.isclose(values, again, rtol=ROUNDING, atol=ROUNDING))
    if len(differ):
        row, column = differ[0]
        name = ("f", *(constraint.name for constraint in problem.constraints))[column]
        is_, said = again[row, column], values[row, column]
        raise InputError(
            f"not a run file, because solution {row + 1} has {name} = {is_:.10g}, but the file says {said:.10g}"
        )
