"""How much faster two processes do a campaign than one: `python -m benchmarks.parallel`.

The same runs, first with one process, then with more; each pool is warm before the clock starts. The two take turns
several times, so that a machine that is busy in between disturbs both alike, and the best of each counts. On two free
cores, two processes must give at least 1.8 times one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mapelites.campaign import Campaign, CampaignFolder
from mapelites.campaign.crews import LocalExecutor
from mapelites.campaign.runner import work_on_campaign
from mapelites.campaign.task import task_payload
from mapelites.system.cores import usable_cores

WANTED = 1.8


class WarmCrew(LocalExecutor):
    """A pool whose processes have started, imported and compiled everything."""

    def __init__(self, processes: int, campaign: Campaign) -> None:
        super().__init__(processes)
        for future in [self.submit(task_payload(task)) for task in campaign.tasks[: 4 * processes]]:
            future.result()


def seconds(campaign: Campaign, processes: int) -> float:
    with tempfile.TemporaryDirectory() as place:
        folder = CampaignFolder.create(Path(place) / "c", campaign)
        crew = WarmCrew(processes, campaign)
        started = time.perf_counter()
        standing = work_on_campaign(folder, lambda: crew)
        passed = time.perf_counter() - started
        assert standing.done == campaign.count
        return passed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=6, help="runs of each problem and search")
    parser.add_argument("--rounds", type=int, default=3, help="how often the two take turns")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    campaign = Campaign(("C01", "C09", "C17"), (10, 30), ("paper-1", "paper-3"), options.runs)
    print(f"{campaign.count} runs, {campaign.evaluations:,} evaluations, {usable_cores()} cores")
    times: dict[int, list[float]] = {1: [], options.processes: []}
    for _ in range(options.rounds):
        for processes, found in times.items():
            found.append(seconds(campaign, processes))
            print(f"{processes} process(es): {found[-1]:.2f} s, {campaign.evaluations / found[-1] / 1e6:.2f} M/s")
    ratio = min(times[1]) / min(times[options.processes])
    print(f"{options.processes} processes are {ratio:.2f} times one; wanted: {WANTED} on two free cores")


if __name__ == "__main__":
    main()
