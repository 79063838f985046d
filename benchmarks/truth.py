"""How true are the answers? Regret over the questions of a map, beside a loop of SLSQP over the same questions.

The questions are the feasible corner, each constraint relaxed alone, all alike, and each two alike, by the levels of
the gallery's limits (1, 2, 5, 10 %) or the paper's. Regret is (answer - truth) / |truth of the corner|. The truth is
the best that anything has ever found, kept in `benchmarks/data/truth.json.gz` as solutions, and re-evaluated here.

    python -m benchmarks.truth --set gallery --improve     better references: SLSQP from many starts, and long runs
    python -m benchmarks.truth --set gallery --out docs/results/truth-gallery
    python -m benchmarks.truth --set cutest --every 5 ...  every fifth problem by name; needs requirements-truth.txt

SLSQP is SciPy's, with differences, in variables scaled to their bounds; integers stay where a start has them.
Of two loops `multistart` solves each question from several random starts, `sweep` solves the corner so and then every
question from the answer of the nearest stricter one; `ipopt` is a sweep with IPOPT in place of SLSQP, where that is
installed (`pip install cyipopt-wheels`). Every evaluation of everybody is counted.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).parents[1]))

from mapelites import Illumination, Problem, Settings, Tolerances
from mapelites.core.lattice import Lattice
from mapelites.problems import get
from mapelites.problems.suites import gallery
from mapelites.search.sharpen import Sharpening

KEPT = Path(__file__).parent / "data" / "truth.json.gz"
KEPT_CUTEST = KEPT.with_name("truth-cutest.json.gz")
CEC = ("C01 10", "C02 10", "C07 10", "C08 10", "C09 10", "C13 10", "C14 10", "C16 10")
BUDGETS = (2_000, 20_000, 200_000)
MOST_QUESTIONS = 120
STARTS = 5  # of the multistart, for each question; four times as many for the corner of the sweep
CLOSE, NEAR = 1e-3, 1e-2
TINY = 1e-6  # where the truth of the corner is smaller, a regret is relative to the question's own truth, or to this
LENIENT = 1e-6  # by which SLSQP's answers may exceed a tolerance


@dataclass
class Count:
    """Evaluations so far."""

    spent: int = 0


@dataclass(frozen=True)
class Found:
    """The answers of one method: f of each question, the evaluations when all was done, and seconds."""

    f: list[float]
    evaluations: int
    seconds: float
    x: list[list[float] | None] = field(default_factory=list)


@dataclass(frozen=True)
class MethodRow:
    """One method on one problem."""

    problem: str
    method: str
    questions: int
    close: float  # share within 0.1 %
    near: float  # share within 1 %
    median: float
    worst: float
    evaluations: float
    seconds: float


def problems(name: str) -> Mapping[str, Problem]:
    """The problems of a set."""
    if name == "gallery":
        return {each: get(each) for each in gallery.NAMES}
    if name == "cec2010":
        return {each: get(each.split()[0], int(each.split()[1])) for each in CEC}
    from benchmarks.cutest import Problems  # an extra package

    return Problems()


def asked(problem: Problem) -> tuple[Tolerances, Lattice, np.ndarray]:
    """The levels of a problem, and its questions as places on their lattice and as tolerances."""
    tolerances = Tolerances.default(problem)
    lattice = Lattice.of(tolerances.names, tolerances.levels, problem.feasible_up_to)
    corner = np.zeros((1, len(lattice.shape)), dtype=np.int64)
    rows = [corner, lattice.singles(), lattice.alike()]
    if len(lattice.shape) > 1:
        pairs = lattice.pairs()
        rows.append(pairs[((pairs == pairs.max(axis=1, keepdims=True)) | (pairs == 0)).all(axis=1)])
    places = np.concatenate(rows)
    places = places[np.sort(np.unique(places, axis=0, return_index=True)[1])]
    if len(places) > MOST_QUESTIONS:  # the first ones and an even draw of the rest
        rest = np.linspace(len(rows[0]) + len(rows[1]), len(places) - 1, MOST_QUESTIONS - len(rows[1]) - 1).astype(int)
        places = places[np.unique(np.r_[np.arange(len(rows[1]) + 1), rest])] if len(rows[1]) < MOST_QUESTIONS else (
            places[np.unique(np.linspace(0, len(places) - 1, MOST_QUESTIONS).astype(int))]
        )  # fmt: skip
    return tolerances, lattice, places


class Loop:
    """SLSQP on one problem at any tolerances, by differences, every evaluation counted."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.count = problem, Count()
        self.width = problem.upper - problem.lower
        self.free = problem.steps == 0.0

    def values(self, z: np.ndarray) -> np.ndarray:
        """f, g and h at a point of the unit box."""
        self.count.spent += 1
        return self.problem.values((self.problem.lower + self.width * np.clip(z, 0.0, 1.0))[None])[0]

    def solve(self, tolerances: np.ndarray, start: np.ndarray) -> tuple[float, np.ndarray]:
        """One descent: the objective within the tolerances, infinite where there is none, and the point."""
        m, last, slopes = self.problem.inequalities, {}, {}

        def at(z):
            if z.tobytes() not in last:
                last.clear()
                last[z.tobytes()] = self.values(z)
            return last[z.tobytes()]

        def jacobian(z):
            if z.tobytes() not in slopes:
                slopes.clear()
                here, columns = at(z), np.zeros((1 + len(self.problem.constraints), z.size))
                for j in np.flatnonzero(self.free):
                    by = 1e-7 if z[j] + 1e-7 <= 1.0 else -1e-7
                    beside = z.copy()
                    beside[j] += by
                    columns[:, j] = (self.values(beside) - here) / by
                slopes[z.tobytes()] = columns
            return slopes[z.tobytes()]

        z0 = np.clip((start - self.problem.lower) / self.width, 0.0, 1.0)
        size = max(abs(at(z0)[0]), 1e-6)
        sizes = np.maximum(np.abs(at(z0)[1:]), 1.0)
        bounds = [(0.0, 1.0) if free else (z, z) for z, free in zip(z0, self.free, strict=True)]

        def inside(z):
            g, h = at(z)[1 : 1 + m], at(z)[1 + m :]
            return np.concatenate([(tolerances[:m] - g) / sizes[:m], (tolerances[m:] - h) / sizes[m:],
                                   (tolerances[m:] + h) / sizes[m:]])  # fmt: skip

        def slopes_inside(z):
            rows = jacobian(z)[1:] / sizes[:, None]
            return np.concatenate([-rows[:m], -rows[m:], rows[m:]])

        with np.errstate(all="ignore"):
            try:
                found = self.descend(
                    lambda z: at(z)[0] / size, lambda z: jacobian(z)[0] / size, z0, bounds,
                    {"type": "ineq", "fun": inside, "jac": slopes_inside},
                )  # fmt: skip
            except ValueError:  # what SLSQP says where the function has no value
                found = z0
            values = self.values(found)
        beyond = np.r_[np.maximum(values[1 : 1 + m], 0.0), np.abs(values[1 + m :])] - tolerances
        scale = np.maximum(1.0, np.array([each.reference or 1.0 for each in self.problem.constraints]))
        good = np.isfinite(values).all() and (beyond <= LENIENT * scale).all()
        return (float(values[0]) if good else np.inf), self.problem.lower + self.width * np.clip(found, 0.0, 1.0)

    def descend(self, f, slope, start, bounds, constraint) -> np.ndarray:
        """SciPy's SLSQP."""
        return minimize(
            f, start, jac=slope, bounds=bounds, constraints=constraint, method="SLSQP",
            options={"maxiter": 200, "ftol": 1e-9},
        ).x  # fmt: skip

    def best(self, tolerances: np.ndarray, starts: Iterable[np.ndarray]) -> tuple[float, np.ndarray | None]:
        """The best of several starts."""
        found = [self.solve(tolerances, start) for start in starts]
        f, x = min(found, key=lambda each: each[0])
        return f, x if np.isfinite(f) else None


