"""Processes and those that they start: who ends with whom, and how to end quickly."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import IO, Any, NoReturn

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
FIRST_FREE = 2**20  # above every descriptor that there is
LIFELINE = "MAPELITES_LIFELINE"  # names the descriptor of a pipe whose other end the parent holds as long as it lives
BEHIND = 5  # niceness of a search or a job: whoever watches is answered first, and only what they leave is used
ROOT = Path(__file__).parents[2]  # where our packages lie, side by side


def child_environment(**further: str) -> dict[str, str]:
    """The environment of a process that we start, in which it finds our packages wherever it is started.

    Once they are installed every process finds them; only those of a bare checkout must be told.
    """
    if ROOT in (Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")):
        return {**os.environ, **further}
    search = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": search, **further}


def end_with(parent: int, name: str = "", by: signal.Signals = signal.SIGKILL) -> None:
    """Have the system kill us when the parent dies, however it dies, and show our name; leave where it is dead already.

    `by` SIGTERM instead, we are only asked to leave. Where the system cannot do that, whoever calls has to look at the
    parent now and then.
    """
    _have_system_end_us(by, name)
    if os.getppid() != parent:
        raise SystemExit(0)


def start_tied(command: Sequence[str], env: Mapping[str, str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a process that leaves when we are gone, if it calls `end_with_starter`; however early we go.

    Its parent's number alone would not tell: when it first asks, that may be the number of whoever took it in.
    """
    theirs, ours = os.pipe()  # ours is closed by the system when we end, and by nobody before
    try:
        return subprocess.Popen(command, env={**env, LIFELINE: str(theirs)}, pass_fds=(theirs,), **options)
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)


def end_with_starter(by: signal.Signals = signal.SIGTERM) -> None:
    """In a process that `start_tied` started: have it get this signal once its starter is gone, also if it is already.

    In any other process, once its parent is gone.
    """
    lifeline = os.environ.pop(LIFELINE, "")  # those whom we start have none of ours
    if not lifeline:
        end_with(os.getppid(), by=by)
        return
    _have_system_end_us(by)  # heard even by those whose threads all wait for something
    descriptor = int(lifeline)
    os.set_inheritable(descriptor, False)

    def wait_for_end() -> None:
        while os.read(descriptor, 1):
            pass
        os.kill(os.getpid(), by)

    threading.Thread(target=wait_for_end, daemon=True, name="lifeline").start()


def guard_group() -> None:
    """Have everything in our group of processes end with us, however we go: a small process waits for that.

    Whatever a function started would go on where we are killed, since only we are tied to our own parent.
    """
    if sys.platform != "linux":
        return  # nobody would tell it
    parent = os.getpid()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))
    if os.fork() == 0:
        try:
            os.closerange(3, FIRST_FREE)  # what we have open must be seen to be closed when we are gone
            _have_system_end_us(signal.SIGTERM, "guard")
            if os.getppid() == parent:
                signal.sigwait((signal.SIGTERM,))
        finally:
            os.killpg(0, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def prepare_child(supervisor: int, name: str, last_words: IO[bytes]) -> Callable[[], bool]:
    """What a forked process of the supervisor does first; returns whether it has been asked to leave.

    It ends with the supervisor, works behind everything else, and writes what the interpreter says of a crash.
    """
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: asked.append(number))
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    end_with(supervisor, name)
    os.nice(BEHIND)
    faulthandler.enable(last_words)
    return lambda: bool(asked) or os.getppid() != supervisor


def read_last_words(process: ForkProcess, last_words: IO[bytes]) -> tuple[str, str]:
    """Why a forked process ended, in one line, and all that it wrote before."""
    last_words.seek(0)
    words = last_words.read().decode(errors="replace").strip()
    code = process.exitcode or 0
    if words and code > 0:
        return words.splitlines()[-1], words
    if code < 0:
        hint = ", as the system does where memory runs out" if code == -signal.SIGKILL else ""
        return f"killed by {signal.Signals(-code).name}{hint}", words
    return (
        f"it ended with code {code}{' in the midst of it, as where the function calls os._exit' if not code else ''}",
        words,
    )


def _have_system_end_us(by: signal.Signals, name: str = "") -> None:
    """Ask Linux for a signal when the parent dies, and show our name."""
    if sys.platform == "linux":
        system = ctypes.CDLL(None, use_errno=True)
        if name:
            system.prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
        system.prctl(PR_SET_PDEATHSIG, by, 0, 0, 0)


def exit_at_once(code: int) -> NoReturn:
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


def kill_with_descendants(pid: int) -> None:
    """Kill a process with everything that it started, as far as the system tells; the parents first."""
    family = family_of(pid)
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)
    for child in family[1:]:
        kill_with_descendants(child)
