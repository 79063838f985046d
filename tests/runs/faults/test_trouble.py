"""Problems that raise, crash or hang, and disks that are full or read-only."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

import pytest

from mapelites.core.problem import Array, Problem
from mapelites.problems import get
from mapelites.runs import Store, supervisor
from mapelites.runs.supervisor import Supervisor
from mapelites.snapshot.spec import RunSpec
from tests.runs.test_store import finish
from tests.runs.tools import (
    PATIENCE,
    assert_same,
    gone,
    large_request,
    request,
    supervised,
    undisturbed,
    wait_for,
    wait_for_state,
)

ROOT = Path(__file__).parents[3]


def broken(harm: Callable[[], Any]) -> Problem:
    """C17 as a plain function that does harm at about every thousandth solution."""
    sound = get("C17", 10)

    def function(x: Array) -> tuple[float, list[float], list[float]]:
        if x[0] > 9.98:
            harm()
        values = sound.evaluate(x[None])
        return float(values.f[0]), values.g[0].tolist(), values.h[0].tolist()

    return replace(sound, function=function)


def _supervise(path: Path, problem: Problem) -> None:
    RunSpec.get_problem = lambda self: problem  # type: ignore[method-assign]
    Supervisor(path, processes=1).run()


@contextmanager
def supervised_with(path: Path, problem: Problem) -> Iterator[ForkProcess]:
    """A supervisor for which every problem is this one."""
    process = multiprocessing.get_context("fork").Process(target=_supervise, args=(path, problem))
    process.start()
    try:
        yield process
    finally:
        process.terminate()
        process.join(PATIENCE)


def divide() -> None:
    raise ZeroDivisionError("the beam has no thickness")


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def hang() -> None:
    time.sleep(PATIENCE * 10)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path)
    store.close()
    return store


def test_a_run_that_dies_three_times_at_one_place_has_failed_and_keeps_the_traceback(
    store: Store, tmp_path: Path
) -> None:
    run_id = store.create(request("C17", 50_000))
    store.close()
    with supervised_with(tmp_path, broken(divide)):
        run = wait_for_state(store, run_id, "failed")
    assert run.reason is not None
    assert run.reason.startswith("its process died 3 times after evaluation ")
    assert run.reason.endswith("ZeroDivisionError: the beam has no thickness")
    assert run.traceback is not None
    assert run.traceback.startswith("Traceback (most recent call last)")
    assert "in divide" in run.traceback
    assert run.finished is not None
    store.resume(run_id)
    resumed = store.run(run_id)
    assert (resumed.state, resumed.reason, resumed.traceback) == ("queued", None, None)


def test_a_crash_below_python_is_said_with_the_place_where_it_happened(store: Store, tmp_path: Path) -> None:
    run_id = store.create(request("C17", 50_000))
    store.close()
    with supervised_with(tmp_path, broken(crash)):
        run = wait_for_state(store, run_id, "failed")
    assert run.reason is not None
    assert run.reason.endswith("killed by SIGSEGV")
    assert "Fatal Python error: Segmentation fault" in (run.traceback or "")
    assert "in crash" in (run.traceback or "")


@pytest.mark.parametrize(
    ("leave", "said"),
    [
        (partial(sys.exit, 0), "SystemExit: 0"),
        (partial(os._exit, 0), "it ended with code 0 in the midst of it, as where the function calls os._exit"),
    ],
    ids=["sys.exit", "os._exit"],
)
def test_a_function_that_ends_its_process_ends_the_run_with_a_reason(
    store: Store, tmp_path: Path, leave: Callable[[], Any], said: str
) -> None:
    run_id = store.create(request("C17", 50_000))
    store.close()
    with supervised_with(tmp_path, broken(leave)):
        run = wait_for_state(store, run_id, "failed")
    assert run.reason is not None
    assert run.reason.endswith(said)


def run_with(store: Store, path: Path, function: Callable[[Array], Any], evaluations: int = 3_000) -> str:
    """A run of C17 with this function in its place, to its end."""
    run_id = store.create(request("C17", evaluations))
    store.close()
    with supervised_with(path, replace(get("C17", 10), function=function)):
        wait_for_state(store, run_id, "finished")
        wait_for(lambda: store.create(request("C17", 1_000)) and True, "a place in the queue")
        wait_for(lambda: all(run.state == "finished" for run in store.runs()), "the run after it")
    return run_id


def values_of_c17(x: Array) -> tuple[float, list[float], list[float]]:
    values = get("C17", 10).evaluate(x[None])
    return float(values.f[0]), values.g[0].tolist(), values.h[0].tolist()


def test_a_thread_of_a_function_that_never_ends_keeps_no_other_run_waiting(store: Store, tmp_path: Path) -> None:
    def function(x: Array) -> tuple[float, list[float], list[float]]:
        if threading.active_count() < 3:
            threading.Thread(target=threading.Event().wait).start()
        return values_of_c17(x)

    run_with(store, tmp_path, function)


def test_what_a_function_started_ends_with_its_run(tmp_path: Path) -> None:
    note, store = tmp_path / "started", Store(tmp_path / "data")

    def function(x: Array) -> tuple[float, list[float], list[float]]:
        if not note.exists():
            note.write_text(str(subprocess.Popen(["sleep", "1000"]).pid))
        return values_of_c17(x)

    run_with(store, tmp_path / "data", function)
    wait_for(lambda: gone(int(note.read_text())), "the end of what the function started")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent is gone")
def test_what_a_function_started_ends_though_the_supervisor_is_killed(tmp_path: Path) -> None:
    note, store = tmp_path / "started", Store(tmp_path / "data")

    def function(x: Array) -> tuple[float, list[float], list[float]]:
        if not note.exists():
            beside = note.with_suffix(".new")
            beside.write_text(f"{subprocess.Popen(['sleep', '1000']).pid}")
            beside.rename(note)
        return values_of_c17(x)

    store.create(request("C17", 50_000, 1_000))
    store.close()
    with supervised_with(store.path, replace(get("C17", 10), function=function)) as supervisor:
        wait_for(note.exists, "what the function starts")
        supervisor.kill()
        wait_for(lambda: gone(int(note.read_text())), "the end of what the function started")


def test_a_function_that_gives_other_numbers_for_the_same_solution_is_noticed(store: Store, tmp_path: Path) -> None:
    chance = random.Random(1)

    def function(x: Array) -> tuple[float, list[float], list[float]]:
        f, g, h = values_of_c17(x)
        return f + chance.random(), g, h

    noisy = run_with(store, tmp_path, function)
    assert (store.run(noisy).reason or "").startswith("the function gives other numbers for the same solution: f was ")
    other = Store(tmp_path / "other")
    other.close()
    assert other.run(run_with(other, tmp_path / "other", values_of_c17)).reason is None


@pytest.mark.parametrize(("ask", "state"), [(Store.pause, "paused"), (Store.stop, "stopped")])
def test_a_run_that_hangs_in_one_evaluation_is_ended_long_before_patience_with_its_process_is(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Store, str], None], state: str
) -> None:
    assert supervisor.SOON_SECONDS + 2 * supervisor.LOOK_SECONDS < 0.25
    monkeypatch.setattr(supervisor, "PATIENCE_SECONDS", 10 * PATIENCE)
    hangs = multiprocessing.get_context("fork").Event()
    run_id = store.create(request("C17", 50_000))
    store.close()
    with supervised_with(tmp_path, broken(lambda: (hangs.set(), hang()))):
        assert hangs.wait(PATIENCE)
        ask(store, run_id)
        wait_for_state(store, run_id, state)
        assert store.entries.record(run_id).deaths == 0, "it is no fault of the run's"


def in_a_small_world(scenario: str, path: Path) -> str:
    """Run a scenario of this module where it may mount what it likes, seen by nobody else."""
    possible = [command for command in (["unshare", "-m"], ["unshare", "-rm"]) if _succeeds([*command, "true"])]
    assert possible, "the test needs to mount a small disk: as root, or with user namespaces"
    script = f"from tests.runs.faults import test_trouble; test_trouble.{scenario}()"
    shell = f"mount -t tmpfs -o size=24m tmpfs {path} && exec {sys.executable} -c '{script}' {path}"
    done = subprocess.run(
        [*possible[0], "sh", "-c", shell], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def full_disk() -> None:
    """Fill the disk under a run, look at what is said, make room, and let it go on."""
    disk = Path(sys.argv[1])
    store = Store(disk / "data")
    run_id = store.create(request("C16", 300_000, 20_000))
    with supervised(store.path):
        wait_for(lambda: store.run(run_id).evaluations > 10_000, "progress")
        fill(disk / "filler")
        run = wait_for_state(store, run_id, "paused")
        sys.stdout.write(f"reason: {run.reason}\n")
        sys.stdout.write(f"worker: {store.worker().alive} {store.worker().problem}\n")
        snapshot = store.snapshot(run_id)
        assert snapshot is not None
        assert snapshot.evaluations == run.evaluations
        (disk / "filler").unlink()
        finish_as_undisturbed(store, run_id)


def fill(file: Path) -> None:
    """Until there is no room for one more byte."""
    size = 2**20
    with file.open("wb", buffering=0) as writer:
        while size:
            try:
                writer.write(bytes(size))
            except OSError:
                size //= 2


def test_a_full_disk_pauses_the_run_says_so_and_loses_nothing(tmp_path: Path) -> None:
    said = in_a_small_world("full_disk", tmp_path)
    place = tmp_path / "data"
    assert f"reason: store: the disk that holds {place} is full; make room there, then resume" in said
    assert "worker: True" in said
    assert "the same archive" in said


def no_byte_left() -> None:
    """Fill the disk while nobody works, when the reserve is used up too, and give the commands that help then."""
    disk, elsewhere = Path(sys.argv[1]), Path(sys.argv[1]).parent
    store = Store(disk / "data")
    run_id = finish(store, request(evaluations=3_000))
    store.keep_reserve()
    store.close()
    (store.path / "reserve").unlink()
    fill(disk / "filler")
    table = elsewhere / "elites.csv"
    for words in (["runs"], ["export", run_id, "--out", str(table)], ["export", run_id, "--npz"], ["delete", run_id]):
        done = command(store, *words)
        sys.stdout.write(f"{words[0]}: {done.returncode} {done.stderr.decode()}\n")
    assert len(table.read_text().splitlines()) == 1 + store.run(run_id).occupied
    assert [run.id for run in Store(store.path).deleted()] == [run_id]


def command(store: Store, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Give a command as a person does."""
    whole = [sys.executable, "-m", "mapelites", *words, "--data", str(store.path)]
    return subprocess.run(whole, capture_output=True, check=False)


