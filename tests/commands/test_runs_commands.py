"""The commands that use the store, as a person types them."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mapelites.__main__ import main
from mapelites.commands import runs
from mapelites.runs import Store
from mapelites.runs.claim import Claim
from mapelites.runs.presence import SupervisorLock
from tests.runs.test_store import finish
from tests.runs.tools import assert_same, request, supervised, undisturbed, wait_for, wait_for_state

ROOT = Path(__file__).parents[2]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def say(capsys: pytest.CaptureFixture[str], data: Path, *words: str) -> str:
    """Give a command that works and return what it says."""
    assert main([*words, "--data", str(data)]) == 0
    return capsys.readouterr().out


def refuse(capsys: pytest.CaptureFixture[str], data: Path, *words: str) -> str:
    """Give a command that is refused and return why."""
    assert main([*words, "--data", str(data)]) == 2
    return capsys.readouterr().err


def test_start_queues_a_run_and_follows_it_with_a_worker_of_its_own(
    capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    said = say(capsys, data, "start", "C16", "--dim", "10", "--evaluations", "20000", "--seed", "4")
    (run,) = Store(data).runs()
    assert said.splitlines()[0] == f"run {run.id}"
    assert "evaluations    20,000 of 20,000" in said
    assert said.splitlines()[-1] == f"run {run.id} is finished"
    snapshot = Store(data).snapshot(run.id)
    assert snapshot is not None
    assert_same(snapshot.archive(), undisturbed(request("C16", 20_000, seed=4, search="directed")))
    assert Store(data).worker().alive is False


def test_a_run_is_paused_resumed_stopped_deleted_and_brought_back(
    capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    run_id = say(capsys, data, "start", "C01", "--evaluations", "9000000", "--pace", "5000", "--detach").split()[1]
    store = Store(data)
    with supervised(data):
        wait_for_state(store, run_id, "running")
        assert say(capsys, data, "pause", run_id) == f"run {run_id} is paused\n"
        assert say(capsys, data, "resume", run_id).startswith(f"run {run_id} is ")
        wait_for_state(store, run_id, "running")
        assert say(capsys, data, "pace", run_id, "9") == (
            f"run {run_id} is running and goes at 9 evaluations per second at most\n"
        )
        assert say(capsys, data, "pace", run_id, "none") == f"run {run_id} is running and goes as fast as it can\n"
        assert store.run(run_id).request.pace is None
        wait_for(lambda: store.run(run_id).evaluations > 10_000, "a faster pace")
        assert say(capsys, data, "stop", run_id) == f"run {run_id} is stopped\n"
    assert f"delete --undo {run_id}" in say(capsys, data, "delete", run_id)
    listed = say(capsys, data, "runs")
    assert [line for line in listed.splitlines() if line.startswith(run_id) and line.endswith("deleted")]
    assert say(capsys, data, "delete", "--undo", run_id) == f"run {run_id} is back, stopped\n"


def test_runs_lists_what_the_store_holds(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    store = Store(data)
    first = store.create(request("C17", 5_000, dimension=30))
    second = store.create(request("C01", 5_000))
    with store.entries.database.writing():
        store.entries.database.put(f"entry/{second}", "{}")
    said = say(capsys, data, "runs")
    assert f"{first}  queued    C17 30D  paper-3" in said
    assert f"run {second}: its entry in the store is damaged" in said
    assert f"in {data}; no worker is there" in said
    assert f"`delete {second}` erases it" in said
    assert say(capsys, data, "delete", second) == f"run {second} was damaged and is erased\n"
    say(capsys, data, "limit", "1KB")
    assert " of 1 kB in " in say(capsys, data, "runs")


def test_a_finished_run_is_given_no_pace(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    run_id = finish(Store(data), request(evaluations=3_000))
    said = refuse(capsys, data, "pace", run_id, "10")
    assert said == f"run {run_id}: to be given a pace it must have something left to do, but it is finished\n"


def test_what_is_queued_where_no_worker_is_says_so_and_what_to_do(
    capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    words = f"no worker is there to search; start one with `python -m mapelites worker --data {data}`\n"
    assert main(["start", "C01", "--evaluations", "9000", "--detach", "--data", str(data)]) == 0
    said = capsys.readouterr()
    run_id = said.out.split()[1]
    assert said.err == words
    assert main(["pause", run_id, "--data", str(data)]) == 0
    assert capsys.readouterr().err == ""
    assert main(["resume", run_id, "--data", str(data)]) == 0
    assert capsys.readouterr().err == words


def test_a_run_that_its_worker_has_not_paused_yet_is_said_to_be_asked(
    capsys: pytest.CaptureFixture[str], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "SETTLE_SECONDS", 0.0)
    store = Store(data)
    here, run_id = SupervisorLock.acquire(store.path), store.create(request())
    assert here is not None
    Claim.take(store.entries, run_id)
    said = say(capsys, data, "pause", run_id)
    here.release()
    assert said == f"run {run_id} is asked to pause, which its worker has not done yet\n"


def test_who_follows_a_run_is_told_once_that_its_worker_is_gone(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    store = Store(data)
    absence, now = runs.AbsentWorkerNotice(store), time.monotonic()
    absence.look(now + 1.0)
    assert capsys.readouterr().err == "", "it may be about to start"
    absence.look(now + 60.0)
    absence.look(now + 61.0)
    words = f"the worker is gone; the run goes on with `python -m mapelites worker --data {data}`"
    assert capsys.readouterr().err.strip() == words


def test_export_writes_tables_and_a_file_that_import_takes_back(
    capsys: pytest.CaptureFixture[str], data: Path, tmp_path: Path
) -> None:
    say(capsys, data, "start", "C18", "--evaluations", "5000")
    (run,) = Store(data).runs()
    table, file = tmp_path / "elites.csv", tmp_path / "run.npz"
    say(capsys, data, "export", run.id, "--out", str(table))
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == run.occupied
    assert min(float(row["f"]) for row in rows) == run.best
    say(capsys, data, "export", run.id, "--json", "--out", str(table))
    assert len(json.loads(table.read_text())) == run.occupied
    say(capsys, data, "export", run.id, "--npz", "--out", str(file))
    other = tmp_path / "other"
    assert say(capsys, other, "import", str(file)) == f"run {run.id} is finished\n"
    assert Store(other).export(run.id) != b""
    say(capsys, data, "export", str(file), "--out", str(table))
    assert len(table.read_text().splitlines()) == 1 + run.occupied


def test_what_cannot_be_done_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], data: Path, tmp_path: Path
) -> None:
    run_id = Store(data).create(request())
    assert refuse(capsys, data, "pause", "abcdefgh") == (
        "run: the id must be that of a run in the store, but there is no run 'abcdefgh'\n"
    )
    assert refuse(capsys, data, "pace", run_id, "fast") == (
        "pace must be a number of evaluations per second, or none, but it was 'fast'\n"
    )
    assert refuse(capsys, data, "start", "C01", "--pace", "-3") == (
        "pace must be a number of evaluations per second above 0, but it was -3.0\n"
    )
    assert refuse(capsys, data, "export", run_id) == (
        f"run {run_id}: it must have begun to have elites, but it is queued\n"
    )
    assert (
        refuse(capsys, data, "limit", "much")
        == "limit must be a size such as 500MB or 2GB, or none, but it was 'much'\n"
    )
    assert refuse(capsys, data, "worker", "--processes", "0") == "--processes must be 1 or more, but it was 0\n"
    (tmp_path / "wrong.npz").write_text("nothing")
    assert "not a run file, because" in refuse(capsys, data, "import", str(tmp_path / "wrong.npz"))
    assert "No such file" in refuse(capsys, data, "export", str(tmp_path / "missing.npz"))


def test_a_second_worker_is_refused_in_words_and_the_first_leaves_on_a_signal(data: Path) -> None:
    command = [sys.executable, "-m", "mapelites", "worker", "--data", str(data)]
    store = Store(data)
    first = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: store.worker().alive, "the first worker")
        second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        first.send_signal(signal.SIGINT)
        assert first.wait() == 0
    finally:
        first.kill()
        first.wait()
    assert second.returncode == 2
    assert f"a store has one worker at a time, but process {first.pid} already works on {data}" in second.stderr


def test_a_long_name_of_a_problem_keeps_the_columns_apart(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    for name in ("welded-beam-cec2020", "C01"):
        say(capsys, data, "start", name, "--search", "paper-1", "--detach")
    head, *lines = say(capsys, data, "runs").splitlines()
    assert "welded-beam-cec2020 4D  paper-1" in lines[1]
    assert {line.index("paper-1") for line in lines[:2]} == {head.index("search")}
