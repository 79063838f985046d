"""How busy the workers of a slow function are kept: evaluations per second beside the ideal rate.

The function does nothing but wait, so the ideal is workers / seconds, whatever the number of cores. The whole way is
measured: search, processes, log, snapshots and checkpoints in a store.

    python -m benchmarks.slow [--seconds 0.05] [--workers 8] [--evaluations 1600]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mapelites import Constraint, Problem, Settings, Tolerances
from mapelites.runs import RunRequest, Store
from mapelites.runs.claim import Claim
from mapelites.runs.worker import RunWorker
from mapelites.snapshot.spec import RunSpec

LEAST = 0.9  # of the ideal rate


def waiting_problem(seconds):
    """x1 + x2 on the unit disc, answered after a while."""

    def disc(x):
        time.sleep(seconds)
        return x[0] + x[1], [x[0] ** 2 + x[1] ** 2 - 1.0], []

    return Problem("disc", [-2.0, -2.0], [2.0, 2.0], (Constraint("g1", "inequality"),), disc)


def rate(problem, workers, evaluations):
    settings = Settings.of("directed", 2, evaluations=evaluations, initial=100, workers=workers)
    RunSpec.get_problem = lambda self: problem
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        run_id = store.create(RunRequest(RunSpec(problem.name, 2, Tolerances.default(problem), settings)))
        worker = RunWorker(Claim.take(store.entries, run_id), lambda: False)
        started = time.perf_counter()
        worker.work()
        return evaluations / (time.perf_counter() - started)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--evaluations", type=int, default=1_600)
    options = parser.parse_args()
    found = rate(waiting_problem(options.seconds), options.workers, options.evaluations)
    ideal = options.workers / options.seconds
    print(f"{found:.1f} evaluations per second, {found / ideal:.1%} of the ideal {ideal:.1f}")
    return 0 if found >= LEAST * ideal else 1


if __name__ == "__main__":
    sys.exit(main())
