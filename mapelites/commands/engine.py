"""`problems`, `run` and `show`: the engine from the terminal, without store or worker."""

from __future__ import annotations

import argparse
import csv
import json
import os
import secrets
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mapelites.archive import Archive, Elite
from mapelites.commands.parsing import whole
from mapelites.commands.progress import Progress
from mapelites.errors import InputError, raised
from mapelites.problem import Problem
from mapelites.problems import dimensions, get, names, own, suites
from mapelites.runs.pacing import Stride
from mapelites.search import DEFAULT_SEARCH, SEARCHES, Illumination, Settings, compile_searches
from mapelites.search.bounds import RULES
from mapelites.search.settings import ARCHIVES
from mapelites.slow import Outside
from mapelites.snapshot import Snapshot
from mapelites.tolerances import Tolerances, default_levels

CHUNK_SECONDS = 0.1
COLUMNS = ("cell", "f", "feasible", "found_at", "operator")  # of every table of elites
SETTINGS = (
    "evaluations", "initial", "sigma", "bounds", "seed", "workers", "scheduler", "time_limit", "retries", "archive",
    "centroids",
)  # fmt: skip
INTERRUPTED = " after an interrupt"


def register(commands: Any) -> None:
    """Add these commands to the parser."""
    listing = commands.add_parser("problems", help="list the problems")
    add_problems_option(listing)
    listing.set_defaults(action=list_problems)

    ready = commands.add_parser("compile", help="have every search ready, so that the first run starts at once")
    ready.set_defaults(action=compile_all)

    run = commands.add_parser("run", help="run one search and save its map")
    add_search_options(run)
    run.add_argument("--out", type=Path, help="the file to save, by default <problem>-<dim>d-<search>-<seed>.npz")
    run.add_argument("--quiet", action="store_true", help="no progress bar")
    run.set_defaults(action=run_search)

    show = commands.add_parser("show", help="say what a saved map holds")
    show.add_argument("file", type=Path)
    show.set_defaults(action=show_file)


def add_search_options(command: argparse.ArgumentParser) -> None:
    """What describes a search: problem, tolerances and settings."""
    command.add_argument("problem", help="a problem's name, such as C16 or pressure-vessel")
    command.add_argument("--dim", type=whole, help="number of variables where a problem leaves it open (default 10)")
    add_problems_option(command)
    command.add_argument(
        "--search", default=DEFAULT_SEARCH, help=f"one of {', '.join(SEARCHES)} (default {DEFAULT_SEARCH})"
    )
    command.add_argument("--seed", type=whole, default=1, help="the same seed gives the same map (default 1)")
    command.add_argument("--workers", type=whole, help="processes that evaluate a function without a kernel")
    command.add_argument("--scheduler", metavar="ADDRESS", help="have the workers of a Dask cluster evaluate instead")
    command.add_argument("--time-limit", type=float, metavar="SECONDS", help="for one evaluation by a worker")
    command.add_argument("--retries", type=whole, help="of an evaluation that raised, hung or died (default 1)")
    command.add_argument("--archive", choices=ARCHIVES, help="cells by the levels, or the nearest of some centroids")
    command.add_argument("--centroids", type=whole, help="how many of these (default 1000)")
    add_settings_options(command)


def add_problems_option(command: argparse.ArgumentParser) -> None:
    """Where one's own problems are."""
    command.add_argument(
        "--problems", type=Path, action="append", default=[], metavar="FILE", help="a file or folder of your problems"
    )


def watch_problems(options: argparse.Namespace) -> None:
    """Read the files that the options name."""
    own.watch(options.problems, getattr(options, "data", None) and Path(options.data) / "problems")


def add_settings_options(command: argparse.ArgumentParser) -> None:
    """How far a search departs from the one its name stands for."""
    command.add_argument("--evaluations", type=whole, help="budget of a run, by default the paper's")
    command.add_argument("--initial", type=whole, help="how many of them are random (default 2000; directed 200)")
    command.add_argument("--sigma", type=float, help="standard deviation of the mutation")
    command.add_argument("--bounds", choices=RULES, help="what happens beyond the bounds (default toroidal)")
    command.add_argument(
        "--levels",
        action="append",
        default=[],
        metavar="[NAME=]L,L,...",
        help="tolerance levels for all constraints or for one, such as g1=0,0.1,1; may be repeated",
    )


