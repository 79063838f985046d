"""`doctor`: looks at everything the dashboard needs, and says what to fix."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import re
import shutil
import socket
import stat
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mapelites.campaign.folder import unreadable_campaigns
from mapelites.campaign.process import campaigns_folder
from mapelites.commands.parsing import whole_number
from mapelites.core import compiled as compile_cache
from mapelites.core.errors import InputError
from mapelites.runs import Store
from mapelites.runs.errors import store_trouble
from mapelites.runs.presence import supervisor_presence as presence_of
from mapelites.system.cores import usable_cores

OLDEST_PYTHON = (3, 11)
LITTLE_ROOM, NO_ROOM = 2 * 10**9, 10**8  # bytes free
LITTLE_MEMORY = 10**9
FAR_SYSTEMS = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs", "ceph", "glusterfs", "lustre")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox")
ROOT = Path(__file__).parents[2]

Verdict = Literal["ok", "note", "fix"]


@dataclass(frozen=True)
class Diagnosis:
    """One thing looked at: how it is, in words, and what to do about it."""

    verdict: Verdict
    name: str
    words: str
    remedy: str = ""


def register(commands: Any) -> None:
    """Add this command to the parser."""
    doctor = commands.add_parser("doctor", help="check the set-up and say what to fix")
    doctor.add_argument("--data", type=Path, default=Store.default_path(), help="the store's folder")
    doctor.add_argument("--port", type=whole_number, default=8050, help="the port of the dashboard (default 8050)")
    doctor.add_argument(
        "--repair", action="store_true", help="put right what is damaged in the store; nothing is deleted"
    )
    doctor.set_defaults(action=report_findings)


def report_findings(options: argparse.Namespace) -> int:
    """One line for each thing; the exit code is 1 where something must be fixed."""
    if options.repair:
        repair_store(options.data)
    findings = list(find_everything(options.data, options.port))
    for each in findings:
        print(
            f"{each.verdict:<5} {each.name:<10} {each.words}" + (f"\n{'':<16} -> {each.remedy}" if each.remedy else "")
        )
    wrong = sum(each.verdict == "fix" for each in findings)
    print("\nall is well" if not wrong else f"\n{wrong} to fix")
    return 1 if wrong else 0


def repair_store(data: Path) -> None:
    """Put the store right, and say what was done."""
    if not data.is_dir():
        raise InputError(f"doctor: --repair needs a store, but there is none at {data}")
    lines = Store(data).repair().words()
    print("\n".join(lines) if lines else "there was nothing to repair")
    print()


def find_everything(data: Path, port: int) -> Iterator[Diagnosis]:
    """Everything there is to look at."""
    checks: tuple[Callable[[], Diagnosis], ...] = (
        check_interpreter, check_packages, check_compiled, check_machine,
        lambda: check_folder(data), lambda: check_disk(data), lambda: check_runs(data),
        lambda: check_campaigns(data),
        lambda: check_worker(data), lambda: check_token(data), lambda: check_port(port), check_browser,
    )  # fmt: skip
    for check in checks:
        yield check()


def check_interpreter() -> Diagnosis:
    """The interpreter."""
    words = f"Python {platform.python_version()} at {sys.executable}"
    if sys.version_info < OLDEST_PYTHON:
        return Diagnosis("fix", "python", words, "install Python 3.11 or newer, then `make clean run`")
    return Diagnosis("ok", "python", words)


def check_packages() -> Diagnosis:
    """What is installed against what is pinned."""
    file = ROOT / "requirements.txt"
    pinned = re.findall(r"^([\w-]+)==(\S+)", file.read_text(), re.MULTILINE) if file.exists() else []
    wrong = [
        f"{name} {_installed(name) or 'missing'} for {wanted}" for name, wanted in pinned if _installed(name) != wanted
    ]
    if wrong:
        return Diagnosis("fix", "packages", ", ".join(wrong), f"{sys.executable} -m pip install -r {file}")
    return Diagnosis(
        "ok", "packages", f"{len(pinned)} pinned, all there" if pinned else "no list of versions to compare"
    )


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def check_compiled() -> Diagnosis:
    """Whether the searches are compiled, and whether what is compiled can be kept."""
    place = compile_cache.cache_folder()
    if place is None:
        tried = " nor ".join(map(str, compile_cache.candidate_folders()))
        remedy = f"set {compile_cache.VARIABLE} to a folder that can be written; without it every start takes a minute"
        return Diagnosis("fix", "compiled", f"neither {tried} can be written", remedy)
    found = sum(1 for _ in place.rglob("*.nbi"))
    if found:
        return Diagnosis("ok", "compiled", f"{found} compiled functions are kept in {place}")
    return Diagnosis(
        "note", "compiled", "nothing is compiled yet: the first run waits a minute", "python -m mapelites compile"
    )


def check_machine() -> Diagnosis:
    """Cores and memory."""
    count = usable_cores()
    free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    words = f"{count} cores, {_bytes(free)} of memory free; {_runs(max(1, count - 1))} at once"
    if free < LITTLE_MEMORY:
        return Diagnosis("note", "machine", words, "a large map needs about 1 GB: close other programs")
    return Diagnosis("ok", "machine", words)


def check_folder(data: Path) -> Diagnosis:
    """Whether runs can be kept there."""
    place, remedy = _nearest(data), "name a folder with --data or MAPELITES_DATA"
    try:
        there = data.is_dir()
    except OSError as error:  # nobody may look there, or there cannot be such a name
        return Diagnosis("fix", "data", f"{data} cannot be used: {error.strerror}", remedy)
    found = next(each for each in _upwards(data) if os.path.lexists(each))
    if found != place:
        return Diagnosis("fix", "data", f"{found} is a file", remedy)
    hindrance = store_trouble(data) if there else None
    if hindrance or not os.access(place, os.W_OK | os.X_OK):
        words = hindrance or f"{place} cannot be written"
        return Diagnosis("fix", "data", words, f"chown -R {os.getuid()} {place}, or another folder with --data")
    kind = _file_system(place)
    if kind in FAR_SYSTEMS:
        remedy = "use a folder on a disk of this machine: locks do not hold over a network"
        return Diagnosis("fix", "data", f"{data} lies on {kind}", remedy)
    return Diagnosis("ok", "data", f"{data}" + ("" if there else " will be made at the first start"))


def check_disk(data: Path) -> Diagnosis:
    """Room for runs."""
    free = shutil.disk_usage(_nearest(data)).free
    words = f"{_bytes(free)} free where the runs are kept"
    if free < NO_ROOM:
        return Diagnosis("fix", "disk", words, "make room; until then running runs are paused and nothing is lost")
    if free < LITTLE_ROOM:
        return Diagnosis("note", "disk", words, "`python -m mapelites limit 1GB` has the runs page offer what could go")
    return Diagnosis("ok", "disk", words)


def check_runs(data: Path) -> Diagnosis:
    """Whether every run can be read, and none is from the future."""
    if not os.path.isdir(data / "cache"):
        return Diagnosis("ok", "runs", "none yet")
    try:
        store = Store(data)
        found, damaged, lost = store.runs(), store.damaged(), store.lost()
        unsound = {run.id: count for run in found if (count := _damaged_evaluations(store, run.id))}
        unproven = [words for run in found if run.findings and (words := store.jobs.trouble(run.id))]
    except InputError as error:
        return Diagnosis("fix", "runs", str(error), "put right what it says, or use another folder with --data")
    if damaged:
        words = f"{len(damaged)} of {len(found) + len(damaged)} cannot be read: {', '.join(damaged)}"
        return Diagnosis("fix", "runs", words, "`doctor --repair` brings back what it can; the others are not harmed")
    if lost:
        words = f"{len(lost)} of {len(found)} cannot be shown: {', '.join(lost)} ({next(iter(lost.values()))})"
        return Diagnosis("fix", "runs", words, f"`again {' '.join(lost)}` computes them again from their seeds")
    if unproven:
        return Diagnosis(
            "fix", "runs", "; ".join(unproven), "ask for them on the runs' pages again; the maps are not harmed"
        )
    if unsound:
        words = ", ".join(f"{count:,} logged evaluations of {run_id}" for run_id, count in unsound.items())
        return Diagnosis("note", "runs", f"{words} are damaged", "nothing: those that are needed are evaluated again")
    if any(run.created > time.time() + 60 for run in found):
        return Diagnosis("note", "runs", f"{len(found)}, some from the future", "set this machine's clock")
    return Diagnosis("ok", "runs", f"{len(found)}, all of them can be read")


def check_campaigns(data: Path) -> Diagnosis:
    """Whether every campaign can be read."""
    damaged = unreadable_campaigns(campaigns_folder(data)) if os.path.isdir(data) else {}
    if damaged:
        return Diagnosis("fix", "campaigns", "; ".join(damaged.values()), "begin it again, or take it from a backup")
    return Diagnosis("ok", "campaigns", "all of them can be read")


def _damaged_evaluations(store: Store, run_id: str) -> int:
    try:
        return store.damaged_evaluations(run_id)
    except InputError:  # its problem is not here
        return 0


def check_worker(data: Path) -> Diagnosis:
    """Whether somebody works on the queue."""
    alive, since = presence_of(data) if os.path.isdir(data) else (False, None)
    if alive:
        return Diagnosis(
            "ok", "worker", "is there" + (f", for {max(0.0, time.time() - since) / 60:.0f} min" if since else "")
        )
    if since is not None:
        return Diagnosis(
            "fix", "worker", "is there but does not move", "stop the dashboard and start it again; no run is lost"
        )
    return Diagnosis("note", "worker", "none is there: queued runs wait", "`make run` starts one with the dashboard")


def check_token(data: Path) -> Diagnosis:
    """Whether the token is for its owner alone."""
    try:
        mode = (data / "token").stat().st_mode
    except OSError:
        return Diagnosis("ok", "token", "none yet: it is made where other machines can come")
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        return Diagnosis("fix", "token", "others on this machine may read it", f"chmod 600 {data / 'token'}")
    return Diagnosis("ok", "token", "only its owner may read it")


def check_port(port: int) -> Diagnosis:
    """Whether the dashboard is at the port, or could be."""
    if not 0 < port < 65_536:
        raise InputError(f"port must be from 1 to 65,535, but it was {port:,}")
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
        return Diagnosis("ok", "port", f"{port} is free")
    except OSError as error:
        health = _health(port)
        if health is None:
            return Diagnosis("fix", "port", f"{port}: {error.strerror}", "start the dashboard with another --port")
    if all(health.values()):
        return Diagnosis("ok", "port", f"a dashboard answers at {port} and is well")
    ill = ", ".join(name for name, well in health.items() if not well)
    return Diagnosis("fix", "port", f"a dashboard answers at {port}, but not all is well: {ill}", "see its log")


def _health(port: int) -> dict[str, bool] | None:
    """What a dashboard at this port says of itself; None where something else, or nothing, answers."""
    try:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy knows this machine's own ports
        with direct.open(f"http://127.0.0.1:{port}/healthz", timeout=3) as answer:
            said = json.load(answer)
    except urllib.error.HTTPError as error:
        try:
            said = json.load(error)
        except ValueError:
            return None
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) and "worker" in said else None


def check_browser() -> Diagnosis:
    """Something to look at it with; only the tests need it on this machine."""
    for name in BROWSERS:
        if shutil.which(name):
            return Diagnosis("ok", "browser", f"{name} at {shutil.which(name)}")
    return Diagnosis("note", "browser", "none found here", "open the link on another machine (--host), or install one")


def _nearest(path: Path) -> Path:
    """The folder itself, or the nearest one above it that exists."""
    return next(each for each in _upwards(path) if os.path.isdir(each))


def _upwards(path: Path) -> list[Path]:
    """A path and all that lie above it."""
    path = path.expanduser().absolute()
    return [path, *path.parents]


def _file_system(path: Path) -> str:
    """The kind of file system that holds a folder, as far as the system tells."""
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    except OSError:
        return "unknown"
    holding = [mount for mount in mounts if path == Path(mount[1]) or Path(mount[1]) in path.parents]
    return max(holding, key=lambda mount: len(mount[1]))[2] if holding else "unknown"


def _runs(count: int) -> str:
    return f"{count} run" if count == 1 else f"{count} runs"


def _bytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB"
