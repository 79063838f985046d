"""Jobs on a run: proofs that are asked for, done by a process, kept in the run, and not lost."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mapelites import Tolerances
from mapelites.core.errors import InputError
from mapelites.core.settings import Settings
from mapelites.problems import get
from mapelites.problems.formulas import problem_of
from mapelites.runs import RunRequest, Store
from mapelites.runs.jobs.kinds import check_job
from mapelites.runs.jobs.processes import JobProcesses
from mapelites.runs.supervisor import Supervisor
from mapelites.snapshot.findings import Findings
from mapelites.snapshot.snapshot import Snapshot
from mapelites.snapshot.spec import RunSpec
from tests.runs.tools import supervised, wait_for, wait_for_state

TRUSS = Tolerances.same(get("three-bar-truss"), (0, 0.05))


def finished_run(store: Store, problem: str = "three-bar-truss", tolerances: Tolerances | None = None) -> str:
    """A run that is over, made in this process."""
    tolerances = tolerances or (TRUSS if problem == "three-bar-truss" else Tolerances.default(get(problem)))
    request = RunRequest(RunSpec.of(get(problem), tolerances, Settings.of("directed", 2, evaluations=600, initial=200)))
    search = request.begin()
    search.advance(600)
    content = Snapshot.of(search, 0.1).to_bytes()
    return store.import_run(content)


def ask(store: Store, run_id: str, **request: Any) -> str:
    return store.jobs.ask(run_id, "prove", request, check_job)


def work(store: Store) -> None:
    """Do every job that waits as the supervisor does, without one."""
    supervisor = Supervisor(store.path)
    processes = JobProcesses(store.jobs, supervisor._fork_process)
    processes.start_next()
    wait_for(lambda: _looked(processes), "the jobs")


def _looked(processes: JobProcesses) -> bool:
    processes.collect_ended(time.monotonic())
    return not processes._working and not processes.board.waiting()


def test_what_is_proven_joins_the_run_its_file_and_its_map(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    run_id = finished_run(store)
    before, version = store.snapshot(run_id), store.version(run_id)
    assert before is not None
    jobs = [ask(store, run_id, what="lattice"), ask(store, run_id, what="cells"), ask(store, run_id, what="relations")]
    work(store)
    told = [store.jobs.job(run_id, each) for each in jobs]
    assert [job.state for job in told] == ["finished"] * 3
    assert told[0].said == "8 of 8 combinations of levels are proven within 0.1 %."
    assert told[1].said.endswith(" of 27 are proven empty.") or "but for a rim" in told[1].said
    assert told[2].said == "No two constraints lie on a line."
    found, after = store.jobs.findings(run_id), store.snapshot(run_id)
    assert after is not None
    assert store.version(run_id) > version
    assert len(found.proofs) > 0
    assert found.evaluations["proof"] >= len(found.elites) > 0
    assert found.empty[0].open == 0
    assert len(after.elites) == len(before.elites) + len(found.elites)
    assert set(after.elites.operator) - set(before.elites.operator) == {"proof"}
    values = after.archive().problem.evaluate(after.elites.x)
    assert np.array_equal(values.f, after.elites.f)

    other = Store(tmp_path / "other")
    copy = other.import_run(store.export(run_id))
    assert other.jobs.findings(copy).to_bytes() == found.to_bytes()
    again = other.snapshot(copy)
    assert again is not None
    assert np.array_equal(again.elites.x, after.elites.x)


def test_a_question_that_nothing_meets_is_told_with_what_conflicts(tmp_path: Path) -> None:
    store = Store(tmp_path)
    text = "problem Tight\nvariable x from 0 to 9\nminimise x\nsubject to\nlow: x <= 2\nhigh: x >= 4"
    problem = problem_of(text)
    request = RunRequest(RunSpec.of(problem, Tolerances.default(problem), Settings.of("directed", 1, evaluations=300)))
    search = request.begin()
    search.advance(300)
    run_id = store.import_run(Snapshot.of(search, 0.1).to_bytes())
    job_id = ask(store, run_id, what="question", tolerances={"low": 0.1})
    work(store)
    said = store.jobs.job(run_id, job_id).said
    assert said.startswith(
        "No solution can exist within these tolerances: proven. low and high cannot both hold; the least is "
    )
    assert store.jobs.findings(run_id).why_not[0].feasible is False
    job_id = ask(store, run_id, what="cells")
    work(store)
    assert store.jobs.job(run_id, job_id).said.endswith(" are proven empty. For every design: low + high = 2.")
    assert [each.words for each in store.jobs.findings(run_id).relations] == ["low + high = 2"]


def test_constraints_that_share_an_axis_are_proven_and_sharpened_together(tmp_path: Path) -> None:
    store = Store(tmp_path)
    truss = get("three-bar-truss")
    levels = {"bars": [0.05], "third": [0.05]}
    run_id = finished_run(store, tolerances=Tolerances.of(truss, levels, groups={"bars": ["first", "second"]}))
    jobs = [ask(store, run_id, what="lattice"), ask(store, run_id, what="cells", levels=[[0, 0.1], [0, 0.05]])]
    jobs += [store.jobs.ask(run_id, "sharpen", {"what": "lattice"}, check_job)]
    work(store)
    told = [store.jobs.job(run_id, each) for each in jobs]
    assert [job.state for job in told] == ["finished"] * 3
    assert told[0].said == "4 of 4 combinations of levels are proven within 0.1 %."
    assert told[2].said.startswith("0 of 4 questions are answered better")
    found = store.jobs.findings(run_id)
    assert {each.tolerances[:2] for each in found.proofs.each} <= {(0.0, 0.0), (0.05, 0.05)}
    assert (found.empty[0].tolerances.shape, found.empty[0].open) == ((3, 3), 0)


@pytest.mark.parametrize(
    ("problem", "request_", "message"),
    [
        ("three-bar-truss", {"what": "all"}, "job: what is to be proven must be one of question, prices, "),
        ("three-bar-truss", {"seconds": -1}, "job: seconds must be a number from 0.1 to 86400, but it was -1"),
        ("three-bar-truss", {"tolerances": [0.0]}, "job: there must be one tolerance for each of first, second, third"),
        ("three-bar-truss", {"levels": [[0], [0]]}, "tolerances: 3 constraints need 3 lists of levels"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(
    tmp_path: Path, problem: str, request_: dict[str, Any], message: str
) -> None:
    store = Store(tmp_path)
    run_id = finished_run(store, problem)
    with pytest.raises(InputError) as refused:
        ask(store, run_id, **request_)
    assert str(refused.value).startswith(message)
    with pytest.raises(InputError, match=r"^the kind of a job must be one of "):
        store.jobs.ask(run_id, "guess", {}, check_job)
    assert store.jobs.jobs(run_id) == ()


def test_a_job_that_waits_is_cancelled_at_once_and_one_at_work_soon(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_id = finished_run(store, "tension-spring")
    with supervised(tmp_path):
        first = ask(store, run_id, what="lattice", seconds=3_000)
        second = ask(store, run_id, what="prices")
        wait_for(lambda: store.jobs.job(run_id, first).done > 0, "progress")
        assert store.jobs.job(run_id, first).seconds_left is not None
        store.jobs.cancel(run_id, second)
        assert store.jobs.job(run_id, second).state == "cancelled"
        store.jobs.cancel(run_id, first)
        wait_for(lambda: store.jobs.job(run_id, first).over, "the end of the job")
    assert store.jobs.job(run_id, first).state == "cancelled"
    assert len(store.jobs.findings(run_id).proofs) > 0  # what it had found is kept


def test_a_job_goes_on_after_its_supervisor_was_killed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_id = finished_run(store, "tension-spring")
    job_id = ask(store, run_id, what="prices", seconds=200, each=2)
    with supervised(tmp_path) as process:
        wait_for(lambda: len(store.jobs.findings(run_id).proofs) > 0, "the first proof")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    kept = len(store.jobs.findings(run_id).proofs)
    assert store.jobs.job(run_id, job_id).state == "running"
    with supervised(tmp_path):
        wait_for(lambda: len(store.jobs.findings(run_id).proofs) > kept, "more proofs")
        store.jobs.cancel(run_id, job_id)
        wait_for(lambda: store.jobs.job(run_id, job_id).over, "the end of the job")


def _dies(context: Any) -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


def _fails(context: Any) -> str:
    raise RuntimeError("out of ideas")


@pytest.mark.parametrize(
    ("does", "reason"),
    [(_dies, "killed by SIGKILL, as the system does where memory runs out"), (_fails, "RuntimeError: out of ideas")],
)
def test_a_job_whose_process_dies_twice_has_failed_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: Callable[[Any], str], reason: str
) -> None:
    store = Store(tmp_path)
    run_id = finished_run(store)
    job_id = ask(store, run_id, what="prices")
    monkeypatch.setattr("mapelites.runs.jobs.processes.kind_of", lambda name: SimpleNamespace(work=does))
    work(store)
    job = store.jobs.job(run_id, job_id)
    assert (job.state, job.said) == ("failed", f"Its process died 2 times: {reason}")


def test_a_run_that_goes_on_keeps_what_jobs_found_meanwhile(tmp_path: Path) -> None:
    store = Store(tmp_path)
    spec = RunSpec.of(get("three-bar-truss"), TRUSS, Settings.of("directed", 2, evaluations=4_000))
    run_id = store.create(RunRequest(spec, pace=2_000.0))
    with supervised(tmp_path):
        wait_for(lambda: store.snapshot(run_id) is not None, "a first map")
        job_id = ask(store, run_id, what="prices")
        wait_for(lambda: store.jobs.job(run_id, job_id).over, "the job")
        wait_for_state(store, run_id, "finished")
    assert store.jobs.job(run_id, job_id).state == "finished"
    found, snapshot = store.jobs.findings(run_id), store.snapshot(run_id)
    assert snapshot is not None
    assert snapshot.evaluations == 4_000
    assert len(found.elites) > 0
    assert "proof" in snapshot.elites.operator


def test_findings_that_somebody_changed_are_refused(tmp_path: Path) -> None:
    problem = get("three-bar-truss")
    content = Findings.none(problem).to_bytes()
    assert Findings.from_bytes(content, problem).is_nothing
    with pytest.raises(InputError, match=r"^no findings of a run, because "):
        Findings.from_bytes(content, get("welded-beam"))
    with pytest.raises(InputError, match=r"^not a run file, because it is not an .npz file"):
        Findings.from_bytes(b"junk", problem)


def test_answers_are_sharpened_and_what_is_better_joins_the_run(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_id = finished_run(store)
    before = store.snapshot(run_id)
    assert before is not None
    levels = [[0.0, 0.03]] * 3  # not the run's own, whose questions the search has solved
    job_id = store.jobs.ask(run_id, "sharpen", {"what": "lattice", "evaluations": 300, "levels": levels}, check_job)
    work(store)
    job, found, after = store.jobs.job(run_id, job_id), store.jobs.findings(run_id), store.snapshot(run_id)
    assert after is not None
    assert job.state == "finished"
    assert " of 8 questions are answered better, with " in job.said
    assert set(found.elites.operator) == {"sharpen"}
    assert found.evaluations["sharpen"] >= len(found.elites)
    for question in ({"first": 0.03}, {"first": 0.03, "third": 0.03}):
        sharper, known = after.archive().answer(question), before.archive().answer(question)
        assert sharper is not None
        assert known is not None
        assert sharper.f < known.f
    with pytest.raises(InputError, match=r"^job: what is to be sharpened must be one of question, prices, lattice"):
        store.jobs.ask(run_id, "sharpen", {"what": "cells"}, check_job)
