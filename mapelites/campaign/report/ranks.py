"""How the CEC 2017 competition ranks algorithms: by mean values and by the median run, added up over the problems.

G. Wu and others, "Problem definitions and evaluation criteria for the CEC 2017 competition on constrained
real-parameter optimization" (2016), section 3. Equal ones share their ranks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from mapelites.campaign.statistics import Summary

PUBLISHED = "CL-SRDE"
OLDER_CODE = ("C09", "C15", "C24")  # were other problems when it ran them, except in 30 dimensions


class Averages(NamedTuple):
    """What an algorithm is ranked by on one problem: its means over the runs, and its median run."""

    mean: float
    mean_violation: float
    median: float
    median_violation: float
    feasibility_rate: float

    @property
    def by_means(self) -> tuple[float, float, float]:
        """The more often feasible the better, then the lower mean violation, then the lower mean objective."""
        return -self.feasibility_rate, self.mean_violation, self.mean

    @property
    def by_median(self) -> tuple[bool, float]:
        """Feasible first, by objective; then infeasible, by violation."""
        return (self.median_violation > 0, self.median_violation or self.median)


def averages_of(summary: Summary) -> Averages:
    """What counts of a row of a campaign's table."""
    return Averages(
        summary.mean, summary.mean_of_violations, summary.median.f, summary.median.mean_violation,
        summary.feasibility_rate,
    )  # fmt: skip


def rank_sums(results: Mapping[str, Mapping[str, Averages]]) -> dict[str, float]:
    """The sum of both ranks over the problems that every algorithm has results of; the lower, the better.

    >>> good, bad = Averages(1.0, 0.0, 1.0, 0.0, 1.0), Averages(9.0, 0.5, 9.0, 0.5, 0.0)
    >>> rank_sums({"a": {"C01": good}, "b": {"C01": bad}})
    {'a': 2.0, 'b': 4.0}
    """
    shared = set.intersection(*(set(each) for each in results.values())) if results else set()
    sums = dict.fromkeys(results, 0.0)
    for problem in sorted(shared):
        for by in ("by_means", "by_median"):
            keys = {name: getattr(each[problem], by) for name, each in results.items()}
            for name, key in keys.items():
                below = sum(other < key for other in keys.values())
                equal = sum(other == key for other in keys.values())
                sums[name] += below + (equal + 1) / 2
    return sums


def published_averages(dimension: int) -> dict[str, Averages]:
    """CL-SRDE's results by problem, where they are of the problems as they are now."""
    rows = _data()["results"].get(f"{dimension}D", {})
    return {
        f"2017-{problem}": Averages(row[2], row[3], row[4], row[5], row[6])
        for problem, row in rows.items()
        if dimension == 30 or problem not in OLDER_CODE
    }


@cache
def _data() -> Mapping[str, Any]:
    text = (resources.files("mapelites.campaign.report") / "data" / "cec2017_clsrde.json").read_text("utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table
