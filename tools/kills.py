"""Random kills of any process of a dashboard while runs, imports and a campaign go on:

    python -m tools.kills [--kills 200] [--seed 7]

A dashboard that was killed is started again. In the end every run must have the archive of an undisturbed one, bit for
bit, the campaign all its runs, and five seconds after the last kill of the dashboard no process may be left.
"""

from __future__ import annotations

import argparse
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mapelites.campaign import Campaign
from mapelites.campaign.process import launch_campaign
from mapelites.runs import Store
from tests.runs.test_store import finish
from tests.runs.tools import assert_same, gone, kill, large_request, request, undisturbed

APP = Path(__file__).parents[1] / "app.py"
ASKED = (
    request("C01", 200_000, 20_000.0), request("C16", 200_000, 20_000.0, search="directed"),
    large_request(150_000, 15_000.0),
)  # fmt: skip
PATIENCE, LEAVE_SECONDS = 600.0, 5.0


def tree(pid: int) -> list[int]:
    """A process and all that it and those started."""
    found = [pid]
    for each in found:
        try:
            found += map(int, Path(f"/proc/{each}/task/{each}/children").read_text().split())
        except OSError:
            continue
    return found


class Dashboard:
    """A dashboard that is started again when it is killed."""

    def __init__(self, data: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.data, self.seen, self.left = data, set[int](), list[int]()
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(APP), "--port", str(self.port), "--data", str(self.data)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def look(self) -> list[int]:
        """Its processes; a dashboard that is gone is started again when all that it left behind are gone too."""
        if self.process.poll() is not None:
            until = time.monotonic() + LEAVE_SECONDS
            while (left := [pid for pid in self.seen if not gone(pid)]) and time.monotonic() < until:
                time.sleep(0.05)
            self.left += left
            self.seen.clear()
            self.process = self._start()
        found = tree(self.process.pid)
        self.seen |= set(found)
        return found


def main() -> None:
    """Kill, and look at what became of it."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    rng, killed, wrong = random.Random(given.seed), Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as name:
        source = Store(Path(name) / "source")
        content = source.export(finish(source, request("C17", 5_000)))
        data = Path(name) / "store"
        store = Store(data)
        runs = [store.create(asked) for asked in ASKED]
        campaign = Campaign(("C17",), (10,), ("paper-3",), runs=6, changes={"evaluations": 400_000})
        folder = launch_campaign(data, campaign)
        dashboard = Dashboard(data)
        for _ in range(given.kills):
            time.sleep(rng.uniform(0.0, 0.6))
            pids = [*dashboard.look(), *([folder.worker()] if folder.worker() else [])]
            victim = rng.choice([pid for pid in pids if pid])
            try:
                what = Path(f"/proc/{victim}/comm").read_text().strip().split()[0]
                kill(victim)
            except (OSError, IndexError):
                continue
            killed[what] += 1
            if rng.random() < 0.1:
                runs.append(store.import_run(content))
            for run in store.runs():  # three deaths at one place are a failed run, and rightly so
                if run.state == "failed":
                    store.resume(run.id)
                elif run.state == "running" and rng.random() < 0.02:
                    store.set_pace(run.id, None)
            if not folder.working() and not folder.starting():
                launch_campaign(data, campaign)
        for run_id in runs:
            store.set_pace(run_id, None)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            dashboard.look()
            states = Counter(store.run(run_id).state for run_id in runs)
            for run_id in runs:
                if store.run(run_id).state == "failed":
                    store.resume(run_id)
            if not folder.working() and not folder.starting() and folder.missing():
                launch_campaign(data, campaign)
            if states == {"finished": len(runs)} and not folder.missing():
                break
            time.sleep(0.2)
        for run_id in runs:
            try:
                snapshot = store.snapshot(run_id)
                assert snapshot is not None
                assert_same(snapshot.archive(), undisturbed(store.run(run_id).request))
            except Exception as error:
                wrong.append(f"run {run_id}, {store.run(run_id).state}: {type(error).__name__}: {str(error)[:200]}")
        wrong += [f"the campaign misses {len(folder.missing())} runs"] if folder.missing() else []
        wrong += [f"process {pid} was left behind" for pid in dashboard.left]
        last = dashboard.look()
        dashboard.process.kill()
        dashboard.process.wait(30)
        time.sleep(LEAVE_SECONDS)
        wrong += [f"process {pid} was left behind at the end" for pid in last if not gone(pid)]
    for each in wrong:
        print(f"  {each}")
    told = ", ".join(f"{count} x {what}" for what, count in killed.most_common())
    print(f"kills: {killed.total()} ({told}), {len(runs)} runs and 6 of a campaign, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
