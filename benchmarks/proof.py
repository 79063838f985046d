"""How many questions are proven within 0.1 % in 1, 10 and 60 seconds of processor time.

    python -m benchmarks.proof [--seconds 10] [--designs welded-beam,i-beam]

The questions: the limits as they are, each constraint alone and each pair of constraints wider by 1, 2, 5 and 10 per
cent of their limit or scale. A constraint that has neither is counted in shares of its typical size.
"""

from __future__ import annotations

import argparse
import json
import resource
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

from mapelites.core.problem import Problem
from mapelites.problems import get
from mapelites.problems.suites.gallery import NAMES
from mapelites.proof.prover import Prover, within_gap
from mapelites.proof.region import Effort, typical_sizes

PERCENTS = (1, 2, 5, 10)
TIMES = (1.0, 10.0, 60.0)
GAP = 1e-3
RESULTS = Path("docs/results/proof.json")


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


def measure(name: str, seconds: float) -> list[dict[str, object]]:
    """Every question of a design, with how it ended."""
    problem, rows = get(name), []
    for said, tolerances in questions(problem):
        started = _processor_seconds()
        effort = Effort(seconds, gap=GAP, processor_time=True)
        proof = within_gap(Prover(problem).prove(tolerances, effort), GAP)
        took = _processor_seconds() - started
        rows.append({"design": name, "question": said, "status": proof.status, "gap": proof.gap, "seconds": took})
        if proof.status not in ("proven", "infeasible"):
            print(f"  open: {said}: {proof.status}, gap {proof.gap}, {took:.1f} s {proof.reason}", flush=True)
    return rows


def _processor_seconds() -> float:
    """Of the solver's processes and of this one."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main() -> None:
    """Measure, print a table, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--designs", default=",".join(NAMES))
    parser.add_argument("--save", action="store_true", help=f"write {RESULTS}")
    given = parser.parse_args()
    table = []
    for name in given.designs.split(","):
        rows = measure(name, given.seconds)
        done = [float(str(row["seconds"])) for row in rows if row["status"] in ("proven", "infeasible")]
        line = {
            "design": name, "questions": len(rows), "proven": len(done), "slowest": max(done, default=None),
            **{f"in {limit:g} s": sum(each <= limit for each in done) for limit in TIMES},
        }  # fmt: skip
        table.append(line)
        print(json.dumps(line), flush=True)
        if given.save:
            RESULTS.write_text(json.dumps({"seconds": given.seconds, "gap": GAP, "table": table}, indent=1) + "\n")


if __name__ == "__main__":
    main()
