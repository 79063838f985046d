"""Runs of one's own problems: they survive restarts, travel in files, and never mix two versions of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mapelites import InputError, Settings, Tolerances
from mapelites.core.problem import ProblemSource
from mapelites.problems import get, own_problems
from mapelites.problems.formulas import problem_of
from mapelites.problems.suites import gallery
from mapelites.runs import RunRequest, Store
from mapelites.runs.supervisor import start_supervisor
from tests.runs.tools import PATIENCE, assert_same, assert_true_to_itself, undisturbed, wait_for, wait_for_state

BEAM = """from mapelites import problem


@problem(bounds={"width": (0.1, 2.0), "height": (0.1, 10.0), "n": (1, 5)}, inequalities=["stress"], integers=["n"])
def beam(x):
    return x[0] * x[1] * x[2], [1 - x[0] * x[1] ** 2]
"""


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """A file of problems that this process and the supervisor know."""
    path = tmp_path / "mine.py"
    path.write_text(BEAM)
    own_problems.watch([path])
    yield path
    own_problems.watch([])


def asked(name: str, evaluations: int, pace: float | None = None) -> RunRequest:
    problem = get(name) if name == "beam" else problem_of(gallery.text(name))
    settings = Settings.of("directed", problem.dimension, evaluations=evaluations)
    return RunRequest.of(problem, Tolerances.default(problem), settings, pace)


def test_a_request_for_formulas_is_the_same_after_the_store(tmp_path: Path) -> None:
    request = asked("three-bar-truss", 2_000)
    store = Store(tmp_path)
    run_id = store.create(request)
    stored = Store(tmp_path).run(run_id).request
    assert stored == request
    assert stored.title == "Three-bar truss"
    assert stored.get_problem().values([[0.5, 0.5]]).tolist() == get("three-bar-truss").values([[0.5, 0.5]]).tolist()
    assert stored.renewed() == stored


def test_a_run_of_a_file_goes_on_after_a_kill_and_is_left_alone_once_the_file_changed(
    tmp_path: Path, file: Path
) -> None:
    store = Store(tmp_path / "store")
    run_id = store.create(asked("beam", 3_000, pace=2_000))
    supervisor = start_supervisor(store.path, problems=[file])
    try:
        wait_for(lambda: store.run(run_id).evaluations > 200, "progress")
        store.pause(run_id)
        wait_for_state(store, run_id, "paused")
        store.resume(run_id)
        store.set_pace(run_id, None)
        wait_for_state(store, run_id, "finished")
        snapshot = store.snapshot(run_id)
        assert snapshot is not None
        request = store.run(run_id).request
        real = replace(snapshot.archive().elites), own_problems.loaded(request.get_problem())
        assert (real[1].evaluate(real[0].x).f == real[0].f).all()
        search = request.begin(problem=real[1])
        search.advance(3_000)
        assert search.archive().elites.f.tolist() == real[0].f.tolist()

        second = store.create(asked("beam", 100_000, pace=500))
        wait_for(lambda: store.run(second).evaluations > 100, "progress")
        store.pause(second)
        wait_for_state(store, second, "paused")
        before = store.run(second).evaluations
        file.write_text(BEAM.replace("1 - x[0]", "2 - x[0]"))
        store.resume(second)
        run = wait_for_state(store, second, "failed")
        assert run.reason is not None
        assert run.reason.startswith("mine.py, or what it imports, has changed since this run began")
        assert run.evaluations == before
        assert store.snapshot(second) is not None  # the map is still there to be looked at
        third = store.create(replace(run.request.renewed(), pace=None))
        assert store.run(third).request.spec.source != run.request.spec.source
    finally:
        supervisor.terminate()
        supervisor.wait(PATIENCE)


def test_a_run_of_formulas_is_whole_in_its_file(tmp_path: Path) -> None:
    request = asked("tension-spring", 3_000)
    store, other = Store(tmp_path / "one"), Store(tmp_path / "two")
    run_id = store.create(request)
    supervisor = start_supervisor(store.path)
    try:
        wait_for_state(store, run_id, "finished")
    finally:
        supervisor.terminate()
        supervisor.wait(PATIENCE)
    taken = other.import_run(store.export(run_id))
    snapshot = other.snapshot(taken)
    assert snapshot is not None
    assert_true_to_itself(snapshot.archive())
    assert_same(snapshot.archive(), undisturbed(request))
    assert other.run(taken).request.title == "Tension spring"


@pytest.mark.parametrize("source", ["variable x from", "{}", json.dumps({"file": "/etc/passwd"}), "import os"])
def test_a_source_that_is_nothing_is_refused(tmp_path: Path, source: str) -> None:
    request = asked("three-bar-truss", 2_000)
    foreign = replace(request.spec, source=ProblemSource.from_value(source))
    with pytest.raises(InputError):
        Store(tmp_path).create(replace(request, spec=foreign))


SLOW = """import time
from pathlib import Path

