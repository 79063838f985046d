"""What a constraint costs over all runs of a campaign: the median price and its quartiles, from every run's elites."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dash_mantine_components as dmc
import numpy as np
from dash import Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components import answers_parts as parts
from components.answers_figures import band_curve
from components.experiments_data import Campaigns, Look
from components.experiments_figures import blank
from components.format import count, many
from components.map_figure import CONFIG
from components.shell import SCHEME
from mapelites.answers import Bands, Designs, bands
from mapelites.answers.words import amount, tolerance
from mapelites.campaign import Campaign, Instance

GRAPH = "campaign-price"


def layout() -> Component:
    """The part of a campaign's page; the problem and the search are those chosen there."""
    return html.Section(
        [
            html.Div(
                [
                    dmc.Title("What does a constraint cost?", id="campaign-price-title", order=2, size="h4"),
                    dmc.Select(
                        id="campaign-constraint",
                        data=[],
                        size="sm",
                        allowDeselect=False,
                        **{"aria-label": "Constraint to relax"},
                    ),
                ],
                className="experiments-head",
            ),
            html.P(
                "Best objective over the tolerance allowed, all other constraints satisfied: median and quartiles "
                "over the runs, each from its own elites. A run that found none counts as worse than all others.",
                className="quiet",
            ),
            html.P(id="campaign-price-words", className="answer-sentence"),
            dcc.Graph(id=GRAPH, figure=blank(), config=CONFIG, className="answer-graph"),
            html.Div(id="campaign-price-table"),
        ],
        className="card experiments-part",
    )


def register(app: Dash, campaigns: Campaigns, instance_of: Callable[[Campaign, Any], Instance]) -> None:
    """`instance_of(campaign, given)` is the instance that a browser looks at."""

    @app.callback(
        Output("campaign-constraint", "data"),
        Output("campaign-constraint", "value"),
        Output(GRAPH, "figure"),
        Output("campaign-price-title", "children"),
        Output("campaign-price-words", "children"),
        Output("campaign-price-table", "children"),
        Input("campaign-drawn", "data"),
        Input("campaign-view", "data"),
        Input("campaign-constraint", "value"),
        Input(SCHEME, "data"),
        State("campaign-id", "data"),
    )
    def draw(_: Any, given: Any, constraint: Any, scheme: Any, campaign_id: Any) -> Any:
        look = campaigns.look(str(campaign_id))
        campaign = look.folder.campaign
        instance = instance_of(campaign, given)
        task = next(each for each in campaign.tasks if each.instance == instance)
        names = task.tolerances.names
        name = constraint if constraint in names else names[0]
        title = f"What does a constraint cost? {instance.problem} {instance.dimension}D, {instance.search}"
        found = _bands(campaigns, look, instance, names.index(name))
        if found is None:
            return list(names), name, blank(), title, "No run is finished yet.", []
        figure = band_curve(found, name, dark=scheme == "dark")
        return list(names), name, figure, title, _words(found, name), _table(found, name)


def _bands(campaigns: Campaigns, look: Look, instance: Instance, constraint: int) -> Bands | None:
    """Made once for so many finished runs, which never change."""
    runs = sorted(each.name for each in look.results if each.failed is None and each.instance == instance)
    if not runs:
        return None

    def made() -> dict[str, Any]:
        designs = [Designs.of(look.folder.snapshot(name).archive()) for name in runs]
        found = bands(designs, constraint)
        return {
            "tolerances": [None if np.isinf(each) else each for each in found.tolerances],
            "quartiles": found.quartiles.tolist(),
            "found": found.found.tolist(),
        }

    key = ("campaign-price", look.folder.id, look.folder.engine, repr(instance), constraint, " ".join(runs))
    known = campaigns.context.cache.remember(key, made)
    tolerances = tuple(np.inf if each is None else each for each in known["tolerances"])
    quartiles = np.array(known["quartiles"], dtype=np.float64)
    return Bands(tolerances, quartiles, np.array(known["found"], dtype=np.int64), len(runs))


def _words(found: Bands, name: str) -> str:
    """The first step of the median that buys anything."""
    middle = found.quartiles[1]
    known = np.flatnonzero(~np.isnan(middle))
    if not len(known):
        return f"At no tolerance of {name} did half of the {many(found.runs, 'run')} find a design."
    start = known[0]
    lower = [i for i in known if middle[i] < middle[start]]
    at = f"{name} up to {tolerance(found.tolerances[start])}: a median objective of {amount(float(middle[start]))}"
    if not lower:
        return f"{at} over {many(found.runs, 'run')}; no further tolerance lowers it."
    step = lower[0]
    return (
        f"{at} over {many(found.runs, 'run')}; up to {tolerance(found.tolerances[step])}, "
        f"{amount(float(middle[step]))}."
    )


def _table(found: Bands, name: str) -> Component:
    def text(value: float) -> str:
        return parts.NOT_FOUND if np.isnan(value) else amount(value)

    rows = [
        parts.row([tolerance(each), *(text(float(value)) for value in quartiles), f"{count(number)} of {found.runs}"])
        for each, quartiles, number in zip(found.tolerances, found.quartiles.T, found.found.tolist(), strict=True)
    ]
    heads = (f"{name} up to", "lower quartile", "median", "upper quartile", "runs that found one")
    return parts.table(heads, rows)
