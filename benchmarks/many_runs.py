"""What a store with many runs costs: the list, a poll, the health of the server, and a worker with nothing to do.

    python -m benchmarks.many_runs [--runs 2000] [--data FOLDER]

Prints 50th and 95th percentiles in milliseconds, and the part of a core that an idle worker takes.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from mapelites import Settings, Tolerances
from mapelites.problems import get
from mapelites.runs import RunRequest, Store
from mapelites.runs.claim import Claim
from mapelites.runs.worker import RunWorker
from mapelites.search import compile_searches

APP = Path(__file__).parents[1] / "app.py"
LOOKS, IDLE_SECONDS = 60, 20.0


def fill(path: Path, runs: int) -> str:
    """A store with so many finished runs, all with the map of one; the id of that one."""
    store = Store(path)
    problem = get("C17", 10)
    settings = Settings.of("paper-3", 10, evaluations=5_000)
    run_id = store.create(RunRequest.of(problem, Tolerances.default(problem), settings))
    claim = Claim.take(store.entries, run_id)
    assert claim is not None
    RunWorker(claim, lambda: False).work()
    record, history = store.entries.record(run_id), store.entries.history(run_id)
    with store.entries.database.writing():
        for number in range(runs - 1):
            twin = replace(record, id=store.entries.new_id(), created=record.created - number)
            for version in history.versions:
                content = store.entries.snapshot_bytes(run_id, version)
                store.entries.database.put(f"snapshot/{twin.id}/{version}", content or b"")
            store.entries.write_history(twin.id, history)
            store.entries.write(twin)
    store.close()
    return run_id


def measured(look: Callable[[], object], looks: int = LOOKS) -> str:
    """Percentiles of how long it takes."""
    seconds = []
    for _ in range(looks):
        started = time.perf_counter()
        look()
        seconds.append(1e3 * (time.perf_counter() - started))
        time.sleep(0.02)
    return f"p50 {statistics.median(seconds):8.1f} ms   p95 {statistics.quantiles(seconds, n=20)[-1]:8.1f} ms"


def cpu_seconds(pid: int) -> float:
    """What a process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Fill a store, start the dashboard on it, and measure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=2_000)
    options.add_argument("--data", type=Path)
    given = options.parse_args()
    path = given.data or Path(tempfile.mkdtemp()) / "store"
    compile_searches(get("C17", 10))
    started = time.perf_counter()
    run_id = fill(path, given.runs)
    print(f"{given.runs:,} runs made in {time.perf_counter() - started:.1f} s in {path}")
    store = Store(path)
    started = time.perf_counter()
    assert len(store.runs()) == given.runs
    print(f"{'first list':<28}{1e3 * (time.perf_counter() - started):8.1f} ms")
    print(f"{'list, nothing changed':<28}{measured(store.runs)}")

    def change() -> None:
        store.set_pace(run_id, None)
        store.runs()

    print(f"{'write one and list':<28}{measured(change)}")
    print(f"{'worker()':<28}{measured(store.worker)}")
    store.close()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, str(APP), "--port", str(port), "--data", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        _measure_server(process.pid, f"http://127.0.0.1:{port}", run_id)
    finally:
        process.terminate()
        process.wait(30)


def _measure_server(pid: int, place: str, run_id: str) -> None:
    def ask(address: str) -> None:
        with suppress(urllib.error.HTTPError), urllib.request.urlopen(f"{place}{address}", timeout=60) as answer:
            answer.read()

    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            ask("/healthz")
            break
        except OSError:
            time.sleep(0.1)
    time.sleep(20)  # until everything is compiled and loaded
    for name, address in (("/healthz", "/healthz"), ("poll", f"/run/{run_id}/news?version=0"), ("/status", "/status")):
        print(f"{name:<28}{measured(lambda address=address: ask(address))}")  # type: ignore[misc]
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    worker = next(
        int(each) for each in children if " worker" in Path(f"/proc/{each}/cmdline").read_text().replace("\0", " ")
    )
    before = cpu_seconds(worker)
    time.sleep(IDLE_SECONDS)
    print(f"{'idle worker':<28}{100 * (cpu_seconds(worker) - before) / IDLE_SECONDS:8.2f} % of a core")


if __name__ == "__main__":
    main()
