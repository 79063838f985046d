"""How fast the search is, beside what it could be at best and beside its peers, all in one run.

For each problem: the compiled loop of each search; the kernel alone on the very candidates that the loop evaluates
(the limit), compiled as the loop is; pyribs' GridArchive with a GaussianEmitter at batch 1 and 256 on the same
problem; and Algorithm 1 in plain Python. Times on a shared machine are noisy, so each figure is the best of several
interleaved repetitions; the ratios are what counts.

    python -m benchmarks.speed [--problems C01,C17] [--dims 10,30] [--searches paper-1,paper-3] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from numba import njit

sys.path.insert(0, str(Path(__file__).parents[1]))

from mapelites import Settings, Tolerances
from mapelites.core.kernels import evaluate_rows
from mapelites.problems import get
from mapelites.problems.suites import cec2010
from mapelites.search import paper
from mapelites.search.state import accept, compute, make_map, new_state
from tests.search import plain

WARM_UP, CANDIDATES, REPEATS = 20_000, 20_000, 9


def copied(state):
    return state._replace(**{name: array.copy() for name, array in state._asdict().items()})


@njit(error_model="numpy")
def fill_with_candidates(kernel, state, m, numbers, rows, values):
    rng, counters, slot_of, xs, vs, tags = state
    for k in range(rows.shape[0]):
        made_by = paper.propose(rng, counters, xs, m.lower, m.upper, numbers, rows[k])
        compute(kernel, m, rows[k], values)
        accept(counters, slot_of, xs, vs, tags, m.grid, m.rule, rows[k], values, made_by)


def candidates(problem, m, settings, state):
    """The next candidates of a search, as the loop makes them."""
    rows, values = np.empty((CANDIDATES, problem.dimension)), np.empty(1 + len(problem.constraints))
    fill_with_candidates(problem.function, state, m, paper.loop_settings(settings), rows, values)
    return rows


def timed(function, *arguments):
    """Seconds of processor time, so that other programs on the machine count less."""
    started = time.process_time()
    function(*arguments)
    return time.process_time() - started


def loop_and_kernel(problem, search):
    """Evaluations per second of the loop, and of the kernel alone on the same points."""
    tolerances = Tolerances.default(problem)
    settings = Settings.of(search, problem.dimension, seed=1)
    grid = make_map(problem, tolerances)
    start = paper.advance(problem, grid, settings, new_state(problem, tolerances, 1), WARM_UP)
    points = candidates(problem, grid, settings, copied(start))
    out = np.empty((CANDIDATES, 1 + len(problem.constraints)))
    loop, kernel = [], []
    for _ in range(REPEATS):
        state = copied(start)
        loop.append(timed(paper.advance, problem, grid, settings, state, WARM_UP + CANDIDATES))
        kernel.append(timed(evaluate_rows, problem.function, points, problem.data, out))
    return CANDIDATES / min(loop), CANDIDATES / min(kernel)


def pyribs(problem, batch, rounds):
    """Evaluations per second of pyribs with the same operator, bins and problem."""
    from ribs.archives import GridArchive
    from ribs.emitters import GaussianEmitter
    from ribs.schedulers import Scheduler

    tolerances = Tolerances.default(problem)
    shape = tolerances.shape
    archive = GridArchive(
        solution_dim=problem.dimension, dims=shape, ranges=[(-0.5, size - 0.5) for size in shape], seed=1
    )
    middle = (problem.lower + problem.upper) / 2
    bounds = list(zip(problem.lower, problem.upper, strict=True))
    emitter = GaussianEmitter(archive, sigma=0.1, x0=middle, bounds=bounds, batch_size=batch, seed=1)
    scheduler = Scheduler(archive, [emitter])

    def run():
        for _ in range(rounds):
            values = problem.evaluate(scheduler.ask())
            scheduler.tell(-values.f, tolerances.bins(values.violations).astype(float))

    timed(run)
    return batch * rounds / min(timed(run) for _ in range(2))


def plain_python(problem):
    settings = Settings.of("paper-1", problem.dimension, evaluations=500, initial=200)
    levels = Tolerances.default(problem).levels
    return settings.evaluations / min(timed(plain.illuminate, problem, levels, settings) for _ in range(2))


def start_up():
    """Seconds from starting Python to the end of a first search of 1,000 evaluations, the cache being warm."""
    code = (
        "import time; t = time.perf_counter(); from mapelites import illuminate; from mapelites.problems import get;"
        "imported = time.perf_counter() - t; problem = get('C17', 10); t = time.perf_counter();"
        "illuminate(problem, search='paper-3', evaluations=1000); print(imported, time.perf_counter() - t)"
    )
    root = str(Path(__file__).parents[1])
    run = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    return [float(number) for number in run.stdout.split()]


def geometric_mean(numbers):
    return float(np.exp(np.mean(np.log(numbers))))


def measure(name, n, searches):
    """One row for each search; the peers are measured once."""
    problem = get(name, n)
    peers = {
        "pyribs_1": pyribs(problem, 1, 300),
        "pyribs_256": pyribs(problem, 256, 20),
        "python": plain_python(problem),
    }
    rows = []
    for search in searches:
        loop, kernel = loop_and_kernel(problem, search)
        row = {"problem": name, "dimension": n, "loop": loop, "kernel": kernel, "ratio": loop / kernel, **peers}
        print(
            f"{name} {n}D {search}  {loop / 1e6:6.2f} M/s  {kernel / 1e6:6.2f} M/s  {row['ratio']:5.2f}  "
            f"{row['pyribs_1']:9,.0f}/s  {row['pyribs_256']:9,.0f}/s  {row['python']:8,.0f}/s",
            flush=True,
        )
        rows.append(row)
    return rows


def summarise(n, search, rows):
    """Geometric means over the problems."""
    means = {key: geometric_mean([row[key] for row in rows]) for key in rows[0] if key not in ("problem", "dimension")}
    print(
        f"{n}D {search} geometric means: loop {means['loop'] / 1e6:.2f} M/s, "
        f"kernel alone {means['kernel'] / 1e6:.2f} M/s, ratio {means['ratio']:.2f}; "
        f"{means['loop'] / means['pyribs_1']:,.0f} times pyribs at batch 1, "
        f"{means['loop'] / means['pyribs_256']:,.1f} times at batch 256, "
        f"{means['loop'] / means['python']:,.0f} times plain Python"
    )
    return {"dimension": n, "search": search, "means": means, "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default=",".join(cec2010.NAMES))
    parser.add_argument("--dims", default="10,30")
    parser.add_argument("--searches", default="paper-1,paper-3")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    searches = options.searches.split(",")
    print("                     loop      kernel alone  ratio  pyribs b=1  pyribs b=256  plain Python")
    summary = []
    for n in map(int, options.dims.split(",")):
        measured = [measure(name, n, searches) for name in options.problems.split(",")]
        for search, rows in zip(searches, zip(*measured, strict=True), strict=True):
            summary.append(summarise(n, search, rows))
    imported, first = start_up()
    print(f"start-up, cache warm: import {imported:.2f} s, first search of 1,000 evaluations {first:.3f} s")
    if options.json:
        options.json.write_text(json.dumps(summary, indent=1) + "\n")


if __name__ == "__main__":
    main()
