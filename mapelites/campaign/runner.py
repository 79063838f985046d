"""The loop of a campaign: hand out tasks, keep what comes back, and go on when a process dies."""

from __future__ import annotations

import os
import resource
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import suppress
from dataclasses import dataclass

from mapelites.campaign.crews import TaskExecutor
from mapelites.campaign.description import CampaignTask
from mapelites.campaign.folder import CampaignFolder, CampaignStatus
from mapelites.campaign.task import task_payload
from mapelites.core.errors import InputError
from mapelites.snapshot.engine import engine_mark

LOOK_SECONDS = 0.2
SAY_SECONDS = 0.5
MOST_DEATHS = 3


@dataclass(frozen=True)
class CampaignStanding:
    """How far a campaign is: what a progress bar shows."""

    runs: int
    done: int
    failed: int
    evaluations: int  # of the runs that were missing when this session began
    spent: int  # of those
    running: tuple[str, ...]
    note: str = ""  # what keeps it from going on


def work_on_campaign(
    folder: CampaignFolder,
    make_executor: Callable[[], TaskExecutor],
    watch: Callable[[CampaignStanding], None] = lambda _: None,
) -> CampaignStanding:
    """Do what is missing of a campaign. Interrupted at any point, the next call goes on from there."""
    try:
        descriptor = folder.acquire()
    except InputError as error:
        if not folder.working():  # nobody does what we could not
            _give_up(folder, error)
        raise
    try:
        folder.put_wish("run")
        folder.note_trouble("")
        return _do_missing(folder, make_executor, watch)
    except (Exception, KeyboardInterrupt) as error:
        _give_up(folder, error)
        raise
    finally:
        os.close(descriptor)


def _give_up(folder: CampaignFolder, error: BaseException) -> None:
    """Remember why; a disk that is full may have no room even for that."""
    known = isinstance(error, (InputError, KeyboardInterrupt))
    with suppress(OSError):
        folder.note_trouble(str(error) if known else f"{type(error).__name__}: {error}")
        folder.put_wish("stop")


def _do_missing(
    folder: CampaignFolder, make_executor: Callable[[], TaskExecutor], watch: Callable[[CampaignStanding], None]
) -> CampaignStanding:
    check_engine(folder)
    missing = folder.missing()
    session = _WorkSession(folder, missing, watch)
    if missing:
        started, cpu = time.time(), _cpu_seconds()
        try:
            with make_executor() as crew:
                session.work(crew)
        finally:
            folder.note_session(
                {
                    "started": started, "seconds": time.time() - started, "cpu_seconds": _cpu_seconds() - cpu,
                    "runs": session.done, "failed": session.failed, "evaluations": session.spent,
                }
            )  # fmt: skip
    folder.put_wish("stop")  # nothing is left to want
    return session.standing()


def check_engine(folder: CampaignFolder) -> None:
    """Results of two versions of the search do not belong in one table."""
    if folder.engine != engine_mark() and any(result.failed is None for result in folder.results().values()):
        raise InputError(
            f"campaign {folder.id}: it was begun with another version of the search ({folder.engine}), "
            f"but this is {engine_mark()}; to keep it, begin another one; to lose it, begin it again with --again"
        )
    if folder.engine != engine_mark():
        folder.clear()


class _WorkSession:
    """One time of work on a campaign."""

    crew: TaskExecutor

    def __init__(
        self, folder: CampaignFolder, missing: list[CampaignTask], watch: Callable[[CampaignStanding], None]
    ) -> None:
        self.folder, self.watch = folder, watch
        self.total = sum(task.spec.settings.evaluations for task in missing)
        self.before = folder.campaign.count - len(missing)
        self.waiting = deque(missing)
        self.suspects: deque[CampaignTask] = deque()  # each was with a process that died, so each is now run alone
        self.under_way: dict[Future[bytes], CampaignTask] = {}
        self.deaths: Counter[str] = Counter()
        self.done = self.failed = self.spent = 0
        self.started = time.monotonic()
        self.said = 0.0
        self.note = ""

    def work(self, crew: TaskExecutor) -> None:
        """Until nothing is left."""
        self.crew = crew
        self.report_standing()
        while self.waiting or self.suspects or self.under_way:
            self.hand_out()
            finished, _ = wait(self.under_way, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
            broken = [self.take_result(future) for future in finished]
            if any(broken):
                self.replace_pool()
            self.report_standing()
        self.folder.say(CampaignStatus())

    def hand_out(self) -> None:
        """Give the crew what it has room for; a suspect only when nothing else is with it."""
        if self.suspects:
            if not self.under_way:
                self.submit(self.suspects.popleft())
            return
        while self.waiting and len(self.under_way) < self.crew.capacity() and not self.suspects:
            self.submit(self.waiting.popleft())

    def submit(self, task: CampaignTask) -> None:
        try:
            self.under_way[self.crew.submit(task_payload(task))] = task
        except BrokenExecutor:  # a process died since we last looked; the tasks with it say so themselves
            self.waiting.appendleft(task)
            self.replace_pool()

    def take_result(self, future: Future[bytes]) -> bool:
        """Take in one task's end; true where it ended because a process died."""
        task = self.under_way.pop(future)
        try:
            content = future.result()
        except BrokenExecutor:
            self.count_death(task)
            return True
        except CancelledError:
            raise self.crew.lost_error() from None
        except Exception as error:  # whatever a task raises is that run's failure, not the campaign's
            self.keep_failure(task, f"{type(error).__name__}: {error}")
            return False
        self.keep_result(task, content)
        return False

    def replace_pool(self) -> None:
        """One process died, so the pool gave up on all its tasks: take a new pool."""
        for future, task in self.under_way.items():
            if future.done() and future.exception() is None:
                self.keep_result(task, future.result())
            else:
                self.count_death(task)
        self.under_way.clear()
        self.crew.replace_pool()

    def count_death(self, task: CampaignTask) -> None:
        """Count a death. Whose fault it was is not known, but a suspect runs alone, so its next one is its own."""
        self.deaths[task.name] += 1
        if self.deaths[task.name] < MOST_DEATHS:
            self.suspects.append(task)
        else:
            self.keep_failure(task, f"its process died {MOST_DEATHS} times")

    def keep_result(self, task: CampaignTask, content: bytes) -> None:
        self.folder.keep(task, content)
        self.done += 1
        self.spent += task.spec.settings.evaluations

    def keep_failure(self, task: CampaignTask, reason: str) -> None:
        self.folder.keep_failure(task, reason)
        self.failed += 1
        self.spent += task.spec.settings.evaluations

    def standing(self) -> CampaignStanding:
        names = () if self.note else tuple(task.name for task in self.under_way.values())
        done = self.before + self.done
        return CampaignStanding(self.folder.campaign.count, done, self.failed, self.total, self.spent, names, self.note)

    def report_standing(self) -> None:
        """Let whoever watches here know, and whoever reads the folder."""
        self.note = self.crew.waiting_message() if self.under_way else ""
        standing, now = self.standing(), time.monotonic()
        self.watch(standing)
        if now - self.said >= SAY_SECONDS:
            rate = self.spent / (now - self.started) if self.spent else 0.0
            left = (self.total - self.spent) / rate if rate else None
            self.folder.say(CampaignStatus(standing.running, rate, left, standing.note))
            self.said = now


def _cpu_seconds() -> float:
    """Processor time of this process and of those of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
