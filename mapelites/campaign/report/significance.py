"""Two searches compared problem by problem: Wilcoxon's rank-sum test on the competition's order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from mapelites.campaign.report.rank_tests import mann_whitney
from mapelites.campaign.statistics import FinalSolution
from mapelites.core.errors import InputError

SIGNIFICANCE = 0.05

Outcome = Literal["win", "tie", "loss"]


@dataclass(frozen=True)
class SearchComparison:
    """The runs of one search against those of another on the same problem."""

    problem: str
    dimension: int
    first: str
    second: str
    p: float
    outcome: Outcome  # of the first


def rank_sum(first: Sequence[FinalSolution], second: Sequence[FinalSolution]) -> tuple[float, Outcome]:
    """The two-sided p of Wilcoxon's rank-sum test, and whether the first search wins at 5 %.

    The solutions are ranked by the competition's order, so that an infeasible one is worse than every
    feasible one; equal solutions share their ranks. Wilcoxon's test is that of Mann and Whitney; its exact
    distribution is used for few runs without ties, and the normal one with its corrections otherwise.
    """
    if not first or not second:
        raise InputError("a rank-sum test needs runs of both searches, but one had none")
    places = _places([*first, *second])
    return _rank_sum(places[: len(first)], places[len(first) :])


@lru_cache(4096)  # a campaign that is watched is compared again with every run that comes
def _rank_sum(mine: tuple[int, ...], theirs: tuple[int, ...]) -> tuple[float, Outcome]:
    if len({*mine, *theirs}) == 1:
        return 1.0, "tie"
    u, p = mann_whitney(mine, theirs)
    if p >= SIGNIFICANCE:
        return p, "tie"
    return p, "win" if u < len(mine) * len(theirs) / 2 else "loss"


def count_wins(comparisons: Iterable[SearchComparison]) -> dict[Outcome, int]:
    """How often the first search wins, ties and loses."""
    counts = Counter(each.outcome for each in comparisons)
    return {"win": counts["win"], "tie": counts["tie"], "loss": counts["loss"]}


def _places(finals: Sequence[FinalSolution]) -> tuple[int, ...]:
    """The place of each solution in the competition's order; equals have the same."""
    ranks = [each.rank for each in finals]
    places = {rank: place for place, rank in enumerate(sorted(set(ranks)))}
    return tuple(places[rank] for rank in ranks)
