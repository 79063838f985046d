"""Workers of a Dask cluster in the place of processes on this machine: the same crew, with members far away.

A problem travels with its function. A function from a file somewhere goes as code, so the workers need this engine
and what the function imports, but not that file. There too a process of its own evaluates, which is killed when it
hangs; its clock begins to run when a worker has time for it.
"""

from __future__ import annotations

import math
import socket
import sys
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from multiprocessing import Pipe
from typing import Any

import numpy as np

from mapelites.core.problem import Problem
from mapelites.evaluation.answer import DIED, Answer, Array
from mapelites.evaluation.member import LocalWorker, encode_answer
from mapelites.evaluation.pool import WorkerPool
from mapelites.evaluation.scheduler import connect_to_scheduler

_FORKING = threading.Lock()


class RemoteWorkers:
    """A connection to a Dask scheduler, from which members are hired."""

    def __init__(self, address: str) -> None:
        self._client = connect_to_scheduler(address)
        self._executor = self._client.get_executor(pure=False, retries=0)

    def hire(self, problem: Problem, _: Any) -> LocalWorker:
        """A member that has its evaluations done somewhere on the cluster."""
        _send_as_code(problem)
        return RemoteWorker(problem, self._executor)

    def close(self) -> None:
        """Let go of the cluster and of what it is at."""
        self._client.close()


class RemoteWorker(LocalWorker):
    """One evaluation at a time on a cluster; its answer comes through a pipe like everybody's."""

    def __init__(self, problem: Problem, executor: Any) -> None:
        self.width, self._problem, self._executor = 1 + len(problem.constraints), problem, executor
        self.connection, self._theirs = Pipe()
        self._future: Future[bytes] | None = None

    @property
    def where(self) -> str:
        """Which machine it is, is known once it has answered."""
        return "the cluster"

    def send(self, x: Array, seconds: float) -> float:
        """Have it evaluate a solution; the worker that does so says whether it took too long."""
        self._future = self._executor.submit(answered_within, seconds, self._problem, x.tobytes())
        self._future.add_done_callback(self._pass_on)
        return math.inf

    def _pass_on(self, future: Future[bytes]) -> None:
        """Called in a thread of the cluster's client."""
        error = None if future.cancelled() else future.exception()
        if future.cancelled() or error is not None:
            words = f"the cluster gave it up ({type(error).__name__})" if error else "it was cancelled"
            content = encode_answer(Answer.without_values(self.width, DIED, words))
        else:
            content = future.result()
        with suppress(OSError):
            self._theirs.send_bytes(content)

    def end(self, seconds: float = 0.0) -> str:
        """Give up what it is at."""
        if self._future is not None:
            self._future.cancel()
        self.connection.close()
        return "the cluster stopped answering"


def answered_within(seconds: float, problem: Problem, content: bytes) -> bytes:
    """The answer to a solution, both as bytes, by a process that may take so long: called on a worker."""
    crew = WorkerPool(problem, 1, seconds, hire=_hired_alone)
    try:
        crew.submit(0, np.frombuffer(content, dtype=np.float64))
        [(_, answer)] = crew.collect()
        return encode_answer(replace(answer, where=f"{socket.gethostname()}, {answer.where}"))
    finally:
        crew.close()


def _hired_alone(problem: Problem, others: Iterable[LocalWorker]) -> LocalWorker:
    """A member that inherits no half-made pipe from another thread: each must see the end of its own process."""
    with _FORKING:
        return LocalWorker(problem, others)


def _send_as_code(problem: Problem) -> None:
    """Have a function travel whole where its module cannot be imported by its name."""
    from cloudpickle import register_pickle_by_value

    function = getattr(problem.function, "function", problem.function)
    module = sys.modules.get(getattr(function, "__module__", ""))
    if module is not None and module.__name__ != "__main__" and _only_here(module.__name__):
        register_pickle_by_value(module)


def _only_here(name: str) -> bool:
    try:
        return find_spec(name) is None
    except (ValueError, ImportError):  # made by hand, without what a module from a package has
        return True
