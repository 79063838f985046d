"""What it costs a search to be seen and to survive, and how soon a run does what it is asked.

    python benchmarks/streaming.py [--evaluations 3000000] [--repeats 5]

For each map the same search, with the same seed, runs twice: bare, and in a worker that streams snapshots
and writes checkpoints. The two take turns, and processor time is compared, so that what else the machine
does counts for neither as far as that can be had. Then a supervisor is asked to pause, resume and stop a
run, many times.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from mapelites import Settings, Tolerances
from mapelites.problems import get
from mapelites.runs import RunRequest, Store
from mapelites.runs.claim import Claim
from mapelites.runs.supervisor import start_supervisor
from mapelites.runs.worker import Worker

MOST_LOST = 0.03
LEAST_PER_SECOND = 4.0
SOON = 0.25
FINE = tuple(np.geomspace(1e-4, 1e3, 35).tolist())  # with 0, 37 bins for each of four constraints


def requests(evaluations: int) -> Iterator[tuple[str, RunRequest]]:
    """Maps of all sizes."""
    for name, dimension, levels in (("C01", 10, None), ("C16", 10, None), ("C17", 30, None), ("C16", 10, FINE)):
        problem = get(name, dimension)
        tolerances = Tolerances.default(problem) if levels is None else Tolerances.same(problem, levels)
        settings = Settings.of("paper-2", dimension, evaluations=evaluations)
        yield f"{problem.title}, {tolerances.cells:,} cells", RunRequest(name, dimension, tolerances, settings)


@dataclass(frozen=True)
class Cost:
    """One run in a worker: processor time in all and outside of the search, time of the clock, snapshots."""

    spent: float
    aside: float
    passed: float
    snapshots: int


def bare(request: RunRequest) -> float:
    """Seconds of processor time for the search alone."""
    search, started = request.begin(), time.process_time()
    search.advance(request.settings.evaluations)
    return time.process_time() - started


class TimedWorker(Worker):
    """Takes down how much processor time the search itself gets."""

    searching = 0.0

    def _advance(self) -> bool:
        started = time.process_time()
        done = super()._advance()
        self.searching += time.process_time() - started
        return done


def streamed(store: Store, request: RunRequest) -> Cost:
    """The same with snapshots and checkpoints."""
    run_id = store.create(request)
    claim = Claim.take(store.entries, run_id)
    assert claim is not None
    worker, version = TimedWorker(claim, lambda: False), store.version(run_id)
    clock, started = time.perf_counter(), time.process_time()
    worker.work()
    spent, passed = time.process_time() - started, time.perf_counter() - clock
    snapshots = store.version(run_id) - version
    store.delete(run_id)
    store.purge(before=time.time() + 1.0)
    return Cost(spent, spent - worker.searching, passed, snapshots)


def compare(store: Store, request: RunRequest, repeats: int) -> str:
    """The rate lost against the bare search, the share of time not spent searching, snapshots per second."""
    bare(request), streamed(store, request)  # both warm
    alone, costs = [], []
    for _ in range(repeats):
        alone.append(bare(request))
        costs.append(streamed(store, request))
    lost = 1.0 - min(alone) / min(cost.spent for cost in costs)  # the least of each: noise only adds
    aside = statistics.median(cost.aside / cost.spent for cost in costs)
    rate = statistics.median((cost.snapshots - 1) / cost.passed for cost in costs)  # the last comes at the end
    return f"{lost:>19.2%}{aside:>22.2%}{rate:>24.1f}"


@contextmanager
def supervised(store: Store) -> Iterator[None]:
    supervisor = start_supervisor(store.path)
    try:
        yield
    finally:
        supervisor.terminate()
        supervisor.wait()


def answers(store: Store, repeats: int) -> dict[str, list[float]]:
    """How long each wish took to come true."""
    _, request = next(requests(10**9))
    run_id, found = store.create(request), dict[str, list[float]](pause=[], resume=[], stop=[])
    with supervised(store):
        wait_for(store, run_id, "running")
        for _ in range(repeats):
            for verb, state in (("pause", "paused"), ("resume", "running"), ("stop", "stopped"), ("resume", "running")):
                time.sleep(0.11)
                started = time.perf_counter()
                getattr(store, verb)(run_id)
                wait_for(store, run_id, state)
                found[verb].append(time.perf_counter() - started)
    return found


def wait_for(store: Store, run_id: str, state: str) -> None:
    while store.run(run_id).state != state:
        time.sleep(0.001)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=3_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        print(f"{'map':<28}{'rate lost':>19}{'time not searching':>22}{'snapshots per second':>24}")
        for name, request in requests(options.evaluations):
            print(f"{name:<28}{compare(store, request, options.repeats)}", flush=True)
        print(f"wanted: below {MOST_LOST:.0%}, and at least {LEAST_PER_SECOND:g} for maps of ordinary size")
        print("(on a machine with a core to spare; on a busy one there are fewer snapshots)\n")
        print(f"{'asked to':<12}{'median':>12}{'longest':>12}")
        for verb, seconds in answers(store, 4 * options.repeats).items():
            print(f"{verb:<12}{statistics.median(seconds):>10.3f} s{max(seconds):>10.3f} s")
        print(f"wanted: within {SOON} s")


if __name__ == "__main__":
    main()
