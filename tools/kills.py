"""Random kills of any process of a dashboard while runs, jobs, imports and a campaign go on:

    python -m tools.kills [--kills 200] [--seed 7]

A dashboard that was killed is started again, most times left alone until its runs search; then one kind of its
processes is chosen, and one of those killed. In the end every run must have the archive of an undisturbed one, bit for
bit, every job be done, every campaign have all its runs, and five seconds after a kill of the dashboard none of its
processes may be left.
"""

from __future__ import annotations

import argparse
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mapelites.campaign import Campaign, CampaignFolder
from mapelites.campaign.process import launch_campaign
from mapelites.core.errors import InputError
from mapelites.runs import RunRequest, Store
from mapelites.runs.jobs.kinds import check_job
from mapelites.system.processes import family_of
from tests.runs.test_store import finish
from tests.runs.tools import assert_same, gone, kill, large_request, request, undisturbed

APP = Path(__file__).parents[1] / "app.py"
RUNS, PACE = 3, 15_000.0  # at a time; evaluations per second, so that they go on for a while
PATIENCE, LEAVE_SECONDS, FEW_DEATHS = 300.0, 5.0, 2
JOBS_OF_ONE = 15  # a run keeps only its last jobs


def next_request(number: int) -> RunRequest:
    """What the next run searches: three kinds, each time from another seed."""
    if number % 3 == 0:
        return request("C01", 150_000, PACE, seed=number)
    if number % 3 == 1:
        return request("C16", 100_000, PACE, search="directed", seed=number)
    return large_request(90_000, PACE)


def tree(pid: int) -> list[int]:
    """A process and all that it and those started."""
    found = [pid]
    for each in found:
        try:
            found += map(int, Path(f"/proc/{each}/task/{each}/children").read_text().split())
        except OSError:
            continue
    return found


def kind(pid: int) -> str:
    """What a process is: of the dashboard itself, of a run, of a job, of a campaign; nothing where it is gone."""
    try:
        name = Path(f"/proc/{pid}/comm").read_text().split()[0]
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except (OSError, IndexError):
        return ""
    if name in ("run", "job", "compile"):
        return name
    known = (("gunicorn", "web server"), ("worker", "supervisor"), ("campaign", "campaign"), (str(APP), "dashboard"))
    return next((what for word, what in known if any(word in each for each in words)), "other")


