"""One process beside the web server that takes queued runs and searches each in a process of its own.

The processes are forked, so that a run starts in milliseconds, with everything compiled already loaded.
They die with the supervisor, and they hold its lock as long as they live: whoever takes the lock later
knows that nobody writes any more. One that is paused in the midst of an evaluation is put to sleep, and goes on with
that evaluation when it is resumed.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import IO, Any

from mapelites.core.errors import InputError
from mapelites.problems import get
from mapelites.problems.own.files import AbsentError, FileError
from mapelites.runs import presence
from mapelites.runs.attention import BusyMark
from mapelites.runs.claim import Claim
from mapelites.runs.errors import (
    ClaimLostError,
    DamagedError,
    StoreError,
    UnknownRunError,
    disk_error,
    folder_gone_error,
)
from mapelites.runs.jobs.processes import JobProcesses
from mapelites.runs.presence import SupervisorLock
from mapelites.runs.record import Wish
from mapelites.runs.store import Store
from mapelites.runs.worker import RunWorker
from mapelites.search import compile_searches
from mapelites.system.cores import ONE_THREAD, usable_cores
from mapelites.system.processes import (
    child_environment,
    end_with,
    exit_at_once,
    guard_group,
    prepare_child,
    read_last_words,
    start_tied,
)

LOOK_SECONDS = 0.03
SCAN_SECONDS = 5.0
SOON_SECONDS = 0.15  # how long a process may be at one evaluation while something is asked of it
ASLEEP_SECONDS = 0.02  # how long a process may take to fall asleep
PATIENCE_SECONDS = 2.0  # how long a process may take to do what is asked of it
LOCK_SECONDS = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RunProcess:
    """A process at work, its claim, whether it listens, and the file in which it leaves its last words."""

    process: ForkProcess
    claim: Claim
    attention: BusyMark
    last_words: IO[bytes]


class Supervisor:
    """Takes runs from the queue, keeps their processes alive, and leaves cleanly on SIGTERM."""

    def __init__(self, path: Path | str, processes: int | None = None) -> None:
        self.store = Store(path)
        self.processes = processes or max(1, usable_cores() - 1)
        self._jobs: dict[str, RunProcess] = {}
        self._asked: dict[str, float] = {}
        self._asleep: dict[str, float] = {}  # since when
        self._leaving = False
        self._job_processes = JobProcesses(self.store.jobs, self._fork_process)
        self._compiling: ForkProcess | None = None
        self._seen_change, self._last_error, self._scanned, self._pulsed = "", "", 0.0, 0.0

    def run(self, *, wait: bool = False) -> None:
        """Work until a signal says to leave. `wait` for the supervisor that is there, instead of refusing."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._handle_signal)
        lock = self._acquire_lock(wait)
        if lock is None:
            return
        try:
            self.store.repair()
            self._free_claims()
            self._job_processes.free_claims()
            self._compiling = self._fork_process(_compile_searches, os.getpid())
            while not self._leaving:
                self._supervise_once(lock)
                time.sleep(LOOK_SECONDS)
        finally:
            self._end_processes()
            lock.release()

    def _handle_signal(self, number: int, frame: Any) -> None:
        self._leaving = True

    def _acquire_lock(self, wait: bool) -> SupervisorLock | None:
        """Become the one supervisor of the store; None where a signal came first."""
        started = time.monotonic()
        while not self._leaving:
            lock = SupervisorLock.acquire(self.store.path)
            if lock is not None:
                return lock
            if not wait and time.monotonic() - started > LOCK_SECONDS:
                other = presence.process_of(self.store.path)
                raise InputError(
                    f"worker: a store has one worker at a time, but process {other} already works on {self.store.path}"
                )
            time.sleep(0.1)
        return None

    def _free_claims(self) -> None:
        """Claims of processes that an earlier supervisor had; none of them lives, or the lock would be held."""
        with self.store.entries.database.writing():
            for record in self.store.records():
                if record.claim:
                    self.store.entries.write(replace(record, claim=None))

    def _supervise_once(self, lock: SupervisorLock) -> None:
        try:
            now = time.monotonic()
            if now - self._pulsed > 1.0:
                self._show_presence(lock)
                self._pulsed = now
            self._load_compiled()
            now = time.monotonic()  # that takes a while, which no process shall be blamed for
            ended = self._collect_ended()
            change = self.store.entries.change()
            if ended or change != self._seen_change or now - self._scanned > SCAN_SECONDS:
                self._seen_change, self._scanned = change, now
                self._note_wishes(now)
                self.store.purge()
                self.store.keep_reserve()
                self._start_runs()
                self._job_processes.start_next()
            self._job_processes.collect_ended(now)
            self._enforce_wishes(now)
            self._last_error = ""
        except StoreError as error:
            if str(error) != self._last_error:
                log.error("%s", error)
            self._last_error = str(error)
            time.sleep(1.0)

    def _show_presence(self, lock: SupervisorLock) -> None:
        try:
            held = lock.refresh()
        except FileNotFoundError:
            if (self.store.path / "format").exists():
                raise self._folder_replaced_error() from None
            raise folder_gone_error(
                self.store.path
            ) from None  # it may come back, and the processes hold what they found
        except OSError as error:
            raise disk_error(self.store.path, error) from error
        if not held:
            raise self._folder_replaced_error()

    def _folder_replaced_error(self) -> InputError:
        return InputError(f"worker: {self.store.path} must stay the same folder, but another was put in its place")

    def _start_runs(self) -> None:
        waiting = [each for each in self.store.records() if each.state in ("queued", "running") and not each.claim]
        for record in sorted(waiting, key=lambda each: (each.state == "queued", each.created)):
            if record.id in self._jobs and record.id not in self._asleep:
                if self._jobs[record.id].attention.is_finishing:
                    continue  # what it is evaluating shall not be evaluated again
                self._jobs[record.id].process.kill()  # it let go of the run and is about to leave: no need to wait
                continue
            if len(self._jobs) - len(self._asleep) >= self.processes:
                continue
            if record.id in self._asleep:
                self._wake_run(record.id)
                continue
            claim = self._take_claim(record.id)
            if claim is not None:
                self._jobs[record.id] = self._start_process(claim)
                log.info("a process searches", extra={"run": record.id, "pid": self._jobs[record.id].process.pid})

    def _take_claim(self, run_id: str, token: str | None = None) -> Claim | None:
        try:
            return Claim.take(self.store.entries, run_id, token)
        except (DamagedError, UnknownRunError) as error:  # since it was listed; the others go on
            log.warning("run %s cannot be taken: %s", run_id, error)
            return None

    def _start_process(self, claim: Claim) -> RunProcess:
        last_words = tempfile.TemporaryFile()  # noqa: SIM115 (it is read when the process is gone)
        attention = BusyMark()
        process = self._fork_process(_search_in_child, claim, os.getpid(), attention, last_words)
        return RunProcess(process, claim, attention, last_words)

    def _fork_process(self, target: Callable[..., None], *arguments: Any) -> ForkProcess:
        self.store.close()  # a connection to SQLite must not be carried through a fork
        process = multiprocessing.get_context("fork").Process(target=target, args=arguments)
        process.start()
        return process

    def _load_compiled(self) -> None:
        """Once every search is compiled, have it lock too, so that a run of it starts at once."""
        if self._compiling is not None and self._compiling.exitcode is not None:
            self._compiling = None
            compile_searches(get("C01", 10))

    def _collect_ended(self) -> bool:
        """Take down which processes ended, and how. Whether there were any."""
        ended = [run_id for run_id, job in self._jobs.items() if job.process.exitcode is not None]
        for run_id in ended:
            job = self._jobs[run_id]
            _end_group(job.process)
            if job.process.exitcode != 0 or _still_has_claim(job):
                self._record_death(job)
            log.info("a process is done", extra={"run": run_id, "code": job.process.exitcode})
            job.last_words.close()
            job.process.close()
            del self._jobs[run_id]
            self._asleep.pop(run_id, None)
        return bool(ended)

    def _record_death(self, job: RunProcess) -> None:
        reason, words = read_last_words(job.process, job.last_words)
        try:
            job.claim.record_death(reason, words or None)
        except ClaimLostError:
            log.info("run %s: its process was ended (%s)", job.claim.run_id, reason)
        except DamagedError as error:
            log.warning(
                "run %s: its process died (%s), and nothing can be put down: %s", job.claim.run_id, reason, error
            )
        else:
            log.warning("run %s: its process died (%s)", job.claim.run_id, reason)

    def _note_wishes(self, now: float) -> None:
        """Since when each process is asked for something; one asleep whose run is not paused any more is ended."""
        records = self.store.records()
        wishes = {record.id for record in records if record.wish}
        self._asked = {run_id: self._asked.get(run_id, now) for run_id in wishes & self._jobs.keys()}
        paused = {each.id for each in records if each.state in ("paused", "queued") and each.deleted is None}
        finishing = {run_id for run_id, job in self._jobs.items() if job.attention.is_finishing}
        going_on = paused | {each.id for each in records if each.state == "running" and not each.claim}
        for run_id in (self._asleep.keys() - paused) | (finishing - going_on):
            self._jobs[run_id].process.kill()

    def _enforce_wishes(self, now: float) -> None:
        """See to it that a process does what is asked of it, where one evaluation takes too long."""
        for run_id, since in self._asked.items():
            job = self._jobs.get(run_id)
            if job is None or run_id in self._asleep or now - since <= SOON_SECONDS:
                continue
            if now - since > PATIENCE_SECONDS:
                job.process.kill()
            elif job.attention.is_busy_since(since):
                self._halt_run(run_id, job, since)

    def _halt_run(self, run_id: str, job: RunProcess, since: float) -> None:
        """Halt a run in the midst of an evaluation: a pause has its process sleep, a stop ends it.

        Asleep it must still be at that evaluation, and not have got as far as the store, which would wait for it.
        Where the system does not tell that a process sleeps, a pause ends it too; the run goes on from its checkpoint.
        """
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            if _record_halt(job.claim):
                job.process.kill()
            return
        done: Wish | None = None
        try:
            if _falls_asleep(job.process) and job.attention.is_busy_since(since):
                done = _record_halt(job.claim)
        finally:
            if done == "pause":
                self._asleep[run_id] = time.monotonic()
            else:
                _send_signal(job.process, signal.SIGCONT)
        if done == "stop":
            job.process.kill()

    def _wake_run(self, run_id: str) -> None:
        """Let a process that sleeps go on with its run, as if nothing had been."""
        job = self._jobs[run_id]
        if self._take_claim(run_id, job.claim.token) is not None:
            job.attention.add_sleep(time.monotonic() - self._asleep.pop(run_id))
            _send_signal(job.process, signal.SIGCONT)

    def _end_processes(self) -> None:
        """Let every process write its checkpoint and leave; the runs stay running or queued."""
        if self._compiling is not None:
            self._compiling.kill()
        self._job_processes.ask_to_leave()
        for run_id, job in self._jobs.items():
            if run_id in self._asleep:
                job.process.kill()
            else:
                job.process.terminate()
                _send_signal(job.process, signal.SIGCONT)  # somebody may have frozen it
        until = time.monotonic() + PATIENCE_SECONDS
        self._job_processes.wait_for_end(until)
        for job in self._jobs.values():
            job.process.join(max(0.0, until - time.monotonic()))
            if job.process.exitcode is None:
                job.process.kill()
                job.process.join()
            _end_group(job.process)