def parse_search(options: argparse.Namespace) -> Illumination:
    """The search that the options describe, not yet begun."""
    watch_problems(options)
    problem = _named(options.problem, options.dim)
    changes = {name: getattr(options, name) for name in SETTINGS}
    settings = Settings.of(options.search, problem.dimension, **changes)
    default: tuple[Any, ...] = default_levels(len(problem.constraints))
    named: dict[str, tuple[Any, ...]] = {}
    for text in options.levels:
        name, equals, numbers = text.rpartition("=")
        if equals:
            named[name] = tuple(numbers.split(","))
        else:
            default = tuple(numbers.split(","))
    constraints = {constraint.name: default for constraint in problem.constraints}
    tolerances = Tolerances.of(problem, {**constraints, **named})
    return Illumination(problem, tolerances, settings, Outside(patience=CHUNK_SECONDS))


def _named(name: str, dimension: int | None) -> Problem:
    """The problem of that name; where there is none, a file that cannot be used may be the reason."""
    if name not in names():
        _tell(entry.error for entry in own.entries())
    problem = own.loaded(get(name, dimension))
    found = own.entry_of(name)
    _tell(found.warnings if found else ())
    return problem


def _tell(said: Iterable[str]) -> None:
    for each in filter(None, said):
        sys.stderr.write(f"{each}\n")


def list_problems(options: argparse.Namespace) -> None:
    """One line per problem, and what is wrong with the files."""
    watch_problems(options)
    width = max(len(name) for listed in suites().values() for name in listed) + 2
    print(f"{'problem':<{width}} {'variables':<12} {'constraints':<26} best known")
    for suite, listed in suites().items():
        print(f"\n{suite}")
        for name in listed:
            print(f"{name:<{width}} {_line(name)}")
    for entry in own.entries():
        _tell((entry.error, *entry.warnings))


def _line(name: str) -> str:
    possible, problem = dimensions(name), get(name)
    spelled = f"{possible[0]} to {possible[-1]}" if len(possible) > 2 else ", ".join(map(str, possible))
    kinds = f"{problem.inequalities} inequality, {problem.equalities} equality"
    known = [(n, get(name, n).best_known) for n in ((10, 30) if len(possible) > 1 else possible)]
    best = ", ".join(
        f"{value:.10g}" + (f" in {n}D" if len(known) > 1 else "") for n, value in known if value is not None
    )
    return f"{spelled:<12} {kinds:<26} {best}"


def compile_all(_: argparse.Namespace) -> None:
    """Compile what was never compiled on this machine, with a word where that takes a while."""
    word = "Compiling the searches, once after an installation or an update: about a minute.\n"
    later = threading.Timer(5.0, sys.stderr.write, [word])
    later.daemon = True
    later.start()
    compile_searches(get("C01", 10))
    later.cancel()


def run_search(options: argparse.Namespace) -> int:
    """Run, show progress, save. Ctrl-C and an error of the problem's function end the search, and no more."""
    search = parse_search(options)
    settings = search.settings
    out = options.out or Path(
        f"{options.problem}-{search.problem.dimension}d-{settings.search}-{settings.seed}.npz".lower()
    )
    check_place(out)
    started = time.perf_counter()
    curve: list[tuple[float, float, float]] = []
    code, why = 0, ""
    interrupts = Interrupts()
    try:
        with Progress(settings.evaluations, quiet=options.quiet) as progress, interrupts.heard():
            _advance(search, progress, curve, interrupts)
    except KeyboardInterrupt:
        code, why = 130, INTERRUPTED
    except Exception as error:  # a function of one's own may raise anything
        if isinstance(error, InputError) and not search.evaluations:
            raise
        code, why = (130, INTERRUPTED) if interrupts else (1, f" after {raised(error)}")
    finally:
        search.close()
    if not search.evaluations:
        sys.stderr.write(f"nothing was found, so nothing is saved{why}\n")
        return code
    snapshot = Snapshot.of(search, time.perf_counter() - started, np.array(curve, dtype=np.float64).reshape(-1, 3))
    save(out, snapshot.to_bytes())
    print(describe(snapshot))
    print(f"saved to {out}{why}", file=sys.stderr if code == 1 else sys.stdout)
    return code


