"""Processes are killed for real, at random moments; every finished archive is the undisturbed one."""

from __future__ import annotations

import multiprocessing
import random
import signal
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from mapelites.core.errors import InputError
from mapelites.runs import Store
from mapelites.runs.claim import Claim
from mapelites.runs.pacing import WritePacer
from mapelites.runs.supervisor import Supervisor
from mapelites.runs.worker import RunWorker
from tests.runs.tools import (
    assert_same,
    assert_true_to_itself,
    gone,
    kill,
    large_request,
    processes_of,
    request,
    supervised,
    undisturbed,
    wait_for,
    wait_for_state,
)

KILLS = 30
PROBLEMS = {
    "C01": "paper-1",
    "C04": "directed",
    "C07": "paper-2",
    "C11": "paper-3",
    "C16": "directed",
    "C18": "paper-3",
    "C09": "directed",
}


def finished_as_undisturbed(store: Store, run_id: str) -> None:
    run = wait_for_state(store, run_id, "finished", "failed")
    assert run.state == "finished", run.reason
    snapshot = store.snapshot(run_id)
    assert snapshot is not None
    assert snapshot.evaluations == run.request.settings.evaluations
    archive = snapshot.archive()
    assert_same(archive, undisturbed(run.request))
    assert_true_to_itself(archive)


def may_die_again(store: Store, run_id: str) -> bool:
    """Not for the third time at the same place: that is a failed run, and rightly so."""
    record = store.entries.record(run_id)
    return record.deaths < 2 or record.resumes_at > record.died_at


def test_runs_whose_processes_are_killed_thirty_times_end_in_the_undisturbed_archives(tmp_path: Path) -> None:
    chance, store = random.Random(20190713), Store(tmp_path)
    runs = []
    for i, (problem, search) in enumerate(PROBLEMS.items()):
        dimension = 30 if i % 3 == 2 else 10
        pace = (40_000.0, None)[i % 2]
        evaluations = 120_000 if pace or search == "directed" else 1_000_000
        runs.append(store.create(request(problem, evaluations, pace, dimension, search=search, seed=i)))
    kills = 0
    with supervised(tmp_path, processes=3) as supervisor:
        while kills < KILLS:
            victims = [pid for run_id, pid in processes_of(supervisor).items() if may_die_again(store, run_id)]
            if victims:
                kills += kill(chance.choice(victims))
            elif all(store.run(run_id).state == "finished" for run_id in runs):
                runs.append(store.create(request("C17", 400_000, 100_000.0, seed=kills)))
            time.sleep(chance.expovariate(1 / 0.15))
        for run_id in runs:
            store.set_pace(run_id, None)
        for run_id in runs:
            finished_as_undisturbed(store, run_id)


def test_killing_the_supervisor_ends_its_processes_and_the_next_one_takes_the_runs_up(tmp_path: Path) -> None:
    chance, store = random.Random(7), Store(tmp_path)
    runs = [store.create(request(problem, 60_000, 10_000, seed=3)) for problem in ("C09", "C13")]
    for _ in range(3):
        with supervised(tmp_path, processes=2) as supervisor:
            wait_for(lambda: len(processes_of(supervisor)) == 2, "two processes")
            time.sleep(chance.uniform(0.0, 0.8))
            searching = processes_of(supervisor).values()
            kill(supervisor.pid)
            for pid in searching:
                wait_for(lambda: gone(pid), "the end of a process whose supervisor is dead")  # noqa: B023
        wait_for(lambda: not store.worker().alive, "the lock of the dead supervisor")
    with supervised(tmp_path, processes=2):
        for run_id in runs:
            store.set_pace(run_id, None)
        for run_id in runs:
            finished_as_undisturbed(store, run_id)


