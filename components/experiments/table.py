"""The tables of a campaign: how far every instance is, the paper's columns, and who beats whom."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any
from urllib.parse import quote

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from components.experiments.words import InstanceProgress, problem_name
from components.shared.format import exact_number, many
from mapelites.campaign import Campaign, Instance
from mapelites.campaign.description import table_words
from mapelites.campaign.report.published import Agreement, PublishedRow, general_faults, known_faults
from mapelites.campaign.report.significance import count_wins
from mapelites.campaign.report.table import CampaignReport, TableRow, departures, other_conditions
from mapelites.campaign.statistics import FinalSolution
from mapelites.core.format import number

EVERY_SEARCH = "all"
BESIDE = {"none": "Ours alone", "paper": "Beside the paper", "edeag": "Beside εDEag"}
HEADS = ("Problem", "Runs", "Best", "Median", "Worst", "c", "v̄", "Mean", "Std", "Feasible")
EXPLAINED = {
    "Best": "The number in parentheses counts the violated constraints. A click opens the run.",
    "c": "How many violations of the median solution are above 1, above 0.01 and above 0.0001",
    "v̄": "Mean violation of the median solution",
    "Mean": "Of the objective of all final solutions",
    "Std": "Standard deviation of the objective of all final solutions",
    "Feasible": "The share of the runs that found a feasible solution",
}
THEIR_COUNTS = (
    "Here the paper's c is turned round. It counts each violation once: above 1, from 0.01 to 1, from 0.0001 to 0.01."
)
SIGNED = (
    "The paper's v̄ is a mean of signed values, so a satisfied constraint lowers it. It cannot be compared with ours."
)


def instance_key(instance: Instance) -> str:
    """An instance as text for an id."""
    return f"{instance.problem}|{instance.dimension}|{instance.search}"


def instance_overview(
    campaign: Campaign, states: dict[Instance, InstanceProgress], report: CampaignReport
) -> Component:
    """One button for every instance: how far it is and how often it was feasible."""
    rates = {row.instance: row.summary.feasibility_rate for row in report.rows}
    columns = [(n, search) for n in campaign.tables for search in campaign.searches]
    groups = [html.Th(table_words(n), colSpan=len(campaign.searches), scope="colgroup") for n in campaign.tables]
    heads = [html.Th(search, scope="col") for _, search in columns]
    body = []
    for problem in campaign.problems:
        places = [campaign.instance_of(problem, n, search) for n, search in columns]
        cells = [html.Td(cell_button(each, states[each], rates.get(each)) if each else "") for each in places]
        body.append(html.Tr([html.Th(problem_name(campaign, problem), scope="row"), *cells]))
    return html.Table(
        [html.Thead([html.Tr([html.Td(), *groups]), html.Tr([html.Td(), *heads])]), html.Tbody(body)],
        className="overview",
        style={"--columns": len(columns)},
    )


def cell_button(instance: Instance, cell: InstanceProgress, rate: float | None) -> Component:
    """The button of one instance."""
    return html.Button(
        cell_content(cell, rate),
        id={"campaign-cell": instance_key(instance)},
        className=cell_class(cell),
        title=cell_title(instance, cell),
    )


def cell_content(cell: InstanceProgress, rate: float | None) -> list[Component]:
    """What stands in the button."""
    return [
        html.Span("–" if rate is None else f"{rate:.2f}", className="overview-rate"),
        html.Span(cell.short, className="overview-words"),
    ]


def cell_title(instance: Instance, cell: InstanceProgress) -> str:
    """What a hover says."""
    return f"{instance}: {cell.words}. A click shows its table and figures."


def cell_class(cell: InstanceProgress) -> str:
    """Its colour."""
    return f"overview-cell overview-{cell.state}"


def published_notes(report: CampaignReport, place: tuple[int, str], beside: str) -> list[Component]:
    """What must be known of the published rows before they are compared with ours."""
    dimension, search = place
    searches = report.campaign.searches if search == EVERY_SEARCH else (search,)
    rows = [row for each in searches for row in report.tables.get((dimension, each), [])]
    if not any({"paper": row.paper, "edeag": row.edeag}.get(beside) for row in rows):
        return []
    found = dict.fromkeys(words for each in searches for words in departures(report.campaign, dimension, each))
    words = other_conditions(tuple(found))
    parts: list[Any] = [html.P(f"{words} So the rows need not agree.")] if words else []
    if beside == "paper":
        head, known = "Faults of the paper's code on all problems:", general_faults()
        if words:  # they may not be why the rows differ, but this much is needed to read them
            head, known = "How to read the paper's rows:", (SIGNED,)
        parts += [head, html.Ul([html.Li(each) for each in (*known, THEIR_COUNTS)])]
    return [html.Div(parts, className="statistics-notes quiet")] if parts else []


def paper_table(
    report: CampaignReport, states: dict[Instance, InstanceProgress], place: tuple[int, str], beside: str, runs: str
) -> Component:
    """The paper's table of one dimension, of one search or of all, with the published row below each of ours.

    `runs` is the address below which the runs are.
    """
    dimension, search = place
    campaign = report.campaign
    rows = {row.instance: row for row in report.rows}
    searches = campaign.searches if search == EVERY_SEARCH else (search,)
    body: list[Component] = []
    for problem, each in product(campaign.problems, searches):
        instance = campaign.instance_of(problem, dimension, each)
        if instance is None:
            continue
        why = _reasons(problem) if beside == "paper" and not departures(campaign, dimension, each) else ()
        called = problem_name(campaign, problem)
        name = f"{called} {each}" if search == EVERY_SEARCH else called
        body += _rows(name, states[instance], rows.get(instance), beside, why, runs)
    heads = [*HEADS, *(["Agreement"] if beside != "none" else [])]
    cells = [
        html.Th(name, scope="col", title=EXPLAINED.get(name), className="verdict" if name == "Agreement" else None)
        for name in heads
    ]
    return html.Table([html.Thead(html.Tr(cells)), html.Tbody(body)], className="statistics")


def _reasons(problem: str) -> tuple[str, ...]:
    """What is known to be wrong with a published row that differs from ours."""
    own = tuple(f"Fault of the paper's code: {each}." for each in known_faults(problem))
    return own or ("The paper's code has this problem as it is defined; the faults on all problems remain.",)


def _rows(
    name: str, cell: InstanceProgress, row: TableRow | None, beside: str, why: Sequence[str], runs: str
) -> list[Component]:
    head = [
        html.Th(name, scope="row"),
        html.Td(html.Span(cell.words, className=f"cell-words cell-{cell.state}")),
    ]
    width = len(HEADS) - 2 + (beside != "none")
    if row is None:
        return [html.Tr([*head, html.Td("no run is finished", colSpan=width, className="statistics-none")])]
    published = {"paper": row.paper, "edeag": row.edeag}.get(beside)
    agreement = {"paper": row.with_paper, "edeag": row.with_edeag}.get(beside)
    verdict = [_verdict(agreement, why)] if beside != "none" else []
    ours = html.Tr([*head, *_ours(row, runs), *verdict])
    return [ours] if published is None else [ours, _theirs(published)]


def _ours(row: TableRow, runs: str) -> list[Component]:
    s = row.summary
    return [
        *(html.Td(_link(each, runs)) for each in (s.best, s.median, s.worst)),
        html.Td(", ".join(map(str, s.counts))),
        *(_number(value) for value in (s.mean_violation, s.mean, s.std)),
        html.Td(f"{s.feasibility_rate:.2f}"),
    ]


def _link(final: FinalSolution, runs: str) -> Component:
    """A number that opens the run that made it."""
    return html.A(
        f"{number(final.f)} ({final.violated})",
        href=f"{runs}{quote(final.run)}",
        title=f"Open {final.run}, seed {final.seed}: {exact_number(final.f)}",
        className="statistics-link",
    )


def _number(value: float) -> Component:
    return html.Td(number(value), title=exact_number(value))


def _theirs(published: PublishedRow) -> Component:
    solutions = [f"{number(each.f)} ({each.violated})" for each in (published.best, published.median, published.worst)]
    cells = [
        *map(html.Td, solutions),
        html.Td("") if published.c is None else html.Td(", ".join(map(str, published.c)), title=THEIR_COUNTS),
        _their_violation(published.mean_violation),
        *(html.Td(number(value)) for value in (published.mean, published.std)),
        html.Td(f"{published.feasibility_rate:.2f}"),
    ]
    return html.Tr([html.Td(published.name, colSpan=2), *cells], className="statistics-theirs")


def _their_violation(value: float) -> Component:
    """A mean of violations cannot be negative, but one of signed values can."""
    return html.Td(f"{number(value)} (signed)", title=SIGNED) if value < 0 else html.Td(number(value))


def _verdict(agreement: Agreement | None, why: Sequence[str]) -> Component:
    """In words whether the rows agree and, where they do not, why that may be."""
    if agreement is None:
        return html.Td("nothing published", className="verdict")
    words = f"Feasibility: {agreement.feasibility}. Objective: {agreement.objective}."
    reasons = [html.Div(each, className="statistics-fault") for each in why if not agreement.agrees]
    return html.Td([words, *reasons], className="verdict", rowSpan=2)  # beside our row and the published one


def comparisons(report: CampaignReport, dimension: int) -> Component:
    """Who beats whom in one dimension."""
    pairs = [(key, each) for key, each in report.pairs.items() if key[0] == dimension]
    if not pairs:
        return html.P("No two searches have finished runs of the same problem yet.", className="quiet")
    rows = [_pair(first, second, each) for (_, first, second), each in pairs]
    heads = ("Search", "against", "won", "tied", "lost", "won on", "lost on")
    return html.Table(
        [html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])), html.Tbody(rows)],
        className="statistics comparisons",
    )


def _pair(first: str, second: str, each: Sequence[Any]) -> Component:
    counts = count_wins(each)
    won, lost = (" ".join(c.problem for c in each if c.outcome == outcome) for outcome in ("win", "loss"))
    cells = (first, second, *map(str, counts.values()), won or "none", lost or "none")
    return html.Tr([html.Td(cell) for cell in cells])


def failures(results: Sequence[Any]) -> Component | None:
    """The runs that failed, and why."""
    failed = [result for result in results if result.failed is not None]
    if not failed:
        return None
    items = [html.Li(f"{result.name}: {result.failed}") for result in failed[:20]]
    more = [html.Li(f"and {len(failed) - 20} more")] if len(failed) > 20 else []
    return dmc.Alert(
        html.Ul([*items, *more], className="deleted-list"),
        title=f"{many(len(failed), 'run')} failed; they are tried again when the campaign goes on",
        color="red",
        variant="light",
    )
