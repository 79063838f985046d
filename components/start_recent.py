"""The latest runs beside the form, kept up to date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from components import summary
from components.context import Context
from components.format import ago, number
from mapelites.runs import Run

SHOWN = 6
PERIOD = 1_000  # milliseconds


def layout(context: Context) -> Component:
    """The section beside the form."""
    runs = context.store.runs()[:SHOWN]
    return html.Section(
        [
            dmc.Group(
                [
                    dmc.Title("Recent runs", order=2, size="h3"),
                    dmc.Anchor("All runs", href="/runs", size="sm"),
                ],
                justify="space-between",
            ),
            html.Div(_list(runs), id="recent-runs"),
            dcc.Store(id="recent-seen", data=_seen(runs)),
            dcc.Interval(id="recent-tick", interval=PERIOD),
        ],
        className="card recent",
    )


def register(app: Dash, context: Context) -> None:
    """Look for changes, and send the list only where there are some."""

    @app.callback(
        Output("recent-runs", "children"),
        Output("recent-seen", "data"),
        Input("recent-tick", "n_intervals"),
        State("recent-seen", "data"),
        prevent_initial_call=True,
    )
    def refresh(_: int, before: Any) -> Any:
        runs = context.store.runs()[:SHOWN]
        seen = _seen(runs)
        return (no_update, no_update) if seen == before else (_list(runs), seen)


def _seen(runs: Sequence[Run]) -> list[list[Any]]:
    return [[run.id, run.version, ago(run.created)] for run in runs]


def _list(runs: Sequence[Run]) -> Component:
    if not runs:
        return html.Div(
            [
                html.Span(className="thumbnail thumbnail-empty"),
                dmc.Text(
                    "No runs yet. Press Illuminate and the first map fills before your eyes.", c="dimmed", size="sm"
                ),
            ],
            className="empty",
        )
    return html.Ul([html.Li(_item(run)) for run in runs], className="recent-list")


def _item(run: Run) -> Component:
    return dmc.Anchor(
        [
            summary.picture(run),
            html.Div(
                [
                    html.Div([html.Strong(summary.name(run)), summary.badge(run)], className="recent-line"),
                    html.Div(f"{summary.method(run)} · {ago(run.created)}", className="recent-detail"),
                    html.Div(["best feasible ", html.B(number(run.best_feasible))], className="recent-detail"),
                ],
                className="recent-words",
            ),
        ],
        href=summary.address(run),
        underline="never",
        className="recent-item",
    )
