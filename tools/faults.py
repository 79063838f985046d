"""Faults, one after the other, against a real dashboard on a small disk of its own, and what a person sees of each:

    python -m tools.faults [--only NAME ...] [--pictures FOLDER]

Needs root (for the small disk) and Chromium. Whatever happens to a run, it must end in the same archive as one that
nothing happened to; that is checked bit for bit.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By

from components.runs.listing import PAGE
from mapelites import Settings, Tolerances
from mapelites.problems import get
from mapelites.runs import RunRequest, Store, presence
from mapelites.snapshot.spec import RunSpec
from mapelites.system.processes import family_of
from tests.runs.faults.test_trouble import fill
from tests.runs.tools import assert_same, large_request, processes_of, undisturbed

ROOT = Path(__file__).parents[1]
PATIENCE = 180.0
INSIDE = "FAULTS_INSIDE"
PARTS = {"banner": "#banner", "state": "#run-state", "says": "#run-trouble", "page": "#page h1"}


class SmallDisk:
    """A dashboard on a small disk, and somebody who looks at it."""

    def __init__(self, folder: Path, port: int, pictures: Path | None) -> None:
        self.disk, self.data, self.port, self.pictures = folder, folder / "data", port, pictures
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", str(folder)], check=True)
        self.store = Store(self.data)
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1440,900"):
            options.add_argument(argument)
        self.browser = webdriver.Chrome(options=options)
        self.start()

    def start(self) -> None:
        command = [sys.executable, str(ROOT / "app.py"), "--port", str(self.port), "--data", str(self.data)]
        self.app = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait(lambda: self.store.worker().alive, "a worker")

    def child(self, word: str) -> int:
        """The process of the dashboard with this word in its command line."""
        listed = Path(f"/proc/{self.app.pid}/task/{self.app.pid}/children").read_text().split()
        return next(int(each) for each in listed if word in Path(f"/proc/{each}/cmdline").read_text())

    def run(self, evaluations: int = 3_000_000, pace: float | None = 20_000.0, **changes: Any) -> str:
        tolerances = Tolerances.default(get("C16", 10))
        settings = Settings.of("paper-3", 10, evaluations=evaluations, **changes)
        return self.store.create(RunRequest(RunSpec("C16", 10, tolerances, settings), pace))

    def begun(self, request: RunRequest | None = None) -> str:
        """A run that is under way, and its page open."""
        run = self.store.create(request) if request else self.run()
        self.wait(lambda: self.store.run(run).evaluations > 10_000, "progress")
        self.open(f"/run/{run}")
        return run

    def open(self, path: str) -> None:
        self.wait(lambda: self._got(path), "an answer")
        self.wait(lambda: self.browser.find_elements(By.CSS_SELECTOR, "#page > *"), "the page")

    def _got(self, path: str) -> bool:
        try:
            self.browser.get(f"http://localhost:{self.port}{path}")
        except WebDriverException:  # nobody listens yet
            return False
        return True

    def seen(self) -> dict[str, str]:
        found = {name: self.browser.find_elements(By.CSS_SELECTOR, selector) for name, selector in PARTS.items()}
        return {name: each[0].text.replace("\n", " ") for name, each in found.items() if each and each[0].text}

    def until_seen(self, part: str, words: str) -> None:
        self.wait(lambda: words in self.seen().get(part, ""), f"{words!r} in the {part}")

    def tell(self, when: str) -> None:
        print(f"  {when}: " + " | ".join(f"{name}: {text}" for name, text in self.seen().items()), flush=True)
        if self.pictures:
            self.pictures.mkdir(parents=True, exist_ok=True)
            number = len(list(self.pictures.iterdir()))
            self.browser.save_screenshot(str(self.pictures / f"{number:02d}-{when.replace(' ', '-')[:40]}.png"))

    def finish(self, run: str) -> None:
        """Let a run go on to its end, and compare it with an undisturbed one."""
        self.store.set_pace(run, None)
        self.store.resume(run)
        self.wait(lambda: self.store.run(run).state == "finished", "the end of the run")
        snapshot = self.store.snapshot(run)
        assert snapshot is not None
        assert_same(snapshot.archive(), undisturbed(self.store.run(run).request))
        self.until_seen("state", "inished")
        self.tell("in the end, the same archive as undisturbed")

    def wait(self, condition: Callable[[], Any], what: str) -> None:
        until = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > until:
                raise SystemExit(f"waited in vain for {what}; seen: {self.seen()}")
            time.sleep(0.05)

    def end(self) -> None:
        self.browser.quit()
        self.app.terminate()
        self.app.wait(30)


def disk_full(stage: SmallDisk) -> None:
    """The disk is full."""
    run = stage.begun()
    fill(stage.disk / "filler")
    stage.until_seen("banner", "is full")
    stage.until_seen("state", "aused")
    stage.tell("full")
    (stage.disk / "filler").unlink()
    stage.wait(lambda: "banner" not in stage.seen(), "the banner to go")
    stage.finish(run)


def read_only(stage: SmallDisk) -> None:
    """The store is made read-only.

    What is open for writing stays so: a run with a small map, all in the open database, would go on to its end. One
    with a large map writes new files.
    """
    run, cache = stage.begun(large_request(3_000_000, 20_000.0)), str(stage.data / "cache")
    subprocess.run(["mount", "--bind", cache, cache], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", cache], check=True)
    stage.until_seen("banner", "read-only")
    stage.until_seen("state", "aused")
    stage.tell("read-only")
    subprocess.run(["mount", "-o", "remount,bind,rw", cache], check=True)
    stage.wait(lambda: "banner" not in stage.seen(), "the banner to go")
    stage.finish(run)


def moved_away(stage: SmallDisk) -> None:
    """The store is moved away, and back."""
    run = stage.begun()
    stage.data.rename(stage.disk / "elsewhere")
    stage.until_seen("banner", "is gone")
    stage.tell("gone")
    (stage.disk / "elsewhere").rename(stage.data)
    stage.wait(lambda: "banner" not in stage.seen(), "the banner to go")
    stage.finish(run)


def worker_frozen(stage: SmallDisk) -> None:
    """The worker is stopped with SIGSTOP."""
    run, worker = stage.begun(), stage.child("\0worker\0")
    os.kill(worker, signal.SIGSTOP)
    stage.until_seen("banner", "not running")
    stage.tell(f"silent for {presence.SILENT_SECONDS:.0f} s")
    os.kill(worker, signal.SIGCONT)
    stage.wait(lambda: "banner" not in stage.seen(), "the banner to go")
    stage.finish(run)


def process_frozen(stage: SmallDisk) -> None:
    """The process of a run is stopped with SIGSTOP, and the person presses Pause."""
    run, worker = stage.begun(), stage.child("\0worker\0")
    supervisor = type("Process", (), {"pid": worker})
    os.kill(processes_of(supervisor)[run], signal.SIGSTOP)  # type: ignore[arg-type]
    stage.browser.find_element(By.ID, "run-pause").click()
    stage.until_seen("state", "aused")
    stage.tell("after Pause")
    stage.finish(run)


def worker_killed(stage: SmallDisk) -> None:
    """The worker is killed with SIGKILL."""
    run = stage.begun()
    os.kill(stage.child("\0worker\0"), signal.SIGKILL)
    stage.wait(lambda: stage.store.worker().alive, "another worker")
    stage.tell("another one is there")
    stage.finish(run)


def all_killed(stage: SmallDisk) -> None:
    """Everything is killed with SIGKILL, and started again."""
    run = stage.begun()
    processes = [stage.app.pid, stage.child("gunicorn"), stage.child("\0worker\0")]
    for each in processes:
        os.kill(each, signal.SIGKILL)
    stage.app.wait()
    stage.until_seen("banner", "does not answer")
    stage.tell("dead")
    stage.start()
    stage.wait(lambda: "banner" not in stage.seen(), "the banner to go")
    stage.finish(run)


def stopped_frozen(stage: SmallDisk) -> None:
    """Everything that the dashboard started is frozen with SIGSTOP, and the dashboard stopped with SIGTERM."""
    run = stage.begun()
    started = [each for word in ("gunicorn", "\0worker\0") for each in family_of(stage.child(word))]
    for each in started:
        os.kill(each, signal.SIGSTOP)
    asked = time.monotonic()
    stage.app.terminate()
    stage.app.wait(30)
    left = [each for each in started if Path(f"/proc/{each}").exists()]
    print(f"  stopped after {time.monotonic() - asked:.1f} s, {len(left)} processes left", flush=True)
    assert not left, left
    stage.until_seen("banner", "does not answer")
    stage.start()
    stage.wait(lambda: "banner" not in stage.seen(), "the banner to go")
    stage.finish(run)


def _unfinished(store: Store) -> int:
    return sum(run.state != "finished" for run in store.runs())


def many_runs(stage: SmallDisk) -> None:
    """200 runs in the list."""
    for seed in range(200):
        stage.run(evaluations=1_000, pace=None, seed=seed, initial=500)
    began = time.perf_counter()
    stage.open("/runs")
    stage.wait(lambda: len(stage.browser.find_elements(By.CSS_SELECTOR, "#runs-rows tr")) == PAGE, "a page of rows")
    shown = time.perf_counter() - began
    while left := _unfinished(stage.store):  # as long as it takes, but always ahead
        stage.wait(lambda left=left: _unfinished(stage.store) < left, "one more to finish")
    lead = stage.browser.find_element(By.ID, "runs-sum").text
    stage.tell(f"shown after {shown:.1f} s")
    print(f"  all finished; the page says: {lead}")


def long_run(stage: SmallDisk) -> None:
    """A run of 1e8 evaluations."""
    run = stage.run(evaluations=10**8, pace=None)
    began = time.perf_counter()
    stage.open(f"/run/{run}")
    stage.wait(lambda: stage.store.run(run).evaluations > 0, "progress")
    stage.tell("at first")
    while (record := stage.store.run(run)).state != "finished":  # as long as it takes, but always ahead
        done = (record.state, record.evaluations)
        stage.wait(
            lambda done=done: (now := stage.store.run(run)).state != done[0] or now.evaluations > done[1], "more"
        )
    stage.until_seen("state", "inished")
    stage.tell("in the end")
    print(
        f"  {record.evaluations:,} evaluations in {time.perf_counter() - began:.0f} s; "
        f"{len(stage.store.history(run))} moments kept, {record.size / 1e6:.1f} MB in the store"
    )


def delete_store(stage: SmallDisk) -> None:
    """The store is deleted."""
    stage.begun()
    while stage.data.exists():
        shutil.rmtree(stage.data, ignore_errors=True)
    stage.until_seen("banner", "is gone")
    stage.tell("gone")
    stage.app.terminate()
    stage.app.wait(30)
    stage.store = Store(stage.data)
    stage.start()
    stage.open("/runs")
    stage.tell("started anew")


FAULTS = (disk_full, read_only, moved_away, worker_frozen, process_frozen, worker_killed, all_killed,
          stopped_frozen, many_runs, long_run, delete_store)  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", nargs="+", choices=[each.__name__ for each in FAULTS])
    options.add_argument("--pictures", type=Path)
    options.add_argument("--port", type=int, default=8160)
    given = options.parse_args()
    if INSIDE not in os.environ:  # what is mounted here, nobody else sees
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    for number, fault in enumerate(each for each in FAULTS if not given.only or each.__name__ in given.only):
        print((fault.__doc__ or "").splitlines()[0], flush=True)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            stage = SmallDisk(Path(folder), given.port + number, given.pictures)
            try:
                fault(stage)
            finally:
                stage.end()
                subprocess.run(["umount", "-l", folder], check=False)


if __name__ == "__main__":
    main()