class Interrupts:
    """Whether somebody pressed Ctrl-C.

    Python raises it wherever it is, and compiled code may tell that as an error of another kind, or swallow it.
    """

    def __init__(self) -> None:
        self._came = False

    def __bool__(self) -> bool:
        return self._came

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Take down that one came, and raise it as ever."""
        if threading.current_thread() is not threading.main_thread():  # which never gets one
            yield
            return
        before = signal.signal(signal.SIGINT, self._note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _note(self, number: int, frame: Any) -> None:
        self._came = True
        raise KeyboardInterrupt


def _advance(
    search: Illumination, progress: Progress, curve: list[tuple[float, float, float]], interrupts: Interrupts
) -> None:
    """Search to the end in pieces, each of which adds a point to the curve."""
    settings, stride = search.settings, Stride()
    cells = settings.centroids if settings.archive == "centroids" else search.tolerances.cells
    while not search.done:
        spent, before, computed = search.evaluations, time.perf_counter(), time.thread_time()
        search.advance(stride.size)
        stride.learn(search.evaluations - spent, time.perf_counter() - before, time.thread_time() - computed)
        best = search.best_feasible
        curve.append((search.evaluations, search.occupied, np.nan if best is None else best))
        progress.update(search.evaluations, f"{search.occupied}/{cells} cells  feasible {number(best)}")
        if interrupts:
            raise KeyboardInterrupt


def show_file(options: argparse.Namespace) -> None:
    """Describe a saved map and list its elites, best first."""
    snapshot = load(options.file)
    archive = snapshot.archive()
    print(describe(snapshot))
    labels = [archive.tolerances.labels(i) for i in range(len(archive.tolerances.names))]
    print("\nelites, best first")
    for elite in sorted(archive, key=lambda each: each.f)[:20]:
        place = "  ".join(f"{name} {labels[i][elite.bins[i]]}" for i, name in enumerate(archive.tolerances.names))
        print(f"  {number(elite.f):>12}  {'feasible  ' if elite.feasible else 'infeasible'}  {place}")
    if len(archive) > 20:
        print(f"  and {len(archive) - 20} more; `export` writes them all")


def load(path: Path) -> Snapshot:
    """A saved map."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    try:
        return Snapshot.from_bytes(content)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def check_place(path: Path) -> None:
    """Whether a file can be written there, which is better known before there is anything to write."""
    if os.path.isdir(path):  # a `Path` would raise where it cannot look
        raise InputError(f"--out: it must be a file, but {path} is a folder")
    if not os.path.isdir(path.parent):
        raise InputError(f"--out: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"--out: the folder {path.parent} must be writable, but it is not")
    try:
        os.lstat(_beside(path))
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"--out: {path}: {error.strerror}") from None


def _beside(path: Path) -> Path:
    """The name under which a file is written at first."""
    return path.with_name(f"{path.name}.{secrets.token_hex(4)}")


def save(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, for whoever may read a new file of this user."""
    check_place(path)
    new = _beside(path)
    try:
        with open(new, "xb") as file:
            file.write(content)
        os.replace(new, path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    finally:
        new.unlink(missing_ok=True)


def describe(snapshot: Snapshot) -> str:
    """A saved map in words."""
    archive = snapshot.archive()
    s = archive.statistics
    rate = snapshot.evaluations / snapshot.seconds if snapshot.seconds else 0.0
    possible = f", {s.coverage_of_possible:.0%} of the {s.possible} that can exist" if s.possible < s.cells else ""
    lines = [
        f"{archive.problem.title} · {snapshot.settings.search} · seed {snapshot.settings.seed}",
        f"evaluations    {snapshot.evaluations:,} of {snapshot.settings.evaluations:,} ({rate:,.0f}/s)",
        f"cells          {s.occupied:,} of {s.cells:,} ({s.coverage:.0%}){possible}",
        f"best overall   {number(s.best)}",
        f"best feasible  {number(s.best_feasible)}",
        f"QD score       {s.qd_score:.4g}",
    ]
    if snapshot.refused:
        kinds = ", ".join(f"{count:,} {kind}" for kind, (count, _) in snapshot.failures.items())
        lines.append(f"refused        {snapshot.refused:,} candidates: {kinds or 'a value is not a finite number'}")
    return "\n".join(lines)


def number(value: float | None) -> str:
    """A value to four digits, or a word where there is none."""
    return "none yet" if value is None else f"{value:.4g}"


def elite_record(archive: Archive, elite: Elite) -> dict[str, Any]:
    """One elite as plain values, raw numbers in full precision."""
    labels = archive.tolerances.labels
    names = archive.tolerances.names
    values = [*elite.g, *elite.h]
    record = {
        "cell": elite.cell,
        **{f"bin_{name}": labels(i)[elite.bins[i]] for i, name in enumerate(names)},
        "f": elite.f,
        **{f"constraint_{name}" if name in COLUMNS else name: float(values[i]) for i, name in enumerate(names)},
        **{f"violation_{name}": float(elite.violations[i]) for i, name in enumerate(names)},
        "feasible": elite.feasible,
        "found_at": elite.found_at,
        "operator": elite.operator,
    }
    for name, value in zip(archive.problem.variables, elite.x, strict=True):
        record[f"variable_{name}" if name in record else name] = float(value)
    return record


def elites_csv(archive: Archive) -> str:
    """All elites as comma-separated values."""
    import io

    text = io.StringIO()
    rows = [elite_record(archive, elite) for elite in archive]
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["cell", "f"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def elites_json(archive: Archive) -> str:
    """All elites as a JSON list."""
    return json.dumps([elite_record(archive, elite) for elite in archive], indent=1) + "\n"
