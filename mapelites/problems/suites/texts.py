"""What the data files of suites say: formulas and meanings in JSON, constants in npz."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from mapelites.core.problem import Array, Constraint

FOLDER = "mapelites.problems.suites"


@cache
def data_file(name: str) -> Any:
    """A JSON file of this package."""
    return json.loads((resources.files(FOLDER) / "data" / name).read_text("utf-8"))


@cache
def numbers_of(name: str) -> Mapping[str, Array]:
    """The arrays of an npz file of this package."""
    with (resources.files(FOLDER) / "data" / name).open("rb") as stream, np.load(stream) as file:
        return {key: np.asarray(file[key], dtype=np.float64) for key in file.files}


def constraints_of(rows: Sequence[Mapping[str, Any]]) -> tuple[Constraint, ...]:
    """Constraints g1, g2, ... and h1, h2, ...; a row stands for as many as its `count` says."""
    found: list[Constraint] = []
    numbers = {"g": 0, "h": 0}
    for row in rows:
        letter = row["letter"]
        for _ in range(row["count"]):
            numbers[letter] += 1
            kind: Any = "inequality" if letter == "g" else "equality"
            told = {key: row[key] for key in ("limit", "sense", "unit", "meaning") if key in row}
            found.append(Constraint(f"{letter}{numbers[letter]}", kind, row["formula"], **told))
    return tuple(found)


def variables_of(rows: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The meanings and the units of all variables; a row stands for as many as its `count` says."""
    each = [(row["meaning"], row.get("unit", "")) for row in rows for _ in range(row["count"])]
    return tuple(meaning for meaning, _ in each), tuple(unit for _, unit in each)


def groups_of(rows: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The groups that rows of constraints name, each with the names of its constraints."""
    found: dict[str, list[str]] = {}
    names = iter(each.name for each in constraints_of(rows))
    for row in rows:
        members = [next(names) for _ in range(row["count"])]
        if "group" in row:
            found.setdefault(row["group"], []).extend(members)
    return tuple((title, tuple(members)) for title, members in found.items())
