"""How good the maps are: feasibility, best feasible objective beside εDEag's, cells filled and cells won.

Every search gets the paper's budget and all its evaluations are counted, finite differences included. A run of one
search is compared with runs of the paper's three configurations from the same seed.

    python -m benchmarks.quality                                  36 instances, 25 runs of directed and paper-1..3
    python -m benchmarks.quality --quick                          the same with 2 runs, in about two minutes
    python -m benchmarks.quality --problems C01,C17 --dims 30 --runs 5
    python -m benchmarks.quality --gallery --runs 5               designs that no constant was chosen for
    python -m benchmarks.quality --suite "CEC 2017" --dims 10     a suite with its competition's budgets and best known
    python -m benchmarks.quality --suite "CEC 2020 real-world" --numbers odd --search directed
                                                                  only odd-numbered ones, which nothing was tuned on
    python -m benchmarks.quality --without polish --without aim   directed also without each of these, one at a time
    python -m benchmarks.quality --out docs/results/directed      writes directed.json and directed.md as it goes, and
                                                                  goes on where an earlier call was cut short
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from mapelites import Illumination, Settings, Tolerances
from mapelites.campaign.report.published import edeag_row
from mapelites.campaign.report.ranks import published_averages
from mapelites.campaign.report.scores import published_standings
from mapelites.campaign.statistics import final_solution
from mapelites.campaign.task import engine_mark
from mapelites.core.emitters import emitter_names
from mapelites.core.settings import SEARCHES
from mapelites.problems import dimensions, get, suites
from mapelites.problems.suites import cec2010, cec2017, gallery, suite_of

PAPER = ("paper-1", "paper-2", "paper-3")
RELATIVE, ABSOLUTE = 1e-4, 1e-8  # what still counts as equally good
QUICK_RUNS, FULL_RUNS = 2, 25
WITHOUT = " without "


@dataclass(frozen=True)
class Task:
    """One run to do."""

    search: str  # a search's name, or "directed without" an emitter
    problem: str
    dimension: int
    seed: int
    evaluations: int | None = None  # the search's own budget unless said


@dataclass(frozen=True)
class RunResult:
    """What a run found: its best feasible objective or least mean violation, and each occupied cell's objective."""

    task: Task
    best: float | None
    violation: float  # 0 where something is feasible
    cells: dict[int, float]
    operators: dict[str, int]
    spent: dict[str, int]
    seconds: float


@dataclass(frozen=True)
class InstanceRow:
    """All runs of one search on one instance."""

    search: str
    problem: str
    dimension: int
    runs: int
    feasibility_rate: float
    best: float | None
    median: float | None
    worst: float | None
    published: float | None
    as_good: bool
    occupied: float  # on average
    paper_occupied: float  # of the configuration that occupies most, on average
    wins: float | None  # share of common cells, against each configuration, on average
    wins_best: float | None  # the same against the best of the three in every cell
    spent: dict[str, float]  # share of the budget by emitter
    operators: dict[str, float]  # share of the final elites by what made them
    seconds: float
    best_known: float | None = None
    success_rate: float | None = None  # share of runs that reach the best known
    finals: tuple[tuple[float | None, float], ...] = ()  # of each run the best objective and the mean violation


def perform(task: Task) -> RunResult:
    """Do a run."""
    problem = get(task.problem, task.dimension)
    search, _, without = task.search.partition(WITHOUT)
    emitters = tuple(name for name in emitter_names() if name != without)
    changes = {} if task.evaluations is None else {"evaluations": task.evaluations}
    settings = Settings.of(search, task.dimension, seed=task.seed, emitters=emitters, **changes)
    run = Illumination(problem, Tolerances.default(problem), settings)
    started = time.process_time()
    run.advance(settings.evaluations)
    seconds = time.process_time() - started
    archive = run.archive()
    elites, final = archive.elites, final_solution(problem, archive.everything())
    cells = dict(zip(elites.cell.tolist(), elites.f.tolist(), strict=True))
    made = dict(Counter(elites.operator.tolist()))
    return RunResult(task, run.best_feasible, final.mean_violation, cells, made, run.spent, seconds)


