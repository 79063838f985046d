"""What a map costs to show: to twenty browsers instead of one, and from a new snapshot to the drawn map.

    python -m benchmarks.figures [--repeats 8] [--no-browser]

First the server alone: one page, or twenty, watch a live run and ask over HTTP for what a page asks for, as often as
the server wants it; its processor time is compared, the two taking turns. Then a real browser with a run's page open:
snapshots are put into the store, and the time until the map is drawn is taken in the browser, the wait for
the page's next look at the store included.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import load
from mapelites import Settings, Tolerances
from mapelites.core.archive import Elites
from mapelites.problems import get
from mapelites.runs import RunRequest, Store
from mapelites.runs.claim import Claim
from mapelites.snapshot.snapshot import Snapshot
from mapelites.snapshot.spec import RunSpec
from server.options import StartOptions

READERS = 20
MOST_RATIO = 1.5
SECONDS = 8.0  # of watching, by turns
SOON = {5: 0.3, 20: 1.0}
FILLED = 0.6
PROBLEM = get("C04", 10)
ROOT = Path(__file__).parent.parent
PORT = 8199
DRAWN = (
    "const gd = document.querySelector('#run-map .js-plotly-plot'); "
    "if (!gd || !gd.layout || !gd.layout.meta) { return null; } "
    "if (!window.drawn) { window.drawn = []; gd.on('plotly_afterplot', () => window.drawn.push(Date.now())); } "
    "return window.drawn"
)


def request(bins: int) -> RunRequest:
    """Four constraints with so many bins each."""
    tolerances = Tolerances.same(PROBLEM, [0, *np.geomspace(1e-4, 1e3, bins - 2).tolist()])
    return RunRequest(RunSpec("C04", 10, tolerances, Settings.of("paper-3", 10, evaluations=10**9)))


def snapshot(asked: RunRequest, evaluations: int, rng: np.random.Generator) -> Snapshot:
    """A map with an elite in a random part of its cells."""
    tolerances = asked.tolerances
    cells = rng.choice(tolerances.cells, int(FILLED * tolerances.cells), replace=False)
    middle = [np.sqrt(np.r_[0.0, levels] * np.r_[levels, 10 * levels[-1]]) for levels in tolerances.levels]
    for row, levels in zip(middle, tolerances.levels, strict=True):
        row[1] = levels[1] / 2
    bins = tolerances.bins_of(cells)
    h = np.stack([middle[i][bins[:, i]] for i in range(4)], axis=1)
    count = len(cells)
    elites = Elites(rng.uniform(-50, 50, (count, 10)), rng.lognormal(0, 3, count), np.empty((count, 0)), h,
                    rng.integers(1, evaluations, count), np.full(count, "mutation"))  # fmt: skip
    curve = np.array([[evaluations, count, np.nan]])
    return Snapshot(asked.spec, evaluations, 0, 1.0, elites, curve)


class Writer:
    """Puts new snapshots of one run into the store."""

    def __init__(self, store: Store, bins: int) -> None:
        self.request = request(bins)
        self.run_id = store.create(self.request)
        claim = Claim.take(store.entries, self.run_id)
        assert claim is not None
        self._claim, self._rng, self._evaluations = claim, np.random.default_rng(1), 0

    def put(self) -> None:
        self._evaluations += 1_000_000
        self._claim.publish(snapshot(self.request, self._evaluations, self._rng))


def processor_seconds(process: int) -> float:
    """What a process and its children have computed so far."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    own = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return own + sum(processor_seconds(int(child)) for child in children)


def watching(repeats: int) -> float:
    """Processor time of the web server with twenty pages on one live run, divided by that with one."""
    spent: dict[int, list[float]] = {1: [], READERS: []}
    with tempfile.TemporaryDirectory() as folder:
        dashboard = load.Dashboard(folder, 1, load.PACE)
        try:
            load.measure(dashboard, READERS, SECONDS)
            for _ in range(repeats):
                for pages in spent:
                    before, began = processor_seconds(dashboard.web.pid), time.perf_counter()
                    seen, _ = load.measure(dashboard, pages, SECONDS)
                    assert not seen.wrong, seen.wrong[0]
                    passed = time.perf_counter() - began
                    spent[pages].append((processor_seconds(dashboard.web.pid) - before) / passed)
        finally:
            dashboard.stop()
    one, many = (statistics.median(spent[pages]) for pages in (1, READERS))
    print(f"a live run of {dashboard.cells:,} cells: one page takes {one:.1%} of a core, "
          f"{READERS} pages take {many:.1%}: {many / one:.2f} times")  # fmt: skip
    return many / one


@contextmanager
def served(place: str) -> Iterator[str]:
    """The dashboard as people run it, without a worker."""
    factory = f"app:server({StartOptions(place).as_text()!r})"
    command = [sys.executable, "-m", "gunicorn", factory, "--bind", f"127.0.0.1:{PORT}",
               "--workers", "1", "--threads", "8", "--log-level", "warning", "--no-control-socket"]  # fmt: skip
    server = subprocess.Popen(command, cwd=ROOT)
    address = f"http://127.0.0.1:{PORT}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{address}/status")
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait()


def drawing(bins: int, repeats: int) -> list[float]:
    """Seconds from a new snapshot in the store to the map drawn in a browser."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for option in ("--headless=new", "--no-sandbox", "--window-size=1440,1000"):
        options.add_argument(option)
    found = []
    with tempfile.TemporaryDirectory() as place:
        store = Store(place)
        writer = Writer(store, bins)
        writer.put()
        with served(place) as address:
            driver = webdriver.Chrome(options=options)
            driver.get(f"{address}/run/{writer.run_id}")
            while driver.execute_script(DRAWN) is None:
                time.sleep(0.1)
            time.sleep(3.0)
            for step in range(repeats):
                writer.put()
                written = 1e3 * time.time()
                while not (late := [each for each in driver.execute_script(DRAWN) if each > written]):
                    time.sleep(0.02)
                found.append((late[0] - written) / 1e3)
                time.sleep(1.0 + 0.37 * (step % 5))  # so that snapshots come at all moments between two looks
            driver.quit()
        store.close()
    print(f"{bins}^4 cells: from snapshot to drawn map {statistics.median(found):.2f} s "
          f"(median of {repeats}; {min(found):.2f} to {max(found):.2f})")  # fmt: skip
    return found


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=8)
    options.add_argument("--no-browser", action="store_true")
    chosen = options.parse_args()
    good = watching(chosen.repeats) < MOST_RATIO
    if not chosen.no_browser:
        late = [statistics.median(drawing(bins, chosen.repeats)) - limit for bins, limit in SOON.items()]
        good = good and max(late) < 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
