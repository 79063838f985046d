"""A campaign on disk: what it is, the run files as they come, and the one line per run that tables are made of.

campaign.json   the description, and the mark of the engine that began it
runs/           one `.npz` snapshot for each finished run, written whole or not at all
results.jsonl   one line for each finished or failed run; made again from `runs/` where it does not agree
sessions.jsonl  one line for each time somebody worked on it: when, how long, how many runs
status.json     what is running now
wanted          `run` or `stop`: whether it should go on when the dashboard starts
damaged/        files of `runs/` that could not be read and had no line: their runs are done again
process         the number of the process that was last started for it, if it was by a dashboard
scheduler       the address of the Dask scheduler it was last given to, if any
trouble         why the last work on it ended early, in words
lock            held by the process that works on it, with its number
"""

from __future__ import annotations

import json
import os
import shutil
import time
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from mapelites.campaign.description import Campaign, CampaignTask, Instance
from mapelites.campaign.statistics import FinalSolution, final_solution
from mapelites.core.errors import InputError
from mapelites.snapshot.engine import engine_mark
from mapelites.snapshot.snapshot import Snapshot
from mapelites.system.files import json_of, read_file, write_whole
from mapelites.system.locks import is_locked, try_lock

FORMAT = 1
START_SECONDS = 30.0  # a process that has not begun by then never will


@dataclass(frozen=True)
class CampaignResult:
    """What a table needs to know of one run: its final solution, or why it has none."""

    name: str
    instance: Instance
    index: int
    seed: int
    evaluations: int = 0
    occupied: int = 0
    seconds: float = 0.0
    f: float | None = None
    violations: tuple[float, ...] = ()
    failed: str | None = None

    @property
    def final(self) -> FinalSolution | None:
        """The solution the run is judged by, or None where it failed."""
        return None if self.f is None else FinalSolution(self.name, self.seed, self.f, self.violations)

    @classmethod
    def of(cls, task: CampaignTask, snapshot: Snapshot) -> CampaignResult:
        """The result of a finished run."""
        final = final_solution(snapshot.get_problem(), snapshot.elites, task.name, task.spec.settings.seed)
        occupied = int(snapshot.curve[-1, 1]) if len(snapshot.curve) else len(snapshot.elites)
        return cls(
            task.name, task.instance, task.index, task.spec.settings.seed, snapshot.evaluations, occupied,
            snapshot.seconds, final.f, final.violations,
        )  # fmt: skip

    def as_line(self) -> str:
        """One line of JSON, with a check sum over all else in it."""
        table = asdict(self)
        return json.dumps({**table, "sum": _check_sum(table)}) + "\n"

    @classmethod
    def from_line(cls, line: str) -> CampaignResult | None:
        """The result a line holds, or None for a line that was torn by an interruption, or damaged."""
        try:
            table = json_of(line)
            check_sum = table.pop("sum", None)  # earlier versions wrote none
            if check_sum is not None and check_sum != _check_sum(table):
                return None
            instance, violations = Instance(**table.pop("instance")), tuple(table.pop("violations"))
            return cls(instance=instance, violations=violations, **table)
        except (ValueError, TypeError, KeyError, AttributeError):
            return None


@dataclass(frozen=True)
class CampaignStatus:
    """What the process that works on a campaign said last."""

    running: tuple[str, ...] = ()
    evaluations_per_second: float = 0.0
    seconds_left: float | None = None
    note: str = ""


