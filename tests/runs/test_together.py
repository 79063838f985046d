"""Two web processes, one supervisor and ten readers on one store at once."""

from __future__ import annotations

import multiprocessing
import random
import time
from multiprocessing.synchronize import Event
from pathlib import Path

from mapelites.runs import Store
from tests.runs.tools import assert_same, large_request, request, supervised, undisturbed, wait_for_state

READERS, WEBS = 10, 2
FORK = multiprocessing.get_context("fork")


def read(path: Path, runs: list[str], ended: Event, seed: int) -> None:
    """Look at every snapshot that appears: each is whole, true to its run, and later than the one before."""
    store, chance, seen, looked = Store(path), random.Random(seed), dict.fromkeys(runs, (0, 0)), 0
    while not ended.is_set() or looked < len(runs):
        run_id = chance.choice(runs)
        version, evaluations = seen[run_id]
        newest = store.version(run_id)
        assert newest >= version, "a version never falls"
        snapshot = store.snapshot(run_id)
        if snapshot is not None:
            looked += 1
            assert snapshot.evaluations >= evaluations
            # A run that was paused before its first piece has no point of the curve yet.
            last = snapshot.curve[-1] if len(snapshot.curve) else (0, 0)
            assert last[0] == snapshot.evaluations
            assert last[1] == len(snapshot.archive())
            seen[run_id] = newest, snapshot.evaluations
        for moment in store.history(run_id)[-2:]:
            found = store.snapshot(run_id, moment.version)
            assert found is not None, "a snapshot of the history is not lost while somebody has just learnt of it"
            assert found.evaluations == moment.evaluations
        time.sleep(chance.uniform(0.0, 0.02))


def use(path: Path, runs: list[str], ended: Event, seed: int) -> None:
    """Do what people do in the browser, in no sensible order."""
    store, chance = Store(path), random.Random(seed)
    while not ended.is_set():
        run_id = chance.choice(runs)
        chance.choice([store.pause, store.resume, store.resume, lambda each: store.set_pace(each, 10_000.0)])(run_id)
        store.undelete(store.create(request(seed=seed)))
        assert len(store.runs()) >= len(runs)
        time.sleep(chance.uniform(0.0, 0.2))
    for run in store.runs():
        if run.id not in runs:
            store.delete(run.id)


def test_two_web_processes_a_supervisor_and_ten_readers_lose_and_tear_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    # At that pace none of them finishes before the others have ended.
    asked = [large_request(400_000, 10_000), request("C13", 400_000, 10_000), request("C17", 400_000, 10_000, 30)]
    runs = [store.create(each) for each in asked]
    ended = FORK.Event()
    store.close()
    others = [FORK.Process(target=read, args=(tmp_path, runs, ended, seed)) for seed in range(READERS)]
    others += [FORK.Process(target=use, args=(tmp_path, runs, ended, seed)) for seed in range(WEBS)]
    with supervised(tmp_path, processes=3):
        for process in others:
            process.start()
        time.sleep(4.0)
        ended.set()
        for process in others:
            process.join()
        assert [process.exitcode for process in others] == [0] * len(others)
        for run_id in runs:
            store.resume(run_id)
            store.set_pace(run_id, None)
        for run_id, each in zip(runs, asked, strict=True):
            wait_for_state(store, run_id, "finished")
            snapshot = store.snapshot(run_id)
            assert snapshot is not None
            assert_same(snapshot.archive(), undisturbed(each))
