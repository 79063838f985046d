"""A store as one file, made while runs go on, and back bit for bit."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from mapelites import InputError
from mapelites.__main__ import main
from mapelites.campaign import Campaign
from mapelites.campaign.folder import CampaignFolder
from mapelites.campaign.process import campaigns_folder, folder_of
from mapelites.runs import Store
from tests.runs.storage.test_damage import flip
from tests.runs.test_store import begin, finish
from tests.runs.tools import assert_same, large_request, request, supervised, undisturbed, wait_for, wait_for_state


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data")


def contents(path: Path) -> dict[str, bytes]:
    """The files of a store that a backup has, but for the database, which is another file with the same rows."""
    own = ("lock", "cache.db", "reserve", ".lock")
    files = [each for each in path.rglob("*") if each.is_file() and not each.name.startswith(own)]
    return {each.relative_to(path).as_posix(): each.read_bytes() for each in files}


def rows(store: Store) -> list[tuple[object, ...]]:
    return store.entries.database._cache._sql("SELECT * FROM Cache ORDER BY key").fetchall()


def test_a_restored_store_is_the_one_that_was_backed_up_bit_for_bit(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_ids = [finish(store, large_request(40_000)), finish(store, request(evaluations=3_000)), store.create(request())]
    CampaignFolder.create(folder_of(store.path, campaign := Campaign(("C17",), (10,), ("paper-3",), runs=2)), campaign)
    (store.path / "token").write_text("a secret that stays here")
    file, again = tmp_path / "store.backup", tmp_path / "again"
    assert main(["backup", str(file), "--data", str(store.path)]) == 0
    assert main(["restore", str(file), "--data", str(again)]) == 0
    assert "each with a check sum\n" in capsys.readouterr().out
    assert contents(again) == {name: each for name, each in contents(store.path).items() if name != "token"}
    restored = Store(again)
    assert rows(restored) == rows(store)
    assert [run.id for run in restored.runs()] == [run.id for run in store.runs()]
    assert {run.id for run in restored.runs()} == set(run_ids)
    assert len(list(campaigns_folder(again).iterdir())) == 1
    assert restored.repair().is_nothing
    assert not [each for each in store.path.iterdir() if each.name.startswith(".backup")]


def test_a_backup_made_while_runs_go_on_has_each_at_a_checkpoint_from_which_it_ends_in_the_same_map(
    store: Store, tmp_path: Path
) -> None:
    asked = large_request(150_000, 40_000.0)
    run_id = store.create(asked)
    store.close()
    with supervised(store.path):
        wait_for(lambda: store.run(run_id).evaluations > 10_000, "progress")
        for number in range(3):
            store.backup(tmp_path / f"{number}.backup")
    Store.restore(tmp_path / "2.backup", tmp_path / "again")
    restored = Store(tmp_path / "again")
    assert restored.run(run_id).evaluations > 0
    restored.set_pace(run_id, None)
    restored.close()
    with supervised(tmp_path / "again"):
        wait_for_state(restored, run_id, "finished")
    snapshot = restored.snapshot(run_id)
    assert snapshot is not None
    assert_same(snapshot.archive(), undisturbed(asked))


def test_a_damaged_backup_is_refused_in_words_and_nothing_is_made(store: Store, tmp_path: Path) -> None:
    begin(store, request("C16", 150_000))
    file, folder = tmp_path / "store.backup", tmp_path / "again"
    store.backup(file)
    size, refused = file.stat().st_size, list[str]()
    for place in range(60, size - 200, max(1, size // 40)):
        damaged = tmp_path / "damaged"
        shutil.copy(file, damaged)
        flip(damaged, place)
        try:
            Store.restore(damaged, folder)
        except InputError as error:
            refused.append(str(error))
        else:  # a bit that nobody reads, such as one of a date
            assert contents(folder) == contents(store.path)
            shutil.rmtree(folder)
        damaged.write_bytes(file.read_bytes()[:place])
        with pytest.raises(InputError, match=r"^restore: not a whole backup"):
            Store.restore(damaged, folder)
    assert len(refused) > 30
    assert all(each.startswith("restore: not a") for each in refused)
    assert not folder.exists()


def test_a_name_that_leads_out_of_the_store_is_refused(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "evil.backup"
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("../evil", b"")
        about = '{"kind": "illuminate backup", "version": 1, "files": {"../evil": [0, ""]}}'
        packed.writestr("manifest.json", about)
    with pytest.raises(InputError, match=r"because '../evil' is no name of a file in a store"):
        Store.restore(file, tmp_path / "again")
    assert not (tmp_path / "evil").exists()


def test_nothing_is_restored_over_something_else_or_backed_up_into_itself(store: Store, tmp_path: Path) -> None:
    store.backup(tmp_path / "one.backup")
    with pytest.raises(InputError, match="must be a new or an empty folder, but there is something in it"):
        Store.restore(tmp_path / "one.backup", store.path)
    with pytest.raises(InputError, match="must lie outside of the store"):
        store.backup(store.path / "one.backup")