def as_good(ours: float, theirs: float) -> bool:
    """Whether an objective is as good as another, or better."""
    return ours <= theirs + max(RELATIVE * abs(theirs), ABSOLUTE)


def share_won(ours: dict[int, float], theirs: dict[int, float]) -> float | None:
    """In what part of the cells that both occupy ours is as good or better; None where there are none."""
    common = ours.keys() & theirs.keys()
    return sum(as_good(ours[cell], theirs[cell]) for cell in common) / len(common) if common else None


def mean(numbers) -> float | None:
    """The mean of those that are numbers."""
    known = [number for number in numbers if number is not None]
    return float(np.mean(known)) if known else None


def parts(counts: list[dict[str, int]]) -> dict[str, float]:
    """Each name's part of all counts."""
    total = Counter()
    for each in counts:
        total.update(each)
    return {name: count / max(total.total(), 1) for name, count in total.items() if count}


def row(results: list[RunResult], paper: dict[tuple[str, int], RunResult]) -> InstanceRow:
    """Summarise the runs of one search on one instance; `paper` holds its runs by search and seed."""
    task = results[0].task
    found = np.sort([np.inf if each.best is None else each.best for each in results])
    published, known = reference(task.problem, task.dimension), get(task.problem, task.dimension).best_known
    pairs, strict = [], []
    for each in results:
        seed = each.task.seed
        others = [paper[name, seed].cells for name in PAPER if name != task.search and (name, seed) in paper]
        pairs += [share_won(each.cells, cells) for cells in others]
        lowest: dict[int, float] = {}
        for cells in others:
            lowest = {cell: min(cells.get(cell, np.inf), lowest.get(cell, np.inf)) for cell in cells.keys() | lowest}
        strict.append(share_won(each.cells, lowest))
    occupied = [[len(run.cells) for (name, _), run in paper.items() if name == search] for search in PAPER]
    feasible = found[np.isfinite(found)]
    median = float(np.median(found)) if np.isfinite(np.median(found)) else None
    return InstanceRow(
        search=task.search,
        problem=task.problem,
        dimension=task.dimension,
        runs=len(results),
        feasibility_rate=len(feasible) / len(results),
        best=float(feasible[0]) if len(feasible) else None,
        median=median,
        worst=float(feasible[-1]) if len(feasible) else None,
        published=published,
        as_good=median is not None and published is not None and as_good(median, published),
        occupied=float(np.mean([len(each.cells) for each in results])),
        paper_occupied=max((float(np.mean(each)) for each in occupied if each), default=0.0),
        wins=mean(pairs),
        wins_best=mean(strict),
        spent=parts([each.spent for each in results]),
        operators=parts([each.operators for each in results]),
        seconds=float(np.mean([each.seconds for each in results])),
        best_known=known,
        success_rate=None if known is None else float(np.mean([as_good(each, known) for each in found])),
        finals=tuple((each.best, each.violation) for each in results),
    )


def reference(problem: str, dimension: int) -> float | None:
    """The published median to compare with: εDEag's, CL-SRDE's or SASS's, or else the best objective known."""
    if problem in cec2010.NAMES:
        return edeag_row(problem, dimension).median.f
    if problem in cec2017.NAMES:
        row = published_averages(dimension).get(problem)
        return None if row is None or row.median_violation else row.median
    winner = published_standings(("SASS",))["SASS"].get(problem)
    if winner is not None and not winner.median_violation:
        return winner.median
    return get(problem, dimension).best_known


def tabulate(results: list[RunResult]) -> list[InstanceRow]:
    """One row per search and instance, in the order in which they were asked for."""
    groups: dict[tuple[str, str, int], list[RunResult]] = {}
    for each in results:
        groups.setdefault((each.task.search, each.task.problem, each.task.dimension), []).append(each)
    rows = []
    for (_, problem, dimension), group in groups.items():
        paper = {
            (name, run.task.seed): run for name in PAPER for run in groups.get((name, problem, dimension), [])
        }  # fmt: skip
        rows.append(row(group, paper))
    return rows


