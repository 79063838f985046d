"""What it costs a search to be seen and to survive, and how soon a run does what it is asked.

    python -m benchmarks.streaming [--evaluations 3000000] [--repeats 7] [--seconds 4]

For each map the same search, with the same seed, runs twice: bare, and in a worker that streams snapshots
and writes checkpoints. The two take turns, about a millisecond each, and processor time is compared, so that what else
the machine does counts for both alike: its speed changes by tenths within a second. What the bare search pays for
finding the caches full of a snapshot is not counted for it. The interval behind a figure is where it lies with 95 %
certainty. For a function that waits one run comes after the other. Then runs are watched by the clock: how many
snapshots come in a second. At last a supervisor is asked to pause, resume and stop a run, often.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from mapelites import Constraint, Problem, Settings, Tolerances
from mapelites.core.problem import Array
from mapelites.problems import get
from mapelites.runs import RunRequest, Store
from mapelites.runs.claim import Claim
from mapelites.runs.pacing import WritePacer
from mapelites.runs.supervisor import start_supervisor
from mapelites.runs.worker import CHECKPOINT_SECONDS, CHECKPOINT_SHARE, SNAPSHOT_SECONDS, SNAPSHOT_SHARE, RunWorker
from mapelites.search import Illumination
from mapelites.snapshot.spec import RunSpec

MOST_LOST = 0.03
LEAST_PER_SECOND = 4.0
SOON = 0.25
WAIT = 0.05  # seconds, of the function that waits
STEPS = 30  # turns of the two searches within a piece
FINE = tuple(np.geomspace(1e-4, 1e3, 35).tolist())  # with 0, 37 bins for each of four constraints


def requests(evaluations: int) -> Iterator[tuple[str, RunRequest]]:
    """Maps of all sizes."""
    for name, dimension, levels, search in (
        ("C01", 10, None, "paper-2"),
        ("C01", 30, None, "paper-2"),
        ("C16", 10, None, "paper-2"),
        ("C16", 30, None, "paper-2"),
        ("C16", 10, FINE, "paper-2"),
        ("C16", 10, None, "directed"),
        ("C16", 30, None, "directed"),
    ):
        problem = get(name, dimension)
        tolerances = Tolerances.default(problem) if levels is None else Tolerances.same(problem, levels)
        settings = Settings.of(search, dimension, evaluations=evaluations)
        title = f"{problem.title}, {tolerances.cells:,} cells, {search}"
        yield title, RunRequest(RunSpec(name, dimension, tolerances, settings))


@contextmanager
def known(function: Callable[[Array], Any]) -> Iterator[Problem]:
    """A problem of one's own with this function, which every part of the engine then finds."""
    problem = Problem("disc", [-2.0, -2.0], [2.0, 2.0], (Constraint("g1", "inequality"),), function)
    found = lambda self: problem  # noqa: E731
    with patch.object(RunSpec, "get_problem", found):
        yield problem


def own(problem: Problem, search: str, evaluations: int, workers: int = 0) -> RunRequest:
    """A request for such a problem."""
    settings = Settings.of(search, 2, evaluations=evaluations, workers=workers)
    return RunRequest(RunSpec(problem.name, 2, Tolerances.default(problem), settings))


def waits(workers: int) -> str:
    return f"waits {WAIT:g} s, {workers or 'no'} workers"


def disc(x: Array) -> tuple[float, list[float], list[float]]:
    return float(x[0] + x[1]), [float(x[0] ** 2 + x[1] ** 2 - 1.0)], []


def waiting_disc(x: Array) -> tuple[float, list[float], list[float]]:
    time.sleep(WAIT)
    return disc(x)


@dataclass(frozen=True)
class Cost:
    """One run in a worker beside a bare one: processor time from snapshot to snapshot, and what is not searching."""

    turns: list[tuple[float, float]]  # of the bare one, and of that in the worker
    aside: float
    snapshots: int

    @property
    def spent(self) -> float:
        return sum(own for _, own in self.turns)


