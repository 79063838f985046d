"""Few evaluations of dear functions: the search `surrogate` beside local solvers and other optimisers, in one run.

Every function is called as a plain one, and a call gives f, g and h together. The gap is that of the best feasible
solution to the best known one, in per cent of that (of 1 where it is 0), from 1e-4 to 1,000; nothing feasible counts
as 1,000. "4 at a time" asks for each candidate before the three before it are answered. A question
asks for the best solution with one constraint relaxed by 1, 2, 5 or 10 % of its limit; the truth is the best of what
all found and of descents by SLSQP from there. Cells are those of the default levels.

    python -m benchmarks.expensive --evaluations 100 200 --seeds 3 --out docs/results/expensive.md

With `--keep FOLDER` what was evaluated is kept there, and not evaluated again by the next call.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import defaultdict, deque
from importlib.util import find_spec
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from mapelites import Search, Tolerances
from mapelites.problems import get

DESIGNS = (
    "pressure-vessel", "welded-beam", "tension-spring", "speed-reducer", "three-bar-truss", "i-beam", "himmelblau",
    "reactor-network",
)  # fmt: skip
OTHERS = (
    ("C01", 10), ("C05", 10), ("C07", 10), ("C13", 10), ("C14", 10), ("C17", 10), ("g01", None), ("g04", None),
    ("g06", None), ("g07", None), ("g09", None),
)  # fmt: skip
LEAST, MOST = 1e-4, 1_000.0
PERCENT = (1.0, 2.0, 5.0, 10.0)


class SpentError(Exception):
    """The budget is gone."""


class Counted:
    """A problem's function in the unit box: every solution once, up to a budget."""

    def __init__(self, problem, budget):
        self.problem, self.budget = problem, budget
        self.width = problem.upper - problem.lower
        self.x, self.values, self._known = [], [], {}

    def __call__(self, u):
        x = np.clip(self.problem.lower + self.width * np.asarray(u, float), self.problem.lower, self.problem.upper)
        key = x.tobytes()
        if key not in self._known:
            if len(self.x) >= self.budget:
                raise SpentError
            self._known[key] = self.problem.values(x[None])[0]
            self.x.append(self.problem.rounded(x[None])[0])
            self.values.append(self._known[key])
        return self._known[key]

    def slack(self, u):
        """What must not be negative: inequalities, and equalities within their tolerance on both sides."""
        values, m, tolerance = self(u), self.problem.inequalities, self.problem.equality_tolerance
        return np.r_[-values[1 : 1 + m], tolerance - values[1 + m :], tolerance + values[1 + m :]]


def by_surrogate(at_a_time):
    def run(counted, seed):
        search = Search(counted.problem, evaluations=counted.budget, seed=seed)
        m, under_way = counted.problem.inequalities, deque()
        while True:
            while len(under_way) < at_a_time:
                under_way.append(search.ask(1))
            x = under_way.popleft()
            values = counted((x[0] - counted.problem.lower) / counted.width)
            search.tell(x, values[:1], values[None, 1 : 1 + m], values[None, 1 + m :])

    return run


def by_scipy(method):
    def run(counted, seed):
        from scipy.optimize import minimize

        rng, n, m = np.random.default_rng(seed), counted.problem.dimension, counted.problem.inequalities
        constraints = [{"type": "ineq", "fun": counted.slack}]
        options = {"maxiter": 10 * counted.budget, "rhobeg": 0.25, "catol": 0.0}
        if method == "SLSQP":
            constraints = [{"type": "ineq", "fun": lambda u: -counted(u)[1 : 1 + m]}] if m else []
            if counted.problem.equalities:
                constraints.append({"type": "eq", "fun": lambda u: counted(u)[1 + m :]})
            options = {"maxiter": 200}
        if method == "COBYQA":
            options = {"initial_tr_radius": 0.25}
        while True:  # from another point whenever it has ended
            start = rng.random(n)
            minimize(lambda u: counted(u)[0], start, method=method, bounds=[(0, 1)] * n, constraints=constraints,
                     options=options)  # fmt: skip

    return run