class InteriorPoint(Loop):
    """The same with IPOPT, where the package cyipopt-wheels is installed; curvature is learned (limited memory)."""

    def descend(self, f, slope, start, bounds, constraint) -> np.ndarray:
        """IPOPT, with a tolerance of 1e-8 and at most 200 iterations."""
        from cyipopt import minimize_ipopt  # an extra package

        options = {
            "max_iter": 200,
            "tol": 1e-8,
            "print_level": 0,
            "sb": "yes",
            "hessian_approximation": "limited-memory",
        }
        return np.clip(
            minimize_ipopt(f, start, jac=slope, bounds=bounds, constraints=constraint, options=options).x, 0, 1
        )


def random_starts(problem: Problem, count: int, rng: np.random.Generator) -> np.ndarray:
    return problem.rounded(problem.lower + (problem.upper - problem.lower) * rng.random((count, problem.dimension)))


def multistart(problem: Problem, tolerances: np.ndarray, seed: int) -> Found:
    """Each question from so many random starts."""
    loop, rng, began = Loop(problem), np.random.default_rng(seed), time.process_time()
    found = [loop.best(each, random_starts(problem, STARTS, rng)) for each in tolerances]
    return Found([f for f, _ in found], loop.count.spent, time.process_time() - began, [_list(x) for _, x in found])