class CampaignFolder:
    """The folder of one campaign; any number of processes may read, one works on it."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).absolute()

    @classmethod
    def create(cls, path: Path | str, campaign: Campaign) -> CampaignFolder:
        """The folder of this campaign, made where it is not there yet; another campaign's folder is an error."""
        folder = cls(path)
        if not os.path.exists(folder.path / "campaign.json"):  # a `Path` would raise where it cannot look
            try:
                (folder.path / "runs").mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"{folder.path}: {error.strerror}") from None
            about = {
                "format": FORMAT, "campaign": campaign.to_json(), "engine": engine_mark(), "created": time.time(),
            }  # fmt: skip
            folder._write_about(about)
        elif folder.campaign.id != campaign.id:
            raise InputError(
                f"{folder.path}: this folder must hold the campaign that was asked for, {campaign.id}, "
                f"but it holds another one, {folder.campaign.id}"
            )
        return folder

    @property
    def id(self) -> str:
        """What the campaign is called among those of a store."""
        return self.path.name

    @cached_property
    def _about(self) -> dict[str, Any]:
        try:
            about = dict(json_of(read_file(self.path / "campaign.json")))
            check_sum = about.pop("sum", None)  # earlier versions wrote none
            if check_sum is not None and check_sum != _check_sum(about):
                raise InputError("its check sum is another than that of what it says")
            if about["format"] != FORMAT:
                raise InputError(f"its format is {about['format']}, but this version reads {FORMAT}")
        except FileNotFoundError:
            raise InputError(f"{self.path}: there is no campaign in this folder") from None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise InputError(f"{self.path}: its campaign.json cannot be read ({error})") from None
        return dict(about)

    @cached_property
    def campaign(self) -> Campaign:
        """What is run."""
        return _described(self._about["campaign"])

    @property
    def engine(self) -> str:
        """The mark of the engine that began it."""
        return str(self._about["engine"])

    @property
    def created(self) -> float:
        """When it was asked for, in seconds since 1970."""
        return float(self._about["created"])

    # Results

    def results(self) -> dict[str, CampaignResult]:
        """The results by name; the last line of a name holds."""
        text = self._text("results.jsonl")
        found = (CampaignResult.from_line(line) for line in text.splitlines())
        return {result.name: result for result in found if result is not None}

    def version(self) -> str:
        """A text that changes whenever a result comes, what is running changes, or somebody starts or stops."""
        moments = [_stamp(self.path / name) for name in ("results.jsonl", "status.json", "trouble")]
        return "-".join(map(str, (*moments, self.working(), self.starting())))

    def keep(self, task: CampaignTask, content: bytes) -> CampaignResult:
        """Keep a finished run: first its file, then its line."""
        result = CampaignResult.of(task, Snapshot.from_bytes(content))
        write_whole(self.run_file(task.name), content)
        self._append("results.jsonl", result.as_line())
        return result

    def keep_failure(self, task: CampaignTask, reason: str) -> CampaignResult:
        """Keep why a run has no result."""
        result = CampaignResult(task.name, task.instance, task.index, task.spec.settings.seed, failed=reason)
        self._append("results.jsonl", result.as_line())
        return result

    def run_file(self, name: str) -> Path:
        """Where the snapshot of a run is."""
        return self.path / "runs" / f"{name}.npz"

    def snapshot(self, name: str) -> Snapshot:
        """The snapshot of a finished run."""
        snapshot = Snapshot.from_bytes(self.content(name))
        if snapshot.spec != self._task(name).spec:
            raise InputError(f"campaign {self.id}: the file of the run {name} must be of its search, but is of another")
        return snapshot

    def _task(self, name: str) -> CampaignTask:
        task = next((task for task in self.campaign.tasks if task.name == name), None)
        if task is None:
            raise InputError(f"campaign {self.id}: it has no run {name!r}")
        return task

    def content(self, name: str) -> bytes:
        """The file of a finished run; only names of this campaign's runs lead anywhere."""
        self._task(name)
        try:
            return read_file(self.run_file(name))
        except OSError:
            raise InputError(f"campaign {self.id}: the run {name} has no result yet") from None

    def missing(self) -> list[CampaignTask]:
        """The tasks still to do, after making the lines agree with the files; what is damaged is put aside."""
        tasks = self.campaign.tasks
        there = {path.stem for path in (self.path / "runs").glob("*.npz")}
        lined = {name for name, result in self.results().items() if result.failed is None}
        for task in tasks:
            if task.name in there - lined:
                try:
                    self._append("results.jsonl", CampaignResult.of(task, self.snapshot(task.name)).as_line())
                except InputError:
                    there.remove(task.name)
                    (self.path / "damaged").mkdir(mode=0o700, exist_ok=True)
                    os.replace(self.run_file(task.name), self.path / "damaged" / f"{task.name}.npz")
        return [task for task in tasks if task.name not in there]

    def clear(self) -> None:
        """Forget every result, to begin again with the engine of today."""
        for name in ("results.jsonl", "sessions.jsonl", "status.json"):
            (self.path / name).unlink(missing_ok=True)
        shutil.rmtree(self.path / "runs", ignore_errors=True)
        (self.path / "runs").mkdir(mode=0o700)
        self._write_about({**self._about, "engine": engine_mark()})
        del self._about

    def _write_about(self, about: dict[str, Any]) -> None:
        write_whole(self.path / "campaign.json", json.dumps({**about, "sum": _check_sum(about)}).encode())

    # Who works on it

    def acquire(self) -> int:
        """Take the campaign for this process; an `InputError` where another one has it."""
        descriptor = try_lock(self.path / "lock")
        if descriptor is None:
            number = self.worker()
            who = "another process" if number is None else f"process {number}"
            raise InputError(f"campaign {self.id}: {who} is working on it already")
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        return descriptor

    def working(self) -> bool:
        """Whether a process works on it now."""
        return is_locked(self.path / "lock")

    def worker(self) -> int | None:
        """The number of the process that works on it, or None."""
        text = self._text("lock") if self.working() else ""
        return int(text) if text.isdecimal() else None

    @property
    def wanted(self) -> bool:
        """Whether it should go on: nobody has stopped it."""
        return self._text("wanted") == "run"

    def starting(self) -> bool:
        """Whether a process was started for it a moment ago and has not begun yet."""
        return self.wanted and not self.working() and time.time() - _stamp(self.path / "wanted") / 1e9 < START_SECONDS

    def put_wish(self, word: str) -> None:
        """Say `run` or `stop`."""
        write_whole(self.path / "wanted", word.encode())

    @property
    def scheduler(self) -> str | None:
        """The Dask scheduler that works on it, or None for this machine."""
        return self._text("scheduler") or None

    def note_scheduler(self, address: str | None) -> None:
        """Remember who works on it."""
        write_whole(self.path / "scheduler", (address or "").encode())

    @property
    def process(self) -> int | None:
        """The number of the process that was started for it last, or None."""
        text = self._text("process")
        return int(text) if text.isdecimal() else None

    def note_process(self, number: int) -> None:
        """Remember which process was started for it."""
        write_whole(self.path / "process", str(number).encode())

    @property
    def trouble(self) -> str:
        """Why the last work on it ended early, or nothing."""
        return self._text("trouble")

    def note_trouble(self, words: str) -> None:
        """Remember why the work ended early."""
        write_whole(self.path / "trouble", words.encode())

    @property
    def status(self) -> CampaignStatus:
        """What is running now; nothing where nobody works on it."""
        if not self.working():
            return CampaignStatus()
        table = _table(self._text("status.json"))
        try:
            return CampaignStatus(**{**table, "running": tuple(map(str, table["running"]))})
        except (TypeError, KeyError):  # there is none yet, or it is damaged
            return CampaignStatus()

    def say(self, status: CampaignStatus) -> None:
        """Tell readers what is running."""
        write_whole(self.path / "status.json", json.dumps(asdict(status)).encode())

    def sessions(self) -> list[dict[str, Any]]:
        """One table for each time somebody worked on it."""
        return [table for table in map(_table, self._text("sessions.jsonl").splitlines()) if table]

    def note_session(self, table: dict[str, Any]) -> None:
        """Write down one time of work."""
        self._append("sessions.jsonl", json.dumps(table) + "\n")

    def _text(self, name: str) -> str:
        try:
            return read_file(self.path / name).decode(errors="replace")
        except FileNotFoundError:
            return ""

    def _append(self, name: str, line: str) -> None:
        """Add a line; the one before may have been torn by an interruption."""
        with (self.path / name).open("ab+") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else f"\n{line}"
            file.write(line.encode())


