"""A pause in the midst of long evaluations: they end, and are not made again."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

from mapelites import Settings, Tolerances
from mapelites.runs import RunRequest, Store
from mapelites.runs.attention import BusyMark
from mapelites.runs.claim import Claim
from mapelites.runs.worker import RunWorker
from mapelites.snapshot.spec import RunSpec
from tests.evaluation.black_boxes import counted, disc, problem_of
from tests.runs.tools import wait_for


def test_a_pause_lets_evaluations_under_way_end_and_says_so(tmp_path, monkeypatch):
    calls = tmp_path / "calls"

    def slow(x):
        while not (tmp_path / "end").exists():
            time.sleep(0.01)
        return disc(x)

    problem = problem_of(counted(calls, slow))
    monkeypatch.setattr(RunSpec, "get_problem", lambda self: problem)
    settings = Settings.of("surrogate", 3, evaluations=6, workers=3)
    store = Store(tmp_path / "data")
    run_id = store.create(RunRequest(RunSpec(problem.name, 3, Tolerances.default(problem), settings)))
    attention = BusyMark()
    worker = RunWorker(Claim.take(store.entries, run_id), lambda: False, attention)
    thread = threading.Thread(target=worker.work)
    thread.start()
    wait_for(lambda: calls.exists() and len(calls.read_text().splitlines()) == 3, "three evaluations")
    with store.entries.database.writing():  # as a store does where a supervisor lives
        store.entries.write(replace(store.entries.record(run_id), wish="pause"))
    wait_for(lambda: store.run(run_id).state == "paused", "the pause")
    assert store.run(run_id).reason == "3 evaluations under way will end first, and what they give is kept"
    (tmp_path / "end").touch()
    thread.join()
    assert attention.is_finishing
    store.resume(run_id)
    RunWorker(Claim.take(store.entries, run_id), lambda: False).work()
    assert store.run(run_id).state == "finished"
    made = calls.read_text().splitlines()
    assert len(made) == len(set(made)) == 6
