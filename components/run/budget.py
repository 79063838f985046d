"""What each operator did: what each part of the search cost in evaluations, and what it has on the map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, html
from dash.development.base_component import Component

from components.page_state.parts import DrawnPart, PagePart
from components.page_state.state import PageState
from components.page_state.view import Maps, ShownMap
from components.shared.context import Context
from components.shared.format import count, many
from mapelites.core.emitters import emitter_descriptions
from mapelites.core.format import whole_percent


def layout(numbers: list[Component]) -> Component:
    """The card, folded away until somebody wants it: the numbers of the search, and the table."""
    return html.Section(
        html.Details(
            [
                html.Summary(
                    [
                        html.H2("What each operator did", className="panel-title"),
                        html.Span("And how the search went", className="quiet"),
                    ],
                    id="budget-summary",
                ),
                html.Div(numbers, className="run-facts"),
                html.Div(id="run-budget"),
            ],
            id="budget-details",
        ),
        className="card rebin",
        **{"aria-label": "What each operator did"},
    )


def part(context: Context, maps: Maps) -> PagePart:
    """The table follows the moment that is shown; while it is folded away, only when somebody opens it."""

    def tell(_: PageState, shown: ShownMap, before: Any, __: Any) -> DrawnPart | None:
        key: list[str | int] = ["budget", shown.run.id, shown.moment.version if shown.moment else -1]
        if key == before:
            return None
        spent, made = context.cache.remember(tuple(key), lambda: _counts(context, maps, shown))
        return DrawnPart(key, (table(spent, made),))

    return PagePart("budget", (Output("run-budget", "children"),), (Input("budget-summary", "n_clicks"),), tell)


def _counts(context: Context, maps: Maps, shown: ShownMap) -> tuple[dict[str, int], dict[str, int]]:
    """Evaluations by part, and elites by operator."""
    version = shown.moment.version if shown.moment else None
    snapshot = context.store.snapshot(shown.run.id, version) or context.store.snapshot(shown.run.id)
    spent = dict(snapshot.spent) if snapshot else {}
    return spent, dict(Counter(maps.archive(shown).elites.operator.tolist()))


def table(spent: Mapping[str, int], made: Mapping[str, int]) -> Component:
    """One row for each part that spent or made something."""
    evaluations, elites = sum(spent.values()), sum(made.values())
    if not evaluations:
        return dmc.Text("Nothing is spent yet.", c="dimmed", size="sm")
    rows = []
    for part in emitter_descriptions():
        cost, own = spent.get(part.name, 0), sum(made.get(operator, 0) for operator in part.operators)
        if cost or own:
            rows.append(
                html.Tr(
                    [
                        html.Th(part.name.capitalize(), scope="row"),
                        html.Td(part.label, className="budget-what"),
                        html.Td(_part(cost, evaluations, many(cost, "evaluation"))),
                        html.Td(_part(own, elites, many(own, "elite"))),
                    ]
                )
            )
    heads = ("Part", "What it does", f"{count(evaluations)} evaluations", f"{many(elites, 'elite')} on the map")
    classes = (None, "budget-what", None, None)
    head = html.Tr([html.Th(words, scope="col", className=style) for words, style in zip(heads, classes, strict=True)])
    return html.Table([html.Thead(head), html.Tbody(rows)], className="budget-table")


def _part(value: int, total: int, words: str) -> Component:
    share = value / total if total else 0.0
    bar = html.Div(html.Span(style={"width": f"{100 * share:.2f}%"}), className="budget-bar", **{"aria-hidden": "true"})
    return html.Div([bar, html.B(whole_percent(share))], className="budget-part", title=words)
