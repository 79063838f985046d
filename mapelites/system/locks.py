"""Locks that the system lets go of when their holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARED, EXCLUSIVE = fcntl.LOCK_SH, fcntl.LOCK_EX
OPENED = os.O_CLOEXEC | os.O_NONBLOCK  # a pipe in its place would be waited for for ever
TRIES, PAUSE = 20, 0.01  # seconds: whoever looks whether a lock is held has it for a moment


@contextmanager
def hold_lock(path: Path, kind: int) -> Iterator[None]:
    """Hold a lock file, shared or exclusive, waiting for it as long as it takes."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | OPENED, 0o600)
    try:
        fcntl.flock(descriptor, kind)
        yield
    finally:
        os.close(descriptor)


def try_lock(path: Path) -> int | None:
    """The descriptor of an exclusively locked file, or None where somebody else holds it, not just looks at it.

    A process forked afterwards holds the lock too: it is free again when the last of them is gone.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | OPENED, 0o600)
    for _ in range(TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(PAUSE)
        else:
            return descriptor
    os.close(descriptor)
    return None


def is_locked(path: Path) -> bool:
    """Whether somebody holds the lock exclusively."""
    try:
        descriptor = os.open(path, os.O_RDONLY | OPENED)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
