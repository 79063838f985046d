"""How many questions are proven within 0.1 % in 1, 10 and 60 seconds of processor time, and how many cells are empty.

    python -m benchmarks.proof [--save] [--parts gallery,cells,competition] [--only welded-beam,i-beam]

gallery: the limits as they are, each constraint alone and each pair of constraints wider by 1, 2, 5 and 10 per cent of
their limit or scale; a constraint that has neither is counted in shares of its typical size. cells: the designs in two
variables, at their own levels, from nothing: every cell is occupied or proven empty. competition: the problems of CEC
2020 that can be told as formulas, with their limits as they are, beside the best that the competition knows.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.core.tolerances import Tolerances
from mapelites.problems import get
from mapelites.problems.suites.cec2020 import AS_FORMULAS
from mapelites.problems.suites.gallery import NAMES
from mapelites.proof.cells import find_empty
from mapelites.proof.prover import Prover, within_gap
from mapelites.proof.region import Effort, typical_sizes

PERCENTS = (1, 2, 5, 10)
TIMES = (1.0, 10.0, 60.0)
GAP = 1e-3
IN_TWO_VARIABLES = ("tin-can", "three-bar-truss")
PARTS = {"gallery": NAMES, "cells": IN_TWO_VARIABLES, "competition": AS_FORMULAS}
TABLES, PAGE = Path("docs/results/proof.json"), Path("docs/results/proof.md")
Row = dict[str, Any]


def questions(problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
    """Each question with what it is called."""
    sizes = typical_sizes(problem).constraints
    full = np.array([each.reference or size for each, size in zip(problem.constraints, sizes, strict=True)])
    base = problem.feasible_up_to
    yield "as they are", base.copy()
    places = range(len(full))
    for chosen in [*((i,) for i in places), *combinations(places, 2)]:
        for percent in PERCENTS:
            t = base.copy()
            t[list(chosen)] = full[list(chosen)] * percent / 100
            names = " and ".join(problem.constraints[i].name for i in chosen)
            yield f"{names} +{percent} %", np.maximum(t, base)


def gallery(name: str, seconds: float) -> Row:
    """Every question of a design, each from nothing: how many are proven, and how fast."""
    problem, took = get(name), []
    asked = list(questions(problem))
    for said, tolerances in asked:
        started = _processor_seconds()
        proof = within_gap(Prover(problem).prove(tolerances, _effort(seconds)), GAP)
        if proof.status in ("proven", "infeasible"):
            took.append(_processor_seconds() - started)
        else:
            print(f"  open: {said}: {proof.status}, gap {proof.gap}, {proof.reason}", flush=True)
    within = {f"in {limit:g} s": sum(each <= limit for each in took) for limit in TIMES}
    return {"design": name, "questions": len(asked), "proven": len(took), **within, "slowest": round(max(took), 2)}


def cells(name: str, seconds: float) -> Row:
    """The cells of a design in two variables."""
    problem = get(name)
    tolerances = Tolerances.default(problem)
    started = _processor_seconds()
    empty = find_empty(Prover(problem), tolerances, _effort(seconds), seconds=600.0)
    took = round(_processor_seconds() - started, 1)
    return {"design": name, "cells": tolerances.cells, "occupied": empty.occupied, "empty": empty.cells,
            "of these but for a rim": len(empty.rims), "open": empty.open, "seconds": took}  # fmt: skip


def competition(name: str, seconds: float) -> Row:
    """The limits of a problem as they are."""
    problem = get(name)
    started, clock = _processor_seconds(), time.monotonic()
    known = {"problem": name, "variables": problem.dimension, "constraints": len(problem.constraints)}
    try:
        proof = within_gap(Prover(problem).prove(problem.feasible_up_to, _effort(seconds)), GAP)
    except InputError as error:
        return {**known, "status": str(error), "bound": None, "f": None, "best known": problem.best_known}
    took = round(min(_processor_seconds() - started, time.monotonic() - clock), 2)
    status = proof.status if proof.status != "gave up" else f"gave up: {proof.reason}"
    return {**known, "status": status, "bound": proof.bound, "f": proof.f, "best known": problem.best_known,
            "gap": proof.gap, "seconds": took}  # fmt: skip


MEASURES = {"gallery": gallery, "cells": cells, "competition": competition}


def _effort(seconds: float) -> Effort:
    return Effort(seconds, gap=GAP, processor_time=True)


def _processor_seconds() -> float:
    """Of the solver's processes and of this one."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def page(tables: dict[str, dict[str, Row]], seconds: float) -> str:
    """The results as a page."""
    rows = list(tables.get("gallery", {}).values())
    asked, proven = (sum(row[name] for row in rows) for name in ("questions", "proven"))
    in_time = {limit: sum(row[f"in {limit:g} s"] for row in rows) for limit in TIMES}
    typed = list(tables.get("competition", {}).values())
    closed = [row["seconds"] for row in typed if row["status"] in ("proven", "infeasible")]
    fast = {limit: sum(took <= limit for took in closed) for limit in TIMES}
    texts = {
        "gallery": f"## The gallery\n\n{proven} of {asked} questions are proven within 0.1 %: {in_time[1.0]} in one "
        f"second, {in_time[10.0]} in 10, {in_time[60.0]} in 60. Every question begins from nothing.",
        "cells": "## Cells of the designs in two variables\n\nAt the levels that the form proposes, from nothing.",
        "competition": f"## CEC 2020\n\nOf {len(typed)} problems that can be told as formulas {len(closed)} are proven "
        f"within 0.1 % or proven infeasible, {fast[1.0]} in one second and "
        f"{fast[10.0]} in 10, where the solver was given "
        f"{seconds:g} s for each; with their limits as they are and |h| up to 1e-4.",
    }
    parts = ["# Proofs, measured\n\nBy `python -m benchmarks.proof --save`, in seconds of processor time on one core."]
    for name, text in texts.items():
        lines = list(tables.get(name, {}).values())
        if lines:
            heads = list(lines[0] if name != "competition" else {key: 0 for row in lines for key in row})
            table = [heads, ["---"] * len(heads), *([_shown(row.get(head)) for head in heads] for row in lines)]
            parts += [text, "\n".join(f"| {' | '.join(cells_)} |" for cells_ in table)]
    return "\n\n".join(parts) + "\n"


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def main() -> None:
    """Measure, print, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="for one question (default 60)")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--only", default="", help="some of the designs")
    parser.add_argument("--save", action="store_true", help=f"write {TABLES} and {PAGE}; what is not measured stays")
    given = parser.parse_args()
    tables = json.loads(TABLES.read_text())["tables"] if given.save and TABLES.exists() else {}
    for part in given.parts.split(","):
        for name in given.only.split(",") if given.only else PARTS[part]:
            row = MEASURES[part](name, given.seconds)
            print(json.dumps(row), flush=True)
            measured = {**tables.get(part, {}), name: row}
            tables[part] = {each: measured[each] for each in PARTS[part] if each in measured}
            if given.save:
                TABLES.write_text(json.dumps({"gap": GAP, "seconds": given.seconds, "tables": tables}, indent=1) + "\n")
                PAGE.write_text(page(tables, given.seconds))


if __name__ == "__main__":
    main()
