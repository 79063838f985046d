"""`problems`, `run` and `show`: the engine from the terminal, without store or worker."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import numpy as np

from mapelites.answers.closest import closest_sentence
from mapelites.answers.suggestion import normalised_levels, suggested_levels
from mapelites.answers.words import broken_by
from mapelites.commands.parsing import whole_number
from mapelites.core.archive import Archive, Elite
from mapelites.core.errors import InputError, describe_raised, unknown
from mapelites.core.format import evaluation_rate, number, whole_percent
from mapelites.core.grouping import grouping
from mapelites.core.problem import Problem
from mapelites.core.settings import (
    ARCHIVES,
    DEFAULT_SEARCH,
    RULES,
    SEARCHES,
    SLOW_EVALUATIONS,
    SLOW_SEARCH,
    Settings,
    usual_search,
)
from mapelites.core.terms import named_limit, violation_text, with_unit
from mapelites.core.tolerances import Tolerances
from mapelites.evaluation.answer import RunServices
from mapelites.evaluation.known import KnownPoints, designs_of
from mapelites.evaluation.log_file import ScriptLog
from mapelites.problems import dimensions, get, names, own_problems, suites
from mapelites.runs.filled import FilledCellCounter
from mapelites.runs.pacing import StrideLength
from mapelites.runs.short_search import EVALUATIONS as SHORT_EVALUATIONS
from mapelites.runs.short_search import search_shortly
from mapelites.search import Illumination, compile_searches, illuminate
from mapelites.search.fidelity import LEAST_EVALUATIONS, check_cheap, promising_designs
from mapelites.snapshot.snapshot import Snapshot
from mapelites.system.files import temporary_sibling, whole_file
from mapelites.system.progress import ProgressLine

CHUNK_SECONDS = 0.1
SETTINGS = (
    "evaluations", "initial", "sigma", "bounds", "seed", "workers", "scheduler", "time_limit", "retries", "batch",
    "archive", "centroids",
)  # fmt: skip
MOST_SHOWN = 20
FROM_SEARCH = {"suggested": suggested_levels, "normalised": normalised_levels}  # levels that a short search finds
LEAST_SHORT, SHORT_SHARE = 200, 10  # of a function without a kernel: this part of the budget, but at least so many
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
    run.add_argument(
        "--log",
        type=Path,
        metavar="FILE",
        help="where the evaluations of a slow function are kept, so that none is made twice (by default beside --out)",
    )
    run.set_defaults(action=run_search)

    show = commands.add_parser("show", help="say what a saved map holds")
    show.add_argument("file", type=Path)
    show.set_defaults(action=show_file)


def add_search_options(command: argparse.ArgumentParser) -> None:
    """What describes a search: problem, tolerances and settings."""
    command.add_argument("problem", help="a problem's name, such as C16 or pressure-vessel")
    command.add_argument(
        "--dim", type=whole_number, help="number of variables where a problem leaves it open (default 10)"
    )
    add_problems_option(command)
    command.add_argument(
        "--search",
        help=f"one of {', '.join(SEARCHES)} (default {DEFAULT_SEARCH}; {SLOW_SEARCH} for up to {SLOW_EVALUATIONS:,} "
        "evaluations of a function without a kernel)",
    )
    command.add_argument("--seed", type=whole_number, default=1, help="the same seed gives the same map (default 1)")
    command.add_argument("--workers", type=whole_number, help="processes that evaluate a function without a kernel")
    command.add_argument("--scheduler", metavar="ADDRESS", help="have the workers of a Dask cluster evaluate instead")
    command.add_argument(
        "--time-limit", type=float, metavar="SECONDS", help="for one evaluation by a worker (no limit)"
    )
    command.add_argument("--retries", type=whole_number, help="of an evaluation that took too long or died (default 1)")
    command.add_argument("--start", type=Path, metavar="FILE", help="a CSV file of designs that are evaluated first")
    command.add_argument(
        "--known", type=Path, metavar="FILE", help="a CSV file of evaluations of before, which are not made again"
    )
    command.add_argument(
        "--cheap",
        metavar="PROBLEM",
        help="a quick version of the problem, which is searched first to see where to begin",
    )
    command.add_argument("--batch", type=whole_number, help="candidates under way at one time (default by the workers)")
    command.add_argument("--archive", choices=ARCHIVES, help="cells by the levels, or the nearest of some centroids")
    command.add_argument("--centroids", type=whole_number, help="how many of these (default 1000)")
    add_settings_options(command)
    command.add_argument(
        "--group",
        action="append",
        default=[],
        metavar="NAME=A,B,C..F",
        help="constraints that share one axis of the map, where the largest violation counts, such as flows=h1..h37; "
        "may be repeated; `none` for one axis each",
    )


def add_problems_option(command: argparse.ArgumentParser) -> None:
    """Where one's own problems are."""
    command.add_argument(
        "--problems", type=Path, action="append", default=[], metavar="FILE", help="a file or folder of your problems"
    )


