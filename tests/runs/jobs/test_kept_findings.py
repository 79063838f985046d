"""What jobs found and what they were asked lies in the store like everything else: checked, kept, and missed."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mapelites.runs import Store
from mapelites.runs.jobs.job import Job
from mapelites.runs.jobs.kinds import check_job
from mapelites.snapshot.findings import Findings
from tests.runs.storage.test_damage import close, lose
from tests.runs.test_store import finish
from tests.runs.tools import request


def found_by(store: Store, run_id: str, times: int) -> Findings:
    """What a job may have found: some solutions of the map once more, and how often it evaluated."""
    snapshot = store.entries.snapshot(run_id, store.entries.record(run_id).snapshot or 0)
    assert snapshot is not None
    some = snapshot.elites.rows(np.arange(2))
    return Findings(replace(some, operator=np.full(2, "proof")), {"proof": times})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data")


@pytest.fixture
def run_id(store: Store) -> str:
    return finish(store, request("C17", 3_000))


def job_of(store: Store, run_id: str) -> Job:
    return store.jobs.job(run_id, store.jobs.ask(run_id, "sharpen", {"what": "prices"}, check_job))


def harm(store: Store, key: str) -> None:
    """Flip a bit in the middle of an entry."""
    close(store)
    with sqlite3.connect(store.path / "cache" / "cache.db") as connection:
        ((value,),) = connection.execute("SELECT CAST(value AS BLOB) FROM Cache WHERE key = ?", (key,)).fetchall()
        changed = bytearray(value)
        changed[len(changed) // 2] ^= 1
        kind = "TEXT" if key.startswith("job/") else "BLOB"
        connection.execute(f"UPDATE Cache SET value = CAST(? AS {kind}) WHERE key = ?", (bytes(changed), key))
    connection.close()


def test_damaged_findings_are_said_and_put_aside_and_the_map_and_what_is_found_later_stand(
    store: Store, run_id: str
) -> None:
    job, plain = job_of(store, run_id), store.snapshot(run_id)
    assert store.jobs.trouble(run_id) is None
    store.jobs.add(job, found_by(store, run_id, 3))
    harm(store, f"findings/{run_id}/1")
    assert store.jobs.trouble(run_id) == (
        f"run {run_id}: what jobs found cannot be read (store: the entry findings/{run_id}/1 must be as it was "
        "written, but its check sum is another); ask them again"
    )
    found, shown = store.jobs.findings(run_id), store.snapshot(run_id)
    assert found.is_nothing
    assert plain is not None
    assert shown is not None
    assert np.array_equal(shown.elites.f, plain.elites.f)
    store.jobs.add(job, found_by(store, run_id, 5))
    assert (store.jobs.trouble(run_id), store.jobs.findings(run_id).evaluations) == (None, {"proof": 5})
    (aside,) = (store.path / "damaged").iterdir()
    assert aside.name.startswith(f"findings-{run_id}-1-")


def test_lists_of_runs_tell_the_best_feasible_objective_that_a_job_found(store: Store, run_id: str) -> None:
    before = store.entries.record(run_id).best_feasible
    found = found_by(store, run_id, 3).elites
    better = replace(found, f=np.array([-1.0, -2.0]), h=np.zeros_like(found.h), g=np.full_like(found.g, -1.0))
    broken = replace(better, f=better.f - 10.0, h=better.h + 1.0)
    assert before is None or before > -1.0
    store.jobs.add(job_of(store, run_id), Findings(better, {"sharpen": 3}))
    store.jobs.add(job_of(store, run_id), Findings(broken, {"sharpen": 3}))
    assert store.entries.record(run_id).best_feasible == -2.0


def test_findings_that_vanished_are_missed(store: Store, run_id: str) -> None:
    store.jobs.add(job_of(store, run_id), found_by(store, run_id, 3))
    with store.entries.database.writing():
        store.entries.database.drop(f"findings/{run_id}/1")
    assert store.jobs.trouble(run_id) == (
        f"run {run_id}: what jobs found cannot be read (they should be number 1, but that is missing); ask them again"
    )


def test_a_damaged_job_says_so_and_keeps_no_other_from_being_done(store: Store, run_id: str) -> None:
    one, two = job_of(store, run_id), job_of(store, run_id)
    harm(store, one.key)
    (failed,) = [job for job in store.jobs.jobs(run_id) if job.id == one.id]
    assert failed.state == "failed"
    assert failed.said == (
        f"store: the entry {one.key} must be as it was written, but its check sum is another. Ask for it again."
    )
    assert [job.id for job in store.jobs.waiting()] == [two.id]


def test_jobs_and_findings_are_there_again_when_the_database_was_lost(store: Store, run_id: str) -> None:
    done, waits = job_of(store, run_id), job_of(store, run_id)
    store.jobs.add(done, found_by(store, run_id, 3))
    store.jobs.end(store.jobs.take(done) or done, "finished", "Done.")
    close(store)
    lose(store)
    again = Store(store.path)
    assert again.jobs.findings(run_id).to_bytes() == store.jobs.findings(run_id).to_bytes()
    assert {job.id: job.state for job in again.jobs.jobs(run_id)} == {done.id: "finished", waits.id: "queued"}


def test_two_jobs_that_find_something_at_the_same_time_lose_nothing(store: Store, run_id: str) -> None:
    one, two = job_of(store, run_id), job_of(store, run_id)
    other = Store(store.path)
    store.jobs.add(one, found_by(store, run_id, 3))
    other.jobs.add(two, found_by(other, run_id, 4))
    assert store.jobs.findings(run_id).evaluations == {"proof": 7}
