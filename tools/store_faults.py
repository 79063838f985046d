"""Everything that can go wrong with a store, and what became of it:

    python -m tools.store_faults [--seed 7] [--only injected model damage] [--damage 1000] [--sequences 100]

injected  every write, sync, read, statement and renaming of the store fails once; every read brings a flipped byte once
model     several processes do what occurs to them, and a model of the store says what must come of it
damage    flipped bits, cuts and missing files anywhere in a store with 20 runs
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import pytest

from mapelites import InputError, Settings, Tolerances
from mapelites.campaign import Campaign, CampaignFolder
from mapelites.campaign.process import folder_of
from mapelites.campaign.task import execute_task, task_payload
from mapelites.runs import RunRequest, Store
from mapelites.runs.jobs.kinds import check_job
from mapelites.snapshot.spec import RunSpec
from tests.evaluation import black_boxes
from tests.evaluation.black_boxes import problem_of
from tests.runs.jobs.test_kept_findings import found_by
from tests.runs.storage.injector import KINDS, Injector, check, right_archives, use
from tests.runs.storage.test_damage import close, harm_at_random, survey
from tests.runs.storage.test_model import follow
from tests.runs.test_store import finish
from tests.runs.tools import large_request, request

RUNS = 20
PARTS = ["injected", "model", "damage"]


def main() -> None:
    """One part after the other."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--only", nargs="+", default=PARTS, choices=PARTS)
    options.add_argument("--damage", type=int, default=1_000)
    options.add_argument("--sequences", type=int, default=100)
    given = options.parse_args()
    wrong = 0
    if "injected" in given.only:
        wrong += inject_faults(given.seed)
    if "model" in given.only:
        started = time.perf_counter()
        follow(given.sequences, 20, the_same=False)
        took = time.perf_counter() - started
        print(f"model: {given.sequences} sequences of 20 steps by several processes, 0 wrong, {took:.0f} s", flush=True)
    if "damage" in given.only:
        wrong += damage_store(given.seed, given.damage)
    sys.exit(1 if wrong else 0)


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """One that is gone afterwards."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def inject_faults(seed: int) -> int:
    """Every door fails once; how often something was wrong afterwards."""
    archives, started = right_archives(), time.perf_counter()
    with folder() as place:
        counter = _with_fault(Injector(), place)
    wrong = Counter[str]()
    for kind in KINDS:
        for number in range(1, counter.counted[kind] + 1):
            injector = Injector(kind, number, seed)
            with folder() as place:
                try:
                    with pytest.MonkeyPatch.context() as patch:
                        injector.install(patch)
                        done = use(place / "store", place / "again")
                    check(place / "store", done, archives)
                except Exception as error:
                    wrong[kind] += 1
                    print(f"  {injector.happened}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    told = ", ".join(f"{counter.counted[kind]} x {kind}" for kind in KINDS)
    print(f"injected: {sum(counter.counted[kind] for kind in KINDS)} faults ({told}), {wrong.total()} wrong", end="")
    print(f", {time.perf_counter() - started:.0f} s", flush=True)
    return wrong.total()


def _with_fault(injector: Injector, place: Path) -> Injector:
    with pytest.MonkeyPatch.context() as patch:
        injector.install(patch)
        use(place / "store", place / "again")
    return injector


def fill_store(store: Store) -> list[str]:
    """Fill a store with runs that have all there is: large maps, findings, jobs and a log; and with a campaign."""
    asked = [large_request(30_000), large_request(60_000)]
    asked += [request(f"C{1 + i % 18:02}", 2_000 + 500 * i, seed=i) for i in range(RUNS - len(asked) - 1)]
    runs = [finish(store, each) for each in asked]
    for run_id in runs[1:4]:
        job = store.jobs.ask(run_id, "sharpen", {"what": "prices"}, check_job)
        store.jobs.add(store.jobs.job(run_id, job), found_by(store, run_id, 3))
    campaign = Campaign(("C17",), (10,), ("paper-3",), runs=3, changes={"evaluations": 2_000})
    folder = CampaignFolder.create(folder_of(store.path, campaign), campaign)
    for task in campaign.tasks:
        folder.keep(task, execute_task(task_payload(task)))
    return [*runs, finish_logged(store)]


def finish_logged(store: Store) -> str:
    """A finished run of a function whose evaluations are logged; from now on every part of the engine finds it."""
    disc, plain = problem_of(black_boxes.disc), RunSpec.get_problem
    RunSpec.get_problem = lambda self: disc if self.problem == disc.name else plain(self)  # type: ignore[method-assign]
    settings = Settings.of("directed", 3, evaluations=300, initial=60, workers=2, batch=8, retries=0)
    return finish(store, RunRequest(RunSpec(disc.name, 3, Tolerances.default(disc), settings)))


def damage_store(seed: int, times: int) -> int:
    """Random damage to a store with finished runs; how often a number was wrong or a run vanished without a word."""
    rng, started, ends = random.Random(seed), time.perf_counter(), Counter[str]()
    with folder() as place:
        store = Store(place / "store")
        runs = fill_store(store)
        close(store)
        assert survey(store.path, runs) == {}
        for _ in range(times):
            copied = place / "copy"
            shutil.copytree(store.path, copied)
            what = harm_at_random(copied, rng)
            try:
                found = survey(copied, runs)
            except Exception as error:
                found = dict.fromkeys(runs, f"{type(error).__name__}: {error}")
            worse = {name: each for name, each in found.items() if not isinstance(each, InputError)}
            if worse:
                print(f"  {what}: {worse}", flush=True)
            said = "said, and costs " + ("one run" if len(found) == 1 else f"{len(found)} runs")
            ends["WRONG" if worse else said if found else "costs nothing"] += 1
            shutil.rmtree(copied)
    told = ", ".join(f"{count} x {end}" for end, count in ends.most_common())
    print(
        f"damage: {times} to a store with {len(runs)} runs: {told}, {time.perf_counter() - started:.0f} s", flush=True
    )
    return ends["WRONG"]


if __name__ == "__main__":
    main()