def test_on_a_disk_without_one_byte_left_results_can_be_read_out_and_runs_deleted(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    said = in_a_small_world("no_byte_left", tmp_path / "disk")
    assert said.split() == ["runs:", "0", "export:", "0", "export:", "0", "delete:", "0"]


def read_only() -> None:
    """Make the store's folder read-only under a run, look, make it writable, and let it go on."""
    disk = Path(sys.argv[1])
    store = Store(disk / "data")
    run_id = store.create(large_request(400_000, 20_000))
    with supervised(store.path):
        wait_for(lambda: store.run(run_id).evaluations > 10_000, "progress")
        cache = str(store.path / "cache")
        subprocess.run(["mount", "--bind", cache, cache], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", cache], check=True)
        run = wait_for_state(store, run_id, "paused")
        sys.stdout.write(f"reason: {run.reason}\nworker: {store.worker().problem}\n")
        for words in (["runs"], ["stop", run_id]):
            seen = command(store, *words)
            last = (seen.stdout + seen.stderr).decode().splitlines()[-1]
            sys.stdout.write(f"{words[0]}: {seen.returncode} {last}\n")
        subprocess.run(["umount", cache], check=True)
        finish_as_undisturbed(store, run_id)


def finish_as_undisturbed(store: Store, run_id: str) -> None:
    """Let a paused run go on to its end."""
    store.set_pace(run_id, None)
    store.resume(run_id)
    wait_for_state(store, run_id, "finished")
    snapshot = store.snapshot(run_id)
    assert snapshot is not None
    assert_same(snapshot.archive(), undisturbed(store.run(run_id).request))
    sys.stdout.write("the same archive\n")


def test_a_folder_that_becomes_read_only_pauses_the_run_says_so_and_loses_nothing(tmp_path: Path) -> None:
    said = in_a_small_world("read_only", tmp_path)
    place = tmp_path / "data" / "cache"
    words = f"store: {place} must be writable, but it is read-only; put that right, then resume the paused runs"
    for name in ("reason:", "worker:", "runs: 0", "stop: 2"):
        assert f"{name} {words}" in said
    assert "the same archive" in said