def _compile_searches(supervisor: int) -> None:
    """What the first forked process does, so that the supervisor need not wait for it."""
    end_with(supervisor, "compile")
    compile_searches(get("C01", 10))


def _end_group(process: ForkProcess) -> None:
    """End what a run's process has started and left behind."""
    if process.pid is not None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


def _still_has_claim(job: RunProcess) -> bool:
    """Whether the run is still its process': one that ends in order lets go of it first."""
    try:
        return bool(job.claim.record())
    except (ClaimLostError, DamagedError):
        return False


def _record_halt(claim: Claim) -> Wish | None:
    """Put down that the run is halted as is wished; how, if it was."""
    try:
        return claim.halt()
    except (ClaimLostError, DamagedError):
        return None


def _falls_asleep(process: ForkProcess) -> bool:
    """Have the system stop a process where it is, and see that it did."""
    _send_signal(process, signal.SIGSTOP)
    until = time.monotonic() + ASLEEP_SECONDS
    while os.waitid(os.P_PID, process.pid or 0, os.WSTOPPED | os.WNOHANG) is None:
        if time.monotonic() > until:
            return False
        time.sleep(0.001)
    return True


def _send_signal(process: ForkProcess, number: signal.Signals) -> None:
    if process.pid is not None and process.exitcode is None:
        os.kill(process.pid, number)