def by_cma(counted, seed):
    import cma
    from cma.constraints_handler import AugmentedLagrangian

    n, m, count = counted.problem.dimension, counted.problem.inequalities, len(counted.problem.constraints)
    while True:
        seed += 1
        function = cma.ConstrainedFitnessAL(lambda u: counted(u)[0], lambda u: list(counted(u)[1:]), dimension=n)
        function._al = AugmentedLagrangian(n, equality=np.arange(count) >= m)  # ConstrainedFitnessAL knows g <= 0 only
        cma.fmin2(function, [0.5] * n, 0.25, {"bounds": [0, 1], "seed": seed, "verbose": -9})


def by_optuna(counted, seed):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    held = {}

    def objective(trial):
        u = [trial.suggest_float(f"u{i}", 0.0, 1.0) for i in range(counted.problem.dimension)]
        values = counted(u)
        held[trial.number] = list(-counted.slack(u))
        return float(values[0])

    sampler = optuna.samplers.TPESampler(seed=seed, constraints_func=lambda trial: held[trial.number])
    optuna.create_study(sampler=sampler).optimize(objective, n_trials=10 * counted.budget)


def by_pymoo(counted, seed):
    from pymoo.algorithms.soo.nonconvex.isres import ISRES
    from pymoo.core.problem import ElementwiseProblem
    from pymoo.optimize import minimize

    problem = counted.problem

    class InUnitBox(ElementwiseProblem):
        def __init__(self):
            super().__init__(n_var=problem.dimension, n_obj=1, xl=0.0, xu=1.0,
                             n_ieq_constr=problem.inequalities + 2 * problem.equalities)  # fmt: skip

        def _evaluate(self, u, out):
            out["F"], out["G"] = counted(u)[0], -counted.slack(u)

    while True:
        minimize(InUnitBox(), ISRES(n_offsprings=20), ("n_eval", 100 * counted.budget), seed=seed)
        seed += 1


PEERS = {
    "surrogate": by_surrogate(1),
    **{f"surrogate, {count} at a time": by_surrogate(count) for count in (2, 4, 8)},
    "COBYLA": by_scipy("COBYLA"), "COBYQA": by_scipy("COBYQA"), "SLSQP": by_scipy("SLSQP"),
    **({"pycma, augmented Lagrangian": by_cma} if find_spec("cma") else {}),
    **({"Optuna, TPE": by_optuna} if find_spec("optuna") else {}),
    **({"pymoo, ISRES": by_pymoo} if find_spec("pymoo") else {}),
}  # fmt: skip


def kept(folder, problem, peer, budget, seed):
    """What a peer evaluated, and the seconds it computed: from the folder, or made now and kept there."""
    if folder is None:
        return evaluated(problem, peer, budget, seed)
    path = folder / f"{problem.name}-{peer.replace(' ', '-')}-{budget}-{seed}.npz"
    if not path.exists():
        x, values, seconds = evaluated(problem, peer, budget, seed)
        np.savez(path, x=x, values=values, seconds=seconds)
    with np.load(path) as found:
        return found["x"], found["values"], float(found["seconds"])


def evaluated(problem, peer, budget, seed):
    """What a peer evaluated: solutions and values, and the seconds that it computed."""
    counted, started = Counted(problem, budget), time.process_time()
    try:
        PEERS[peer](counted, seed)
    except SpentError:
        pass
    except Exception as error:  # a peer that gives up has what it has
        sys.stderr.write(f"{peer} on {problem.name}: {type(error).__name__} {error}\n")
    return np.array(counted.x), np.array(counted.values), time.process_time() - started


def violations(problem, values):
    m = problem.inequalities
    return np.concatenate([np.maximum(values[:, 1 : 1 + m], 0.0), np.abs(values[:, 1 + m :])], axis=1)


def gap(problem, values):
    """In per cent, and whether anything is feasible."""
    fine = np.isfinite(values).all(axis=1)
    feasible = fine & problem.feasible(violations(problem, values))
    if not feasible.any():
        return MOST, False
    above = 100.0 * (values[feasible, 0].min() - problem.best_known) / (abs(problem.best_known) or 1.0)
    return min(max(above, LEAST), MOST), True


def questions(problem):
    """One constraint relaxed at a time, by some per cent."""
    found = []
    for i, each in enumerate(problem.constraints):
        for percent in PERCENT if each.reference else ():
            tolerance = problem.feasible_up_to.copy()
            tolerance[i] = max(tolerance[i], percent / 100.0 * each.reference)
            found.append(tolerance)
    return found