def described(pid: int) -> str:
    """A process in words."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        words, state = "gone by now", []
    return f"{pid} ({kind(pid)}, {' '.join(state)}: {words[:200]})"


class RestartingDashboard:
    """A dashboard that is started again when it is killed."""

    def __init__(self, data: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.data, self.seen, self.left = data, set[int](), list[str]()
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(APP), "--port", str(self.port), "--data", str(self.data)]
        command += ["--processes", str(RUNS)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def look(self) -> list[int]:
        """Its processes; a dashboard that is gone is started again when all that it left behind are gone too."""
        if self.process.poll() is not None:
            until = time.monotonic() + LEAVE_SECONDS
            while (left := [pid for pid in self.seen if not gone(pid)]) and time.monotonic() < until:
                time.sleep(0.05)
            self.left += map(described, left)
            self.seen.clear()
            self.process = self._start()
        campaigns = [each for pid in family_of(self.process.pid) if kind(pid) == "campaign" for each in tree(pid)]
        found = [pid for pid in tree(self.process.pid) if pid not in campaigns]  # these go on without it
        self.seen |= set(found)
        return found

    def end(self) -> list[str]:
        """Kill it; what is left of it after a while."""
        last = self.look()
        self.process.kill()
        self.process.wait(30)
        time.sleep(LEAVE_SECONDS)
        return self.left + [described(pid) for pid in last if not gone(pid)]


class Workload:
    """What goes on meanwhile: runs, a job, now and then an import, and a campaign."""

    def __init__(self, folder: Path) -> None:
        source = Store(folder / "source")
        self.content = source.export(finish(source, request("C17", 5_000)))
        self.store = Store(folder / "store")
        self.runs, self.jobs = [self.store.import_run(self.content)], dict[str, str]()
        self.campaigns = list[CampaignFolder]()
        self._described = list[Campaign]()

    def keep_going(self) -> None:
        """So many runs, a job and a campaign are under way; three deaths at one place are a failed run, rightly so."""
        unfinished = 0
        for run in self.store.runs():
            if run.state == "failed":
                self.store.resume(run.id)
            unfinished += run.state != "finished"
        for _ in range(RUNS - unfinished):
            self.runs.append(self.store.create(next_request(len(self.runs))))
        if all(self.job(each).over for each in self.jobs):
            over = [each for each in self.runs if self.store.run(each).state == "finished"]
            run_id = over[len(self.jobs) // JOBS_OF_ONE % len(over)]
            self.jobs[self.store.jobs.ask(run_id, "sharpen", {"what": "lattice", "evaluations": 2_000}, check_job)] = (
                run_id
            )
        if all(self._rests(each) and not each.missing() for each in self.campaigns):
            changes = {"evaluations": 200_000 + len(self.campaigns)}
            self._described.append(Campaign(("C17",), (10,), ("paper-3",), runs=20, changes=changes))
            self.campaigns.append(launch_campaign(self.store.path, self._described[-1]))
        self.resume_campaign()

    def job(self, job_id: str):
        """As it is now."""
        return self.store.jobs.job(self.jobs[job_id], job_id)

    def resume_campaign(self) -> None:
        """Whoever sees that it was interrupted goes on with it."""
        if self._rests(self.campaigns[-1]) and self.campaigns[-1].missing():
            launch_campaign(self.store.path, self._described[-1])

    def _rests(self, folder: CampaignFolder) -> bool:
        return not folder.working() and not folder.starting()

    def has_run_that_may_not_die(self, run_id: str) -> bool:
        """A third death at one place would be a failed run."""
        record = self.store.entries.record(run_id)
        return record.deaths >= FEW_DEATHS and record.resumes_at <= record.died_at

    def is_over(self) -> bool:
        """Whether everything has come to its end."""
        self.resume_campaign()
        for run in self.store.runs():
            if run.state == "failed":
                self.store.resume(run.id)
        finished = all(self.store.run(each).state == "finished" for each in self.runs)
        return finished and all(self.job(each).over for each in self.jobs) and not self.campaigns[-1].missing()

    def wrong(self) -> list[str]:
        """What is not as it would be had nobody been killed."""
        found = list[str]()
        for run_id in self.runs:
            try:
                snapshot = self.store.entries.snapshot(run_id, self.store.entries.record(run_id).snapshot or 0)
                assert snapshot is not None
                assert_same(snapshot.archive(), undisturbed(self.store.run(run_id).request))
            except Exception as error:
                state = self.store.run(run_id).state
                found.append(f"run {run_id}, {state}: {type(error).__name__}: {str(error)[:200]}")
        for job in map(self.job, self.jobs):  # one whose process died twice has failed, rightly so
            if job.state != "finished" and not job.said.startswith("Its process died 2 times: killed by SIGKILL"):
                found.append(f"job {job.id}: {job.state}, {job.said}")
        found += [words for run_id in self.runs if (words := self.store.jobs.trouble(run_id))]
        for folder in self.campaigns:
            for task in folder.campaign.tasks:
                try:
                    archive = folder.snapshot(task.name).archive()
                    assert_same(archive, undisturbed(RunRequest(task.spec)))
                except (InputError, AssertionError) as error:
                    found.append(f"campaign {folder.id}, {task.name}: {error}")
        return found


def wait_for(condition: Callable[[], object], seconds: float) -> bool:
    """Whether it was so in time."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


def kill_one(work: Workload, dashboard: RestartingDashboard, rng: random.Random) -> str:
    """Kill a process at a random moment, in the start of a dashboard or while its runs search; what it was."""
    work.keep_going()
    if rng.random() < 0.75:
        wait_for(lambda: any(kind(pid) == "run" for pid in dashboard.look()), PATIENCE)
    time.sleep(rng.uniform(0.0, 0.6))
    pids = dashboard.look()
    worker = work.campaigns[-1].worker()
    pids += tree(worker) if worker else []
    kinds: dict[str, list[int]] = {}
    for pid in pids:
        kinds.setdefault(kind(pid), []).append(pid)
    kinds.pop("", None)
    if not kinds:
        return ""
    what = rng.choice(sorted(kinds))
    victim = rng.choice(kinds[what])
    if what == "run" and work.has_run_that_may_not_die(Path(f"/proc/{victim}/comm").read_text().split()[1]):
        return ""
    return what if kill(victim) else ""


def main() -> None:
    """Kill, and look at what became of it."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    rng, killed = random.Random(given.seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        work = Workload(Path(name))
        dashboard = RestartingDashboard(work.store.path)
        while killed.total() < given.kills:
            try:
                what = kill_one(work, dashboard, rng)
            except OSError:  # it was gone before we looked at it
                continue
            killed[what] += bool(what)
            if rng.random() < 0.1:
                work.runs.append(work.store.import_run(work.content))
        for run_id in work.runs:
            work.store.set_pace(run_id, None)
        over = wait_for(lambda: dashboard.look() and work.is_over(), PATIENCE)
        if not over:
            print("processes at the end:", *map(described, dashboard.look()), sep="\n  ")
        wrong = ([] if over else ["not all came to its end"]) + work.wrong()
        wrong += [f"process {pid} was left behind" for pid in dashboard.end()]
        counts = f"{len(work.runs)} runs, {len(work.jobs)} jobs and {len(work.campaigns)} campaigns of 20 runs"
    for each in wrong:
        print(f"  {each}")
    told = ", ".join(f"{count} x {what}" for what, count in killed.most_common() if count)
    print(f"kills: {killed.total()} ({told}), {counts}, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