def _check_sum(table: dict[str, Any]) -> int:
    """Of values as JSON gives them back."""
    return zlib.crc32(json.dumps(json_of(json.dumps(table)), sort_keys=True).encode())


def _table(text: str) -> dict[str, Any]:
    """A JSON table, or an empty one where the text is something else."""
    try:
        found = json_of(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def list_campaigns(path: Path) -> list[CampaignFolder]:
    """All campaigns below a folder, the newest first; what cannot be read is left out."""
    found = []
    for each in path.glob("*/campaign.json"):
        folder = CampaignFolder(each.parent)
        if _readable(folder):
            found.append(folder)
    return sorted(found, key=lambda folder: (folder.created, folder.id), reverse=True)


def unreadable_campaigns(path: Path) -> dict[str, str]:
    """The folders of campaigns that cannot be read, and why."""
    found: dict[str, str] = {}
    for folder in sorted({part.parent for name in ("campaign.json", "runs") for part in path.glob(f"*/{name}")}):
        try:
            if CampaignFolder(folder).campaign:
                continue
        except InputError as error:
            found[folder.name] = str(error)
    return found


def final_solutions(results: Iterable[CampaignResult]) -> dict[Instance, list[FinalSolution]]:
    """The final solutions by instance, in the order of the runs."""
    grouped: dict[Instance, list[FinalSolution]] = {}
    for result in sorted(results, key=lambda each: (each.instance, each.index)):
        if result.final is not None:
            grouped.setdefault(result.instance, []).append(result.final)
    return grouped


@lru_cache(32)  # it never changes, and making all its tasks takes a while
def _described(text: str) -> Campaign:
    return Campaign.from_json(text)


def _readable(folder: CampaignFolder) -> bool:
    try:
        return bool(folder.campaign)
    except InputError:
        return False


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
