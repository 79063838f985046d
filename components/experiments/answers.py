"""What a constraint costs over all runs of a campaign: the median price and its quartiles, from every run's elites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import dash_mantine_components as dmc
import numpy as np
from dash import Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components.answers import parts
from components.answers.figures import band_curve
from components.experiments.data import Campaigns, CampaignSnapshot
from components.experiments.figures import blank_figure
from components.map.figure import CONFIG
from components.shared.format import count, many
from components.shell.frame import SCHEME
from mapelites.answers import Bands, Designs, price_bands
from mapelites.answers.words import format_among, format_apart, objective_head, percent_change
from mapelites.campaign import Campaign, Instance
from mapelites.core.constraint import Constraint
from mapelites.core.problem import Problem
from mapelites.core.terms import violation_text, with_unit

GRAPH = "campaign-price"
MOST_DIGITS = 7  # in the table


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
            parts.named_chart(
                dcc.Graph(id=GRAPH, figure=blank_figure(), config=CONFIG, style={"height": parts.HEIGHT}),
                "Chart: best objective over the tolerance allowed, median and quartiles over the runs",
            ),
            html.Div(id="campaign-price-table", className="scroll"),
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
        names = task.spec.tolerances.names
        name = constraint if constraint in names else names[0]
        problem = task.spec.get_problem()
        title = f"What does a constraint cost? {problem.title or problem.name}, {instance.search}"
        runs = sorted(each.name for each in look.results if each.failed is None and each.instance == instance)
        if not runs:
            return list(names), name, blank_figure(), title, "No run is finished yet.", []
        found = _bands(campaigns, look, instance, runs, names.index(name))
        stated = task.spec.tolerances.axes(problem)[names.index(name)]
        drawn = replace(found, quartiles=-found.quartiles) if problem.maximise else found
        figure = band_curve(drawn, stated, dark=scheme == "dark")
        return (
            list(names),
            name,
            figure,
            title,
            _words(found, stated, problem),
            _table(found, stated, problem, [_address(look, run, name) for run in runs]),
        )


def _bands(campaigns: Campaigns, look: CampaignSnapshot, instance: Instance, runs: list[str], constraint: int) -> Bands:
    """Made once for so many finished runs, which never change."""

    def made() -> dict[str, Any]:
        designs = [Designs.of(look.folder.snapshot(name).archive()) for name in runs]
        found = price_bands(designs, constraint)
        return {
            "tolerances": [None if np.isinf(each) else each for each in found.tolerances],
            "quartiles": found.quartiles.tolist(),
            "behind": found.behind.tolist(),
            "found": found.found.tolist(),
        }

    key = ("campaign-price-of-runs", look.folder.id, look.folder.engine, repr(instance), constraint, " ".join(runs))
    known = campaigns.context.cache.remember(key, made)
    tolerances = tuple(np.inf if each is None else each for each in known["tolerances"])
    quartiles = np.array(known["quartiles"], dtype=np.float64)
    behind, number = (np.array(known[each], dtype=np.int64) for each in ("behind", "found"))
    return Bands(tolerances, quartiles, behind, number, len(runs))


def _address(look: CampaignSnapshot, run: str, constraint: str) -> str:
    """The page that tells the same price of one run."""
    return f"/experiments/{look.folder.id}/run/{run}?{urlencode({'view': 'price', 'about': constraint})}"


def _words(found: Bands, constraint: Constraint, problem: Problem) -> str:
    """What the median gains up to the allowance, or where that is nothing up to any violation."""
    middle = found.quartiles[1]
    known = np.flatnonzero(~np.isnan(middle))
    if not len(known):
        return f"At no tolerance of {constraint.name} did half of the {many(found.runs, 'run')} find a design."
    start, shown = known[0], problem.shown_objective
    lower = [i for i in known if middle[i] < middle[start]]
    allowed = [i for i in lower if np.isfinite(found.tolerances[i])] or lower
    step = allowed[-1] if allowed else start
    first, last = shown(float(middle[start])), shown(float(middle[step]))
    before, after = (with_unit(each, problem.objective_unit) for each in format_apart(first, last))
    of = "objective" if problem.objective == "f" else problem.objective
    at = f"{constraint.name} up to {violation_text(constraint, found.tolerances[start])}: a median {of} of {before}"
    if not lower:
        return f"{at} over {many(found.runs, 'run')}; at no further tolerance is it better."
    gain = percent_change(first, last)
    within = violation_text(constraint, found.tolerances[step])
    return f"{at} over {many(found.runs, 'run')}; up to {within}, {after}{gain}."


def _table(found: Bands, constraint: Constraint, problem: Problem, addresses: Sequence[str]) -> Component:
    """Every number leads to the run that it is of, and has as many digits as tell it from the others."""
    shown = problem.shown_objective
    known = [shown(each) for each in found.quartiles[~np.isnan(found.quartiles)].tolist()]

    def link(value: float, run: int) -> Component:
        if np.isnan(value):
            return html.Span(parts.NOT_FOUND, className="answer-none")
        told = format_among(shown(value), known, MOST_DIGITS)
        return html.A(told, href=addresses[run], title="Open the run that found it")

    rows = []
    for step, (each, number) in enumerate(zip(found.tolerances, found.found.tolist(), strict=True)):
        of = zip(found.quartiles[:, step].tolist(), found.behind[:, step].tolist(), strict=True)
        rows.append(
            parts.table_row(
                [violation_text(constraint, each), *(link(*pair) for pair in of), f"{count(number)} of {found.runs}"]
            )
        )
    median = f"median {objective_head(problem)}"
    heads = (f"{constraint.name} up to", "better quartile", median, "worse quartile", "runs that found one")
    return parts.answer_table(heads, rows)
