"""`runs`, `start`, `pause`, `resume`, `stop`, `again`, `pace`, `delete`, `export`, `import`, `limit` and `worker`.

Runs that outlive the terminal. The dashboard uses the same store.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

from mapelites.commands.engine import (
    add_problems_option,
    add_search_options,
    describe_archive,
    load_archive,
    parse_search,
    save_written,
    watch_problems,
)
from mapelites.commands.parsing import whole_number
from mapelites.core.errors import InputError
from mapelites.core.format import byte_size, number
from mapelites.runs import Run, RunRequest, Store, presence
from mapelites.runs.entries import ID
from mapelites.runs.record import OVER
from mapelites.runs.supervisor import Supervisor, start_supervisor
from mapelites.snapshot.exports import csv_pieces, json_pieces
from mapelites.system import logs
from mapelites.system.cores import ONE_THREAD
from mapelites.system.processes import end_with_starter, exit_at_once
from mapelites.system.progress import ProgressLine

FOLLOW_SECONDS = 0.1
SETTLE_SECONDS = 5.0  # far longer than a worker takes to do what is asked of it
ABSENT_SECONDS = 5.0  # longer than a worker takes to start
UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def register(commands: Any) -> None:
    """Add these commands to the parser."""
    _command(commands, "runs", "list what the store holds", list_runs)
    start = _command(commands, "start", "queue a run and follow it", start_run)
    add_search_options(start)
    start.add_argument("--pace", type=float, help="at most so many evaluations per second")
    start.add_argument("--detach", action="store_true", help="only queue it, and print its id")
    start.add_argument("--quiet", action="store_true", help="no progress bar")
    verbs: list[tuple[str, str, Callable[[Store, str], None]]] = [
        ("pause", "halt a run so that it can go on later", Store.pause),
        ("resume", "let a run go on that was paused or stopped, or failed", Store.resume),
        ("stop", "end a run before its budget is spent", Store.stop),
    ]
    for name, about, change in verbs:
        _command(commands, name, about, _changing(change)).add_argument("run", nargs="+", help="ids of runs")
    again = _command(commands, "again", "queue the same run once more, from its seed on", run_again)
    again.add_argument("run", nargs="+", help="ids of runs")
    pace = _command(commands, "pace", "slow a run down, or let it go", set_pace)
    pace.add_argument("run", help="a run's id")
    pace.add_argument("pace", help="evaluations per second, or none")
    delete = _command(commands, "delete", "put a run away; for ten minutes it can be brought back", delete_runs)
    delete.add_argument("run", nargs="+", help="ids of runs")
    delete.add_argument("--undo", action="store_true", help="bring it back")
    _register_files(commands)
    worker = _command(commands, "worker", "search what is queued, until told to leave", be_supervisor)
    worker.add_argument("--wait", action="store_true", help="wait for the worker that is there, and take over")
    worker.add_argument("--with-parent", action="store_true", help="leave when the process that started it is gone")
    worker.add_argument("--processes", type=whole_number, help="runs at once (default: cores less one)")
    add_problems_option(worker)


def _register_files(commands: Any) -> None:
    export = _command(commands, "export", "write the elites of a run or of a saved map as a table", export_run)
    export.add_argument("run", help="a run's id, or a file")
    kind = export.add_mutually_exclusive_group()
    kind.add_argument("--csv", action="store_true", help="comma-separated values (the default)")
    kind.add_argument("--json", action="store_true", help="a list of objects")
    kind.add_argument("--npz", action="store_true", help="the whole run with its history, for `import`")
    export.add_argument("--out", type=Path, help="a file instead of the terminal")
    take_in = _command(commands, "import", "take a run in from a file", import_run)
    take_in.add_argument("file", type=Path)
    limit = _command(commands, "limit", "say or set how large the store should get", set_limit)
    limit.add_argument("size", nargs="?", help="such as 500MB or 2GB, or none")


def _command(commands: Any, name: str, about: str, action: Callable[[argparse.Namespace], Any]) -> Any:
    command = commands.add_parser(name, help=about)
    command.add_argument(
        "--data", type=Path, default=Store.default_path(), help=f"the store's folder (default {Store.default_path()})"
    )
    command.set_defaults(action=action)
    return command


def _changing(change: Callable[[Store, str], None]) -> Callable[[argparse.Namespace], None]:
    def action(options: argparse.Namespace) -> None:
        store = Store(options.data)
        for run_id in options.run:
            change(store, run_id)
            print(f"run {run_id} is {_settled(store, run_id)}")
            if reason := store.run(run_id).reason:
                print(reason)
        if any(store.run(run_id).state == "queued" for run_id in options.run):
            _say_if_nobody_works(store)

    return action


def run_again(options: argparse.Namespace) -> None:
    """Begin runs anew that were lost, or that somebody wants to see once more."""
    store = Store(options.data)
    for run_id in options.run:
        print(f"run {run_id} is computed again as run {store.again(run_id)}")
    _say_if_nobody_works(store)


def _settled(store: Store, run_id: str) -> str:
    """The state, after the worker had a moment to bring it about, or what it is still asked for."""
    until = time.monotonic() + SETTLE_SECONDS
    while (wish := store.entries.record(run_id).wish) and time.monotonic() < until:
        time.sleep(0.02)
    return f"asked to {wish}, which its worker has not done yet" if wish else store.run(run_id).state


def _say_if_nobody_works(store: Store) -> None:
    if not store.worker().alive:
        sys.stderr.write(f"no worker is there to search; start one with {_worker_command(store)}\n")


def _worker_command(store: Store) -> str:
    return f"`python -m mapelites worker --data {shlex.quote(str(store.path))}`"


def list_runs(options: argparse.Namespace) -> None:
    """One line per run, the newest first, and how the store is."""
    store = Store(options.data)
    runs, deleted = store.runs(), store.deleted()
    width = max([len("problem"), *(len(_problem(run)) for run in (*runs, *deleted))]) + 2
    print(
        f"{'run':<10}{'state':<10}{'problem':<{width}}{'search':<12}{'evaluations':>25}{'cells':>8}"
        f"{'best feasible':>15}  size"
    )
    for run in runs:
        print(_line(run, width))
        if run.reason:
            print(f"{'':<10}{run.reason}")
    for run in deleted:
        print(f"{_line(run, width)}  deleted")
    for run_id, text in store.damaged().items():
        print(f"{text}; `delete {run_id}` erases it")
    worker, limit = store.worker(), store.limit
    working = f"a worker is on {len(worker.running)} of them" if worker.alive else "no worker is there"
    print(byte_size(store.size()) + (f" of {byte_size(limit)}" if limit else "") + f" in {store.path}; {working}")
    if worker.problem:
        print(worker.problem)
    offered = store.over_limit()
    if offered:
        print(f"over the limit; the oldest that could go: {' '.join(run.id for run in offered)}")


def _problem(run: Run) -> str:
    return f"{run.request.problem} {run.request.dimension}D"


def _line(run: Run, width: int) -> str:
    """A run, with so much room for its problem."""
    request = run.request
    spent = f"{run.evaluations:,} of {request.settings.evaluations:,}"
    return (
        f"{run.id:<10}{run.state:<10}{_problem(run):<{width}}{request.settings.search:<12}{spent:>25}{run.occupied:>8,}"
        f"{number(run.best_feasible):>15}  {byte_size(run.size)}"
    )


def start_run(options: argparse.Namespace) -> int:
    """Queue a run and show how it gets on; Ctrl-C leaves it to the worker."""
    if options.known is not None:
        raise InputError(
            "--known goes with `run`, which keeps its evaluations in a log, and not with a run in the store"
        )
    search = parse_search(options)
    request = RunRequest.of(search.problem, search.tolerances, search.settings, options.pace)
    store = Store(options.data)
    run_id = store.create(request)
    print(f"run {run_id}", flush=True)
    if options.detach:
        _say_if_nobody_works(store)
        return 0
    try:
        with _somebody_works(store, options.problems):
            run = _follow(store, run_id, options.quiet)
    except KeyboardInterrupt:
        print(f"run {run_id} is {store.run(run_id).state}; `resume` and the worker take it from there")
        return 130
    snapshot = store.snapshot(run_id)
    if snapshot is not None:
        print(describe_archive(snapshot))
    print(f"run {run_id} is {run.state}" + (f": {run.reason}" if run.reason else ""))
    return 1 if run.state == "failed" else 0


@contextmanager
def _somebody_works(store: Store, problems: Sequence[Path]) -> Iterator[None]:
    """Make sure of a worker: where there is none, one for as long as this lasts."""
    if store.worker().alive:
        yield
        return
    worker = start_supervisor(store.path, problems=problems)
    try:
        yield
    finally:
        worker.terminate()
        worker.send_signal(signal.SIGCONT)  # somebody may have frozen it
        try:
            worker.wait(10)
        except subprocess.TimeoutExpired:
            worker.kill()


class AbsentWorkerNotice:
    """Says once that the worker is gone, and again when it was back in between."""

    def __init__(self, store: Store) -> None:
        self._store, self._since, self._said = store, time.monotonic(), False

    def look(self, now: float) -> None:
        """See whether a worker is there."""
        if presence.supervisor_presence(self._store.path)[0]:
            self._since, self._said = now, False
        elif now - self._since > ABSENT_SECONDS and not self._said:
            self._said = True
            sys.stderr.write(f"\nthe worker is gone; the run goes on with {_worker_command(self._store)}\n")


def _follow(store: Store, run_id: str, quiet: bool) -> Run:
    """Redraw the bar until nothing more happens to the run."""
    seen, run, absence = -1, store.run(run_id), AbsentWorkerNotice(store)
    with ProgressLine(run.request.settings.evaluations, quiet=quiet) as progress:
        while run.state not in (*OVER, "paused") and run.deleted is None:
            absence.look(time.monotonic())
            version = store.version(run_id)
            if version != seen:
                seen, run = version, store.run(run_id)
                cells = f"{run.occupied:,} of {run.request.cells:,} cells"
                progress.update(run.evaluations, f"{run.state}, {cells}, best feasible {number(run.best_feasible)}")
            time.sleep(FOLLOW_SECONDS)
    return run


def set_pace(options: argparse.Namespace) -> None:
    """Change how fast a run may go."""
    try:
        pace = None if options.pace == "none" else float(options.pace)
    except ValueError:
        raise InputError(
            f"pace must be a number of evaluations per second, or none, but it was {options.pace!r}"
        ) from None
    store = Store(options.data)
    state = store.run(options.run).state
    if state == "finished":
        raise InputError(f"run {options.run}: to be given a pace it must have something left to do, but it is {state}")
    store.set_pace(options.run, pace)
    speed = "as fast as it can" if pace is None else f"at {pace:,g} evaluations per second at most"
    print(f"run {options.run} is {state} and goes {speed}")


def delete_runs(options: argparse.Namespace) -> None:
    """Put runs away, or bring them back."""
    store = Store(options.data)
    damaged = store.damaged()
    for run_id in options.run:
        if options.undo:
            store.undelete(run_id)
            print(f"run {run_id} is back, {store.run(run_id).state}")
        elif run_id in damaged:
            store.delete(run_id)
            print(f"run {run_id} was damaged and is erased")
        else:
            store.delete(run_id)
            print(f"run {run_id} is deleted; for ten minutes `delete --undo {run_id}` brings it back")


def export_run(options: argparse.Namespace) -> None:
    """All elites with full precision, or the whole run."""
    write = _exported(options)
    if options.out:
        save_written(options.out, write)
    else:
        write(sys.stdout.buffer)
        sys.stdout.flush()


def _exported(options: argparse.Namespace) -> Callable[[IO[bytes]], None]:
    """What writes the export to a file, piece by piece."""
    file = Path(options.run)
    if os.path.exists(options.run) or not ID.fullmatch(options.run):
        if options.npz:
            raise InputError(f"--npz is for a run of the store, but {options.run} is a file")
        snapshot = load_archive(file)
    else:
        store = Store(options.data)
        if options.npz:
            return partial(_write_run, store, options.run)
        found = store.snapshot(options.run)
        if found is None:
            raise InputError(
                f"run {options.run}: it must have begun to have elites, but it is {store.run(options.run).state}"
            )
        snapshot = found
    archive = snapshot.archive()
    pieces = json_pieces(archive) if options.json else csv_pieces(archive)
    return lambda out: out.writelines(piece.encode() for piece in pieces)


def _write_run(store: Store, run_id: str, out: IO[bytes]) -> None:
    """The whole run; first to a file that can be gone back in, as the terminal or a pipe cannot."""
    with tempfile.TemporaryFile() as whole:
        store.export_to(run_id, whole)
        whole.seek(0)
        shutil.copyfileobj(whole, out)


def import_run(options: argparse.Namespace) -> None:
    """Take a run in."""
    load_archive(options.file)  # says what is wrong with the file
    store = Store(options.data)
    run_id = store.import_run(options.file.read_bytes())
    print(f"run {run_id} is {store.run(run_id).state}")


def set_limit(options: argparse.Namespace) -> None:
    """Set the limit, or say what it is."""
    store = Store(options.data)
    if options.size is not None:
        store.set_limit(None if options.size == "none" else _parse_bytes(options.size))
    print("no limit" if store.limit is None else byte_size(store.limit))


def _parse_bytes(text: str) -> int:
    plain = text.strip().upper().replace(" ", "")
    digits = plain.rstrip("KMGTB")
    try:
        return int(float(digits) * UNITS[plain[len(digits) :] or "B"])
    except (ValueError, KeyError, OverflowError):
        raise InputError(f"limit must be a size such as 500MB or 2GB, or none, but it was {text!r}") from None


def be_supervisor(options: argparse.Namespace) -> None:
    """Be the supervisor; numerical libraries get one thread each, which they must know before they load."""
    if options.processes is not None and options.processes < 1:
        raise InputError(f"--processes must be 1 or more, but it was {options.processes}")
    watch_problems(options)
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        arguments = [sys.executable, "-m", "mapelites", *sys.argv[1:]]
        os.execve(sys.executable, arguments, {**os.environ, **ONE_THREAD})
    logs.set_up("worker")
    if options.with_parent:
        end_with_starter()
    Supervisor(options.data, options.processes).run(wait=options.wait)
    exit_at_once(0)
