"""What relaxing each constraint of the gallery buys: the map at the default levels beside independent re-solves.

`python -m tools.relaxations` re-solves every question by SciPy's SLSQP from many starts, puts the optima into
`tests/data/relaxations.json`, and writes the table `docs/results/relaxations.md`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from mapelites import Tolerances, illuminate
from mapelites.answers import Designs
from mapelites.core.format import amount
from mapelites.core.problem import Problem
from mapelites.core.terms import named_limit, violation_text
from mapelites.problems import get
from mapelites.problems.suites.gallery import NAMES
from tests.tools.resolve import RECORDED, optimum, recorded

TABLE = Path(__file__).parents[1] / "docs" / "results" / "relaxations.md"
EVALUATIONS, SEED = 200_000, 1
INTRODUCTION = f"""# What relaxing one limit buys, and whether the map says so

One constraint relaxed to its last default level (10 % of its limit or typical size), the others satisfied. The first
gain is what a map of {EVALUATIONS:,} evaluations (seed {SEED}, default search and levels) says, the second what SciPy's
SLSQP finds from many starts on the same problem. Both are in per cent of the best feasible objective; a tie is a
difference of at most 0.1 %. `python -m tools.relaxations` makes this table.

"""


def main(again: bool) -> None:
    """Re-solve where that is asked for, and write the table."""
    if again:
        optima = {}
        for name in NAMES:
            optima[name] = reference_optima(get(name))
            print(name, optima[name], flush=True)
        about = "SciPy SLSQP from many starts, by tools/relaxations.py; f at 0 and at each default level above it"
        RECORDED.write_text(json.dumps({"about": about, "optima": optima}, indent=1) + "\n")
    TABLE.write_text(INTRODUCTION + "\n".join(part for name in NAMES for part in table(get(name))) + "\n")


def reference_optima(problem: Problem) -> dict[str, list[float]]:
    """By constraint, the optimum where all are satisfied and at each default level of that one."""
    satisfied, levels = problem.feasible_up_to, Tolerances.default(problem).levels
    first, at = optimum(problem, satisfied)
    found = {}
    for i, constraint in enumerate(problem.constraints):
        values, warm = [first], [at]
        for level in levels[i][1:]:
            tolerances = satisfied.copy()
            tolerances[i] = max(level, satisfied[i])
            value, point = optimum(problem, tolerances, warm, starts=8)
            values.append(min(value, values[-1]))
            warm = [point, *warm][:3]
        found[constraint.name] = values
    return found


def table(problem: Problem) -> list[str]:
    """The rows of a design, the largest gain first."""
    archive = illuminate(problem, evaluations=EVALUATIONS, seed=SEED)
    designs, truth = Designs.of(archive), recorded()[problem.name]
    gains = []
    for i, constraint in enumerate(problem.constraints):
        f = [designs.f[designs.best(limits)] for limits in questions(designs, i)]
        best = truth[constraint.name]
        size = max(abs(best[0]), 1e-12)
        gains.append(
            ((best[0] - best[-1]) / size, (f[0] - f[-1]) / abs(f[0]), constraint, archive.tolerances.levels[i][-1])
        )
    gains.sort(key=lambda each: -each[0])
    rows = [
        f"| {named_limit(each)} | {violation_text(each, level)} | {100 * ours:.2f} % | {100 * theirs:.2f} % |"
        for theirs, ours, each, level in gains
    ]
    f0 = amount(problem.shown_objective(float(designs.f[designs.best(designs.satisfied)])))
    s0 = amount(problem.shown_objective(next(iter(truth.values()))[0]))
    head = f"## {problem.title}\n\nBest feasible {f0} by the map, {s0} by SLSQP.\n"
    return [head, "| constraint | relaxed by | the map | SLSQP |", "|---|---|---|---|", *rows, ""]


def questions(designs: Designs, constraint: int) -> list[np.ndarray]:
    """All satisfied, then each level of one constraint above that."""
    found = [designs.satisfied.copy()]
    for level in designs.tolerances.levels[constraint][1:]:
        found.append(designs.satisfied.copy())
        found[-1][constraint] = max(level, designs.satisfied[constraint])
    return found


if __name__ == "__main__":
    main(again="--table" not in sys.argv)