def number(value: float | None, digits: int = 6) -> str:
    return "-" if value is None else f"{value:.{digits}g}"


def summary(rows: list[InstanceRow]) -> list[str]:
    """The goals, one line per search, as a Markdown table."""
    lines = [
        "| search | feasibility rate 1 | success in every run | median as good as published or better | "
        "at least as many cells as the best of paper-1..3 | more cells | share of common cells won "
        "| against the best of the three |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for search in dict.fromkeys(each.search for each in rows):
        own = [each for each in rows if each.search == search]
        k = len(own)
        lines.append(
            f"| {search} | {sum(each.feasibility_rate == 1 for each in own)} of {k} "
            f"| {sum(each.success_rate == 1 for each in own)} of {k} "
            f"| {sum(each.as_good for each in own)} of {k} "
            f"| {sum(each.occupied >= each.paper_occupied for each in own)} of {k} "
            f"| {sum(each.occupied > each.paper_occupied for each in own)} of {k} "
            f"| {number(mean(each.wins for each in own), 3)} | {number(mean(each.wins_best for each in own), 3)} |"
        )
    return lines


def details(rows: list[InstanceRow]) -> list[str]:
    """One line per search and instance, as a Markdown table."""
    lines = [
        "| search | instance | feasibility rate | success rate | best | median | worst | published | as good | cells | "
        "cells of paper-1..3 | cells won | against the best of the three | seconds |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {each.search} | {each.problem} {each.dimension}D | {each.feasibility_rate:.2f} "
        f"| {number(each.success_rate, 2)} | {number(each.best)} "
        f"| {number(each.median)} | {number(each.worst)} | {number(each.published)} "
        f"| {'yes' if each.as_good else 'no'} "
        f"| {each.occupied:.1f} | {each.paper_occupied:.1f} | {number(each.wins, 3)} | {number(each.wins_best, 3)} "
        f"| {each.seconds:.2f} |"
        for each in rows
    ]
    return lines


def budgets(rows: list[InstanceRow]) -> list[str]:
    """Where the budget went and what made the elites, for each search, over its instances."""
    lines = ["| search | budget | final elites |", "|---|---|---|"]
    for search in dict.fromkeys(each.search for each in rows):
        own = [each for each in rows if each.search == search]
        texts = []
        for name in ("spent", "operators"):
            tables = [getattr(each, name) for each in own]
            shares = {
                key: mean(table.get(key, 0.0) for table in tables)
                for key in dict.fromkeys(k for t in tables for k in t)
            }
            texts.append(", ".join(f"{key} {share:.0%}" for key, share in sorted(shares.items(), key=lambda s: -s[1])))
        lines.append(f"| {search} | {texts[0]} | {texts[1]} |")
    return lines


def document(rows: list[InstanceRow], runs: int) -> str:
    """The whole report."""
    paragraphs = [
        "# Quality of the maps",
        f"{runs} runs of each search on each instance, with the paper's budget (200,000 evaluations in 10D, 600,000 "
        "in 30D) or that of the problem's own competition, and default levels, every evaluation counted, seeds from 1. "
        "Means are over runs. An objective is as good as "
        f"another within {RELATIVE:g} relative or {ABSOLUTE:g} absolute; a run succeeds where it is as good as the "
        "best known. Published are the medians of εDEag (CEC 2010), CL-SRDE (CEC 2017) and SASS (CEC 2020) of 25 "
        "runs, and the best known objectives of all others. Cells are won against each (other) one "
        "of paper-1..3 from the same seed, and against the best of them in every cell. "
        f"Made by `python -m benchmarks.quality`, Python {platform.python_version()}; seconds are processor time.",
        "\n".join(summary(rows)),
        "## Where the budget went",
        "\n".join(budgets([each for each in rows if each.search not in PAPER])),
        "## Every instance",
        "\n".join(details(rows)),
    ]
    return "\n\n".join(paragraphs) + "\n"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", action="append", choices=sorted(SEARCHES), help="default: directed and the paper's")
    parser.add_argument(
        "--without", action="append", default=[], choices=emitter_names(), help="directed without this emitter"
    )
    parser.add_argument("--problems", default=",".join(cec2010.NAMES), help="separated by commas")
    parser.add_argument("--gallery", action="store_true", help="the gallery's designs instead, beside their best known")
    parser.add_argument("--suite", choices=sorted(suites()), help="a suite's problems instead")
    parser.add_argument("--numbers", choices=("odd", "even"), help="only the suite's problems with such numbers")
    parser.add_argument("--evaluations", type=int, help="instead of the competition's budgets")
    parser.add_argument("--dims", default="10,30")
    parser.add_argument("--runs", type=int, default=FULL_RUNS)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_RUNS} runs")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, help="where to write .json and .md, without the ending")
    return parser.parse_args()


