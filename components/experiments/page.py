"""`/experiments`: start a campaign, and all campaigns there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Output, html
from dash.development.base_component import Component

from components.experiments import form as experiments_form
from components.experiments.words import campaign_badge, campaign_progress, campaign_title
from components.shared import follow
from components.shared.context import Context
from components.shared.format import count, local_time, many, time_ago
from mapelites.campaign.folder import CampaignFolder, list_campaigns
from mapelites.campaign.process import campaigns_folder


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
                            html.Div(
                                _list(list_campaigns(campaigns_folder(context.store.path))), id="experiments-list"
                            ),
                        ],
                        className="card experiments-aside",
                    ),
                ],
                className="columns",
            ),
            *follow.layout("experiments"),
        ],
        className="start",
    )


def register(app: Dash, context: Context) -> None:
    """The form, and a list that follows what happens."""
    experiments_form.register(app, context)

    def look(before: Any) -> tuple[Any, tuple[Any, ...]] | None:
        found = list_campaigns(campaigns_folder(context.store.path))
        now = [[folder.id, folder.version()] for folder in found]
        return None if now == before else (now, (_list(found),))

    follow.register(app, context.pacer, "experiments", [Output("experiments-list", "children")], look)


def _list(found: list[CampaignFolder]) -> list[Component]:
    if not found:
        return [dmc.Text("None yet. The first one is a button away.", className="quiet")]
    return [_entry(folder) for folder in found]


def _entry(folder: CampaignFolder) -> Component:
    campaign = folder.campaign
    done = campaign_progress(folder)
    return html.Article(
        [
            html.Div(
                [
                    dmc.Anchor(campaign_title(campaign), href=f"/experiments/{folder.id}", fw=600),
                    campaign_badge(folder, done),
                ],
                className="experiments-entry-head",
            ),
            dmc.Progress(value=100 * done.share, size="sm", **{"aria-label": "Runs done"}),
            html.Div(
                [
                    f"{count(done.done)} of {many(campaign.count, 'run')} · seed {campaign.seed} · ",
                    html.Span(time_ago(folder.created), title=local_time(folder.created)),
                ],
                className="recent-detail",
            ),
        ],
        className="experiments-entry",
    )