def sweep(problem: Problem, tolerances: np.ndarray, seed: int, solver: type[Loop] = Loop) -> Found:
    """The corner from many starts, then each question from the answer of the nearest stricter one."""
    loop, rng, began = solver(problem), np.random.default_rng(seed), time.process_time()
    found: list[tuple[float, np.ndarray | None]] = []
    for i, each in enumerate(tolerances):
        stricter = [k for k in range(i) if (tolerances[k] <= each).all() and found[k][1] is not None]
        if stricter:
            nearest = max(stricter, key=lambda k: (tolerances[k] == each).sum())
            best = loop.best(each, [found[nearest][1]])
            known = min((found[k] for k in stricter), key=lambda pair: pair[0])
            found.append(best if best[0] <= known[0] else known)
        else:
            found.append(loop.best(each, random_starts(problem, 4 * STARTS, rng)))
    return Found([f for f, _ in found], loop.count.spent, time.process_time() - began, [_list(x) for _, x in found])


def directed(problem: Problem, levels: Tolerances, places: np.ndarray, budget: int, seed: int) -> Found:
    """The answers of one run."""
    began = time.process_time()
    run = Illumination(problem, levels, Settings.of("directed", problem.dimension, evaluations=budget, seed=seed))
    run.advance(budget)
    archive = run.archive()
    answers, everything = archive.answers(), archive.everything()
    rows = answers.row(places)
    x = [None if row < 0 else everything.x[row].tolist() for row in rows]
    return Found(answers.f(places).tolist(), run.evaluations, time.process_time() - began, x)


def _list(x: np.ndarray | None) -> list[float] | None:
    return None if x is None else x.tolist()


