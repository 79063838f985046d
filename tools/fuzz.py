"""The full barrage: `python -m tools.fuzz [--requests 20000] [--wire 20000] [--files 5000] [--lines 5000] [--seed 7]`.

The tests fire a part of it; here it is all, with how often each answer came, how long the slowest took
and how much memory this process had at most.
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("MAPELITES_LOG", "text")

import pytest

from mapelites.runs import Store
from tests.hostile import command_line, files, requests, wire
from tests.hostile.slowest import Slowest
from tests.hostile.test_files import run_files

PORTION = 500


def in_portions(count: int, seed: int, shoot: Callable[[int, int, Slowest], dict[Any, int]]) -> str:
    """Fire them all, a portion with each seed; what came of it in words."""
    ends: dict[Any, int] = {}
    slowest = Slowest()
    started = time.perf_counter()
    for number in range(0, count, PORTION):
        for end, times in shoot(min(PORTION, count - number), seed + number, slowest).items():
            ends[end] = ends.get(end, 0) + times
    words = ", ".join(f"{times:,} x {end}" for end, times in sorted(ends.items(), key=lambda each: -each[1]))
    took = f"{time.perf_counter() - started:.0f} s, the slowest {slowest.seconds:.1f} s ({slowest.what[:80]})"
    took += f", at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,} MB"
    return f"{sum(ends.values()):,} in {took}: {words}"


def main() -> None:
    """Everything, one kind after the other."""
    options = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("requests", 20_000), ("wire", 20_000), ("files", 5_000), ("lines", 5_000), ("seed", 7)):
        options.add_argument(f"--{name}", type=int, default=usual)
    given = options.parse_args()

    def callbacks(count: int, seed: int, slowest: Slowest) -> dict[Any, int]:
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            for made in requests.target(Store(Path(folder) / "store"), patch):
                made.slowest = slowest
                return requests.barrage(made, count, seed)
        raise SystemExit("there is no dashboard to shoot at")

    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        sources = run_files(store)
        lines = in_portions(given.lines, given.seed, partial(command_line.storm, Path(folder)))
        print("command lines:", lines)
        print("run files:", in_portions(given.files, given.seed, partial(files.bombard, store, sources)))
    print("requests:", in_portions(given.requests, given.seed, callbacks))
    with tempfile.TemporaryDirectory() as folder, wire.target(Path(folder)) as server:
        print("broken HTTP:", in_portions(given.wire, given.seed, partial(sent, server)))


def sent(server: wire.Wire, count: int, seed: int, slowest: Slowest) -> dict[Any, int]:
    server.slowest = slowest
    return server.storm(count, seed)


if __name__ == "__main__":
    main()
