"""A store that vanishes, a clock that is set back, processes that are frozen, memory that runs out."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import resource
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from mapelites.runs import Store, StoreError, presence
from mapelites.runs.supervisor import Supervisor
from tests.runs.faults.test_trouble import broken, supervised_with
from tests.runs.tools import (
    PATIENCE,
    assert_same,
    kill,
    processes_of,
    request,
    supervised,
    undisturbed,
    wait_for,
    wait_for_state,
)


def finishes_as_undisturbed(store: Store, run_id: str) -> None:
    store.set_pace(run_id, None)
    store.resume(run_id)

    def is_over() -> bool:
        state = store.run(run_id).state
        if state == "paused":  # a process that was held puts that down as soon as it can
            store.resume(run_id)
        return state == "finished"

    wait_for(is_over, "the end of the run")
    snapshot = store.snapshot(run_id)
    assert snapshot is not None
    assert_same(snapshot.archive(), undisturbed(store.run(run_id).request))


def test_a_store_that_is_moved_away_is_missed_in_words_and_nothing_is_lost_when_it_is_back(tmp_path: Path) -> None:
    place, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    store = Store(place)
    run_id = store.create(request("C16", 300_000, 20_000))
    with supervised(place) as supervisor:
        wait_for(lambda: store.run(run_id).evaluations > 10_000, "progress")
        place.rename(elsewhere)
        words = f"store: {place} is gone; put it back and the runs go on, or start anew with an empty one"
        for look in (store.worker, store.runs, lambda: store.run(run_id), lambda: store.create(request())):
            with pytest.raises(StoreError) as caught:
                look()
            assert str(caught.value) == words
        assert not place.exists(), "nobody makes an empty one in its place"
        elsewhere.rename(place)
        run = wait_for_state(store, run_id, "paused", "running")
        assert supervisor.poll() is None
        assert run.reason in (None, words)
        finishes_as_undisturbed(store, run_id)


def test_another_store_in_the_place_of_a_deleted_one_is_seen_at_once_and_gets_a_worker_of_its_own(
    tmp_path: Path,
) -> None:
    place = tmp_path / "data"
    store = Store(place)
    run_id = store.create(request("C16", 10**9, 10_000))
    with supervised(place) as supervisor:
        wait_for_state(store, run_id, "running")
        shutil.rmtree(place, ignore_errors=True)
        wait_for(lambda: not place.exists() or shutil.rmtree(place, ignore_errors=True), "the folder to go")
        new = Store(place)
        assert new.runs() == []
        assert store.runs() == [], "what was opened before looks at what is there now"
        assert supervisor.wait(PATIENCE) == 2, "the old worker leaves"
        later = store.create(request(evaluations=3_000))
        with supervised(place):
            wait_for_state(store, later, "finished")


def _supervise_by(path: Path, offset: ctypes.c_double) -> None:
    real, touch = time.time, os.utime
    time.time = lambda: real() + offset.value
    os.utime = lambda file: touch(file, (time.time(), time.time()))  # which asks the system's clock
    Supervisor(path, processes=1).run()


def test_a_clock_that_is_set_back_harms_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, fork = Store(tmp_path), multiprocessing.get_context("fork")
    run_id = store.create(request("C16", 300_000, 20_000))
    store.close()
    offset, real = fork.Value(ctypes.c_double, 0.0), time.time
    supervisor = fork.Process(target=_supervise_by, args=(tmp_path, offset))
    supervisor.start()
    wait_for(lambda: store.run(run_id).evaluations > 10_000, "progress")
    offset.value = -86_400.0
    monkeypatch.setattr(time, "time", lambda: real() + offset.value)
    before = store.run(run_id).evaluations
    wait_for(lambda: store.run(run_id).evaluations > before + 20_000, "progress after the jump")
    wait_for(lambda: store.worker().alive, "a worker that counts as alive")
    later = store.create(request(evaluations=3_000))
    assert {run.id for run in store.runs()} == {run_id, later}
    finishes_as_undisturbed(store, run_id)
    wait_for_state(store, later, "finished")
    supervisor.terminate()
    supervisor.join(PATIENCE)


def test_a_worker_that_is_frozen_counts_as_gone_and_goes_on_when_it_is_let(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_id = store.create(request("C16", 300_000, 20_000))
    with supervised(tmp_path) as supervisor:
        wait_for(lambda: store.run(run_id).evaluations > 10_000, "progress")
        wait_for(lambda: store.worker().alive, "its pulse")
        os.kill(supervisor.pid, signal.SIGSTOP)
        wait_for(lambda: _stands_still(supervisor.pid), "all its threads to stop")
        long_ago = time.time() - presence.SILENT_SECONDS - 1
        os.utime(tmp_path / presence.FILE, (long_ago, long_ago))  # as if so much time had passed
        assert not store.worker().alive
        os.kill(supervisor.pid, signal.SIGCONT)
        wait_for(lambda: store.worker().alive, "its pulse")
        finishes_as_undisturbed(store, run_id)


def _stands_still(process: int) -> bool:
    """Whether every thread of a process is stopped, so that none can give a pulse any more."""
    threads = Path(f"/proc/{process}/task").glob("*/stat")
    return all(each.read_text().rpartition(")")[2].split()[0] == "T" for each in threads)


def test_a_run_whose_process_is_frozen_can_still_be_paused_and_goes_on(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_id = store.create(request("C16", 300_000, 20_000))
    with supervised(tmp_path) as supervisor:
        wait_for(lambda: store.run(run_id).evaluations > 10_000, "progress")
        os.kill(processes_of(supervisor)[run_id], signal.SIGSTOP)
        store.pause(run_id)
        wait_for_state(store, run_id, "paused")
        finishes_as_undisturbed(store, run_id)


def eat() -> None:
    """Take memory until there is none: the process may have little more than it has."""
    page = os.sysconf("SC_PAGE_SIZE")
    now = int(Path("/proc/self/statm").read_text().split()[0]) * page
    resource.setrlimit(resource.RLIMIT_AS, (now + 2**28, resource.RLIM_INFINITY))
    kept = []
    while True:
        kept.append(np.ones(2**22))


def test_memory_that_runs_out_in_a_problem_fails_the_run_in_words_and_no_other(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_id = store.create(request("C17", 50_000))
    store.close()
    with supervised_with(tmp_path, broken(eat)):
        run = wait_for_state(store, run_id, "failed")
    assert run.reason is not None
    assert "MemoryError" in run.reason
    assert "in eat" in (run.traceback or "")
    with supervised(tmp_path):
        other = store.create(request(evaluations=3_000))
        wait_for_state(store, other, "finished")


def test_a_run_killed_for_its_memory_says_what_may_have_happened(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_id = store.create(request("C17", 50_000))
    store.close()
    with supervised_with(tmp_path, broken(lambda: kill(os.getpid()))):
        run = wait_for_state(store, run_id, "failed")
    assert run.reason is not None
    assert run.reason.endswith("killed by SIGKILL, as the system does where memory runs out")
