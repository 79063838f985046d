"""The latest runs beside the form, kept up to date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Output, html
from dash.development.base_component import Component

from components.shared import follow, summary
from components.shared.context import Context
from components.shared.format import time_ago
from mapelites.core.format import number
from mapelites.runs import Run

SHOWN = 6


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
            *follow.layout("recent", _seen(runs)),
        ],
        className="card recent",
    )


def register(app: Dash, context: Context) -> None:
    """Look for changes, and send the list only where there are some."""

    def look(before: Any) -> tuple[Any, tuple[Any, ...]] | None:
        runs = context.store.runs()[:SHOWN]
        seen = _seen(runs)
        return None if seen == before else (seen, (_list(runs),))

    follow.register(app, context.pacer, "recent", [Output("recent-runs", "children")], look)


def _seen(runs: Sequence[Run]) -> list[list[Any]]:
    return [[run.id, run.version, time_ago(run.created)] for run in runs]


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
            summary.map_picture(run),
            html.Div(
                [
                    html.Div([html.Strong(summary.run_name(run)), summary.state_badge(run)], className="recent-line"),
                    html.Div(f"{summary.search_and_seed(run)} · {time_ago(run.created)}", className="recent-detail"),
                    html.Div(["best feasible ", html.B(number(summary.best_feasible(run)))], className="recent-detail"),
                ],
                className="recent-words",
            ),
        ],
        href=summary.run_address(run),
        underline="never",
        className="recent-item",
    )
