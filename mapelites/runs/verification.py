"""Whether the numbers in a file that came from somewhere are those of its solutions.

Every number shown re-evaluates to itself, and a file may claim anything: so its solutions are evaluated before it is
taken in. Another kind of machine may round the last digits differently, so numbers need only agree but for rounding.
"""

from __future__ import annotations

import time

import numpy as np

from mapelites.core.archive import Elites
from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Problem
from mapelites.evaluation.answer import FINE
from mapelites.runs.evaluations import sound_records
from mapelites.snapshot.snapshot import Snapshot

ROUNDING = 1e-9  # relative, and absolute below 1
BLOCK = 20_000  # solutions that are evaluated at once, so that many need no more memory than a few


class Patience:
    """How long a file may be looked at, in seconds of processor time; None for as long as it takes."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds, self._end = seconds, np.inf if seconds is None else time.thread_time() + seconds

    def check(self) -> None:
        """An `InputError` once it is over."""
        if time.thread_time() > self._end:
            raise InputError(
                f"this run file has too many solutions to evaluate them within {self._seconds:g} s; "
                "`illuminate import` in a terminal takes as long as it needs"
            )


def check_snapshot(snapshot: Snapshot, problem: Problem, patience: Patience) -> None:
    """An `InputError` where an elite has other numbers than its solution, or the curve ends in other ones."""
    elites, curve = snapshot.elites, snapshot.curve
    _check_counts(snapshot)
    if len(elites) > snapshot.evaluations:
        raise InputError(
            f"not a run file, because it has {len(elites):,} solutions of {snapshot.evaluations:,} evaluations"
        )
    check_elites(elites, problem, patience)
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


def check_elites(elites: Elites, problem: Problem, patience: Patience) -> None:
    """An `InputError` where an elite lies out of bounds, or has other numbers than its solution."""
    _check(elites.x, np.column_stack([elites.f, elites.g, elites.h]), problem, patience)


def check_log(content: bytes, problem: Problem, patience: Patience) -> None:
    """Likewise for evaluations that were answered."""
    records = sound_records(content, problem)
    answered = records[records["status"] == FINE]
    _check(answered["x"], answered["values"], problem, patience)


def _check(x: Array, values: Array, problem: Problem, patience: Patience) -> None:
    for start in range(0, len(x), BLOCK):
        patience.check()
        _check_rows(start, x[start : start + BLOCK], values[start : start + BLOCK], problem)


def _check_rows(before: int, x: Array, values: Array, problem: Problem) -> None:
    inside = (x >= problem.lower) & (x <= problem.upper)  # what is not a number is not inside
    finite = np.isfinite(values)
    for right, words in ((inside, "lies outside of the bounds"), (finite, "has a value that is not a finite number")):
        if not right.all():
            number = before + np.argwhere(~right)[0, 0] + 1
            raise InputError(f"not a run file, because solution {number} {words}")
    if problem.source.kind == "file":  # a function from a Python file is the worker's alone
        return
    again = problem.values(x)
    differ = np.argwhere(~np.isclose(values, again, rtol=ROUNDING, atol=ROUNDING))
    if len(differ):
        row, column = differ[0]
        name = ("f", *(constraint.name for constraint in problem.constraints))[column]
        is_, said = again[row, column], values[row, column]
        raise InputError(
            f"not a run file, because solution {before + row + 1} has {name} = {is_:.10g}, "
            f"but the file says {said:.10g}"
        )