class References:
    """The best solutions ever found, by problem and question; a question is its tolerances, written out."""

    def __init__(self, path: Path = KEPT) -> None:
        self.path = path
        self.kept: dict[str, dict[str, list[float]]] = (
            json.loads(gzip.decompress(path.read_bytes())) if path.exists() else {}
        )

    def truth(self, name: str, problem: Problem, tolerances: np.ndarray) -> np.ndarray:
        """f of every question, of solutions within it as they are re-evaluated; infinite where none is known."""
        found = np.full(len(tolerances), np.inf)
        solutions = list(self.kept.get(name, {}).values())
        if solutions:
            values = problem.evaluate(np.array(solutions))
            for i, each in enumerate(tolerances):
                inside = (values.violations <= each).all(axis=1) & np.isfinite(values.f)
                found[i] = values.f[inside].min(initial=np.inf)
        return found

    def learn(
        self, name: str, problem: Problem, tolerances: np.ndarray, solutions: Iterable[list[float] | None]
    ) -> int:
        """Take what is better than what is kept. Returns how many questions got better."""
        points = [each for each in solutions if each is not None]
        if not points:
            return 0
        before = self.truth(name, problem, tolerances)
        values, better = problem.evaluate(np.array(points)), 0
        for i, each in enumerate(tolerances):
            inside = np.flatnonzero((values.violations <= each).all(axis=1) & np.isfinite(values.f))
            if len(inside):
                row = inside[np.argmin(values.f[inside])]
                if not np.isfinite(before[i]) or values.f[row] < before[i] - 1e-10 * abs(before[i]):
                    self.kept.setdefault(name, {})[json.dumps(each.tolist())] = list(map(float, points[row]))
                    better += 1
        return better

    def save(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(gzip.compress(json.dumps(self.kept, separators=(",", ":")).encode(), mtime=0))


def improve(name: str, problem: Problem, references: References, seeds: int, budget: int) -> None:
    """Better references: long runs, both loops, and a sharpening of every question from all that is known."""
    levels, lattice, places = asked(problem)
    tolerances = lattice.tolerances_of(places)
    better = 0
    for seed in range(101, 101 + seeds):
        better += references.learn(name, problem, tolerances, directed(problem, levels, places, budget, seed).x)
        better += references.learn(name, problem, tolerances, sweep(problem, tolerances, seed).x)
    for each in tolerances:
        known = list(references.kept.get(name, {}).values())
        work = Sharpening(problem, each, np.array(known).reshape(-1, problem.dimension)[-40:], 4_000, seed=7)
        while not work.done:
            work.advance(1_000)
        better += references.learn(name, problem, tolerances, work.elites().x.tolist())
    print(f"{name}: {better} answers better", flush=True)


def row_of(name: str, method: str, truth: np.ndarray, found: list[Found]) -> MethodRow:
    """Shares over the questions that have an answer at all, and over the runs."""
    known = np.isfinite(truth)
    corner = abs(truth[0]) if np.isfinite(truth[0]) else np.abs(truth[known]).max(initial=0.0)
    size = corner if corner > TINY else np.maximum(np.abs(truth[known]), TINY)
    f = np.array([each.f for each in found])[:, known]
    regret = (f - truth[known]) / size
    return MethodRow(
        name, method, int(known.sum()), float((regret <= CLOSE).mean()), float((regret <= NEAR).mean()),
        float(np.median(regret)), float(regret.max(initial=0.0)), float(np.mean([each.evaluations for each in found])),
        float(np.mean([each.seconds for each in found])),
    )  # fmt: skip


def compare(
    name: str, problem: Problem, references: References, seeds: int, budgets: list[int], peers: list[str]
) -> list[MethodRow]:
    """Every method on one problem; the peers that are slow have one seed."""
    levels, lattice, places = asked(problem)
    tolerances = lattice.tolerances_of(places)
    found: dict[str, list[Found]] = {}
    for seed in range(1, 1 + seeds):
        for budget in budgets:
            found.setdefault(f"directed {budget:,}", []).append(directed(problem, levels, places, budget, seed))
        found.setdefault("sweep", []).append(sweep(problem, tolerances, seed))
        if seed == 1 and "multistart" in peers:
            found["multistart"] = [multistart(problem, tolerances, seed)]
        if seed == 1 and "ipopt" in peers:
            found["ipopt"] = [sweep(problem, tolerances, seed, InteriorPoint)]
    for runs in found.values():
        for run in runs:
            references.learn(name, problem, tolerances, run.x)
    truth = references.truth(name, problem, tolerances)
    rows = [row_of(name, method, truth, runs) for method, runs in found.items()]
    share = next(each.close for each in rows if each.method == "sweep")
    equal = until_as_true(name, problem, truth, share, 1, max(budgets))
    return rows if equal is None else [*rows, equal]


def until_as_true(
    name: str, problem: Problem, truth: np.ndarray, share: float, seed: int, most: int
) -> MethodRow | None:
    """A run stopped as soon as this share of its questions is within 0.1 %; None where it never is."""
    levels, _, places = asked(problem)
    run = Illumination(problem, levels, Settings.of("directed", problem.dimension, evaluations=most, seed=seed))
    known, at = np.isfinite(truth), 500
    while at <= most:
        run.advance(at - run.evaluations)
        found = Found(run.archive().answers().f(places).tolist(), run.evaluations, 0.0)
        row = row_of(name, "directed until as true as the sweep", truth, [found])
        if row.close >= share and known.any():
            return row
        at = int(at * 1.2)
    return None


def table(rows: list[MethodRow]) -> str:
    """One line per problem and method, and the means."""
    methods = list(dict.fromkeys(each.method for each in rows))
    lines = ["| problem | questions | " + " | ".join(methods) + " |", "|---" * (2 + len(methods)) + "|"]
    for name in dict.fromkeys(each.problem for each in rows):
        own = {each.method: each for each in rows if each.problem == name}
        cells = [
            f"{own[m].close:.0%}, {own[m].near:.0%}, {own[m].evaluations:,.0f}" if m in own else "-" for m in methods
        ]
        lines.append(f"| {name} | {next(iter(own.values())).questions} | " + " | ".join(cells) + " |")
    means = []
    for m in methods:
        own = [each for each in rows if each.method == m and each.questions]
        means.append(f"{np.mean([e.close for e in own]):.1%}, {np.mean([e.near for e in own]):.1%}")
    return "\n".join([*lines, "| mean | | " + " | ".join(means) + " |"])


def document(kind: str, rows: list[MethodRow], seeds: int, every: int) -> str:
    chosen = f" --every {every}" if every > 1 else ""
    return "\n\n".join([
        f"# Truth of the answers: {kind}",
        "Share of questions within 0.1 % and within 1 % of the best known, and evaluations. "
        f"{seeds} seeds of `directed` and of the sweep, one of the others (multistart: {STARTS} starts a question). "
        f"Made by `python -m benchmarks.truth --set {kind}{chosen}`, Python {platform.python_version()}.",
        table(rows),
    ]) + "\n"  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=("gallery", "cec2010", "cutest"), default="gallery", dest="kind")
    parser.add_argument("--problems", default="", help="some of the set, separated by commas")
    parser.add_argument("--every", type=int, default=1, help="of the set take each that many-th by name")
    parser.add_argument("--peers", default="multistart", help="beside the sweep: multistart, ipopt, both or none")
    parser.add_argument("--improve", action="store_true", help="improve the references instead")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budgets", default=",".join(map(str, BUDGETS)))
    parser.add_argument("--out", type=Path, help="where to write .json and .md, without the ending")
    options = parser.parse_args()
    chosen = problems(options.kind)
    names = [each for each in options.problems.split(",") if each] or list(chosen)[:: options.every]
    references, rows = References(KEPT_CUTEST if options.kind == "cutest" else KEPT), []
    for name in names:
        if options.improve:
            improve(name, chosen[name], references, options.seeds, max(map(int, options.budgets.split(","))))
            references.save()
            continue
        budgets, peers = [int(b) for b in options.budgets.split(",")], options.peers.split(",")
        new = compare(name, chosen[name], references, options.seeds, budgets, peers)
        rows += new
        references.save()
        print("\n".join(table(new).splitlines()[2 * (len(rows) > len(new)) : -1]), flush=True)
        if options.out:
            options.out.parent.mkdir(parents=True, exist_ok=True)
            options.out.with_suffix(".json").write_text(json.dumps([asdict(each) for each in rows], indent=1) + "\n")
            options.out.with_suffix(".md").write_text(document(options.kind, rows, options.seeds, options.every))


if __name__ == "__main__":
    main()
