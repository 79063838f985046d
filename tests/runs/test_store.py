"""States, snapshots, deletion, files and room, without any worker."""

from __future__ import annotations

import io
import sqlite3
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from mapelites import InputError, Tolerances
from mapelites.core.settings import SEARCHES, SLOW_SEARCH
from mapelites.problems import get
from mapelites.runs import Run, RunRequest, Store, StoreError, history
from mapelites.runs.claim import Claim
from mapelites.runs.entries import ID
from mapelites.runs.errors import ClaimLostError
from mapelites.runs.presence import SupervisorLock
from mapelites.runs.storage.database import FILE_FROM
from mapelites.runs.supervisor import Supervisor
from mapelites.runs.worker import RunWorker
from mapelites.snapshot.snapshot import ELITE_ARRAYS, Snapshot, pack, unpack
from tests.requests_and_stores import with_spec
from tests.runs.tools import assert_same, large_request, request, undisturbed


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data")


def take(store: Store, run_id: str) -> Claim:
    claim = Claim.take(store.entries, run_id)
    assert claim is not None
    return claim


def finish(store: Store, asked: RunRequest) -> str:
    """A run searched to its end in this process."""
    run_id = store.create(asked)
    RunWorker(take(store, run_id), lambda: False).work()
    return run_id


def begin(store: Store, asked: RunRequest, leave_after: int = 6) -> str:
    """A run whose process left after so many pieces."""
    run_id, looks = store.create(asked), iter(range(leave_after))
    RunWorker(take(store, run_id), lambda: next(looks, None) is None).work()
    return run_id


def without_names(run: Run) -> Run:
    return replace(run, id="", version=0)


def test_a_new_run_is_queued_with_an_id_that_fits_in_an_address(store: Store) -> None:
    run_id = store.create(request())
    run = store.run(run_id)
    assert ID.fullmatch(run_id)
    assert (run.state, run.evaluations, run.request) == ("queued", 0, request())
    assert store.snapshot(run_id) is None
    assert store.history(run_id) == ()


def test_what_the_store_holds_can_be_read_by_nobody_else(store: Store) -> None:
    assert stat.S_IMODE((store.path / "cache").stat().st_mode) == 0o700
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o700


def test_the_folder_comes_from_the_environment_or_is_one_of_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    monkeypatch.delenv("MAPELITES_DATA", raising=False)
    assert Store.default_path() == Path("/somewhere/mapelites")
    monkeypatch.setenv("MAPELITES_DATA", "/elsewhere")
    assert Store.default_path() == Path("/elsewhere")


def test_runs_come_newest_first_and_another_store_on_the_folder_sees_them(store: Store) -> None:
    ids = [store.create(request(seed=seed)) for seed in range(3)]
    assert [run.id for run in Store(store.path).runs()] == ids[::-1]


def test_an_unknown_run_is_an_error_in_words(store: Store) -> None:
    for wrong in ("nosuchid", "abcdefgh", "../../etc", ""):
        with pytest.raises(InputError, match="the id must be that of a run in the store, but there is no run"):
            store.run(wrong)
        with pytest.raises(InputError, match="there is no run"):
            store.version(wrong)


def test_a_request_for_the_wrong_constraints_is_refused(store: Store) -> None:
    wrong = with_spec(request("C16"), tolerances=Tolerances.default(get("C01", 10)))
    with pytest.raises(InputError, match="C16 10D has constraints g1, g2, h1, h2, but the levels were for g1, g2"):
        store.create(wrong)
    assert store.runs() == []


@pytest.mark.parametrize("pace", [0, -1.0, float("nan"), float("inf"), "fast", True])
def test_a_pace_that_is_no_speed_is_refused(store: Store, pace: float) -> None:
    with pytest.raises(InputError, match="pace must be a number of evaluations per second above 0, but it was"):
        store.set_pace(store.create(request()), pace)


def test_a_run_is_watched_until_another_pace_is_asked_for(store: Store) -> None:
    run_id = store.create(replace(request(), watch=10.0))
    assert RunRequest.from_text(store.run(run_id).request.text).watch == 10.0
    store.set_pace(run_id, 5.0)
    assert (store.run(run_id).request.pace, store.run(run_id).request.watch) == (5.0, None)
    store.set_pace(run_id, None, watch=4.0)
    assert (store.run(run_id).request.pace, store.run(run_id).request.watch) == (None, 4.0)
    with pytest.raises(InputError, match=r"watch must be a number of seconds above 0, but it was -1\.0"):
        store.set_pace(run_id, None, watch=-1.0)
    with pytest.raises(InputError, match=r"a run has a pace or is watched, but pace was 5\.0 and watch 4\.0"):
        store.set_pace(run_id, 5.0, watch=4.0)