def answer(problem, values, tolerance):
    inside = (violations(problem, values) <= tolerance).all(axis=1) & np.isfinite(values).all(axis=1)
    return (values[inside, 0].min(), int(np.flatnonzero(inside)[values[inside, 0].argmin()])) if inside.any() else None


def truth(problem, tolerance, starts):
    """The lowest f within the tolerances: of the starts, and of descents from them."""
    from scipy.optimize import minimize

    counted, best = Counted(problem, 10**7), np.inf
    m = problem.inequalities

    def slack(u):
        values = counted(u)
        return np.r_[
            tolerance[:m] - values[1 : 1 + m], tolerance[m:] - values[1 + m :], tolerance[m:] + values[1 + m :]
        ]

    for x, f in starts:
        best = min(best, f)
        if not problem.steps.any():
            minimize(lambda u: counted(u)[0], (x - problem.lower) / counted.width, method="SLSQP",
                     bounds=[(0, 1)] * problem.dimension, constraints=[{"type": "ineq", "fun": slack}])  # fmt: skip
    values = np.array(counted.values).reshape(-1, 1 + len(problem.constraints))
    found = answer(problem, values, tolerance) if len(values) else None
    return min(best, found[0]) if found else best


def shares(problem, runs):
    """For each peer the share of questions that it answers within 1 and 10 %, of all its runs."""
    counts = {peer: [0, 0, 0] for peer in runs}
    for tolerance in questions(problem):
        found = {peer: [(answer(problem, v, tolerance), x) for x, v in each] for peer, each in runs.items()}
        starts = sorted(((x[a[1]], a[0]) for each in found.values() for a, x in each if a), key=lambda pair: pair[1])
        if not starts:
            continue
        best = truth(problem, tolerance, starts[:2])
        size = max(abs(problem.best_known), 1e-12)
        for peer, each in found.items():
            for a, _ in each:
                regret = (a[0] - best) / size if a else np.inf
                counts[peer] = [
                    counts[peer][0] + (regret < 0.01),
                    counts[peer][1] + (regret < 0.1),
                    counts[peer][2] + 1,
                ]
    return counts


def cells(problem, values):
    tolerances = Tolerances.default(problem)
    fine = np.isfinite(values).all(axis=1)
    return len({tuple(row) for row in tolerances.bins(violations(problem, values[fine])).tolist()})


def table(budget, seeds, peers, folder):
    """The lines of one budget's table."""
    problems = [get(name) for name in DESIGNS] + [get(*each) for each in OTHERS]
    gaps, feasible, filled = defaultdict(list), defaultdict(list), defaultdict(list)
    within, seconds = defaultdict(lambda: np.zeros(3)), defaultdict(float)
    for problem in problems:
        runs = {}
        for peer in peers:
            found = [kept(folder, problem, peer, budget, seed) for seed in range(seeds)]
            runs[peer] = [(x, values) for x, values, _ in found]
            seconds[peer] += sum(each for _, _, each in found)
            for _, values in runs[peer]:
                found, some = gap(problem, values)
                gaps[peer].append(found)
                feasible[peer].append(some)
                filled[peer].append(cells(problem, values))
        if problem.name in DESIGNS:
            for peer, counts in shares(problem, runs).items():
                within[peer] += counts
        sys.stderr.write(f"{budget} {problem.name}: " + ", ".join(
            f"{peer} {np.exp(np.mean(np.log(gaps[peer][-seeds:]))):.3g} %" for peer in peers) + "\n")  # fmt: skip
    lines = [f"### {budget} evaluations, {seeds} seeds", "",
             "| | gap, geometric mean | feasible | questions within 1 % | within 10 % | cells | s per evaluation |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    for peer in peers:
        one, ten, count = within[peer]
        lines.append(
            f"| {peer} | {np.exp(np.mean(np.log(gaps[peer]))):.3g} % | {np.mean(feasible[peer]):.0%} | "
            f"{one / max(count, 1):.0%} | {ten / max(count, 1):.0%} | {np.mean(filled[peer]):.1f} | "
            f"{seconds[peer] / (len(problems) * seeds * budget):.4f} |"
        )
    return [*lines, ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, nargs="+", default=[100, 200, 500, 1_000])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    lines = ["# Few evaluations of dear functions", "", "Made by `python -m benchmarks.expensive`, which says how.", ""]
    for budget in options.evaluations:
        lines += table(budget, options.seeds, options.peers, options.keep)
        if options.out:
            options.out.write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
