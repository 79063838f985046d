"""What lies where a file should be may be anything: it is said, and nobody waits for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mapelites import InputError
from mapelites.campaign import Campaign
from mapelites.campaign.folder import unreadable_campaigns
from mapelites.campaign.process import campaigns_folder
from mapelites.problems.own.library import ProblemLibrary
from mapelites.runs import Store
from mapelites.runs.presence import supervisor_presence
from mapelites.system.files import json_of, read_file, read_text
from mapelites.system.locks import SHARED, hold_lock
from server.logins import Logins


def test_a_pipe_a_device_and_a_folder_are_no_files_and_a_file_has_a_limit(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(OSError, match="it must be a plain file, but it is something else"):
            read_file(path)
    (tmp_path / "text").write_bytes(b"one\r\ntwo\rthree\n")
    assert read_text(tmp_path / "text") == "one\ntwo\nthree\n"
    with pytest.raises(OSError, match="it must have at most 3 bytes, but it has 15"):
        read_file(tmp_path / "text", 3)


def test_nobody_waits_for_a_pipe_where_the_small_files_of_a_store_should_be(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.close()
    for name in ("format", "lock", "supervisor.lock", "logins.json"):
        (tmp_path / name).unlink(missing_ok=True)
        os.mkfifo(tmp_path / name)
    with hold_lock(tmp_path / "lock", SHARED):
        assert supervisor_presence(tmp_path) == (False, None)
    assert Logins(tmp_path).all() == {}
    with pytest.raises(InputError, match="it must be a plain file, but it is something else"):
        Store(tmp_path)
    (tmp_path / "format").unlink()
    os.mkfifo(tmp_path / "pipe")
    Store(tmp_path).backup(tmp_path.parent / "backup")
    (tmp_path / "cache" / "cache.db").unlink()
    os.mkfifo(tmp_path / "cache" / "cache.db")
    with pytest.raises(InputError, match="must be a file, but it is something else; move it away"):
        Store(tmp_path)


DEEP = b"[" * 200_000


def test_what_lies_too_deep_in_lists_is_damaged_like_anything_else(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="it lies too deep in lists and tables"):
        json_of(DEEP)
    (tmp_path / "logins.json").write_bytes(DEEP)
    assert Logins(tmp_path).all() == {}
    with pytest.raises(InputError, match="must be a JSON table of its parts, but it lies too deep"):
        Campaign.from_json(DEEP.decode())
    campaigns_folder(tmp_path).mkdir()
    (campaigns_folder(tmp_path) / "c1").mkdir()
    (campaigns_folder(tmp_path) / "c1" / "campaign.json").write_bytes(DEEP)
    assert list(unreadable_campaigns(campaigns_folder(tmp_path))) == ["c1"]


def test_a_folder_where_a_problem_should_be_is_told_beside_the_problems(tmp_path: Path) -> None:
    (tmp_path / "a.problem").mkdir()
    library = ProblemLibrary()
    library.watch(saved=tmp_path)
    (entry,) = library.entries()
    assert entry.error == "a.problem: it must be a plain file, but it is something else"