def test_the_version_changes_with_every_change(store: Store) -> None:
    run_id = store.create(request())
    seen = [store.version(run_id)]
    for change in (lambda: store.set_pace(run_id, 5.0), lambda: store.pause(run_id), lambda: store.resume(run_id)):
        change()
        seen.append(store.version(run_id))
    assert seen == sorted(set(seen))
    assert seen[-1] == store.run(run_id).version


def test_a_finished_run_has_the_archive_of_the_search_and_its_numbers(store: Store) -> None:
    asked = request("C17", 30_000)
    run_id = finish(store, asked)
    run, snapshot = store.run(run_id), store.snapshot(run_id)
    assert snapshot is not None
    archive = snapshot.archive()
    assert_same(archive, undisturbed(asked))
    numbers = archive.statistics
    assert (run.state, run.evaluations, run.occupied) == ("finished", 30_000, numbers.occupied)
    assert (run.best, run.best_feasible) == (numbers.best, numbers.best_feasible)
    assert run.created <= (run.started or 0) <= (run.finished or 0) <= time.time()
    assert run.seconds > 0
    assert run.size > 0
    assert snapshot.curve[-1].tolist()[:2] == [30_000, numbers.occupied]
    moments = store.history(run_id)
    assert moments[-1].evaluations == 30_000
    assert moments[0].evaluations < 30_000


def test_a_run_that_is_over_in_a_moment_can_be_replayed_from_its_first_evaluations_on(store: Store) -> None:
    run_id = finish(store, request(evaluations=30_000))
    moments = store.history(run_id)
    spent = [moment.evaluations for moment in moments]
    assert spent == sorted(set(spent))
    # The first pieces grow from one evaluation to forty milliseconds: every decade on the way has its moments.
    assert all(any(10**decade <= each < 10 ** (decade + 1) for each in spent) for decade in range(5))
    for moment in moments:
        snapshot = store.snapshot(run_id, moment.version)
        assert snapshot is not None
        asked = request(evaluations=30_000)
        search = asked.begin()
        search.advance(moment.evaluations)
        assert_same(snapshot.archive(), search.archive())
        assert moment.occupied == search.occupied
    assert store.run(run_id).version >= moments[-1].version


def test_a_queued_run_is_paused_resumed_and_stopped_without_a_worker(store: Store) -> None:
    run_id = store.create(request())
    store.pause(run_id)
    store.pause(run_id)
    assert store.run(run_id).state == "paused"
    store.resume(run_id)
    assert store.run(run_id).state == "queued"
    store.stop(run_id)
    assert store.run(run_id).state == "stopped"
    store.resume(run_id)
    assert store.run(run_id).state == "queued"


def test_a_run_whose_worker_is_gone_is_paused_at_its_checkpoint(store: Store) -> None:
    run_id = begin(store, request("C03", 10**7))
    assert store.run(run_id).state == "running"
    store.pause(run_id)
    assert store.run(run_id).state == "paused"


def test_a_finished_run_can_be_neither_paused_nor_resumed(store: Store) -> None:
    run_id = finish(store, request(evaluations=3_000))
    with pytest.raises(InputError, match="to be paused it must be queued or running, but it is finished"):
        store.pause(run_id)
    with pytest.raises(InputError, match="to be resumed it must be paused, stopped or failed, but it is finished"):
        store.resume(run_id)
    with pytest.raises(InputError, match="to be stopped it must be queued, running or paused, but it is finished"):
        store.stop(run_id)


def test_a_process_that_lost_its_run_can_write_nothing_more(store: Store) -> None:
    run_id = store.create(request("C03", 10**7))
    worker = RunWorker(take(store, run_id), lambda: False)
    worker._search_piece()
    with store.entries.database.writing():
        store.entries.write(replace(store.entries.record(run_id), claim=None))
    take(store, run_id)
    with pytest.raises(ClaimLostError):
        worker.work()
    assert store.snapshot(run_id) is None
    assert Claim.take(store.entries, run_id) is None


