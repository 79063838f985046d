"""Where jobs are asked for and read: the page and the command line write requests here, processes take them.

job/<run>/<job>            one job, one small table
findings/<run>/<version>   what all jobs of a run found; the run's record names the version
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from mapelites.core.archive import Elites
from mapelites.core.errors import InputError, unknown
from mapelites.runs.entries import RunEntries
from mapelites.runs.errors import DamagedError, UnknownRunError
from mapelites.runs.jobs.job import Job, JobState
from mapelites.runs.record import Record
from mapelites.snapshot.findings import Findings
from mapelites.snapshot.snapshot import Snapshot

log = logging.getLogger(__name__)

MOST_WAITING = 20
KEPT = 20  # jobs of a run that are over
Check = Callable[[str, Mapping[str, Any], Record], dict[str, Any]]


class JobBoard:
    """The jobs of all runs of a store."""

    def __init__(self, entries: RunEntries) -> None:
        self.entries = entries

    # What people do

    def ask(self, run_id: str, kind: str, request: Mapping[str, Any], check: Check) -> str:
        """Queue a job on a run and return its id; `check` looks at the request and completes it."""
        record = self.entries.record(run_id)
        if record.deleted is not None:
            raise InputError(f"run {run_id}: it must not be deleted, but it is; bring it back first")
        completed = check(kind, request, record)
        with self.entries.database.writing():
            waiting = [job for job in self.waiting() if job.run_id == run_id]
            if len(waiting) >= MOST_WAITING:
                raise InputError(f"run {run_id}: at most {MOST_WAITING} jobs may wait, but there are {len(waiting)}")
            job = Job(secrets.token_hex(6), run_id, kind, completed, created=time.time())
            self._write(job)
            for old in [each for each in self.jobs(run_id) if each.over][:-KEPT]:
                self.entries.database.drop(old.key)
            self.entries.announce()
        return job.id

    def cancel(self, run_id: str, job_id: str) -> None:
        """Let a job come to its end; what it has found stays."""
        with self.entries.database.writing():
            job = self.job(run_id, job_id)
            if job.state == "queued":
                self._write(replace(job, state="cancelled", finished=time.time(), said="It was cancelled."))
            elif job.state == "running":
                self._write(replace(job, cancel=True))
            self.entries.announce()

    def job(self, run_id: str, job_id: str) -> Job:
        """One job."""
        table = self.entries.database.get_table(f"job/{run_id}/{job_id}")
        if table is None:
            raise unknown("the job", job_id, [job.id for job in self.jobs(run_id)] or ["none"])
        return Job.from_table(table)

    def jobs(self, run_id: str) -> tuple[Job, ...]:
        """The jobs of a run, the oldest first; a damaged one has failed and says so."""
        return self._read(f"job/{run_id}/")

    def findings(self, run_id: str) -> Findings:
        """All that jobs found of a run; nothing where that is damaged, as `trouble` says."""
        record = self.entries.record(run_id)
        with suppress(DamagedError):
            return self._findings(record)
        return Findings.none(record.request.get_problem())

    def trouble(self, run_id: str) -> str | None:
        """Why what jobs found of a run cannot be used, in words; None where it can."""
        try:
            self._findings(self.entries.record(run_id))
        except DamagedError as error:
            return str(error)
        return None

    def _findings(self, record: Record) -> Findings:
        problem = record.request.get_problem()
        if not record.findings:
            return Findings.none(problem)
        try:
            content = self.entries.findings_bytes(record.id, record.findings)
            if content is None:
                raise DamagedError(f"they should be number {record.findings}, but that is missing")
            return Findings.from_bytes(content, problem)
        except InputError as error:
            raise DamagedError(f"run {record.id}: what jobs found cannot be read ({error}); ask them again") from None

    def newest(self, run_id: str) -> Snapshot | None:
        """The run's newest snapshot, joined by what jobs found."""
        record = self.entries.record(run_id)
        snapshot = None if record.snapshot is None else self.entries.snapshot(run_id, record.snapshot)
        return None if snapshot is None else self.findings(run_id).joined(snapshot)

    # What processes do

    def waiting(self) -> tuple[Job, ...]:
        """The jobs of all runs that are not over."""
        return tuple(job for job in self._read("job/") if not job.over)

    def free_claims(self) -> None:
        """No process works on any job: let those that were at work be taken up again."""
        running = [job for job in self.waiting() if job.claim or job.state == "running"]
        if running:
            with self.entries.database.writing():
                for job in running:
                    self._write(replace(job, state="queued", claim=None))

    def take(self, job: Job) -> Job | None:
        """Make a queued job ours; None where it is not queued any more."""
        with self.entries.database.writing():
            now = self.job(job.run_id, job.id)
            if now.state != "queued":
                return None
            taken = replace(now, state="running", claim=secrets.token_hex(8), started=now.started or time.time())
            self._write(taken)
        return taken

    def is_cancelled(self, job: Job) -> bool:
        """Whether somebody wishes the job to end, or it is not ours any more."""
        with suppress(InputError):
            now = self.job(job.run_id, job.id)
            return now.cancel or now.claim != job.claim
        return True

    def note(self, job: Job, **changes: Any) -> None:
        """Put down how far a job is that is still ours."""
        with self.entries.database.writing(durable=False):
            now = self.job(job.run_id, job.id)
            if now.claim == job.claim:
                self.entries.database.put_table(job.key, replace(now, **changes).as_table())

    def end(self, job: Job, state: JobState, said: str, **changes: Any) -> None:
        """Let go of a job in its last state, or back into the queue."""
        finished = None if state == "queued" else time.time()
        changes = {**changes, "state": state, "said": said, "finished": finished, "claim": None, "seconds_left": None}
        with suppress(UnknownRunError, DamagedError, InputError):
            self.note(job, **changes)
            with self.entries.database.writing():
                self.entries.announce()
                self.entries.keep_afterwards(job.run_id)

    def add(self, job: Job, found: Findings) -> None:
        """Put down what a job found; whoever shows the run sees that it has changed."""
        if found.is_nothing:
            return
        with self.entries.database.writing():
            record = self.entries.record(job.run_id)
            found = replace(found, elites=_found_at(found.elites, record.evaluations))
            version = record.findings + 1
            try:
                found = self._findings(record).and_(found)
            except DamagedError as error:
                self.entries.database.put_aside(f"findings/{job.run_id}/{record.findings}")
                log.warning("%s; what was there is put aside, and what is found from now on is kept", error)
            self.entries.database.put(f"findings/{job.run_id}/{version}", found.to_bytes())
            self.entries.database.drop(f"findings/{job.run_id}/{record.findings}")
            self.entries.write(replace(record, findings=version, best_feasible=_best_feasible(record, found.elites)))

    def _write(self, job: Job) -> None:
        self.entries.database.put_table(job.key, job.as_table())
        self.entries.keep_afterwards(job.run_id)

    def _read(self, prefix: str) -> tuple[Job, ...]:
        found = []
        for key in self.entries.database.keys(prefix):
            try:
                table = self.entries.database.get_table(key)
                found += [Job.from_table(table)] if table is not None else []
            except DamagedError as error:
                run_id, _, job_id = key.removeprefix("job/").partition("/")
                found.append(Job(job_id, run_id, "job", state="failed", said=f"{error}. Ask for it again."))
        return tuple(sorted(found, key=lambda job: (job.created, job.id)))


def _best_feasible(record: Record, found: Elites) -> float | None:
    """The best feasible objective of a run and of what jobs found, for lists that do not read its map."""
    feasible = found.f[record.request.get_problem().feasible(found.violations)]
    known = feasible.tolist() + ([] if record.best_feasible is None else [record.best_feasible])
    return min(known, default=None)


def _found_at(elites: Elites, evaluations: int) -> Elites:
    when = np.full(len(elites), max(1, evaluations), dtype=np.int64)
    return replace(elites, found_at=when)
