"""The processes of jobs: each job has one, so what hangs or crashes costs its own job only."""

from __future__ import annotations

import logging
import os
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.context import ForkProcess
from typing import IO

from mapelites.core.errors import InputError
from mapelites.runs.jobs.board import JobBoard
from mapelites.runs.jobs.job import Job, StoppedError
from mapelites.runs.jobs.kind import JobContext
from mapelites.runs.jobs.kinds import kind_of
from mapelites.system.processes import prepare_child, read_last_words

MOST_PROCESSES = 1  # of jobs at a time, beside those of the runs
MOST_DEATHS = 2
PATIENCE_SECONDS = 3.0  # how long a job may take to come to its end once it is cancelled

log = logging.getLogger(__name__)


@dataclass
class JobProcess:
    """A process at work on a job, the file in which it leaves its last words, and since when it is to end."""

    process: ForkProcess
    job: Job
    last_words: IO[bytes]
    ending: float | None = None


class JobProcesses:
    """Starts a process for each job, one after the other, and sees to it that it ends."""

    def __init__(self, board: JobBoard, fork_process: Callable[..., ForkProcess]) -> None:
        self.board, self._fork_process = board, fork_process
        self._working: list[JobProcess] = []

    def free_claims(self) -> None:
        """Jobs of processes that an earlier supervisor had."""
        self.board.free_claims()

    def start_next(self) -> None:
        """Take the job that has waited longest, where there is a process free for it."""
        waiting = [job for job in self.board.waiting() if job.state == "queued"]
        for job in waiting[: MOST_PROCESSES - len(self._working)]:
            try:
                taken = self.board.take(job)
            except InputError:  # it is gone
                continue
            if taken is not None:
                last_words = tempfile.TemporaryFile()  # noqa: SIM115 (it is read when the process is gone)
                process = self._fork_process(_work_in_child, self.board, taken, os.getpid(), last_words)
                self._working.append(JobProcess(process, taken, last_words))
                log.info("a process works on a job", extra={"run": job.run_id, "pid": process.pid})

    def collect_ended(self, now: float) -> None:
        """Take down which processes ended, and end those that do not do so when they are cancelled."""
        for each in list(self._working):
            if each.process.exitcode is not None:
                self._working.remove(each)
                self._record_end(each)
                self.start_next()
            elif each.ending is not None and now - each.ending > PATIENCE_SECONDS:
                each.process.kill()
            elif each.ending is None and self._is_cancelled(each, now):
                each.ending = now

    def _is_cancelled(self, each: JobProcess, now: float) -> bool:
        return self.board.is_cancelled(each.job)

    def _record_end(self, each: JobProcess) -> None:
        """A job whose process did not let go of it is taken up once more, and then has failed."""
        with suppress(InputError):
            job = self.board.job(each.job.run_id, each.job.id)
            if job.claim == each.job.claim and job.cancel:
                self.board.end(job, "cancelled", "It was cancelled.")
            elif job.claim == each.job.claim:
                how, _ = read_last_words(each.process, each.last_words)
                log.warning("job %s of run %s: its process died (%s)", job.id, job.run_id, how)
                deaths = job.deaths + 1
                state = "failed" if deaths >= MOST_DEATHS else "queued"
                said = f"Its process died {deaths} times: {how}" if deaths >= MOST_DEATHS else job.said
                self.board.end(job, state, said, deaths=deaths)  # type: ignore[arg-type]
        each.last_words.close()
        each.process.close()

    def ask_to_leave(self) -> None:
        """Ask every process to leave; its job goes on with the next supervisor."""
        for each in self._working:
            each.process.terminate()

    def wait_for_end(self, until: float) -> None:
        """Wait for them, until some moment."""
        for each in self._working:
            each.process.join(max(0.0, until - time.monotonic()))
            if each.process.exitcode is None:
                each.process.kill()
                each.process.join()


def _work_in_child(board: JobBoard, job: Job, supervisor: int, last_words: IO[bytes]) -> None:
    """What a forked process does."""
    is_asked_to_leave = prepare_child(supervisor, f"job {job.id}", last_words)
    context = None
    try:
        context = JobContext(board, job, is_asked_to_leave)
        said = kind_of(job.kind).work(context)
        context.flush()
        if context.should_stop():
            raise StoppedError
        board.end(job, "finished", said, spent=context.spent)
    except StoppedError:
        if context is not None:
            context.flush()
        spent = job.spent if context is None else context.spent
        if is_asked_to_leave():
            board.end(job, "queued", job.said, spent=spent)
        else:
            board.end(job, "cancelled", "It was cancelled; what it had found is kept.", spent=spent)
    except InputError as error:
        board.end(job, "failed", str(error))
    except Exception:
        last_words.write(traceback.format_exc().encode())
        last_words.flush()
        raise SystemExit(1) from None
