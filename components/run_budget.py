"""How the budget went: what each part of the search cost in evaluations, and what it has on the map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components import run_ids as ids
from components.context import Context
from components.format import count, many, percent
from components.run_view import Maps, Shown

# Each part of a search: what it does, and the operators whose elites are its own.
PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "paper": ("Random samples, then mutation and crossover of elites", ("random", "mutation", "crossover")),
    "line": ("Steps of all sizes along the line between two elites", ("line",)),
    "slow": ("Differential evolution that tightens the constraints slowly", ("slow evolution",)),
    "fast": ("Differential evolution that asks for feasibility at once", ("fast evolution",)),
    "repair": ("Newton steps onto violated constraints, within the evolutions too", ("repair",)),
    "polish": ("Local descent on the objective from the best solutions", ("polish",)),
    "toward": ("Elites moved towards those that nearly keep every constraint", ("toward",)),
    "aim": ("Local descent aimed at a neighbouring cell", ("aim",)),
}


def layout() -> Component:
    """The card, folded away until somebody wants it."""
    return html.Section(
        html.Details(
            [
                dcc.Store(id=ids.seen("budget")),
                html.Summary(
                    [
                        dmc.Title("How the budget went", order=2, size="h4"),
                        dmc.Text("Which part of the search spent what, and made which elites", c="dimmed", size="sm"),
                    ],
                    id="budget-summary",
                ),
                html.Div(id="run-budget"),
            ],
            id="budget-details",
        ),
        className="card rebin",
        **{"aria-label": "How the budget went"},
    )


def register(app: Dash, context: Context, maps: Maps) -> None:
    """The table follows the moment that is shown; while it is folded away, only when somebody opens it."""

    @app.callback(
        Output("run-budget", "children"),
        Input("budget-summary", "n_clicks"),
        Input(ids.seen("budget"), "data"),
        Input(ids.MOMENT, "data"),
        State(ids.RUN, "data"),
    )
    def tell(_: Any, __: Any, at: Any, run_id: Any) -> Component:
        shown = maps.shown(run_id, at)
        key = ("budget", shown.run.id, shown.moment.version if shown.moment else -1)
        spent, made = context.cache.remember(key, lambda: _counts(context, maps, shown))
        return table(spent, made)


def _counts(context: Context, maps: Maps, shown: Shown) -> tuple[dict[str, int], dict[str, int]]:
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
    for name, (what, operators) in PARTS.items():
        cost, own = spent.get(name, 0), sum(made.get(operator, 0) for operator in operators)
        if cost or own:
            rows.append(
                html.Tr(
                    [
                        html.Th(name.capitalize(), scope="row"),
                        html.Td(what, className="budget-what"),
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
    return html.Div([bar, html.B(percent(share))], className="budget-part", title=words)
