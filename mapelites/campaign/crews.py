"""Who does the tasks: processes on this machine, or a Dask cluster. Both are executors of the standard kind."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, suppress
from multiprocessing.connection import wait
from types import TracebackType
from typing import Protocol

from mapelites.campaign.task import execute_task
from mapelites.core.errors import InputError
from mapelites.evaluation.scheduler import CONNECT_SECONDS, connect_to_scheduler
from mapelites.system.cores import ONE_THREAD, environment, usable_cores


class TaskExecutor(AbstractContextManager["TaskExecutor"], Protocol):
    """An executor that can be asked how much it can take, and made anew when it broke."""

    def capacity(self) -> int:
        """How many tasks may be with it at one time."""

    def submit(self, text: str) -> Future[bytes]:
        """Hand out a task."""

    def replace_pool(self) -> None:
        """Replace the executor after one of its processes died."""

    def lost_error(self) -> InputError:
        """What to say when tasks were cancelled that nobody here cancelled."""

    def waiting_message(self) -> str:
        """In words what its tasks wait for, or nothing."""


class LocalExecutor:
    """A pool of processes on this machine, each with one numerical thread."""

    def __init__(self, processes: int | None = None, do: Callable[[str], bytes] = execute_task) -> None:
        self.processes, self._do = usable_cores() if processes is None else processes, do
        if self.processes < 1:
            raise InputError(f"processes must be at least 1, but it was {self.processes}")
        self._others = set(multiprocessing.active_children())
        self._pool = self._new_pool()

    def _new_pool(self) -> Executor:
        # `spawn`: a forked child of a process with threads may find a lock held for ever.
        spawn = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.processes, mp_context=spawn, initializer=_prepare_process)

    def capacity(self) -> int:
        """One more than there are processes, so that none waits for its next task."""
        return self.processes + 1

    def submit(self, text: str) -> Future[bytes]:
        """Hand out a task."""
        with environment(ONE_THREAD):  # a process is started by the first task that finds none idle
            return self._pool.submit(self._do, text)

    def replace_pool(self) -> None:
        """A new pool in place of one that lost a process."""
        self._end_processes()
        self._pool = self._new_pool()

    def lost_error(self) -> InputError:
        """What to say when tasks were cancelled that nobody here cancelled."""
        return InputError("the processes of this campaign were ended by somebody else; start it again to go on")

    def waiting_message(self) -> str:
        """For nothing: there are processes."""
        return ""

    def __enter__(self) -> LocalExecutor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_processes()

    def _end_processes(self) -> None:
        """Let go of what is running, without waiting for it to finish: runs may take hours."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - self._others:
            process.terminate()
            process.join()
        self._pool.shutdown(wait=True)


class DaskExecutor:
    """The workers of a Dask cluster, asked through its scheduler."""

    def __init__(self, address: str, connect_seconds: float = CONNECT_SECONDS) -> None:
        self.address = address
        self._client = connect_to_scheduler(address, connect_seconds)
        self._executor = self._client.get_executor(pure=False)
        self._threads, self._asked = 0, -math.inf

    def capacity(self) -> int:
        """Twice as many as the workers' threads, so that none waits for its next task over the network."""
        return max(2, 2 * self._count_threads())

    def waiting_message(self) -> str:
        """For a worker, where there is none."""
        return "" if self._count_threads() else f"waiting for a worker, the Dask scheduler at {self.address} has none"

    def _count_threads(self) -> int:
        """The threads of all workers, asked once a second; what was known last where the scheduler is gone."""
        now = time.monotonic()
        if now - self._asked > 1.0:
            self._asked = now
            with suppress(OSError):
                self._threads = sum(self.workers().values())
        return self._threads

    def workers(self) -> dict[str, int]:
        """The threads of each worker there is now, by its address."""
        return dict(self._client.nthreads())

    def submit(self, text: str) -> Future[bytes]:
        """Hand out a task."""
        future: Future[bytes] = self._executor.submit(execute_task, text)
        return future

    def replace_pool(self) -> None:
        """Dask replaces its workers itself."""

    def lost_error(self) -> InputError:
        """What to say when the scheduler went away."""
        return InputError(
            f"the Dask scheduler at {self.address} stopped answering; what is done is kept, start it again to go on"
        )

    def __enter__(self) -> DaskExecutor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and self._client.status == "running":
            self._executor.shutdown(wait=False)  # cancels what is running there
        self._client.close()


def _prepare_process() -> None:
    """Make a process of the pool leave with its parent, and Ctrl-C the parent's business alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_with, args=(parent.sentinel,), daemon=True).start()


def _leave_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
