"""One process that evaluates: forked, so that it has the problem's function whatever that is, and killed if need be.

What goes through the pipe are plain bytes: a solution there, values or words back.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import time
import traceback
from collections.abc import Iterable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from mapelites.core.errors import LONGEST_WORDS, InputError, ProgramError, describe_raised
from mapelites.core.problem import Problem
from mapelites.evaluation.answer import DIED, FINE, NOT_FINITE, RAISED, WRONG_SHAPE, Answer, Array
from mapelites.system.processes import end_with, guard_group

PACKAGE = Path(__file__).parents[1]
LAST_SECONDS = 1.0  # a process that closed its pipe is about to end


class LocalWorker:
    """A process of a crew, seen from the process that it works for."""

    def __init__(self, problem: Problem, others: Iterable[LocalWorker]) -> None:
        self.width = 1 + len(problem.constraints)
        self.connection, theirs = Pipe()
        for stream in (sys.stdout, sys.stderr):
            with suppress(ValueError, AttributeError):  # closed, or none at all
                stream.flush()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                for each in (self, *others):
                    each.connection.close()  # so that the end of one process is seen by it alone
                _serve(problem, theirs, parent)
            finally:
                os._exit(1)
        theirs.close()
        with suppress(OSError):
            os.setpgid(self.pid, self.pid)

    @property
    def where(self) -> str:
        """Who it is, for people."""
        return f"process {self.pid}"

    def send(self, x: Array, seconds: float) -> float:
        """Have it evaluate a solution, and say at which moment an answer comes too late.

        That the process is gone is seen when its answer is read.
        """
        with suppress(OSError):
            self.connection.send_bytes(x.tobytes())
        return time.monotonic() + seconds

    def receive(self) -> Answer:
        """Its answer, or how it died."""
        try:
            content = self.connection.recv_bytes()
        except (EOFError, OSError):
            return Answer.without_values(self.width, DIED, self.end(LAST_SECONDS))
        values = np.frombuffer(content, dtype=np.float64, count=self.width, offset=8)
        where, _, words = content[8 + 8 * self.width :].decode(errors="replace").partition("\n")
        return Answer(values.copy(), content[0], words, where=where)

    def end(self, seconds: float = 0.0) -> str:
        """Give it so many seconds to die, kill it with everything that it started, and say how it ended."""
        self.connection.close()
        until = time.monotonic() + seconds
        while (ended := os.waitpid(self.pid, os.WNOHANG))[0] == 0 and time.monotonic() < until:
            time.sleep(0.001)
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        _, status = ended if ended[0] else os.waitpid(self.pid, 0)
        if os.WIFSIGNALED(status):
            return f"its process was killed by {signal.Signals(os.WTERMSIG(status)).name}"
        return f"its process ended with code {os.waitstatus_to_exitcode(status)}"


def _serve(problem: Problem, connection: Connection, parent: int) -> None:
    """What the process does: solution after solution, as long as its parent lives."""
    os.setpgid(0, 0)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.disable()  # its parent's last words are the parent's
    end_with(parent, "evaluate")
    guard_group()
    while os.getppid() == parent:
        try:
            content = connection.recv_bytes()
        except (EOFError, OSError):
            return
        connection.send_bytes(answer_bytes(problem, content))


def answer_bytes(problem: Problem, content: bytes) -> bytes:
    """The answer to a solution, both as bytes."""
    return encode_answer(evaluate(problem, np.frombuffer(content, dtype=np.float64)))


def encode_answer(answer: Answer) -> bytes:
    """What `LocalWorker.receive` reads."""
    return answer.status.to_bytes(8, "little") + answer.values.tobytes() + f"{answer.where}\n{answer.words}".encode()


def evaluate(problem: Problem, x: Array) -> Answer:
    """One evaluation, whatever the function does short of ending its process."""
    width = 1 + len(problem.constraints)
    try:
        values = problem.values(x[None])[0]
    except Exception as error:
        if _found_by_us(error):
            return Answer.without_values(width, WRONG_SHAPE, str(error)[:LONGEST_WORDS])
        return Answer.without_values(width, RAISED, describe_raised(error))
    return answer_of(problem, values)


def answer_of(problem: Problem, values: Array) -> Answer:
    """What the values of a solution say about its evaluation."""
    if not np.isfinite(values).all():
        wrong = [name for name, value in zip(_names(problem), values, strict=True) if not np.isfinite(value)]
        return Answer(values, NOT_FINITE, f"{', '.join(wrong)} is no finite number")
    return Answer(values, FINE)


def _names(problem: Problem) -> list[str]:
    return ["f", *(constraint.name for constraint in problem.constraints)]


def _found_by_us(error: Exception) -> bool:
    """Whether the function returned, and what it returned could not be used."""
    if isinstance(error, ProgramError):
        return False
    place = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
    return isinstance(error, InputError) or place.is_relative_to(PACKAGE)
