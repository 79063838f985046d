"""Flipped bits, cut and missing files: each costs what it hit, is said, and changes no number."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mapelites import InputError
from mapelites.campaign.folder import CampaignResult, list_campaigns, unreadable_campaigns
from mapelites.campaign.process import campaigns_folder
from mapelites.runs import Store
from mapelites.runs.errors import DamagedError
from tests.runs.test_store import finish
from tests.runs.tools import assert_same, large_request, request, undisturbed

PAGE = 4_096


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data")


def close(store: Store) -> None:
    """With all that was written in the one file of the database."""
    store.entries.database._cache._sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    store.close()


def flip(file: Path, place: int, bit: int = 0) -> None:
    content = bytearray(file.read_bytes())
    content[place] ^= 1 << bit
    file.write_bytes(content)


def zero(file: Path, page: int) -> None:
    with file.open("r+b") as opened:
        opened.seek(page * PAGE)
        opened.write(bytes(PAGE))


@pytest.mark.parametrize("kind", ["entry/{}", "history/{}", "version/{}"])
def test_no_bit_of_a_record_or_history_can_flip_unnoticed_and_the_other_runs_stay_usable(
    store: Store, kind: str
) -> None:
    victim, other = (finish(store, request(evaluations=3_000, seed=seed)) for seed in (1, 2))
    before = store.run(victim), store.history(victim), store.version(victim)
    key = kind.format(victim)
    connection = sqlite3.connect(store.path / "cache" / "cache.db")
    ((sound,),) = connection.execute("SELECT CAST(value AS BLOB) FROM Cache WHERE key = ?", (key,)).fetchall()
    rng = random.Random(7)
    for _ in range(40):
        damaged = bytearray(sound)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        with connection:
            connection.execute("UPDATE Cache SET value = CAST(? AS TEXT) WHERE key = ?", (bytes(damaged), key))
        again = Store(store.path)
        assert other in [run.id for run in again.runs()]
        said = []
        for read, expected in zip((again.run, again.history, again.version), before, strict=True):
            try:
                assert read(victim) == expected
            except DamagedError as error:
                said.append(str(error))
        assert said, damaged
        again.delete(other)
        again.undelete(other)
        again.close()
    connection.close()


def test_exchanged_files_of_two_runs_are_not_taken_for_each_other(store: Store) -> None:
    one, two = (finish(store, large_request(40_000)) for _ in range(2))
    connection = sqlite3.connect(store.path / "cache" / "cache.db")
    names = []
    for run_id in (one, two):
        key = f"snapshot/{run_id}/{store.entries.record(run_id).snapshot}"
        ((name,),) = connection.execute("SELECT filename FROM Cache WHERE key = ?", (key,)).fetchall()
        names.append(store.path / "cache" / name)
    connection.close()
    contents = [name.read_bytes() for name in names]
    for name, content in zip(names, reversed(contents), strict=True):
        name.write_bytes(content)
    for run_id in (one, two):
        with pytest.raises(DamagedError, match="its check sum is another"):
            store.snapshot(run_id)


def test_a_value_whose_file_is_gone_is_said_to_be(store: Store) -> None:
    run_id = finish(store, large_request(40_000))
    for file in (store.path / "cache").glob("*/*.val"):
        file.unlink()
    with pytest.raises(DamagedError, match=r"must have a file, .*, but that is missing"):
        store.snapshot(run_id)


def lose(store: Store) -> None:
    for each in (store.path / "cache").glob("cache.db*"):
        each.unlink()


def empty(store: Store) -> None:
    (store.path / "cache" / "cache.db").write_bytes(b"")


def cut(store: Store) -> None:
    file = store.path / "cache" / "cache.db"
    os.truncate(file, file.stat().st_size // 2)


def lose_page(number: int) -> Callable[[Store], None]:
    def harm(store: Store) -> None:
        file = store.path / "cache" / "cache.db"
        zero(file, number % (file.stat().st_size // PAGE))

    return harm


@pytest.mark.parametrize("harm", [lose, empty, cut, lose_page(0), lose_page(1), lose_page(2), lose_page(-1)])
def test_whatever_happens_to_the_database_finished_and_queued_runs_are_there_again_with_their_maps(
    store: Store, harm: Callable[[Store], None]
) -> None:
    asked = request(evaluations=3_000)
    small, large, queued = finish(store, asked), finish(store, large_request(40_000)), store.create(asked)
    close(store)
    harm(store)
    again = Store(store.path)
    again.repair()
    assert {run.id: run.state for run in again.runs()} == {small: "finished", large: "finished", queued: "queued"}
    assert again.damaged() == {}
    for run_id, wanted in ((small, asked), (large, large_request(40_000))):
        snapshot = again.snapshot(run_id)
        assert snapshot is not None
        assert_same(snapshot.archive(), undisturbed(wanted))
    assert again.repair().is_nothing


def test_a_running_store_whose_database_is_damaged_goes_on_with_what_can_be_read(store: Store) -> None:
    run_id = finish(store, request(evaluations=3_000))
    close(store)
    assert store.run(run_id).state == "finished"
    close(store)
    zero(store.path / "cache" / "cache.db", 0)
    assert [run.id for run in store.runs()] == [run_id]
    assert store.create(request()) in [run.id for run in store.runs()]
    (aside,) = (store.path / "damaged").iterdir()
    assert (aside / "cache.db").exists(), "nothing is deleted by a repair"


def test_a_run_whose_entry_vanished_is_named_and_comes_back(store: Store) -> None:
    run_id, other = (finish(store, request(evaluations=3_000, seed=seed)) for seed in (1, 2))
    with store.entries.database.writing():
        store.entries.database.drop(f"entry/{run_id}")
    assert [run.id for run in store.runs()] == [other]
    assert store.damaged() == {
        run_id: f"run {run_id}: the store must have an entry for it, but that is missing; "
        "`doctor --repair` brings it back"
    }
    assert store.repair().restored == (run_id,)
    assert sorted(run.id for run in store.runs()) == sorted((run_id, other))


def test_a_moment_that_vanished_from_the_history_is_missed(store: Store) -> None:
    run_id = finish(store, request(evaluations=3_000))
    first = store.history(run_id)[0].version
    with store.entries.database.writing():
        store.entries.database.drop(f"snapshot/{run_id}/{first}")
    with pytest.raises(DamagedError, match=f"its history must have snapshot {first}, but that is missing"):
        store.snapshot(run_id, first)


def test_a_repair_after_a_killed_writer_removes_what_is_superseded_and_keeps_everything_else(store: Store) -> None:
    run_id = finish(store, large_request(40_000))
    close(store)
    folder = store.path / "cache" / "ab"
    folder.mkdir(exist_ok=True)
    there = next(iter((store.path / "cache").glob("*/*.val")))
    shutil.copy(there, folder / f"{'0' * 28}.val")  # as of a transaction that came to nothing
    (folder / f"{'1' * 28}.val").write_bytes(b"half of a")
    repaired = Store(store.path).repair()
    assert (repaired.removed, repaired.aside) == (1, (f"ab/{'1' * 28}.val",))
    assert (store.path / "damaged" / f"{'1' * 28}.val").read_bytes() == b"half of a"
    assert store.snapshot(run_id) is not None


def test_no_random_damage_changes_a_number_or_hides_a_run(store: Store, tmp_path: Path) -> None:
    runs = [finish(store, request("C17", 3_000, seed=seed)) for seed in range(1, 4)] + [
        finish(store, large_request(40_000))
    ]
    close(store)
    assert survey(store.path, runs) == {}
    rng = random.Random(11)
    for number in range(30):
        copied = tmp_path / "copy"
        shutil.copytree(store.path, copied)
        said = harm_at_random(copied, rng)
        wrong = survey(copied, runs)
        assert not [each for each in wrong.values() if not isinstance(each, InputError)], (number, said, wrong)
        shutil.rmtree(copied)


def harm_at_random(path: Path, rng: random.Random) -> str:
    """Flip a bit of some file, cut it, or delete it; what was done."""
    files = sorted(
        each for each in path.rglob("*") if each.is_file() and each.stat().st_size and "lock" not in each.name
    )
    file = rng.choice(files)
    size, way = file.stat().st_size, rng.choice(("flip", "flip", "flip", "cut", "delete"))
    place = rng.randrange(size)
    if way == "flip":
        flip(file, place, rng.randrange(8))
    elif way == "cut":
        os.truncate(file, place)
    else:
        file.unlink()
    return f"{way} {file.relative_to(path)} at {place:,} of {size:,}"


def _survey_beside(store: Store, run_id: str, found: dict[str, object]) -> None:
    """What jobs found and what was logged: all of it is there and right, or somebody says that it is not."""
    record, trouble = store.entries.record(run_id), store.jobs.trouble(run_id)
    newest, findings = store.snapshot(run_id), store.jobs.findings(run_id)
    if trouble:
        found[run_id] = InputError(trouble)
    elif record.findings and (newest is None or findings.is_nothing or "proof" not in newest.elites.operator):
        found[run_id] = "what jobs found vanished"
    for job in store.jobs.jobs(run_id):
        if job.state == "failed":
            found[run_id] = InputError(job.said)
    logged = store.evaluations(run_id)
    if record.request.settings.workers:
        damaged = store.damaged_evaluations(run_id)
        if damaged:
            found[run_id] = InputError(f"{damaged} evaluations are damaged")
        elif logged is None or len(logged) != record.evaluations:
            found[run_id] = "evaluations vanished"
    if logged is not None and not np.array_equal(record.request.get_problem().evaluate(logged.x).f, logged.f):
        found[run_id] = "a logged number is wrong"


def survey_campaigns(path: Path) -> dict[str, object]:
    """What is wrong with the runs of each campaign: an error in words, or something worse."""
    found: dict[str, object] = {name: InputError(words) for name, words in unreadable_campaigns(path).items()}
    for folder in list_campaigns(path):
        results = folder.results()
        for task in folder.campaign.tasks:
            try:
                archive = folder.snapshot(task.name).archive()
            except InputError as error:
                found[task.name] = error
                continue
            result = results.get(task.name, CampaignResult.of(task, folder.snapshot(task.name)))
            if not np.array_equal(archive.problem.evaluate(archive.elites.x).f, archive.elites.f):
                found[task.name] = "a number is wrong"
            if result.f != CampaignResult.of(task, folder.snapshot(task.name)).f:
                found[task.name] = "a line is wrong"
    return found


def survey(path: Path, runs: list[str]) -> dict[str, object]:
    """What is wrong with each run: an error in words, or something worse."""
    store = Store(path)
    found: dict[str, object] = {}
    listed, damaged = {run.id: run for run in store.runs()}, store.damaged()
    for run_id in runs:
        if run_id not in listed:
            found[run_id] = InputError(damaged[run_id]) if run_id in damaged else "it vanished"
            continue
        try:
            for moment in store.history(run_id):
                snapshot = store.snapshot(run_id, moment.version)
                if snapshot is None or snapshot.evaluations != moment.evaluations:
                    found[run_id] = f"moment {moment} is another"
                    continue
                archive, problem = snapshot.archive(), snapshot.get_problem()
                again = problem.evaluate(archive.elites.x)
                if not np.array_equal(again.f, archive.elites.f):
                    found[run_id] = "a number is wrong"
            _survey_beside(store, run_id, found)
        except InputError as error:
            found[run_id] = error
    store.close()
    return {**found, **survey_campaigns(campaigns_folder(path))}