def instances(options: argparse.Namespace) -> list[tuple[str, int]]:
    """Problems and dimensions, the smaller ones first."""
    if options.suite:
        listed = suites()[options.suite]
        if options.numbers:
            listed = [name for name in listed if int(name[-1]) % 2 == (options.numbers == "odd")]
        sizes = [int(size) for size in options.dims.split(",")]
        own = {name: dimensions(name) for name in listed}
        return [
            (name, size) for place in range(len(sizes)) for name in listed
            for size in (own[name][:1 - place] if len(own[name]) == 1 else set(own[name]) & {sizes[place]})
        ]  # fmt: skip
    if options.gallery:
        return [(name, dimensions(name)[0]) for name in gallery.NAMES]
    return [(name, int(size)) for size in options.dims.split(",") for name in options.problems.split(",")]


def competition_budget(problem: str, dimension: int) -> int | None:
    """The evaluations of a run in the problem's competition; None where it has none."""
    suite = suite_of(problem)
    return suite.budget(problem, dimension) if suite and suite.budget else None


def kept(out: Path | None, runs: int) -> list[InstanceRow]:
    """The rows of an earlier call that was cut short, where search and number of runs are still the same."""
    file = out and out.with_suffix(".json")
    if not file or not file.exists():
        return []
    table = json.loads(file.read_text())
    return (
        [InstanceRow(**each) for each in table["rows"]]
        if (table["engine"], table["runs"]) == (engine_mark(), runs)
        else []
    )


def write(out: Path, rows: list[InstanceRow], runs: int) -> None:
    """Both files."""
    out.parent.mkdir(parents=True, exist_ok=True)
    table = {"engine": engine_mark(), "runs": runs, "rows": [asdict(each) for each in rows]}
    out.with_suffix(".json").write_text(json.dumps(table, indent=1) + "\n")
    out.with_suffix(".md").write_text(document(rows, runs))


def main() -> None:
    options = parse()
    runs = QUICK_RUNS if options.quick else options.runs
    searches = [*(options.search or ("directed", *PAPER)), *(f"directed{WITHOUT}{name}" for name in options.without)]
    perform(Task(searches[0], "C01", 10, 1))  # compile once, before there are several processes
    rows = kept(options.out, runs)
    have = {(each.search, each.problem, each.dimension) for each in rows}
    with ProcessPoolExecutor(options.processes) as pool:
        for place, (problem, dimension) in enumerate(instances(options)):
            if have.issuperset((search, problem, dimension) for search in searches):
                continue
            budget = options.evaluations or competition_budget(problem, dimension)
            seeds = range(1, runs + 1)
            tasks = [Task(search, problem, dimension, seed, budget) for search in searches for seed in seeds]
            new = tabulate(list(pool.map(perform, tasks)))
            again = {(each.search, each.problem, each.dimension) for each in new}
            rows = [each for each in rows if (each.search, each.problem, each.dimension) not in again] + new
            lines = details([each for each in new if each.search not in PAPER])
            print("\n".join(lines[2 * (place > 0) :]), flush=True)
            if options.out:
                write(options.out, rows, runs)
    print("\n".join(["", *summary(rows)]))


if __name__ == "__main__":
    main()
