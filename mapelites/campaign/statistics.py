"""The competition's statistics: one final solution per run, sorted by its rules, and what a table says of them.

The rules are those of R. Mallipeddi and P. N. Suganthan, "Problem definitions and evaluation criteria for
the CEC 2010 competition on constrained real-parameter optimization", as section 5 of S. Fioravanzo and
G. Iacca, "Evaluating MAP-Elites on constrained optimization problems" (GECCO 2019) states them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mapelites.core.archive import Elites
from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.core.statistics import counted_violations

C_LEVELS = (1.0, 1e-2, 1e-4)  # c_1, c_2 and c_3 count the violations above these


@dataclass(frozen=True)
class FinalSolution:
    """The solution a run is judged by: its objective, and G_i and H_j of equation 1.

    >>> FinalSolution("run", 7, f=0.5, violations=(0.0, 0.02)).counts
    (0, 1, 1)
    """

    run: str
    seed: int
    f: float
    violations: tuple[float, ...]  # 0 where the problem's rule says satisfied, so never negative

    @property
    def feasible(self) -> bool:
        """Whether no constraint is violated."""
        return self.violated == 0

    @property
    def violated(self) -> int:
        """The number of violated constraints, the number in parentheses in the tables."""
        return sum(each > 0 for each in self.violations)

    @property
    def mean_violation(self) -> float:
        """v̄ of equation 1."""
        return math.fsum(self.violations) / max(1, len(self.violations))

    @property
    def counts(self) -> tuple[int, int, int]:
        """c = (c_1, c_2, c_3): how many violations are above 1, above 0.01 and above 0.0001."""
        one, two, three = (sum(each > level for each in self.violations) for level in C_LEVELS)
        return one, two, three

    @property
    def rank(self) -> tuple[bool, float]:
        """The competition's order: feasible first, by objective; then infeasible, by mean violation."""
        return (False, self.f) if self.feasible else (True, self.mean_violation)


def final_solution(problem: Problem, elites: Elites, run: str = "", seed: int = 0) -> FinalSolution:
    """The best of all a run holds, by the competition's order; equals are decided by the objective."""
    if not len(elites):
        raise InputError(f"{run or 'a run'}: it must hold at least one solution, but it holds none")
    rows = counted_violations(problem, elites.violations)
    finals = (FinalSolution(run, seed, float(f), tuple(map(float, row))) for f, row in zip(elites.f, rows, strict=True))
    return min(finals, key=lambda each: (each.rank, each.f))


@dataclass(frozen=True)
class Summary:
    """One row of a table: what the final solutions of all runs of one instance amount to."""

    runs: int
    best: FinalSolution
    median: FinalSolution
    worst: FinalSolution
    quartiles: tuple[float, float] | None  # of the objectives of the feasible runs
    mean: float
    std: float
    feasibility_rate: float
    mean_of_violations: float = 0.0  # of v̄ over all runs

    @property
    def counts(self) -> tuple[int, int, int]:
        """c at the median solution."""
        return self.median.counts

    @property
    def mean_violation(self) -> float:
        """v̄ at the median solution."""
        return self.median.mean_violation


def rank_finals(finals: Iterable[FinalSolution]) -> list[FinalSolution]:
    """Best first, by the competition's order; equals by objective, then by name, so that the order is one."""
    return sorted(finals, key=lambda each: (each.rank, each.f, each.run))


def summarise_finals(finals: Sequence[FinalSolution]) -> Summary:
    """The row of a table.

    The median is one of the solutions: of an even number of runs, the better of the two in the middle. The
    standard deviation divides by the number of runs, as the published results of εDEag do.
    """
    if not finals:
        raise InputError("a summary needs at least one run, but there was none")
    order = rank_finals(finals)
    # Relative to the largest of them: f may be so large that its square is not a finite number any more.
    f = np.array([each.f for each in order])
    size = float(np.max(np.abs(f))) or 1.0
    return Summary(
        runs=len(order),
        best=order[0],
        median=order[(len(order) - 1) // 2],
        worst=order[-1],
        quartiles=_quartiles([each.f for each in order if each.feasible]),
        mean=float(np.mean(f / size) * size),
        std=float(np.std(f / size) * size),
        feasibility_rate=sum(each.feasible for each in order) / len(order),
        mean_of_violations=math.fsum(each.mean_violation for each in order) / len(order),
    )


def _quartiles(values: Sequence[float]) -> tuple[float, float] | None:
    if not values:
        return None
    low, high = np.quantile(values, (0.25, 0.75))
    return float(low), float(high)