from mapelites import problem

HERE = Path(__file__).parent


@problem(bounds={"width": (0.1, 2.0), "height": (0.1, 10.0)}, inequalities=["stress"])
def slow_beam(x):
    if Path("/proc/self/comm").read_text().startswith("run "):  # not while the file is looked at
        note("begun", x)
        while not (HERE / f"let-{len((HERE / 'begun').read_text().splitlines())}").exists():
            time.sleep(0.01)
        note("done", x)
    return x[0] * x[1], [1 - x[0] * x[1] ** 2]


def note(word, x):
    with (HERE / word).open("a") as file:
        file.write(f"{x[0]!r} {x[1]!r}\\n")
"""


@pytest.fixture
def slow_file(tmp_path: Path) -> Iterator[Path]:
    """A problem whose evaluation leaves a line in a file when it begins, and ends when the test lets it."""
    path = tmp_path / "slow.py"
    path.write_text(SLOW)
    own_problems.watch([path])
    yield path
    own_problems.watch([])


def slow_run(store: Store, search: str) -> str:
    problem = get("slow-beam")
    settings = Settings.of(search, problem.dimension, evaluations=4)
    return store.create(RunRequest.of(problem, Tolerances.default(problem), settings))


def evaluations(file: Path, word: str) -> list[str]:
    path = file.parent / word
    return path.read_text().splitlines() if path.exists() else []


def let_end(file: Path, number: int) -> None:
    (file.parent / f"let-{number}").touch()


@pytest.mark.parametrize("search", ["paper-3", "directed"])
def test_a_run_paused_within_every_evaluation_still_advances_and_evaluates_nothing_twice(
    tmp_path: Path, slow_file: Path, search: str
) -> None:
    store = Store(tmp_path / "store")
    run_id = slow_run(store, search)
    supervisor = start_supervisor(store.path, problems=[slow_file])
    try:
        for number in range(1, 5):
            wait_for(lambda count=number: len(evaluations(slow_file, "begun")) == count, "an evaluation")
            for _ in range(2):  # the second time it is the same evaluation, which went on
                store.pause(run_id)
                wait_for_state(store, run_id, "paused")
                store.resume(run_id)
                wait_for_state(store, run_id, "running")
            let_end(slow_file, number)
        wait_for_state(store, run_id, "finished")
    finally:
        supervisor.terminate()
        supervisor.wait(PATIENCE)
    begun = evaluations(slow_file, "begun")
    assert (len(begun), begun) == (4, evaluations(slow_file, "done"))
    run = store.run(run_id)
    real = own_problems.loaded(run.request.get_problem())
    snapshot = store.snapshot(run_id)
    assert snapshot is not None
    search_in_one_go = run.request.begin(problem=real)
    search_in_one_go.advance(4)
    assert_same(snapshot.archive(), search_in_one_go.archive())


def test_a_process_asleep_is_ended_when_its_run_is_stopped_or_its_supervisor_leaves(
    tmp_path: Path, slow_file: Path
) -> None:
    store = Store(tmp_path / "store")
    supervisor = start_supervisor(store.path, problems=[slow_file])
    try:
        for halted in ("stopped", "paused"):
            (tmp_path / "begun").unlink(missing_ok=True)
            run_id = slow_run(store, "directed")
            wait_for(lambda: evaluations(slow_file, "begun"), "an evaluation")
            store.pause(run_id)
            wait_for_state(store, run_id, "paused")
            wait_for(lambda: states_of_children(supervisor.pid) == ["T"], "a process that sleeps")
            if halted == "stopped":
                store.stop(run_id)
                wait_for(lambda: states_of_children(supervisor.pid) == [], "its end")
    finally:
        supervisor.terminate()
        supervisor.wait(PATIENCE)
    assert store.run(run_id).state == "paused"


def states_of_children(process: int) -> list[str]:
    """How the system sees the processes of a supervisor that search."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = stat.read_text().split("(", 1)[1].rsplit(") ", 1)
        except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            continue
        state, parent = rest.split()[:2]
        if int(parent) == process and name.startswith("run "):
            found.append(state)
    return found
