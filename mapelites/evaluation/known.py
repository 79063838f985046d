"""What a person knows before a search: evaluations of before, and designs to begin with, from arrays or CSV files.

A table has a column for each variable. Of evaluations it has the objective too, as `f` or by its name, and a column
for each constraint: the raw g or h, as our own exports have it, or the engineer's number (the stress, where the
constraint limits a stress) in any other table. `value_<name>` is always the engineer's number. A name may have its
unit behind it, `stress [MPa]`, and columns are parted by commas, semicolons or tabs.
"""

from __future__ import annotations

import csv
import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mapelites.core.constraint import Constraint
from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Problem
from mapelites.evaluation.log_file import all_sound_records, layout

Columns = dict[str, list[str]]
SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True, eq=False)
class KnownPoints:
    """Solutions (k, n) and their values f, g, h (k, 1 + m + p); what is no finite number failed."""

    x: Array
    values: Array

    @classmethod
    def of(cls, problem: Problem, known: Any) -> KnownPoints:
        """From a CSV file, the log of a search, or a pair of solutions and values, the latter side by side."""
        if isinstance(known, KnownPoints):
            return known
        logged = _logged(problem, Path(known)) if isinstance(known, (str, Path)) else None
        if logged is not None:
            x, values = logged
        elif isinstance(known, (str, Path)):
            columns = _columns(Path(known))
            x, values = _solutions(problem, columns, known), _values(problem, columns, known)
        else:
            try:
                x, values = (np.atleast_2d(np.array(each, dtype=np.float64)) for each in known)
            except (TypeError, ValueError):
                raise InputError(
                    f"known must be a CSV file or a pair of solutions and values, but it was {known!r}"
                ) from None
        width = 1 + len(problem.constraints)
        if x.shape[1:] != (problem.dimension,) or values.shape != (len(x), width):
            raise InputError(
                f"known: there must be {problem.dimension} variables and {width} values of each solution, "
                f"but the shapes were {x.shape} and {values.shape}"
            )
        inside = ((x >= problem.lower) & (x <= problem.upper)).all(axis=1)  # a map has room for no others
        if not inside.all():
            left_out = int((~inside).sum())
            warnings.warn(f"known: {left_out:,} of {len(x):,} solutions lie beyond the bounds, left out", stacklevel=2)
        return cls(x[inside], values[inside])


def _logged(problem: Problem, path: Path) -> tuple[Array, Array] | None:
    """The solutions of a log, each once, and their values; None where a file is no log of this problem."""
    try:
        content = path.read_bytes()
    except OSError:
        return None  # who reads it as a table says why
    records = all_sound_records(content, problem)
    if len(records) * layout(problem).itemsize < len(content) // 2 or not len(records):
        return None
    x, first = np.unique(records["x"], axis=0, return_index=True)
    order = np.argsort(first, kind="stable")
    return x[order].astype(np.float64), records["values"][first[order]].astype(np.float64)


def designs_of(problem: Problem, start: ArrayLike | str | Path) -> Array:
    """Designs to begin with, a (k, n) array."""
    if isinstance(start, (str, Path)):
        return _solutions(problem, _columns(Path(start)), start)
    found = np.atleast_2d(np.array(start, dtype=np.float64))
    if found.ndim != 2 or found.shape[1] != problem.dimension:
        raise InputError(
            f"start must have {problem.dimension} numbers for each design, but its shape was {found.shape}"
        )
    return found


def _columns(path: Path) -> Columns:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: it cannot be read ({getattr(error, 'strerror', None) or error})") from None
    parted_by = max(SEPARATORS, key=text.partition("\n")[0].count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=parted_by) if any(each.strip() for each in row)]
    if parted_by == ";":  # as where numbers have a comma in place of the point
        rows[1:] = [[each.replace(",", ".") for each in row] for row in rows[1:]]
    if len(rows) < 2:
        raise InputError(f"{path}: there must be a line of names and at least one line of numbers")
    names = [each.strip() for each in rows[0]]
    return {name: [row[i].strip() if i < len(row) else "" for row in rows[1:]] for i, name in enumerate(names)}


def _numbers(columns: Columns, name: str, source: object, *, may_lack: bool = False) -> Array:
    found = []
    for line, text in enumerate(columns[name], start=2):
        try:
            found.append(float(text) if text or not may_lack else np.nan)
        except ValueError:
            if not may_lack:
                raise InputError(f"{source}: line {line} of {name} must be a number, but it was {text!r}") from None
            found.append(np.nan)  # FAILED, or whatever somebody writes there
    return np.array(found)


def _named(columns: Columns, source: object, *names: str, unit: str = "") -> str:
    """The column of the first of these names that there is, perhaps with this unit behind it."""
    found = next((name for name in names if name in columns), None)
    for column in columns if found is None else ():
        name, bracket, told = column.rstrip("])").replace("(", "[").partition("[")
        if bracket and name.strip() in names:
            if unit and told.strip() != unit:
                raise InputError(f"{source}: {name.strip()} is in [{unit}] here, but the table has {column}")
            return column
    if found is None:
        raise InputError(f"{source}: there is no column {' or '.join(names)}; there are {', '.join(columns)}")
    return found


def _solutions(problem: Problem, columns: Columns, source: object) -> Array:
    names = [
        _named(columns, source, f"variable_{name}" if f"variable_{name}" in columns else name, unit=unit)
        for name, unit in zip(problem.variables, problem.units, strict=True)
    ]
    return np.column_stack([_numbers(columns, name, source) for name in names])


def _values(problem: Problem, columns: Columns, source: object) -> Array:
    ours = any(name.startswith("violation_") for name in columns)
    if "f" in columns:
        parts = [_numbers(columns, "f", source, may_lack=True)]
    else:
        name = _named(columns, source, problem.objective, f"objective_{problem.objective}", unit=problem.objective_unit)
        parts = [_numbers(columns, name, source, may_lack=True) * (-1.0 if problem.maximise else 1.0)]
    for each in problem.constraints:
        name = _named(columns, source, f"constraint_{each.name}" if ours and f"constraint_{each.name}" in columns
                      else each.name, f"value_{each.name}", unit=each.unit)  # fmt: skip
        numbers = _numbers(columns, name, source, may_lack=True)
        parts.append(numbers if ours or each.limit is None else _raw(each, numbers))
    return np.column_stack(parts)


def _raw(constraint: Constraint, numbers: Array) -> Array:
    """The raw values behind the engineer's numbers."""
    limit = constraint.limit or 0.0
    mirrored = constraint.sense == ">=" or constraint.mirrored
    return limit - numbers if mirrored else numbers - limit
