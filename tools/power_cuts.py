"""Power cuts, simulated: what is on the disk at a random moment, without what the system has not written yet.

    python -m tools.power_cuts [--cuts 20] [--seed 7]

Needs root: the store lies on a file system of its own on a loop device, whose image is copied while everything on it
stands still, and mounted again elsewhere. Whatever somebody was told before that must be there: runs that were asked
for, taken in, finished or deleted, and their maps bit for bit.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mapelites.core.archive import Archive
from mapelites.runs import RunRequest, Store
from mapelites.runs.supervisor import start_supervisor
from mapelites.system.processes import family_of
from tests.runs.test_store import finish
from tests.runs.tools import assert_same, large_request, request, undisturbed

SIZE = 192 * 2**20
ASKED = (request("C17", 40_000), request("C11", 60_000), large_request(80_000), large_request(120_000, 40_000.0))


@contextmanager
def mounted(image: Path, place: Path) -> Iterator[Path]:
    """The file system of an image, which recovers from its journal as after a cut."""
    place.mkdir()
    subprocess.run(["mount", "-o", "loop,data=ordered,commit=300", str(image), str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)
        place.rmdir()


def freeze_processes(pids: list[int], number: signal.Signals) -> None:
    """Stop all of them where they are, or let them go on."""
    for pid in pids:
        if Path(f"/proc/{pid}").exists():
            os.kill(pid, number)


def cut_power(
    folder: Path, rng: random.Random, archives: dict[RunRequest, Archive], content: bytes
) -> tuple[int, list[str]]:
    """One cut at a random moment: how much had been acknowledged, and what of it is not there."""
    image, copied = folder / "disk", folder / "copied"
    with image.open("wb") as file:
        file.truncate(SIZE)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True)
    told: dict[str, str] = {}
    with mounted(image, folder / "live") as live:
        store = Store(live / "store")
        worker = start_supervisor(store.path, 2)
        try:
            until = time.monotonic() + rng.uniform(4.0, 12.0)
            while time.monotonic() < until:
                if len(told) < 12:
                    told[store.create(rng.choice(ASKED))] = "there"
                if rng.random() < 0.2:
                    told[store.import_run(content)] = "finished"
                for run in store.runs():
                    if run.state == "finished":
                        told[run.id] = "finished"
                over = [name for name, state in told.items() if state == "finished"]
                if len(over) > 2 and rng.random() < 0.2:
                    store.delete(over[0])
                    told[over[0]] = "deleted"
                time.sleep(rng.uniform(0.0, 0.3))
            pids = [each for pid in family_of(worker.pid) for each in family_of(pid)]
            freeze_processes(pids, signal.SIGSTOP)
            shutil.copyfile(image, copied)
            freeze_processes(pids, signal.SIGCONT)
        finally:
            worker.terminate()
            worker.wait(60)
            store.close()
    with mounted(copied, folder / "after") as after:
        return len(told), missing(after / "store", told, archives)


def missing(path: Path, told: dict[str, str], archives: dict[RunRequest, Archive]) -> list[str]:
    """What was acknowledged and is not there."""
    store, wrong = Store(path), []
    store.repair()
    runs = {run.id: run for run in (*store.runs(), *store.deleted())}
    for run_id, state in told.items():
        run = runs.get(run_id)
        if run is None:
            wrong.append(f"run {run_id} ({state}) is gone")
        elif state == "deleted" and run.deleted is None:
            wrong.append(f"run {run_id} is not deleted any more")
        elif state == "finished" and run.state != "finished":
            wrong.append(f"run {run_id} is {run.state}, and was finished")
        if run is not None and run.state == "finished":
            try:
                snapshot = store.snapshot(run_id)
                assert snapshot is not None
                assert_same(snapshot.archive(), archives[run.request])
            except Exception as error:
                wrong.append(f"run {run_id}: {type(error).__name__}: {error}")
    wrong += [f"damaged: {each}" for each in store.damaged().values()]
    store.close()
    return wrong


def main() -> None:
    """Cut by cut."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cuts", type=int, default=20)
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    rng, acknowledged, wrong = random.Random(given.seed), 0, 0
    archives = {asked: undisturbed(asked) for asked in ASKED}
    with tempfile.TemporaryDirectory() as name:
        source = Store(Path(name) / "source")
        content = source.export(finish(source, ASKED[0]))
        for number in range(given.cuts):
            folder = Path(name) / str(number)
            folder.mkdir()
            told, lost = cut_power(folder, rng, archives, content)
            shutil.rmtree(folder)
            acknowledged, wrong = acknowledged + told, wrong + len(lost)
            for each in lost:
                print(f"  cut {number}: {each}", flush=True)
    print(f"power: {given.cuts} cuts, {acknowledged} runs acknowledged before them, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
