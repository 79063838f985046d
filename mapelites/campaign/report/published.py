"""Published results to compare with: the paper's tables, εDEag's, and the known faults of the paper's code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from mapelites.campaign.description import Instance
from mapelites.campaign.report.rank_tests import fisher
from mapelites.campaign.statistics import Summary

SIGNIFICANCE = 0.05
PUBLISHED_RUNS = 25
PAPER_SEARCHES = {f"paper-{k}": f"configuration-{k}" for k in (1, 2, 3)}

Verdict = Literal["agrees", "ours is better", "ours is worse", "not comparable"]


@dataclass(frozen=True)
class PublishedSolution:
    """A published solution: its objective and the number of constraints it violates."""

    f: float
    violated: int


@dataclass(frozen=True)
class PublishedRow:
    """A row of a published table."""

    name: str
    best: PublishedSolution
    median: PublishedSolution
    worst: PublishedSolution
    mean: float
    std: float
    feasibility_rate: float
    mean_violation: float
    c: tuple[int, ...] | None = None  # each violation counted once: above 1, above 0.01, above 0.0001


@dataclass(frozen=True)
class Agreement:
    """Whether our row and a published one say the same, in feasibility and in objective."""

    feasibility: Verdict
    objective: Verdict

    @property
    def agrees(self) -> bool:
        """Whether nothing that can be compared differs."""
        return self.feasibility == "agrees" and self.objective in ("agrees", "not comparable")


def paper_row(instance: Instance) -> PublishedRow | None:
    """The paper's row for an instance, or None where it has none."""
    table = _data("paper_tables.json")["tables"]
    configuration = PAPER_SEARCHES.get(instance.search, "")
    row = table.get(f"{instance.dimension}D/{configuration}", {}).get(instance.problem)
    if row is None:
        return None
    best, median, worst = (
        PublishedSolution(row[name]["f"], row[name]["violated"]) for name in ("best", "median", "worst")
    )
    rest = {name: row[name] for name in ("mean", "std", "feasibility_rate", "mean_violation")}
    # Its three counts are printed the other way round.
    return PublishedRow("paper", best, median, worst, **rest, c=tuple(reversed(row["c"])))


def edeag_row(problem: str, dimension: int) -> PublishedRow | None:
    """εDEag's row for a problem, or None where there is none.

    Its table gives the violations of the median alone. Best and worst are feasible where the rate says so.
    """
    row = _data("edeag_cec2010.json").get(f"{dimension}D", {}).get(problem)
    if row is None:
        return None
    rate = row["feasibility_rate"]
    return PublishedRow(
        "εDEag",
        best=PublishedSolution(row["best"], 0 if rate > 0 else row["median_violated"]),
        median=PublishedSolution(row["median"], row["median_violated"]),
        worst=PublishedSolution(row["worst"], 0 if rate == 1 else max(1, row["median_violated"])),
        mean=row["mean"],
        std=row["std"],
        feasibility_rate=rate,
        mean_violation=row["median_mean_violation"],
    )


def published_sources() -> dict[str, str]:
    """Where the published numbers come from."""
    files = {"paper": "paper_tables.json", "εDEag": "edeag_cec2010.json", "faults": "original_faults.json"}
    return {name: str(_data(file)["source"]) for name, file in files.items()}


def known_faults(problem: str) -> tuple[str, ...]:
    """What is wrong with this problem in the code behind the paper's tables."""
    return tuple(_data("original_faults.json")["problems"].get(problem, ()))


def general_faults() -> tuple[str, ...]:
    """What is wrong with that code whatever the problem."""
    return tuple(_data("original_faults.json")["general"])


def compare_with_published(ours: Summary, published: PublishedRow) -> Agreement:
    """Compare a row with a published one.

    Feasibility agrees where Fisher's exact test does not tell the two numbers of feasible runs apart at 5 %.
    The objectives are compared where both medians are feasible, and agree where the published median lies
    between the quartiles of our feasible runs: for two times 25 runs of one and the same search, that is so in
    92 cases of 100.
    """
    return Agreement(_feasibility(ours, published), _objective(ours, published))


def _feasibility(ours: Summary, published: PublishedRow) -> Verdict:
    hits = round(ours.feasibility_rate * ours.runs), round(published.feasibility_rate * PUBLISHED_RUNS)
    table = [[hits[0], ours.runs - hits[0]], [hits[1], PUBLISHED_RUNS - hits[1]]]
    if fisher(table) >= SIGNIFICANCE:
        return "agrees"
    return "ours is better" if ours.feasibility_rate > published.feasibility_rate else "ours is worse"


def _objective(ours: Summary, published: PublishedRow) -> Verdict:
    if not ours.median.feasible or ours.quartiles is None or published.median.violated:
        return "not comparable"
    low, high = ours.quartiles
    if low <= published.median.f <= high:
        return "agrees"
    return "ours is better" if ours.median.f < published.median.f else "ours is worse"


@cache
def _data(name: str) -> Mapping[str, Any]:
    text = (resources.files("mapelites.campaign.report") / "data" / name).read_text("utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table
