"""Runs whose evaluations take long: every answer is logged, none is asked for twice, and a crash loses nothing."""

from __future__ import annotations

import multiprocessing
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from components.page_state.view import Maps
from mapelites import Archive, Problem, Settings, Tolerances
from mapelites.core.archive import Elites
from mapelites.runs import RunRequest, Store
from mapelites.runs.claim import Claim
from mapelites.runs.evaluations import layout
from mapelites.runs.worker import RunWorker
from mapelites.snapshot.spec import RunSpec
from tests.evaluation import black_boxes as boxes
from tests.evaluation.black_boxes import Function, counted, problem_of
from tests.runs.tools import assert_same, gone, kill, wait_for

EVALUATIONS = 300


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data")


@contextmanager
def registered(function: Function) -> Iterator[RunRequest]:
    """A request for a run of the disc with this function, which every part of the engine then finds."""
    problem = problem_of(function)
    settings = Settings.of("directed", 3, evaluations=EVALUATIONS, initial=60, workers=3, batch=8, retries=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunSpec, "get_problem", lambda self: problem)
        yield RunRequest(RunSpec(problem.name, 3, Tolerances.default(problem), settings))


def work(store: Store, run_id: str) -> None:
    claim = Claim.take(store.entries, run_id)
    assert claim is not None
    RunWorker(claim, lambda: False).work()


def finish(store: Store, asked: RunRequest) -> str:
    run_id = store.create(asked)
    work(store, run_id)
    return run_id


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def undisturbed(problem: Problem, asked: RunRequest) -> Archive:
    search = replace(asked).begin()
    search.advance(EVALUATIONS)
    search.close()
    return search.archive()


def test_a_run_killed_at_any_moment_ends_in_the_same_map_without_asking_twice(store: Store, tmp_path: Path) -> None:
    calls, most = tmp_path / "calls", tmp_path / "most"

    def held(x: np.ndarray) -> object:
        """It goes no further than the test lets it, so that no run is over before it is killed."""
        while len(lines(calls)) > int(most.read_text()):
            time.sleep(0.01)
        return boxes.disc(x)

    with registered(counted(calls, held)) as asked:
        run_id = store.create(asked)
        size = layout(asked.get_problem()).itemsize
        called = lost = 0
        for wanted in (40, 170):
            most.write_text(str(wanted + 10))
            claim = Claim.take(store.entries, run_id)
            store.close()
            process = multiprocessing.get_context("fork").Process(target=RunWorker(claim, lambda: False).work)  # type: ignore[arg-type]
            process.start()
            wait_for(lambda wanted=wanted: store.entries.log_size(run_id) >= wanted * size, f"{wanted} evaluations")
            workers = _children(process.pid or 0)
            kill(process.pid or 0)
            process.join()
            wait_for(lambda workers=workers: all(map(gone, workers)), "the end of the workers")
            called = len(lines(calls))
            lost = called - store.entries.log_size(run_id) // size  # begun, but not answered when it was killed
            with store.entries.database.writing():
                store.entries.write(replace(store.entries.record(run_id), claim=None))
        most.write_text(str(10 * EVALUATIONS))
        work(store, run_id)
        assert store.run(run_id).state == "finished"
        assert len(set(lines(calls))) == EVALUATIONS
        assert len(lines(calls)) == EVALUATIONS + lost
        assert lost <= 2 * asked.settings.workers
        assert_same(store.snapshot(run_id).archive(), undisturbed(asked.get_problem(), asked))  # type: ignore[union-attr]


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_other_levels_bin_every_solution_ever_evaluated(store: Store) -> None:
    with registered(boxes.disc) as asked:
        run_id = finish(store, asked)
        everything = store.evaluations(run_id)
        assert everything is not None
        assert everything.found_at.tolist() == list(range(1, EVALUATIONS + 1))
        problem = asked.get_problem()
        assert np.array_equal(problem.evaluate(everything.x).f, everything.f)
        levels = [[0.0, 0.03, 0.2, 0.7, 1.5], [0.0, 0.1, 0.2]]
        maps = Maps(store)
        exact = maps.archive(maps.shown(run_id, None, levels))
        bins = exact.tolerances.bins(everything.violations)
        best: dict[tuple[int, ...], float] = {}
        for place, f in zip(map(tuple, bins.tolist()), everything.f, strict=True):
            best[place] = min(f, best.get(place, np.inf))
        assert {elite.bins: elite.f for elite in exact} == best
        from_elites = store.snapshot(run_id).archive().rebin(exact.tolerances)  # type: ignore[union-attr]
        assert len(from_elites) < len(exact)  # or this test would show nothing
        early = store.evaluations(run_id, up_to=100)
        assert early is not None
        assert early.found_at.tolist() == list(range(1, 101))


def test_failures_are_counted_in_the_store_and_the_run_goes_on_to_its_end(store: Store) -> None:
    with registered(boxes.moody) as asked:
        run = store.run(finish(store, asked))
        assert (run.state, run.evaluations) == ("finished", EVALUATIONS)
        assert set(run.failures) == {"raised", "not finite", "wrong shape", "died"}
        assert sum(count for count, _ in run.failures.values()) == run.refused
        assert "the solver did not converge" in run.failures["raised"][1]
        assert run.failures["died"][1] == "its process was killed by SIGKILL"


def test_the_log_goes_with_its_run_into_a_file_and_out_of_the_store(store: Store, tmp_path: Path) -> None:
    with registered(boxes.disc) as asked:
        run_id = finish(store, asked)
        path = store.entries.log_path(run_id)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        other = Store(tmp_path / "other")
        copy = other.import_run(store.export(run_id))
        assert _solutions(other.evaluations(copy)) == _solutions(store.evaluations(run_id))
        assert other.run(copy).size >= path.stat().st_size
        store.delete(run_id)
        store.purge(before=float("inf"))
        assert not path.exists()


def _solutions(elites: Elites | None) -> list[bytes]:
    assert elites is not None
    return [each.tobytes() for each in elites.x]


def test_a_torn_or_damaged_record_is_left_out_and_the_next_one_is_whole(store: Store) -> None:
    with registered(boxes.disc) as asked:
        run_id = finish(store, asked)
        path, size = store.entries.log_path(run_id), layout(asked.get_problem()).itemsize
        content = bytearray(path.read_bytes())
        content[3 * size + 20] ^= 1
        path.write_bytes(bytes(content[: 50 * size + 7]))
        found = store.evaluations(run_id)
        assert found is not None
        assert len(found) == 49
        assert store.damaged_evaluations(run_id) == EVALUATIONS - 49, "those that are cut off too"
        with store.entries.database.writing():
            record = store.entries.record(run_id)
            store.entries.write(replace(record, state="queued", checkpoints=(), finished=None))
        work(store, run_id)
        again = store.evaluations(run_id)
        assert again is not None
        assert again.found_at.tolist() == list(range(1, EVALUATIONS + 1))


def test_a_run_is_halted_while_an_evaluation_takes_for_ever(store: Store) -> None:
    with registered(boxes.hangs) as asked:
        run_id, looks = store.create(asked), iter(range(100))
        claim = Claim.take(store.entries, run_id)
        assert claim is not None

        def somebody_pauses_it_and_ends_the_program() -> bool:
            if next(looks) == 3:
                with store.entries.database.writing():
                    store.entries.write(replace(store.entries.record(run_id), wish="pause"))
            return store.run(run_id).state == "paused"

        RunWorker(claim, somebody_pauses_it_and_ends_the_program).work()
        assert (store.run(run_id).state, store.run(run_id).evaluations) == ("paused", 0)
        assert next(looks) > 3
