"""The 57 problems of the CEC 2020 competition on real-world constrained optimisation, RC01 to RC57.

A. Kumar and others, "A test-suite of non-convex constrained optimization problems from the real-world and some baseline
results" (2020). Where their report and their code disagree, the code of July 2020 counts: it is what was competed on.
A file here is a family of kernels; formulas, meanings and best known values are in `../data/cec2020.json`.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from mapelites.core.on_demand import KernelOnDemand
from mapelites.core.problem import Array, Constraint, Problem
from mapelites.problems.formulas.tracing import formulas_of
from mapelites.problems.suites.cec2020 import (
    chemical,
    gears,
    inverters,
    mechanical,
    power_flow,
    rations,
    structures,
    synthesis,
    wind,
)
from mapelites.problems.suites.suite import Suite
from mapelites.problems.suites.texts import constraints_of, data_file, groups_of, numbers_of, variables_of

FAMILIES = (chemical, synthesis, mechanical, gears, structures, power_flow, wind)
TEXTS, NUMBERS = "cec2020.json", "cec2020_constants.npz"
REFERENCE = "A. Kumar and others, Swarm and Evolutionary Computation 56 (2020)"
LEVELS_AND_DEPTHS = {"RC45": (1, 0.32), "RC46": (2, 0.32), "RC47": (3, 0.36), "RC48": (4, 0.32), "RC49": (5, 0.3333),
                     "RC50": (6, 0.32)}  # fmt: skip
NAMES = tuple(f"RC{number:02}" for number in range(1, 58))
# Those that can be told as formulas: the others decide by a value, or are longer than a text may be.
AS_FORMULAS = (*NAMES[:21], "RC23", "RC25", "RC29", "RC32", *NAMES[50:])
# What the kernels read of the constants, one after the other.
DATA = {
    "RC22": ("RC22_planets", "RC22_modules"),
    "RC26": ("RC26_thickness",),
    "RC30": ("RC30_wire",),
    "RC33": ("RC33_KE",),
    "RC34": ("RC34_G", "RC34_B", "RC34_P", "RC34_Q"),
    **dict.fromkeys(("RC35", "RC36", "RC41"), ("RC35_G", "RC35_B", "loads")),
    **dict.fromkeys(("RC37", "RC38", "RC39"), ("RC37_G", "RC37_B", "RC37_P", "RC37_Q")),
    **dict.fromkeys(("RC40", "RC42", "RC43"), ("RC40_lines", "loads", "RC40_Pc", "RC40_Qc")),
    "RC44": ("RC44_c", "RC44_freq"),
    **{name: ("modulation", "RC45_k", f"{name}_s") for name in LEVELS_AND_DEPTHS},
    **{name: ("RC51_feed", f"{name}_limits") for name in ("RC51", "RC52", "RC53", "RC54")},
    **{name: ("RC55_dairy", f"{name}_targets") for name in ("RC55", "RC56", "RC57")},
}


def group(name: str) -> str:
    """The family that the competition lists a problem in."""
    return str(data_file(TEXTS)["problems"][name]["group"])


@cache
def get(name: str) -> Problem:
    """The problem of that name."""
    told, numbers = data_file(TEXTS)["problems"][name], numbers_of(NUMBERS)
    lower, upper = numbers[f"{name}_lower"], numbers[f"{name}_upper"]
    meanings, units = variables_of(told["variables"])
    constraints = constraints_of(told["constraints"])
    return Problem(
        name=name,
        title=f"{name} {told['title']}",
        lower=lower,
        upper=upper,
        constraints=constraints,
        function=_kernel(name),
        formula=told["formula"],
        difficulty=told["about"],
        best_known=told["best"],
        best_known_note=told["best_note"],
        data=_data(name),
        units=units,
        meanings=meanings,
        definitions=tuple(told["definitions"]),
        groups=groups_of(told["constraints"]),
        unconstrained=not constraints,
        formulas=_formulas(name, constraints, lower, upper) if name in AS_FORMULAS else "",
        reference=f"{REFERENCE}, {name}",
    )


def _kernel(name: str) -> KernelOnDemand:
    if name in LEVELS_AND_DEPTHS:
        return inverters.modulation
    if name >= "RC51":
        return rations.beef if name <= "RC54" else rations.dairy
    found: KernelOnDemand = next(getattr(each, name.lower()) for each in FAMILIES if hasattr(each, name.lower()))
    return found


def _formulas(name: str, constraints: tuple[Constraint, ...], lower: Array, upper: Array) -> str:
    """What its kernel does, written down."""
    bounds = list(zip(lower.tolist(), upper.tolist(), strict=True))
    inequalities = sum(each.kind == "inequality" for each in constraints)
    return formulas_of(_kernel(name).py_func, _data(name), bounds, inequalities, len(constraints) - inequalities)


def _data(name: str) -> Array:
    numbers = numbers_of(NUMBERS)
    parts = []
    for key in DATA.get(name, ()):
        if key == "loads":  # at the nominal voltage, and how they grow with it
            parts += [numbers[kind][:, column] for kind in ("RC35_P", "RC35_Q") for column in (0, 5)]
        else:
            parts.append(np.array(LEVELS_AND_DEPTHS[name]) if key == "modulation" else numbers[key].ravel())
    return np.concatenate(parts, dtype=np.float64) if parts else np.empty(0)


BUDGETS = ((10, 100_000), (30, 200_000), (50, 400_000), (150, 800_000))


def budget(name: str, n: int) -> int:
    """The evaluations of a run in the competition, by the number of variables."""
    return next((evaluations for most, evaluations in BUDGETS if n <= most), 1_000_000)


SUITE = Suite(title="CEC 2020 real-world", order=25, names=NAMES, get=get, group=group, budget=budget)