def watch_problems(options: argparse.Namespace) -> None:
    """Read the files that the options name."""
    own_problems.watch(options.problems, getattr(options, "data", None) and Path(options.data) / "problems")


def add_settings_options(command: argparse.ArgumentParser) -> None:
    """How far a search departs from the one its name stands for."""
    command.add_argument("--evaluations", type=whole_number, help="budget of a run, by default the paper's")
    command.add_argument(
        "--initial",
        type=whole_number,
        help="how many of them fill the space first (default 2000, fewer where few are to be made)",
    )
    command.add_argument("--sigma", type=float, help="standard deviation of the mutation")
    command.add_argument("--bounds", choices=RULES, help="what happens beyond the bounds (default toroidal)")
    command.add_argument(
        "--levels",
        action="append",
        default=[],
        metavar="[NAME=]L,L,...",
        help="tolerance levels for all constraints or for one, as numbers in its unit or in per cent of its limit, "
        "such as shear=0,1%%,5%%,680psi; or `suggested` by a short search, or the paper's levels `normalised` by the "
        "violations that it knows; may be repeated",
    )
    command.add_argument(
        "--hard", action="append", default=[], metavar="NAME,...", help="constraints that are never relaxed"
    )


def parse_search(options: argparse.Namespace, out: Path | None = None) -> Illumination:
    """The search that the options describe, not yet begun; what it evaluates is kept beside `out`."""
    watch_problems(options)
    problem = named_problem(options.problem, options.dim)
    changes = {name: getattr(options, name) for name in SETTINGS}
    if options.start is not None:
        changes["start"] = designs_of(problem, options.start).tolist()
    name = options.search or usual_search(compiled=problem.compiled, evaluations=options.evaluations)
    settings = Settings.of(name, problem.dimension, **changes)
    groups = typed_groups(options.group, problem)
    tolerances = typed_tolerances(options, problem, groups, settings.evaluations)
    if options.cheap is not None:
        cheap = named_problem(options.cheap, options.dim)
        check_cheap(cheap, problem)
        most = max(settings.evaluations, LEAST_EVALUATIONS)
        there = illuminate(cheap, tolerances, SLOW_SEARCH, most, settings.seed, progress=False)
        settings = replace(settings, start=(*settings.start, *promising_designs(there).tolist()))
    outside = RunServices(patience=CHUNK_SECONDS)
    if out is not None and not problem.compiled and (settings.workers or settings.search == SLOW_SEARCH):
        outside = replace(
            outside, log=opened_log(options.log or log_beside(out, problem, tolerances, settings), problem)
        )
    search = Illumination(problem, tolerances, settings, outside)
    if options.known is not None:
        search.take_known(KnownPoints.of(problem, options.known))
    if settings.start:
        search.start_from(np.array(settings.start))
    return search


def log_beside(out: Path, problem: Problem, tolerances: Tolerances, settings: Settings) -> Path:
    """The log of one search: of another function, with other levels or another budget it is another file."""
    source: Any = problem.source.text
    if problem.source.kind == "file":  # what else stands there was measured, and may be other the next time
        source = [json.loads(source)[name] for name in ("digest", "helpers")]
    described = json.dumps([problem.name, source, repr(tolerances), settings.as_dict()])
    return out.with_name(f"{out.stem}-{sha256(described.encode()).hexdigest()[:8]}.log")


def opened_log(path: Path, problem: Problem) -> ScriptLog:
    """A log that is gone on with, with a word where it has something."""
    log = ScriptLog(path, problem)
    if log.count:
        sys.stderr.write(f"{log.count:,} evaluations of before are in {path}; they are not made again\n")
    return log


