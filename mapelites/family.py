"""Processes and those that they start: who ends with whom, and how to end quickly."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15


def end_with(parent: int, name: str = "", by: signal.Signals = signal.SIGKILL) -> None:
    """Have the system kill us when the parent dies, however it dies, and show our name; leave where it is dead already.

    `by` SIGTERM instead, we are only asked to leave. Where the system cannot do that, whoever calls has to look at the
    parent now and then.
    """
    if sys.platform == "linux":
        system = ctypes.CDLL(None, use_errno=True)
        if name:
            system.prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
        system.prctl(PR_SET_PDEATHSIG, by, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit(0)


def leave(code: int) -> NoReturn:
    """End this process at once, when nothing is left to do.

    Taking apart all that was loaded and compiled takes as long as a stop may take altogether, and on a busy machine
    many times as long; the system does it in no time.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # nobody reads it any more, it is closed, or there is none
            stream.flush()
    os._exit(code)


def family_of(pid: int) -> list[int]:
    """A process and those it started, as far as the system tells."""
    try:
        return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
    except (OSError, ValueError):
        return [pid]
