"""`/experiments`: start a campaign, and all campaigns there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from components import experiments_form
from components.context import Context
from components.experiments_words import badge, progress, title
from components.format import ago, count, date, many
from mapelites.campaign.folder import Folder, folders
from mapelites.campaign.process import home

PERIOD = 1_000  # milliseconds


def layout(context: Context, query: Mapping[str, str]) -> Component:
    """The page."""
    return html.Div(
        [
            html.Div(
                [
                    dmc.Title("Experiments", order=1),
                    dmc.Text(
                        "Many runs, judged by the rules of the CEC 2010 competition, in tables beside the published "
                        "ones. A campaign goes on when you close this page, and when the server restarts.",
                        className="lead",
                    ),
                ],
                className="hero",
            ),
            html.Div(
                [
                    experiments_form.layout(context.schedulers),
                    html.Section(
                        [
                            dmc.Title("Campaigns", order=2, size="h4"),
                            html.Div(_list(folders(home(context.store.path))), id="experiments-list"),
                        ],
                        className="card experiments-aside",
                    ),
                ],
                className="columns",
            ),
            dcc.Store(id="experiments-seen"),
            dcc.Interval(id="experiments-tick", interval=PERIOD),
        ],
        className="start",
    )


def register(app: Dash, context: Context) -> None:
    """The form, and a list that follows what happens."""
    experiments_form.register(app, context)

    @app.callback(
        Output("experiments-list", "children"),
        Output("experiments-seen", "data"),
        Input("experiments-tick", "n_intervals"),
        State("experiments-seen", "data"),
        prevent_initial_call=True,
    )
    def refresh(_: Any, before: Any) -> Any:
        found = folders(home(context.store.path))
        now = [[folder.id, folder.version()] for folder in found]
        return (no_update, no_update) if now == before else (_list(found), now)


def _list(found: list[Folder]) -> list[Component]:
    if not found:
        return [dmc.Text("None yet. The first one is a button away.", className="quiet")]
    return [_entry(folder) for folder in found]


def _entry(folder: Folder) -> Component:
    campaign = folder.campaign
    done = progress(folder)
    return html.Article(
        [
            html.Div(
                [dmc.Anchor(title(campaign), href=f"/experiments/{folder.id}", fw=600), badge(folder, done)],
                className="experiments-entry-head",
            ),
            dmc.Progress(value=100 * done.share, size="sm", **{"aria-label": "Runs done"}),
            html.Div(
                [
                    f"{count(done.done)} of {many(campaign.count, 'run')} · seed {campaign.seed} · ",
                    html.Span(ago(folder.created), title=date(folder.created)),
                ],
                className="recent-detail",
            ),
        ],
        className="experiments-entry",
    )