def lost(costs: list[Cost]) -> tuple[float, float]:
    """The share of the rate that is lost, and half the width of its interval (a ratio estimate over all turns)."""
    bare, spent = np.array([turn for cost in costs for turn in cost.turns]).T
    share = 1.0 - bare.sum() / spent.sum()
    scatter = (spent * (1.0 - share) - bare).std(ddof=1) * np.sqrt(len(bare))
    return float(share), float(1.96 * scatter / spent.sum())


class CountedWorker(RunWorker):
    """Counts its snapshots, without the moments that come along with them for the replay."""

    published = 0

    def _put_down(self, **wanted: Any) -> None:
        super()._put_down(**wanted)
        self.published += 1


class SearchPair:
    """A search with the same one beside it: both advance by turns, and only the first is seen."""

    def __init__(self, search: Illumination, bare: Illumination) -> None:
        self._search, self._bare = search, bare
        self.own, self.beside = 0.0, 0.0
        self._warm = [0.0, 0]  # seconds and evaluations of the bare one while the caches were its own
        self.is_cold = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._search, name)

    def advance(self, evaluations: int) -> None:
        until, step = self._search.evaluations + evaluations, max(1, evaluations // STEPS)
        while self._search.evaluations < until and not self._search.done:
            started = time.process_time()
            self._search.advance(min(step, until - self._search.evaluations))
            between, done = time.process_time(), self._bare.evaluations
            self._bare.advance(self._search.evaluations - self._bare.evaluations)
            self.own += between - started
            self._note(time.process_time() - between, self._bare.evaluations - done)

    def _note(self, seconds: float, evaluations: int) -> None:
        if self.is_cold and self._warm[1]:
            seconds = evaluations * self._warm[0] / self._warm[1]
        else:
            self._warm = [self._warm[0] + seconds, self._warm[1] + evaluations]
        self.beside, self.is_cold = self.beside + seconds, False


class PairedWorker(CountedWorker):
    """Works on such a pair, and is told nothing of the search beside its own."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim, lambda: False)
        self.pair = SearchPair(self.search, claim.record().request.begin())
        self.search = self.pair  # type: ignore[assignment]
        self.turns: list[tuple[float, float]] = []
        self.aside, self._seen = 0.0, (0.0, 0.0)
        # The clock also runs while the other one searches.
        self._snapshots = WritePacer(2 * SNAPSHOT_SECONDS, SNAPSHOT_SHARE, float("-inf"))
        self._checkpoints = WritePacer(2 * CHECKPOINT_SECONDS, CHECKPOINT_SHARE, float("-inf"))
        self._left = time.process_time()

    def _search_piece(self) -> bool:
        self.aside += time.process_time() - self._left
        stride, worked, done, own = self._stride.size, self._seconds_worked(), self.search.evaluations, self.pair.own
        super()._search_piece()
        own = self.pair.own - own
        self._stride.size = stride
        self._stride.learn(self.search.evaluations - done, own, own)
        self._not_own += self._seconds_worked() - worked - own  # the other one's
        self._left = time.process_time()
        return True

    def _put_down(self, **wanted: Any) -> None:
        super()._put_down(**wanted)
        self.pair.is_cold = True
        bare, own = self.pair.beside, self.pair.own + self.aside + time.process_time() - self._left
        self.turns.append((bare - self._seen[0], own - self._seen[1]))
        self._seen = bare, own


def streamed(store: Store, request: RunRequest) -> Cost:
    """A run with snapshots and checkpoints, and the same without, step by step."""
    run_id = store.create(request)
    claim = Claim.take(store.entries, run_id)
    assert claim is not None
    worker = PairedWorker(claim)
    worker.work()
    forget(store, run_id)
    aside = sum(own for _, own in worker.turns) - worker.pair.own
    return Cost(worker.turns, aside, worker.published)


def forget(store: Store, run_id: str) -> None:
    store.delete(run_id)
    store.purge(before=time.time() + 1.0)


def compare(store: Store, request: RunRequest, repeats: int) -> str:
    """The rate lost against the bare search, the share of time not spent searching, snapshots per second."""
    streamed(store, request)  # warm
    costs = [streamed(store, request) for _ in range(repeats)]
    share, width = lost(costs)
    aside = statistics.median(cost.aside / cost.spent for cost in costs)
    rate = statistics.median((cost.snapshots - 1) / cost.spent for cost in costs)  # the last comes at the end
    return f"{f'{share:.2%} ± {width:.2%}':>19}{aside:>22.2%}{rate:>24.1f}"


def compare_by_clock(store: Store, request: RunRequest, repeats: int) -> str:
    """The rate lost against the bare search, of one that waits for its function most of the time.

    Nothing goes on while it computes, so that what it computes more is the time by which it takes longer; only where
    others evaluate meanwhile is it the clock that tells.
    """
    shares = []
    for _ in range(repeats):
        search = request.begin()
        claim = Claim.take(store.entries, store.create(request))
        assert claim is not None
        worker = RunWorker(claim, lambda: False)
        clock = [time.monotonic()]
        computed = [time.process_time()]
        for work in (partial(search.advance, request.settings.evaluations), worker.work):
            work()
            clock.append(time.monotonic())
            computed.append(time.process_time())
        search.close()
        (bare, spent), (alone, more) = np.diff(clock), np.diff(computed)
        spent = spent if request.settings.workers else bare + more - alone
        shares.append(1.0 - bare / spent)
        forget(store, claim.run_id)
    return f"{statistics.median(shares):>19.2%}"


def watched(store: Store, request: RunRequest, seconds: float) -> float:
    """The snapshots in a second of the clock, while a run goes on for so long."""
    run_id = store.create(request)
    claim = Claim.take(store.entries, run_id)
    assert claim is not None
    until = time.monotonic() + seconds
    worker = CountedWorker(claim, lambda: time.monotonic() > until)
    started = time.monotonic()
    worker.work()
    passed = time.monotonic() - started
    forget(store, run_id)
    return worker.published / passed


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
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=4.0, help="of watching each run by the clock")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        print(f"{'map':<38}{'rate lost':>19}{'time not searching':>22}{'snapshots per second':>24}")
        for name, request in requests(options.evaluations):
            print(f"{name:<38}{compare(store, request, options.repeats)}", flush=True)
        with known(disc) as problem:
            for search in ("paper-2", "directed"):
                request = own(problem, search, options.evaluations // 20)
                print(f"{f'a Python function, {search}':<38}{compare(store, request, options.repeats)}", flush=True)
        with known(waiting_disc) as problem:
            for workers in (0, 2):
                request = own(problem, "directed", 120 * (workers or 1), workers)
                print(f"{waits(workers):<38}{compare_by_clock(store, request, options.repeats)}", flush=True)
        print(f"wanted: below {MOST_LOST:.0%}, and at least {LEAST_PER_SECOND:g} for maps of ordinary size")
        print("(on a machine with a core to spare; on a busy one there are fewer snapshots)\n")
        print(f"{'by the clock':<38}{'snapshots per second':>24}")
        with known(waiting_disc) as problem:
            for workers in (0, 2):
                rate = watched(store, own(problem, "directed", 10**6, workers), options.seconds)
                print(f"{waits(workers):<38}{rate:>24.1f}", flush=True)
        for name, request in requests(10**9):
            print(f"{name:<38}{watched(store, request, options.seconds):>24.1f}", flush=True)
        print(f"wanted: at least {LEAST_PER_SECOND:g}\n")
        print(f"{'asked to':<12}{'median':>12}{'longest':>12}")
        for verb, seconds in answers(store, 3 * options.repeats).items():
            print(f"{verb:<12}{statistics.median(seconds):>10.3f} s{max(seconds):>10.3f} s")
        print(f"wanted: within {SOON} s")


if __name__ == "__main__":
    main()