def typed_tolerances(
    options: argparse.Namespace, problem: Problem, groups: dict[str, list[str]] | None, evaluations: int
) -> Tolerances:
    """The levels that were typed, with those that a short search finds where that is asked for."""
    typed = typed_levels(options.levels, grouping(problem, groups).names)
    hard, asked = split_names(options.hard), {name: each[0] for name, each in typed.items() if is_found(each)}
    if not asked:
        return Tolerances.of(problem, typed, hard, groups)
    if options.group:
        raise InputError(f"--levels: {' and '.join(sorted(set(asked.values())))} cannot go together with --group")
    short = SHORT_EVALUATIONS
    if not problem.compiled:
        short = min(short, max(LEAST_SHORT, evaluations // SHORT_SHARE))
    there, levels = search_shortly(problem, short), dict[str, Sequence[float | str]](typed)
    for way in sorted(set(asked.values())):
        found = FROM_SEARCH[way](there)
        own = dict(zip(found.names, found.levels, strict=True))
        levels |= {name: own.get(name, (0.0,)) for name, each in asked.items() if each == way}
    told = Tolerances.of(problem, levels, hard)
    for each, steps in zip(told.axes(problem), told.levels, strict=True):
        if each.name in asked and each.name not in told.hard:
            words = ", ".join(violation_text(each, level) for level in steps if level)
            sys.stderr.write(f"{asked[each.name]} for {each.name}: 0, {words}\n")
    return told


def is_found(levels: Sequence[str]) -> bool:
    """Whether a word stands for levels that a short search finds."""
    return len(levels) == 1 and levels[0] in FROM_SEARCH


def typed_groups(typed: Iterable[str], problem: Problem) -> dict[str, list[str]] | None:
    """The constraints of each group that was typed; None where none was, so that the problem's own count.

    >>> from mapelites.problems import get
    >>> typed_groups(["first=h1..h3,h5"], get("RC05"))
    Traceback (most recent call last):
    mapelites.core.errors.InputError: group first: a constraint must be one of g1, g2, h1, h2, h3, h4, but it was 'h5'
    """
    names = [each.name for each in problem.constraints]
    found: dict[str, list[str]] = {}
    for text in typed:
        if text == "none":
            return {}
        title, equals, members = text.partition("=")
        if not equals or not title or not members:
            raise InputError(f"--group: a name and constraints are needed, such as flows=h1..h9, but it was {text!r}")
        for part in members.split(","):
            first, dots, last = part.strip().partition("..")
            for name in (first, last) if dots else (first,):
                if name not in names:
                    raise unknown(f"group {title}: a constraint", name, names)
            between = names[names.index(first) : names.index(last) + 1] if dots else [first]
            found.setdefault(title, []).extend(between)
    return found or None


def typed_levels(typed: Iterable[str], names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Levels by constraint from `0,1%` for all of them and `shear=0,5%` for one."""
    named: dict[str, tuple[str, ...]] = {}
    everywhere: tuple[str, ...] | None = None
    for text in typed:
        name, equals, levels = text.rpartition("=")
        if equals:
            named[name.strip()] = tuple(levels.split(","))
        else:
            everywhere = tuple(levels.split(","))
    others = {} if everywhere is None else dict.fromkeys(names, everywhere)
    return {**others, **named}


def split_names(typed: Iterable[str]) -> tuple[str, ...]:
    """Names from several options, each with commas between them."""
    return tuple(name.strip() for text in typed for name in text.split(",") if name.strip())


def named_problem(name: str, dimension: int | None) -> Problem:
    """The problem of that name; where there is none, a file that cannot be used may be the reason."""
    if name not in names():
        _tell(entry.error for entry in own_problems.entries())
    problem = own_problems.loaded(get(name, dimension))
    found = own_problems.entry_of(name)
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
    for entry in own_problems.entries():
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
    search = parse_search(options, options.out or Path(f"{options.problem}.npz".lower()))
    settings = search.settings
    out = options.out or Path(
        f"{options.problem}-{search.problem.dimension}d-{settings.search}-{settings.seed}.npz".lower()
    )
    check_place(out)
    started = time.perf_counter()
    curve: list[tuple[float, float, float]] = []
    code, why = 0, ""
    interrupts = InterruptWatch()
    try:
        with ProgressLine(settings.evaluations, quiet=options.quiet) as progress, interrupts.heard():
            _advance(search, progress, curve, interrupts)
    except KeyboardInterrupt:
        code, why = 130, INTERRUPTED
    except Exception as error:  # a function of one's own may raise anything
        if isinstance(error, InputError) and not search.evaluations:
            raise
        code, why = (130, INTERRUPTED) if interrupts else (1, f" after {describe_raised(error)}")
    finally:
        search.close()
    if not search.evaluations:
        sys.stderr.write(f"nothing was found, so nothing is saved{why}\n")
        return code
    snapshot = Snapshot.of(search, time.perf_counter() - started, np.array(curve, dtype=np.float64).reshape(-1, 3))
    save_file(out, snapshot.to_bytes())
    print(describe_archive(snapshot))
    print(f"saved to {out}{why}", file=sys.stderr if code == 1 else sys.stdout)
    return code


class InterruptWatch:
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
    search: Illumination, progress: ProgressLine, curve: list[tuple[float, float, float]], interrupts: InterruptWatch
) -> None:
    """Search to the end in pieces, each of which adds a point to the curve."""
    settings, stride, filled = search.settings, StrideLength(), FilledCellCounter(search)
    cells = settings.centroids if settings.archive == "centroids" else search.tolerances.cells
    while not search.done:
        spent, before, computed = search.evaluations, time.perf_counter(), time.thread_time()
        search.advance(stride.size)
        stride.learn(search.evaluations - spent, time.perf_counter() - before, time.thread_time() - computed)
        best = search.best_feasible
        occupied = filled.count()
        curve.append((search.evaluations, occupied, np.nan if best is None else best))
        progress.update(search.evaluations, f"{occupied}/{cells} cells  feasible {number(best)}")
        if interrupts:
            raise KeyboardInterrupt


def show_file(options: argparse.Namespace) -> None:
    """Describe a saved map and list its elites, best first."""
    snapshot = load_archive(options.file)
    archive = snapshot.archive()
    print(describe_archive(snapshot))
    print("\nconstraints")
    for constraint in archive.problem.constraints:
        hard = "  hard: satisfied everywhere" if constraint.name in archive.tolerances.hard else ""
        print(f"  {named_limit(constraint)}{f'  {constraint.meaning}' if constraint.meaning else ''}{hard}")
    print("\nelites, best first; within the allowances before those beyond")
    order = np.lexsort((archive.elites.f, ~archive.within_allowance))[:MOST_SHOWN].tolist()
    for elite, within in zip(map(archive.elite, order), archive.within_allowance[order], strict=True):
        word = "feasible" if elite.feasible else "within" if within else "beyond"
        print(f"  {number(archive.problem.shown_objective(elite.f)):>12}  {word:<8}  {broken_text(archive, elite)}")
    if len(archive) > MOST_SHOWN:
        print(f"  and {len(archive) - MOST_SHOWN} more; `export` writes them all")


def broken_text(archive: Archive, elite: Elite) -> str:
    """What an elite breaks, each by how much in its unit and in per cent."""
    raw = [*elite.g.tolist(), *elite.h.tolist()]
    pairs = zip(archive.problem.constraints, elite.violations, archive.problem.feasible_up_to, raw, strict=True)
    broken = [broken_by(each, float(v), own) for each, v, most, own in pairs if v > most]
    return ", ".join(broken) or "satisfies every constraint"


def load_archive(path: Path) -> Snapshot:
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
        os.lstat(temporary_sibling(path))
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"--out: {path}: {error.strerror}") from None


def save_file(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, for whoever may read a new file of this user."""
    save_written(path, lambda file: file.write(content))


def save_written(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Likewise a file that is written piece by piece."""
    check_place(path)
    try:
        with whole_file(path, 0o666) as file:
            write(file)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def describe_archive(snapshot: Snapshot) -> str:
    """A saved map in words."""
    archive = snapshot.archive()
    s = archive.statistics
    rate = snapshot.evaluations / snapshot.seconds if snapshot.seconds else 0.0
    speed = evaluation_rate(rate) if rate < 1.0 else f"{rate:,.0f}/s"
    within = archive.best_within_allowance()
    possible = f", {s.coverage_of_possible:.0%} of the {s.possible} that can exist" if s.possible < s.cells else ""
    lines = [
        f"{archive.problem.title} · {snapshot.spec.settings.search} · seed {snapshot.spec.settings.seed}",
        f"evaluations    {snapshot.evaluations:,} of {snapshot.spec.settings.evaluations:,} ({speed})",
        f"cells          {s.occupied:,} of {s.cells:,} ({whole_percent(s.coverage)}){possible}",
        f"best feasible  {_objective(archive, s.best_feasible)}",
        f"best allowed   {_objective(archive, None if within is None else within.f)}, within your allowances",
        f"QD score       {number(s.qd_score)}",
    ]
    if snapshot.refused:
        kinds = ", ".join(f"{count:,} {kind}" for kind, (count, _) in snapshot.failures.items())
        lines.append(f"refused        {snapshot.refused:,} candidates: {kinds or 'a value is not a finite number'}")
        lines += [f"  last {kind}: {words}" for kind, (_, words) in snapshot.failures.items() if words]
    if said := closest_sentence(archive):
        lines.append(f"how close      {said}")
    return "\n".join(lines)


def _objective(archive: Archive, f: float | None) -> str:
    """An objective as people mean it, with its name and unit where it has one."""
    problem = archive.problem
    if f is None:
        return number(None)
    named = "" if problem.objective == "f" else f"{problem.objective} "
    return f"{named}{with_unit(number(problem.shown_objective(f)), problem.objective_unit)}"