def test_runs_go_on_after_everything_was_shut_down_and_started_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    running, queued = (store.create(request("C08", 60_000, 20_000, seed=seed)) for seed in (1, 2))
    with supervised(tmp_path, processes=1) as supervisor:
        wait_for(lambda: store.run(running).evaluations > 1_000, "progress")
        supervisor.send_signal(signal.SIGTERM)
        assert supervisor.wait() == 0
    left = store.run(running)
    assert (left.state, store.run(queued).state) == ("running", "queued")
    record = store.entries.record(running)
    assert record.resumes_at == left.evaluations > 0, "leaving wrote a checkpoint"
    store.close()
    again = Store(tmp_path)
    with supervised(tmp_path, processes=2):
        finished_as_undisturbed(again, running)
        finished_as_undisturbed(again, queued)


@pytest.mark.parametrize("paced", [{"pace": 30_000}, {"watch": 5.0}], ids=["paced", "watched"])
def test_pausing_and_resuming_many_times_does_not_change_the_archive(tmp_path: Path, paced: dict[str, float]) -> None:
    store = Store(tmp_path)
    run_id = store.create(replace(request("C05", 150_000, seed=11), **paced))
    with supervised(tmp_path):
        for _ in range(6):
            wait_for_state(store, run_id, "running")
            store.pause(run_id)
            paused = wait_for_state(store, run_id, "paused")
            assert store.entries.record(run_id).resumes_at == paused.evaluations
            store.resume(run_id)
        store.set_pace(run_id, None)
        finished_as_undisturbed(store, run_id)


def _publish_without_end(path: Path, run_id: str) -> None:
    """A run's process that does nothing but write."""
    store = Store(path)
    claim = Claim.take(store.entries, run_id)
    assert claim is not None
    worker = RunWorker(claim, lambda: False)
    worker._snapshots = worker._checkpoints = WritePacer(0.0, share=1e9, last=0.0)
    worker.work()


def test_a_process_killed_while_it_writes_leaves_nothing_torn_behind(tmp_path: Path) -> None:
    chance, store = random.Random(5), Store(tmp_path)
    run_id = store.create(large_request(4_000_000, None))
    for _ in range(25):
        store.close()
        process = multiprocessing.get_context("fork").Process(target=_publish_without_end, args=(tmp_path, run_id))
        process.start()
        time.sleep(chance.uniform(0.0, 0.15))
        process.kill()
        process.join()
        newest = store.snapshot(run_id)
        assert newest is None or newest.evaluations == store.run(run_id).evaluations
        for moment in store.history(run_id)[-10:]:
            found = store.snapshot(run_id, moment.version)
            assert found is not None
            assert found.evaluations == moment.evaluations
        with store.entries.database.writing():
            store.entries.write(replace(store.entries.record(run_id), claim=None))
    files_before = len(list(tmp_path.rglob("*.val")))
    assert files_before > 20, "the snapshots are large enough to lie in files of their own"
    with supervised(tmp_path):
        store.set_pace(run_id, None)
        finished_as_undisturbed(store, run_id)
    folder = tmp_path / "cache"
    with closing(sqlite3.connect(folder / "cache.db")) as database:
        known = {name for (name,) in database.execute("SELECT filename FROM Cache WHERE filename IS NOT NULL")}
    on_disk = {str(path.relative_to(folder)) for path in folder.rglob("*.val")}
    assert on_disk == known, "what killed writers left was cleared away"


def test_a_second_supervisor_is_refused_and_a_waiting_one_takes_over(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_id = store.create(request("C02", 40_000, 10_000))
    with supervised(tmp_path) as first:
        wait_for_state(store, run_id, "running")
        with pytest.raises(InputError, match=rf"one worker at a time, but process {first.pid} already works on"):
            Supervisor(tmp_path).run()
        with supervised(tmp_path) as second:
            since = store.worker().since
            kill(first.pid)
            wait_for(lambda: (store.worker().since or 0) > (since or 0), "the second supervisor")
            assert second.poll() is None
            store.set_pace(run_id, None)
            finished_as_undisturbed(store, run_id)
