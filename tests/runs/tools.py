"""What the tests of runs share: requests, supervisors to kill, and the comparison of archives."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mapelites import Archive, Settings, Tolerances
from mapelites.problems import get
from mapelites.runs import Run, RunRequest, Store
from mapelites.runs.supervisor import start_supervisor
from mapelites.snapshot.spec import RunSpec

PATIENCE = 120.0  # far more than anything takes; only a hang gets there
ARRAYS = ("x", "f", "g", "h", "found_at", "operator", "cell")


def request(
    problem: str = "C16", evaluations: int = 20_000, pace: float | None = None, dimension: int = 10, **settings: Any
) -> RunRequest:
    """A request with the paper's tolerances."""
    tolerances = Tolerances.default(get(problem, dimension))
    chosen = Settings.of(settings.pop("search", "paper-3"), dimension, evaluations=evaluations, **settings)
    return RunRequest(RunSpec(problem, dimension, tolerances, chosen), pace)


def large_request(evaluations: int, pace: float | None = None) -> RunRequest:
    """A request for a map with many cells, whose snapshots lie in files of their own."""
    tolerances = Tolerances.same(get("C16", 10), [0.0, *np.geomspace(1e-3, 20.0, 25).tolist()])
    return RunRequest(RunSpec("C16", 10, tolerances, Settings.of("paper-2", 10, evaluations=evaluations)), pace)


def undisturbed(asked: RunRequest) -> Archive:
    """The archive that the search gives when it runs from beginning to end in one go."""
    search = asked.begin()
    search.advance(asked.settings.evaluations)
    assert search.done
    return search.archive()


def assert_same(one: Archive, other: Archive) -> None:
    """Bit for bit the same elites."""
    for name in ARRAYS:
        a, b = getattr(one.elites, name), getattr(other.elites, name)
        assert a.dtype.kind == b.dtype.kind
        assert np.array_equal(a, b), f"{name} differs"


def assert_true_to_itself(archive: Archive) -> None:
    """Every elite has exactly the values that its solution gives."""
    values = archive.problem.evaluate(archive.elites.x)
    for name in ("f", "g", "h"):
        assert np.array_equal(getattr(values, name), getattr(archive.elites, name))


def wait_for(condition: Callable[[], Any], what: str) -> None:
    """Until it is so."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.01)


def wait_for_state(store: Store, run_id: str, *states: str) -> Run:
    """Until the run is in one of these states."""
    wait_for(lambda: store.run(run_id).state in states, f"{states}, but the run is {store.run(run_id)}")
    return store.run(run_id)


@contextmanager
def supervised(path: Path, processes: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A supervisor that works on the store meanwhile."""
    supervisor = start_supervisor(path, processes)
    try:
        yield supervisor
    finally:
        if supervisor.poll() is None:
            supervisor.terminate()
        supervisor.wait(PATIENCE)


def processes_of(supervisor: subprocess.Popen[bytes]) -> dict[str, int]:
    """The processes that search, by the id of their run."""
    found = {}
    children = Path(f"/proc/{supervisor.pid}/task/{supervisor.pid}/children")
    for pid in children.read_text().split() if children.exists() else []:
        try:
            word, _, run_id = Path(f"/proc/{pid}/comm").read_text().strip().partition(" ")
        except OSError:
            continue
        if word == "run":
            found[run_id] = int(pid)
    return found


def kill(pid: int) -> bool:
    """As hard as it gets; whether it was still there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def gone(pid: int) -> bool:
    """Whether the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
