"""The 28 problems of the CEC 2017 competition, 2017-C01 to 2017-C28, in 10, 30, 50 and 100 dimensions.

G. Wu, R. Mallipeddi, P. N. Suganthan, "Problem definitions and evaluation criteria for the CEC 2017 competition on
constrained real-parameter optimization"; it was held again in 2018, 2019 and 2024. The organisers' C++ of September
2024 counts. Formulas and best known values are in `../data/cec2017.json`. Four problems have no feasible point.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from mapelites.core.constraint import Relation
from mapelites.core.errors import InputError, unknown
from mapelites.core.on_demand import KernelOnDemand
from mapelites.core.problem import Array, Problem
from mapelites.problems.suites.cec2017 import shifted, stretched
from mapelites.problems.suites.suite import Suite
from mapelites.problems.suites.texts import constraints_of, data_file, numbers_of

TEXTS, NUMBERS = "cec2017.json", "cec2017_constants.npz"
NAMES = tuple(f"2017-C{number:02}" for number in range(1, 29))
DIMENSIONS = (10, 30, 50, 100)
FIRST_STRETCHED = 21  # C21 to C28 are C12 to C19 after the matrix
REFERENCE = "G. Wu, R. Mallipeddi and P. N. Suganthan, the CEC 2017 competition on constrained optimization (2016)"


def dimensions(name: str) -> tuple[int, ...]:
    """The dimensions that the competition has."""
    if name not in NAMES:
        raise unknown("the problem", name, NAMES)
    return DIMENSIONS


def group(name: str) -> str:
    """A heading for the half of the problems that a problem belongs to."""
    return "shifted" if NAMES.index(name) + 1 < FIRST_STRETCHED else "shifted, rotated and stretched"


@cache
def get(name: str, n: int) -> Problem:
    """The problem of that name in n dimensions."""
    if n not in dimensions(name):
        raise InputError(f"{name}: the dimension must be 10, 30, 50 or 100, but it was {n!r}")
    n, plain = int(n), name.removeprefix("2017-")
    told = data_file(TEXTS)["problems"][plain]
    known = told["known"][str(n)]
    return Problem(
        name=name,
        title=f"{name} {n}D",
        lower=np.full(n, -float(told["bound"])),
        upper=np.full(n, float(told["bound"])),
        constraints=constraints_of(told["constraints"]),
        function=_kernel(int(plain[1:])),
        formula=told["formula"],
        definitions=tuple(told["definitions"]),
        difficulty=told["about"],
        relations=tuple(Relation(first, second, 0.0) for first, second in told["opposite"]),
        best_known=known,
        best_known_note=_note(told, n),
        data=_data(int(plain[1:]), n),
        reference=REFERENCE,
    )


def least_violation(name: str, n: int) -> float | None:
    """The least mean violation that is possible, of a problem without a feasible point."""
    told = data_file(TEXTS)["problems"][name.removeprefix("2017-")].get("least_violation")
    return None if told is None else float(told[str(n)])


def _note(told: Mapping[str, Any], n: int) -> str:
    least = told.get("least_violation")
    return (
        str(told["known_note"])
        if least is None
        else f"no point is feasible, the mean violation is at least {least[str(n)]:.10g}"
    )


def _kernel(number: int) -> KernelOnDemand:
    same = number - 9 if number >= FIRST_STRETCHED else number
    found: KernelOnDemand = getattr(shifted if same < 12 else stretched, f"c{same:02}")
    return found


def _data(number: int, n: int) -> Array:
    numbers = numbers_of(NUMBERS)
    shift = f"o{number:02}" if 3 <= number <= 11 else "o01"
    matrices = ("M1", "M2") if number == 5 else ("M",) if number == 2 or number >= FIRST_STRETCHED else ()
    return np.concatenate([numbers[shift][:n], *(numbers[f"{each}_{n}D"].ravel() for each in matrices)])


def budget(name: str, n: int) -> int:
    """The evaluations of a run in the competition."""
    return 20_000 * n


SUITE = Suite(title="CEC 2017", order=23, names=NAMES, get=get, dimensions=dimensions, group=group, budget=budget)
