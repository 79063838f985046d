"""A lock is held by one, and a look at it is no reason to give it up."""

import fcntl
import os

from mapelites.system import locks
from mapelites.system.locks import is_locked, try_lock


def test_a_look_at_a_lock_does_not_keep_it_from_whoever_takes_it(tmp_path, monkeypatch):
    path = tmp_path / "lock"
    path.touch()
    looker = os.open(path, os.O_RDONLY)
    fcntl.flock(looker, fcntl.LOCK_SH)
    monkeypatch.setattr(locks.time, "sleep", lambda _: fcntl.flock(looker, fcntl.LOCK_UN))  # the look is over
    descriptor = try_lock(path)
    assert descriptor is not None
    assert is_locked(path)
    os.close(descriptor)
    os.close(looker)


def test_a_lock_that_somebody_holds_is_not_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(locks.time, "sleep", lambda _: None)
    descriptor = try_lock(tmp_path / "lock")
    assert try_lock(tmp_path / "lock") is None
    os.close(descriptor)
    assert not is_locked(tmp_path / "lock")