@pytest.mark.parametrize(("ask", "state"), [(Store.resume, "finished"), (Store.stop, "stopped")])
def test_who_changes_their_mind_while_a_run_is_about_to_pause_gets_what_they_want(
    store: Store, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Store, str], None], state: str
) -> None:
    here = SupervisorLock.acquire(store.path)
    assert here is not None
    asked = request("C03", 3_000)
    run_id = store.create(asked)
    worker = RunWorker(take(store, run_id), lambda: False)
    publish, minds = worker._put_down, iter([ask])

    def publish_late(**options: Any) -> None:
        for change in minds:  # once, after the process has heard of the pause and before it is put down
            change(store, run_id)
        publish(**options)

    monkeypatch.setattr(worker, "_put_down", publish_late)
    store.pause(run_id)
    worker.work()
    here.release()
    assert store.run(run_id).state == state


def test_a_paused_run_is_paused_before_its_process_waits_for_evaluations_under_way(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = SupervisorLock.acquire(store.path)
    assert here is not None
    run_id, states = store.create(request("C03", 3_000)), list[str]()
    worker = RunWorker(take(store, run_id), lambda: False)
    monkeypatch.setattr(worker.search, "settle", lambda seconds: states.append(store.run(run_id).state))
    store.pause(run_id)
    worker.work()
    here.release()
    assert states == ["paused"]


def test_a_run_resumed_before_its_last_process_has_left_gets_another_one_only_then(store: Store) -> None:
    run_id = store.create(request())
    supervisor, job = Supervisor(store.path), Mock()
    job.attention.is_finishing = False  # it waits for no evaluation
    supervisor._jobs[run_id] = job
    supervisor._start_runs()
    job.process.kill.assert_called_once()
    assert store.run(run_id).state == "queued"


def test_a_deleted_run_can_be_brought_back_until_it_is_erased(store: Store) -> None:
    kept, run_id = store.create(request()), finish(store, request(evaluations=3_000))
    before = store.run(run_id)
    store.delete(run_id)
    assert [run.id for run in store.runs()] == [kept]
    assert [run.id for run in store.deleted()] == [run_id]
    with pytest.raises(InputError, match="it must not be deleted, but it is; bring it back first"):
        store.resume(run_id)
    store.undelete(run_id)
    assert without_names(store.run(run_id)) == without_names(before)
    store.delete(run_id)
    assert store.purge() == 0, "it can still be brought back"
    assert store.purge(before=time.time() + 1) == 1
    with pytest.raises(InputError, match="there is no run"):
        store.undelete(run_id)
    left = [str(key) for key in store.entries.database.keys("")]
    assert [key for key in left if run_id in key] == [f"erased/{run_id}"]


def test_a_clock_that_is_put_forward_erases_nothing_that_could_still_be_brought_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id, moment = store.create(request()), time.monotonic()
    store.delete(run_id)
    assert store.purge() == 0
    hour = time.time() + 3_600
    monkeypatch.setattr(time, "time", lambda: hour)
    assert store.purge() == 0
    store.undelete(run_id)
    store.delete(run_id)
    monkeypatch.setattr(time, "monotonic", lambda: moment + 700)
    monkeypatch.setattr(time, "time", lambda: hour + 700)
    assert store.purge() == 1


def statements(store: Store, look: Callable[[], object]) -> int:
    """How often the database is asked meanwhile."""
    asked: list[str] = []
    connection = store.entries.database._cache._con
    connection.set_trace_callback(asked.append)
    look()
    connection.set_trace_callback(None)
    return len(asked)


def test_a_list_costs_no_more_reads_however_many_runs_there_are(store: Store) -> None:
    counts = []
    for _ in range(2):
        run_ids = [store.create(request()) for _ in range(5)]
        store.runs()
        same = statements(store, store.runs), statements(store, store.worker)
        store.pause(run_ids[0])
        counts.append((same, statements(store, store.worker)))
    assert counts[0] == counts[1]
    assert counts[0][0] == (1, 1), "whether anything has changed"


def test_a_list_that_was_read_before_the_connection_was_closed_is_read_again_after_it(store: Store) -> None:
    run_id = store.create(request())
    store.close()
    assert [run.state for run in store.runs()] == ["queued"]
    store.close()
    Store(store.path).pause(run_id)
    assert [run.state for run in store.runs()] == ["paused"]


def test_a_run_taken_in_again_after_it_was_erased_has_another_id_for_somebody_may_still_show_its_map(
    store: Store,
) -> None:
    run_id = finish(store, request(evaluations=3_000))
    content = store.export(run_id)
    store.delete(run_id)
    assert store.purge(before=1e12) == 1
    again = store.import_run(content)
    assert again != run_id
    assert store.run(again).state == "finished"


def test_an_exported_run_comes_back_identical(store: Store, tmp_path: Path) -> None:
    run_id = finish(store, request("C18", 40_000))
    content = store.export(run_id)
    other = Store(tmp_path / "other")
    assert other.import_run(content) == run_id
    assert without_names(other.run(run_id)) == without_names(store.run(run_id))
    assert other.history(run_id) == store.history(run_id)
    for moment in store.history(run_id):
        ours = store.entries.snapshot_bytes(run_id, moment.version)
        assert other.entries.snapshot_bytes(run_id, moment.version) == ours
    assert Snapshot.from_bytes(content).evaluations == 40_000, "the file is a saved map too"
    twin = other.import_run(content)
    assert twin != run_id
    assert without_names(other.run(twin)) == without_names(store.run(run_id))


def test_an_exported_run_that_is_not_done_goes_on_elsewhere_to_the_same_archive(store: Store, tmp_path: Path) -> None:
    asked = request("C16", 150_000)
    run_id = begin(store, asked)
    other = Store(tmp_path / "other")
    other.import_run(store.export(run_id))
    assert other.run(run_id).state == "paused"
    assert 0 < other.entries.record(run_id).resumes_at < 150_000
    other.resume(run_id)
    RunWorker(take(other, run_id), lambda: False).work()
    snapshot = other.snapshot(run_id)
    assert snapshot is not None
    assert_same(snapshot.archive(), undisturbed(asked))


def test_a_queued_run_can_be_exported_too(store: Store, tmp_path: Path) -> None:
    run_id = store.create(request())
    other = Store(tmp_path / "other")
    other.import_run(store.export(run_id))
    assert (other.run(run_id).state, other.snapshot(run_id)) == ("paused", None)


def test_a_map_saved_without_a_store_can_be_imported(store: Store) -> None:
    search = request("C07", 5_000).begin()
    search.advance(5_000)
    run_id = store.import_run(Snapshot.of(search, 1.5).to_bytes())
    run, snapshot = store.run(run_id), store.snapshot(run_id)
    assert (run.state, run.evaluations, run.seconds) == ("finished", 5_000, 1.5)
    assert snapshot is not None
    assert_same(snapshot.archive(), search.archive())
    assert [moment.evaluations for moment in store.history(run_id)] == [5_000]


def test_what_is_not_a_run_file_is_refused_and_leaves_nothing_behind(store: Store) -> None:
    run_id = finish(store, request(evaluations=3_000))
    content = store.export(run_id)
    store.delete(run_id)
    for wrong in (b"", b"PK", b"not a file", content[: len(content) // 2], content[:-100]):
        with pytest.raises(InputError, match="not a run file, because"):
            store.import_run(wrong)
    assert store.runs() == []


def test_beyond_the_limit_the_oldest_finished_runs_are_offered_and_none_is_dropped(store: Store) -> None:
    first, second = (finish(store, request(evaluations=3_000, seed=seed)) for seed in (1, 2))
    queued = store.create(request())
    assert store.limit is None
    assert store.over_limit() == []
    store.set_limit(store.size() - 1)
    assert [run.id for run in store.over_limit()] == [first]
    store.set_limit(1)
    assert [run.id for run in store.over_limit()] == [first, second]
    assert {run.id for run in store.runs()} == {first, second, queued}
    store.set_limit(None)
    assert store.over_limit() == []
    with pytest.raises(
        InputError, match="limit must be a whole number of bytes above 0 and below 9e18, or none, but it was 0"
    ):
        store.set_limit(0)


def test_what_was_deleted_counts_as_gone_before_it_is_erased(store: Store) -> None:
    first, _ = (finish(store, request(evaluations=3_000, seed=seed)) for seed in (1, 2))
    store.set_limit(store.size() - 1)
    store.delete(first)
    assert store.over_limit() == []
    store.undelete(first)
    assert [run.id for run in store.over_limit()] == [first]


def test_the_log_of_evaluations_counts_as_room_that_is_taken(store: Store) -> None:
    run_id = store.create(request())
    before = store.size()
    store.entries.write_log(run_id, bytes(1_000))
    assert store.size() == before + 1_000


def test_a_checkpoint_that_cannot_be_read_costs_time_and_not_the_archive(store: Store) -> None:
    asked = request("C10", 120_000)
    run_id = begin(store, asked)
    newest = store.entries.record(run_id).checkpoints[-1]
    with store.entries.database.writing():
        store.entries.database.put(f"state/{run_id}/{newest.version}", b"nothing of use")
    RunWorker(take(store, run_id), lambda: False).work()
    snapshot = store.snapshot(run_id)
    assert snapshot is not None
    assert_same(snapshot.archive(), undisturbed(asked))


def test_a_run_whose_progress_cannot_be_put_down_keeps_all_it_had(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = store.create(large_request(10**7))
    worker = RunWorker(take(store, run_id), lambda: False)
    for _ in range(3):
        worker.search.advance(2_000)
        worker._put_down(saved=True)
    monkeypatch.setattr(history, "LINGER_SECONDS", 0.0)
    monkeypatch.setattr(history, "MOST_MOMENTS", 2)
    before = files(store)
    with monkeypatch.context() as patch:
        patch.setattr(store.entries, "write", Mock(side_effect=OSError("no room for the record")))
        worker.search.advance(2_000)
        with pytest.raises(StoreError, match="no room for the record"):
            worker._put_down(saved=True)
    assert files(store) == before, "nothing is deleted, and nothing left behind"
    for checkpoint in store.entries.record(run_id).checkpoints:
        assert len(store.entries.state_bytes(run_id, checkpoint.version) or b"") == checkpoint.size
    assert [store.snapshot(run_id, moment.version) is None for moment in store.history(run_id)] == [False] * 3
    worker._put_down(saved=True)
    assert not files(store) >= before, "what is no longer needed goes once the rest is put down"


def files(store: Store) -> set[Path]:
    found = set((store.path / "cache").rglob("*.val"))
    assert all(file.stat().st_size >= FILE_FROM for file in found)
    return found


def test_a_store_of_an_earlier_version_is_read_and_from_then_on_one_of_this(store: Store) -> None:
    run_id = store.create(request())
    with store.entries.database.writing():
        store.entries.database.put_table(
            f"history/{run_id}", {"moments": [[3, 10, 0.5, 4, None, 99]], "leaving": [[2, 1.0, 5]]}
        )
    store.close()
    (store.path / "format").write_text("1\n")
    again = Store(store.path)
    assert (store.path / "format").read_text() == "3\n"
    assert [moment.version for moment in again.history(run_id)] == [3]
    assert again.entries.history(run_id).size == 104


def say_format(store: Store, content: bytes, version: int) -> None:
    """What the file says, and what the database says."""
    store.close()
    (store.path / "format").write_bytes(content)
    with sqlite3.connect(store.path / "cache" / "cache.db") as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


def test_a_store_of_a_newer_version_is_left_alone(store: Store) -> None:
    said = "is of format 7, made by a newer version, but this version knows formats up to 3"
    say_format(store, b"7\n", 7)
    with pytest.raises(StoreError, match=said):
        Store(store.path)
    say_format(store, b"seven", 0)
    with pytest.raises(StoreError, match="must hold the number of the store's format, but it holds 'seven'"):
        Store(store.path)


@pytest.mark.parametrize("content", [b"7\n", b"\xff\x00", b"", b"9" * 5_000, "\u0663".encode()])
def test_a_damaged_format_file_is_put_right_by_what_the_database_says(store: Store, content: bytes) -> None:
    run_id = store.create(request())
    say_format(store, content, 3)
    assert [run.id for run in Store(store.path).runs()] == [run_id]
    assert (store.path / "format").read_text() == "3\n"


def test_a_file_in_the_place_of_the_folder_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(StoreError, match="must be a folder, but there is a file of that name"):
        Store(tmp_path / "data")


def test_a_curve_without_any_feasible_solution_has_none_in_the_history(store: Store) -> None:
    run_id = finish(store, request("C11", 3_000))
    assert store.run(run_id).best_feasible is None
    assert store.history(run_id)[-1].best_feasible is None
    snapshot = store.snapshot(run_id)
    assert snapshot is not None
    assert np.isnan(snapshot.curve[:, 2]).all()


@pytest.mark.parametrize("search", SEARCHES)
def test_pieces_of_any_size_with_checkpoints_between_them_end_in_the_same_archive(search: str) -> None:
    evaluations = 150 if search == SLOW_SEARCH else 20_000  # that one thinks about each
    asked = request("C16", evaluations, search=search)
    cut, chance = asked.begin(), np.random.default_rng(3)
    while not cut.done:
        cut.advance(int(chance.choice([1, 8, 64, 512, 3_000])))
        cut = asked.begin(cut.state())
    assert_same(cut.archive(), undisturbed(asked))


def test_a_run_file_that_says_what_no_run_has_is_refused(store: Store) -> None:
    about, arrays = unpack(store.export(finish(store, request(evaluations=3_000))))
    for name, value in (
        ("created", 1e300),
        ("version", 2**64),
        ("evaluations", -5),
        ("checkpoints", [[1, 10**400, 2]]),
        ("best", 10**400),
        ("failures", {"raised": [10**30, "words"]}),
    ):
        with pytest.raises(InputError, match="not a run file, because its record cannot be used"):
            store.import_run(pack({**about, "run": {**about["run"], name: value}}, arrays))
    late = {name: value for name, value in about.items() if name not in ("run", "history")} | {"seconds": 1e300}
    with pytest.raises(InputError, match="not a run file, because its record cannot be used"):
        store.import_run(pack(late, arrays))


def test_a_run_file_with_more_solutions_than_evaluations_or_than_can_be_looked_at_in_time_is_refused(
    store: Store,
) -> None:
    content = store.export(finish(store, request(evaluations=3_000)))
    about, arrays = unpack(content)
    often = {name: np.repeat(array, 1_000, axis=0) for name, array in arrays.items() if name in ELITE_ARRAYS}
    with pytest.raises(InputError, match=r"it has \d{2},\d{3} solutions of 3,000 evaluations"):
        store.import_run(pack(about, {**arrays, **often}))
    with pytest.raises(InputError, match=r"too many solutions to evaluate them within 0 s; `illuminate import`"):
        store.import_run(content, seconds=0.0)
    many = {**about, "constraints": [f"g{i}" for i in range(2_000)], "levels": [[0, 1]] * 2_000}
    with pytest.raises(InputError, match="there can be at most 1,000 constraints, but there were 2,000"):
        store.import_run(pack(many, arrays))


def test_a_small_run_file_that_would_become_a_large_one_is_refused_before_it_is_read(store: Store) -> None:
    about, arrays = unpack(store.export(finish(store, request(evaluations=3_000))))
    buffer = io.BytesIO()
    np.savez_compressed(buffer, about=np.zeros(10**7, np.uint8), **arrays)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"not a run file, because .*its part 'about.npy' is compressed"):
        store.import_run(buffer.getvalue())
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("about.npy", bytes(10**7))
    lying = bytearray(bomb.getvalue())
    struct.pack_into("<L", lying, lying.rfind(b"PK\1\2") + 24, 100)  # it says that it becomes 100 bytes
    with pytest.raises(InputError, match=r"not a run file, because .*its part 'about.npy' is compressed"):
        store.import_run(bytes(lying))
    with pytest.raises(InputError, match=r"its description has 5,\d{3},\d{3} bytes, but may have 4,194,304"):
        store.import_run(pack({**about, "more": "x" * 5_000_000}, arrays))
    for half in ("\ud800", "\udfff x"):
        with pytest.raises(InputError, match=r"not a run file, because it cannot be read .*surrogates not allowed"):
            store.import_run(pack({**about, "run": {**about["run"], "reason": half}}, arrays))
    assert store.import_run(pack({**about, "run": {**about["run"], "reason": "💥"}}, arrays))
    inner = np.frombuffer(zlib.compress(bytes(70_000_000)), np.uint8)
    with pytest.raises(InputError, match=r"not a run file, because checkpoint is .* larger than a file of its size"):
        store.import_run(pack(about, {**arrays, "checkpoint": inner}))
