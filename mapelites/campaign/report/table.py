"""Everything a report of a campaign says, whatever the format: rows, their references, and who beats whom."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import combinations
from typing import Any

from mapelites.answers.words import list_in_words
from mapelites.campaign.description import Campaign, Instance
from mapelites.campaign.folder import CampaignFolder, final_solutions
from mapelites.campaign.report import published as report_reference
from mapelites.campaign.report.published import Agreement, PublishedRow, compare_with_published
from mapelites.campaign.report.ranks import PUBLISHED, Averages, averages_of, published_averages, rank_sums
from mapelites.campaign.report.scores import (
    EntrantFigures,
    Score,
    problem_dimensions,
    published_standings,
    standing_of,
    title,
    weighted_scores,
)
from mapelites.campaign.report.significance import SearchComparison, rank_sum
from mapelites.campaign.statistics import FinalSolution, Summary, summarise_finals
from mapelites.core.settings import Settings
from mapelites.core.tolerances import PAPER_LEVELS


@dataclass(frozen=True)
class TableRow:
    """One instance with all that is known of it."""

    instance: Instance
    summary: Summary
    finals: tuple[FinalSolution, ...]
    failed: int
    paper: PublishedRow | None
    edeag: PublishedRow | None

    @property
    def with_paper(self) -> Agreement | None:
        """How the row compares with the paper's."""
        return None if self.paper is None else compare_with_published(self.summary, self.paper)

    @property
    def with_edeag(self) -> Agreement | None:
        """How the row compares with εDEag's."""
        return None if self.edeag is None else compare_with_published(self.summary, self.edeag)


@dataclass(frozen=True)
class CampaignReport:
    """A campaign's tables. Rows come by dimension, then search, then problem."""

    campaign: Campaign
    rows: tuple[TableRow, ...]
    comparisons: tuple[SearchComparison, ...]
    sessions: tuple[dict[str, Any], ...]
    engine: str

    @property
    def tables(self) -> dict[tuple[int, str], list[TableRow]]:
        """The rows of each table, by dimension and search, as the paper prints them."""
        tables: dict[tuple[int, str], list[TableRow]] = {}
        for row in self.rows:
            tables.setdefault((row.instance.table, row.instance.search), []).append(row)
        return tables

    @property
    def departures(self) -> tuple[str, ...]:
        """In words what any of its tables has other than the published ones."""
        c = self.campaign
        return tuple(dict.fromkeys(each for n in c.tables for s in c.searches for each in departures(c, n, s)))

    @property
    def pairs(self) -> dict[tuple[int, str, str], list[SearchComparison]]:
        """The comparisons of each pair of searches, by dimension."""
        pairs: dict[tuple[int, str, str], list[SearchComparison]] = {}
        for each in self.comparisons:
            pairs.setdefault((each.dimension, each.first, each.second), []).append(each)
        return pairs


def departures(campaign: Campaign, dimension: int, search: str) -> tuple[str, ...]:
    """In words what one table has other than the published ones: settings of the search, and tolerance levels.

    >>> departures(Campaign(("C01",), (10,), ("paper-1",), changes={"evaluations": 4_000}), 10, "paper-1")
    ('evaluations 4,000',)
    """
    plain = Settings.of(search, dimension or 10)  # a budget alone depends on the number of variables
    changes = {name: value for name, value in campaign.changes.items() if value != getattr(plain, name)}
    levels = {name: each for name, each in campaign.levels.items() if tuple(each) != PAPER_LEVELS}
    return (
        *(f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in changes.items()),
        *(f"levels of {name or 'all constraints'} {', '.join(map(str, each))}" for name, each in levels.items()),
    )


def other_conditions(found: Sequence[str]) -> str:
    """Departures as a sentence, or nothing where there is none."""
    return (
        f"The published results were made under other conditions: this campaign has {'; '.join(found)}."
        if found
        else ""
    )


def sign_words(campaign: Campaign) -> str:
    """A sentence about problems that are maximised, whose values stand with the sign of what is minimised."""
    every = {each.problem: campaign.problem(each.problem, each.dimension) for each in campaign.instances}
    turned = [problem.title or name for name, problem in every.items() if problem.maximise]
    return f"Values are those of what is minimised: minus the objective of {list_in_words(turned)}." if turned else ""


def report_of(folder: CampaignFolder) -> CampaignReport:
    """The report on what a campaign has finished so far."""
    results = folder.results()
    solutions = final_solutions(results.values())
    failures = Counter(result.instance for result in results.values() if result.failed is not None)
    rows = tuple(
        TableRow(
            instance,
            summarise_finals(solutions[instance]),
            tuple(solutions[instance]),
            failures[instance],
            report_reference.paper_row(instance),
            report_reference.edeag_row(instance.problem, instance.dimension),
        )
        for instance in folder.campaign.instances
        if instance in solutions
    )
    return CampaignReport(folder.campaign, rows, compare_searches(rows), tuple(folder.sessions()), folder.engine)


def compare_searches(rows: Sequence[TableRow]) -> tuple[SearchComparison, ...]:
    """Every pair of searches on every problem that both have run."""
    by_place: dict[tuple[int, str], list[TableRow]] = {}
    for row in rows:
        by_place.setdefault((row.instance.table, row.instance.problem), []).append(row)
    found = []
    for (dimension, problem), group in by_place.items():
        for first, second in combinations(group, 2):
            p, outcome = rank_sum(first.finals, second.finals)
            found.append(
                SearchComparison(problem, dimension, first.instance.search, second.instance.search, p, outcome)
            )
    return tuple(found)


def scores_among_entrants(report: CampaignReport) -> dict[str, Score]:
    """CEC 2020's score of the published entrants and of the campaign's searches, on the problems that all have run.

    Empty where the campaign has none of the competition's problems.
    """
    by_search: dict[str, dict[str, EntrantFigures | None]] = {}
    known = problem_dimensions()
    for row in report.rows:
        if row.instance.problem in known:
            by_search.setdefault(row.instance.search, {})[row.instance.problem] = standing_of(row.summary)
    if not by_search:
        return {}
    shared = set.intersection(*(set(each) for each in by_search.values()))
    others = {title(name): rows for name, rows in published_standings().items()}
    everybody: dict[str, dict[str, EntrantFigures | None]] = {**others, **by_search}
    return weighted_scores(everybody, {name: n for name, n in known.items() if name in shared})


def ranks_with_published(report: CampaignReport) -> dict[int, dict[str, float]]:
    """CEC 2017's sums of ranks by dimension, of the campaign's searches and CL-SRDE."""
    found: dict[int, dict[str, float]] = {}
    for dimension in report.campaign.dimensions:
        results: dict[str, dict[str, Averages]] = {}
        for row in report.rows:
            if row.instance.dimension == dimension and row.instance.problem.startswith("2017-"):
                results.setdefault(row.instance.search, {})[row.instance.problem] = averages_of(row.summary)
        if results:
            found[dimension] = rank_sums({**results, PUBLISHED: published_averages(dimension)})
    return found


def versions() -> dict[str, str]:
    """What the numbers were made with."""
    packages = {name: version(name) for name in ("numpy", "numba")}
    return {"python": platform.python_version(), **packages}