def _search_in_child(claim: Claim, supervisor: int, attention: BusyMark, last_words: IO[bytes]) -> None:
    """What a forked process does."""
    is_asked_to_leave = prepare_child(supervisor, f"run {claim.run_id}", last_words)
    with suppress(OSError):
        os.setpgid(0, 0)  # whatever the function starts ends with us
        guard_group()
    try:
        RunWorker(claim, is_asked_to_leave, attention).work()
    except ClaimLostError:
        log.info("run %s: it was given to another process", claim.run_id)
    except (AbsentError, FileError) as error:
        claim.settle("failed", str(error))
    except (Exception, SystemExit):  # a function may leave as well as fail
        last_words.write(traceback.format_exc().encode())
        last_words.flush()
        exit_at_once(1)
    exit_at_once(0)  # a thread of the function may never end


def start_supervisor(
    path: Path | str, processes: int | None = None, problems: Sequence[Path | str] = ()
) -> subprocess.Popen[bytes]:
    """Start a supervisor as a process of its own; where there is one already, it waits to take over.

    `problems` are files and folders of one's own problems. It leaves when we are gone, however we go.
    """
    command = [sys.executable, "-m", "mapelites", "worker", "--wait", "--with-parent", "--data", str(path)]
    command += [] if processes is None else ["--processes", str(processes)]
    command += [f"--problems={each}" for each in problems]
    return start_tied(command, child_environment(**ONE_THREAD), stdin=subprocess.DEVNULL)
