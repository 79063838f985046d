"""How the CEC 2020 competition scored its entrants, and how it would score a campaign's searches among them.

A. Kumar and others, "A test-suite of non-convex constrained optimization problems from the real-world and some baseline
results" (2020), section 4, and the organisers' script. Their published tables come out of this to all printed digits,
given one number that nobody published: what stood in the place of DEQL's missing RC27 is inferred from those digits.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from mapelites.campaign.statistics import Summary

# By the number of variables: the last one that a class has room for, and what a problem of it counts.
CLASSES = ((10, 0.008), (30, 0.016), (50, 0.024), (150, 0.032), (math.inf, 0.040))
PARTS = {"best": 0.5, "mean": 0.3, "median": 0.2}
NO_RANGE = 1e-8  # instead of a range of 0
MISSING = 1.0  # the score where an entrant reports nothing
FINAL_RANKING = ("SASS", "COLSHADE", "sCMAgES", "EnMODE_resubmitted", "BiPop", "VMCH", "DEQL", "FCHA")


@dataclass(frozen=True)
class EntrantFigures:
    """What counts of somebody's runs of one problem: three objectives, each with its mean violation."""

    best: float
    best_violation: float
    mean: float
    mean_violation: float  # of all runs; above 0 wherever one run is infeasible
    median: float
    median_violation: float

    def adjusted(self, part: str, worst_feasible: float) -> float:
        """The objective where it is feasible, else what is worse than every feasible one."""
        f, violation = getattr(self, part), getattr(self, f"{part}_violation")
        return float(f if violation == 0.0 else worst_feasible + violation)


@dataclass(frozen=True)
class Score:
    """The score of one entrant; the lower, the better."""

    best: float
    mean: float
    median: float

    @property
    def total(self) -> float:
        """Half the best part, three tenths of the mean part, a fifth of the median part."""
        return math.fsum(weight * float(getattr(self, part)) for part, weight in PARTS.items())

    @property
    def printed(self) -> tuple[float, float, float, float]:
        """The four numbers as the organisers print them."""
        parts = (self.best, self.mean, self.median, self.total)
        best, mean, median, total = (math.floor(each * 1e4 + 0.5 + 1e-6) / 1e4 for each in parts)
        return best, mean, median, total


def standing_of(summary: Summary) -> EntrantFigures:
    """What counts of a row of a campaign's table."""
    violation = summary.mean_of_violations
    if summary.feasibility_rate < 1.0:
        violation = max(violation, math.ulp(0.0))
    return EntrantFigures(
        summary.best.f, summary.best.mean_violation, summary.mean, violation, summary.median.f,
        summary.median.mean_violation,
    )  # fmt: skip


def published_standings(names: Iterable[str] = FINAL_RANKING) -> dict[str, dict[str, EntrantFigures | None]]:
    """The entrants' standings by name and problem; None where one reports nothing.

    >>> published_standings()["DEQL"]["RC24"] is None
    True
    """
    problems = entrants()["problems"]
    return {name: {problem: _standing(row[name]) for problem, row in problems.items()} for name in names}


def weighted_scores(
    standings: Mapping[str, Mapping[str, EntrantFigures | None]], dimensions: Mapping[str, int]
) -> dict[str, Score]:
    """The score of everybody on the problems whose `dimensions` are given.

    >>> scores = weighted_scores(published_standings(), problem_dimensions())
    >>> scores["SASS"].printed
    (0.0885, 0.0689, 0.0762, 0.0802)
    """
    totals = {name: dict.fromkeys(PARTS, 0.0) for name in standings}
    for problem, n in dimensions.items():
        weight = next(weight for most, weight in CLASSES if n <= most)
        for part in PARTS:
            for name, scaled in _scaled({name: each.get(problem) for name, each in standings.items()}, part).items():
                totals[name][part] += weight * scaled
    return {name: Score(**parts) for name, parts in totals.items()}


def _scaled(standings: Mapping[str, EntrantFigures | None], part: str) -> dict[str, float]:
    """From 0 for the best to 1 for the worst on one problem."""
    known = {name: each for name, each in standings.items() if each is not None}
    feasible = [getattr(each, part) for each in known.values() if getattr(each, f"{part}_violation") == 0.0]
    worst = max(feasible, default=0.0)
    adjusted = {name: each.adjusted(part, worst) for name, each in known.items()}
    if not adjusted:
        return dict.fromkeys(standings, MISSING)
    low, high = min(adjusted.values()), max(adjusted.values())
    width = high - low or NO_RANGE
    return {name: (adjusted[name] - low) / width if name in adjusted else MISSING for name in standings}


def problem_dimensions() -> dict[str, int]:
    """The number of variables of every problem of the competition."""
    return {problem: int(n) for problem, n in entrants()["dimensions"].items()}


def title(name: str) -> str:
    """What an entrant calls itself."""
    return str(entrants()["names"].get(name.removesuffix("_resubmitted"), name))


@cache
def entrants() -> Mapping[str, Any]:
    """What was published of the entrants."""
    text = (resources.files("mapelites.campaign.report") / "data" / "cec2020_entrants.json").read_text("utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table


def _standing(row: list[float] | None) -> EntrantFigures | None:
    if row is None:
        return None
    best, best_violation, mean, mean_violation, median, median_violation, rate = row
    if rate < 1.0:
        mean_violation = max(mean_violation, math.ulp(0.0))
    return EntrantFigures(best, best_violation, mean, mean_violation, median, median_violation)
