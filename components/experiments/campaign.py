"""`/experiments/<campaign_id>`: a campaign while it runs and afterwards: progress, tables, figures, files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, dcc, html, no_update
from dash.development.base_component import Component

from components.answers.parts import named_chart
from components.experiments import answers as answers_campaign
from components.experiments import figures as experiments_figures
from components.experiments import files as experiments_files
from components.experiments.data import Campaigns, CampaignSnapshot
from components.experiments.figures import CURVES
from components.experiments.table import (
    BESIDE,
    EVERY_SEARCH,
    cell_class,
    cell_content,
    cell_title,
    comparisons,
    failures,
    instance_key,
    instance_overview,
    paper_table,
    published_notes,
)
from components.experiments.words import campaign_badge, campaign_pace, campaign_title, count_in_words
from components.map.figure import CONFIG
from components.page_state.view import pressed_point
from components.shared.context import Context
from components.shared.follow import content_digest
from components.shared.format import count, many
from components.shared.notices import icon
from components.shell.frame import SCHEME, URL
from mapelites.campaign import Campaign, Instance
from mapelites.campaign.description import OWN, table_words
from mapelites.campaign.process import start_process, stop_campaign
from mapelites.campaign.report.formats import competitions
from mapelites.campaign.report.table import sign_words
from mapelites.problems.suites.suite import PREFERRED_DIMENSION

LOOK = 250  # milliseconds between looks whether it is time to ask; assets/experiments/campaign.js says when it is
FIGURE_HEIGHT = 320  # pixels
PARTS = ("progress", "button", "trouble", "table", "pairs", "competitions")
CELL_PROPERTIES = ("children", "className", "title")


@dataclass(frozen=True)
class CampaignView:
    """What a person looks at: one table, one problem, and what stands beside it."""

    dimension: int
    search: str
    problem: str
    beside: str = "none"

    @classmethod
    def of(cls, campaign: Campaign, given: Any) -> CampaignView:
        """A view from an address or from a browser; anything unknown becomes the first there is."""
        data = given if isinstance(given, Mapping) else {}
        numbers = {str(n): n for n in campaign.tables}
        searches = (*campaign.searches, EVERY_SEARCH)
        search = data.get("search") if data.get("search") in searches else campaign.searches[0]
        problem = str(data.get("problem") if data.get("problem") in campaign.problems else campaign.problems[0])
        first = OWN if campaign.own_dimension(problem) else campaign.tables[0]
        dimension = numbers.get(str(data.get("dimension")), first)
        beside = data.get("beside") if data.get("beside") in tuple(BESIDE) else "none"
        return cls(dimension, str(search), problem, str(beside))

    def variables(self, campaign: Campaign) -> int:
        """The number of variables of the problem that is looked at: its own, where it has only one."""
        return campaign.own_dimension(self.problem) or self.dimension or PREFERRED_DIMENSION


def layout(context: Context, query: Mapping[str, str], campaign_id: str) -> Component:
    """The page."""
    campaigns = Campaigns(context)
    version = campaigns.folder(campaign_id).version()
    look = campaigns.look(campaign_id)
    campaign = look.folder.campaign
    view = CampaignView.of(campaign, query)
    given = asdict(view)
    return html.Div(
        [
            _head(look),
            html.Div(_trouble(look), id="campaign-trouble"),
            html.Div(
                [html.Div([_overview(look), _ahead(look, view)], className="experiments-left"), _figures()],
                className="experiments-main",
            ),
            html.Section(
                [_switches(campaign, view), html.Div(_table(look, view), id="campaign-table", className="scroll")],
                className="card experiments-part",
            ),
            html.Div(_competitions(look), id="campaign-competitions"),
            answers_campaign.layout(),
            dcc.Store(id="campaign-id", data=look.folder.id),
            dcc.Store(id="campaign-view", data=given),
            dcc.Store(id="campaign-asked", data={"number": 0, "at": 0, "view": given, "whole": False}),
            dcc.Store(id="campaign-answered", data=0),
            dcc.Store(id="campaign-seen", data=_seen(look, version, given, _parts(look, view))),
            dcc.Store(id="campaign-drawn", data=_finished(look, view)),
            dcc.Location(id="campaign-url", refresh=False),
            dcc.Interval(id="campaign-tick", interval=LOOK),
        ],
        className="experiments",
    )


def tab_title(context: Context, campaign_id: str) -> str:
    """The tab of the browser says what the campaign runs."""
    return campaign_title(Campaigns(context).folder(campaign_id).campaign)


def _overview(look: CampaignSnapshot) -> Component:
    return html.Section(
        [
            dmc.Title("All runs", order=2, size="h4"),
            html.P("The share of feasible runs, and how many are done. A click shows more.", className="quiet"),
            html.Div(instance_overview(look.folder.campaign, look.states, look.report), className="scroll"),
        ],
        className="card experiments-part",
    )


def _ahead(look: CampaignSnapshot, view: CampaignView) -> Component:
    return html.Section(
        [
            dmc.Title("Which search is ahead", order=2, size="h4"),
            html.P("Wilcoxon rank-sum per problem at 5 %, on the competition's order of solutions.", className="quiet"),
            html.Div(comparisons(look.report, view.dimension), id="campaign-pairs", className="scroll"),
        ],
        className="card experiments-part",
        hidden=len(look.folder.campaign.searches) < 2,
    )


def _competitions(look: CampaignSnapshot) -> list[Component]:
    """What the rules of the competitions make of the runs that are done, as far as there are such problems."""
    parts: list[Component] = []
    for head, heads, rows in competitions(look.report):
        body = [html.Tr([html.Th(row[0], scope="row"), *(html.Td(cell) for cell in row[1:])]) for row in rows]
        columns = html.Thead(html.Tr([html.Th(each, scope="col") for each in heads]))
        lower = html.P("The lower, the better.", className="quiet")
        parts += [
            dmc.Title(head, order=2, size="h4"),
            lower,
            html.Table([columns, html.Tbody(body)], className="statistics"),
        ]
    return parts


def _head(look: CampaignSnapshot) -> Component:
    campaign = look.folder.campaign
    different = "".join(f", {each}" for each in look.report.departures)  # from the paper's experiment
    return html.Div(
        [
            html.Div(
                [
                    dmc.Anchor("Experiments", href="/experiments", size="sm"),
                    dmc.Title(campaign_title(campaign), order=1),
                    dmc.Text(
                        f"{count_in_words(campaign)}, seed {campaign.seed}{different} · {look.folder.id}",
                        className="lead",
                    ),
                ]
            ),
            html.Div([html.Div(_button(look), id="campaign-button"), experiments_files.menu(look.folder.id)],
                     className="experiments-actions"),
            html.Div(_progress(look), id="campaign-progress", className="experiments-progress", role="status"),
        ],
        className="page-head experiments-top",
    )  # fmt: skip


def _button(look: CampaignSnapshot) -> Component | None:
    working = look.folder.working()
    if look.folder.starting() or (look.progress.whole and not working):
        return None
    word, picture = ("Stop", "stop") if working else ("Go on", "play")
    return dmc.Button(
        word,
        id={"campaign-do": "stop" if working else "start"},
        leftSection=icon(picture),
        variant="default" if working else "filled",
        size="sm",
    )


def _progress(look: CampaignSnapshot) -> list[Component]:
    p = look.progress
    failed = f", {many(p.failed, 'failure')}" if p.failed else ""
    return [
        campaign_badge(look.folder, p),
        dmc.Progress(value=100 * p.share, size="lg", className="experiments-bar", **{"aria-label": "Runs done"}),
        html.Span(f"{count(p.done)} of {many(p.count, 'run')}{failed}"),
        html.Span(campaign_pace(look.folder.status, p), className="quiet experiments-pace"),
    ]


def _trouble(look: CampaignSnapshot) -> list[Component]:
    words = look.folder.trouble
    words = f"{words[:1].upper()}{words[1:]}."
    parts = [dmc.Alert(words, title="The campaign ended early", color="red", variant="light")] if words != "." else []
    failed = failures(look.results)
    return [*parts, *([failed] if failed is not None else [])]


def _switches(campaign: Campaign, view: CampaignView) -> Component:
    def switch(name: str, label: str, data: list[dict[str, str]], value: str) -> Component:
        return dmc.SegmentedControl(
            id=f"campaign-{name}", data=data, value=value, size="sm", **{"aria-label": label}
        )  # fmt: skip

    together = [{"value": EVERY_SEARCH, "label": "All searches"}] if len(campaign.searches) > 1 else []
    return html.Div(
        [
            dmc.Title("Statistics", order=2, size="h4"),
            switch(
                "dimension",
                "Dimension",
                [{"value": f"{n}", "label": table_words(n)} for n in campaign.tables],
                str(view.dimension),
            ),
            switch("search", "Search", [*_same(campaign.searches), *together], view.search),
            switch("beside", "Beside", [{"value": k, "label": v} for k, v in BESIDE.items()], view.beside),
        ],
        className="experiments-switches",
    )


def _same(values: Any) -> list[dict[str, str]]:
    return [{"value": value, "label": value} for value in values]


def _table(look: CampaignSnapshot, view: CampaignView) -> list[Component]:
    runs, place = f"/experiments/{look.folder.id}/run/", (view.dimension, view.search)
    signs = sign_words(look.report.campaign)
    return [
        *([html.Div(signs, className="statistics-notes quiet")] if signs else []),
        *published_notes(look.report, place, view.beside),
        paper_table(look.report, look.states, place, view.beside, runs),
    ]


def _figures() -> Component:
    kinds = dmc.SegmentedControl(
        id="campaign-curve", data=[{"value": k, "label": v} for k, v in CURVES.items()], value="objective", size="sm",
        **{"aria-label": "What the curves show"},
    )  # fmt: skip
    graphs = [
        html.Figure(
            [
                html.Figcaption(caption, id=f"{name}-caption"),
                named_chart(  # its height is there before the graph is
                    dcc.Graph(
                        id=name, figure=experiments_figures.blank_figure(), config=CONFIG, style={"height": "100%"}
                    ),
                    label,
                    style={"height": FIGURE_HEIGHT},
                ),
            ],
            className="compare-map",
        )
        for name, caption, label in (
            ("campaign-bands", "Convergence: median and quartiles over the runs", "Chart: convergence of every search"),
            ("campaign-boxes", experiments_figures.box_words({}), "Chart: final objectives of every search"),
        )
    ]
    return html.Section(
        [
            html.Div([dmc.Title(id="campaign-figures-title", order=2, size="h4"), kinds], className="experiments-head"),
            *graphs,
            html.P(id="campaign-references", className="quiet"),
        ],
        className="card experiments-part",
    )


def register(app: Dash, context: Context) -> None:
    """The page follows the campaign, the view and the buttons."""
    campaigns = Campaigns(context)
    experiments_files.register(app, context)
    _register_view(app)
    _register_progress(app, campaigns)
    _register_figures(app, campaigns)
    answers_campaign.register(app, campaigns, _instance)
    _register_buttons(app, campaigns)


def _instance(campaign: Campaign, given: Any) -> Instance:
    view = CampaignView.of(campaign, given)
    search = campaign.searches[0] if view.search == EVERY_SEARCH else view.search
    return Instance(view.problem, view.variables(campaign), search)


def _register_view(app: Dash) -> None:
    """In the browser, where no press has to wait for the answer to another one."""
    app.clientside_callback(
        ClientsideFunction("experiments", "choose"),
        Output("campaign-view", "data"),
        Output("campaign-dimension", "value"),
        Output("campaign-search", "value"),
        Output("campaign-url", "search"),
        Input({"campaign-cell": ALL}, "n_clicks"),
        Input("campaign-dimension", "value"),
        Input("campaign-search", "value"),
        Input("campaign-beside", "value"),
        State("campaign-view", "data"),
        prevent_initial_call=True,
    )


def _register_progress(app: Dash, campaigns: Campaigns) -> None:
    app.clientside_callback(
        ClientsideFunction("experiments", "ask"),
        Output("campaign-asked", "data"),
        Input("campaign-tick", "n_intervals"),
        Input("campaign-view", "data"),
        State("campaign-asked", "data"),
        State("campaign-answered", "data"),
        prevent_initial_call=True,
    )

    @app.callback(
        [Output(f"campaign-{name}", "children") for name in PARTS],
        [Output({"campaign-cell": ALL}, name) for name in CELL_PROPERTIES],
        Output("campaign-seen", "data"),
        Output("campaign-drawn", "data"),
        Output("campaign-answered", "data"),
        Input("campaign-asked", "data"),
        State("campaign-seen", "data"),
        State("campaign-drawn", "data"),
        State("campaign-id", "data"),
        State({"campaign-cell": ALL}, "id"),
        prevent_initial_call=True,
    )
    def follow(asked: Any, seen: Any, drawn: Any, campaign_id: Any, ids: Any) -> Any:
        """Only what changed is sent: what is sent again loses its focus and what is selected in it.

        What is new is told by what the page shows. The browser shows every answer, an overtaken one too, and what
        depends on an answer waits until none is due. So it asks one question at a time, and where it gave up
        waiting for an answer, it asks for the whole.
        """
        question = asked if isinstance(asked, dict) else {}
        given, number = question.get("view"), question.get("number")
        before = seen if isinstance(seen, dict) and not question.get("whole") else {}
        version = campaigns.folder(campaign_id).version()
        if [before.get("version"), before.get("view")] == [version, given]:
            cells = [[no_update] * len(ids)] * len(CELL_PROPERTIES)
            return (*[no_update] * len(PARTS), *cells, no_update, no_update, number)
        look = campaigns.look(str(campaign_id))
        view = CampaignView.of(look.folder.campaign, given)
        parts = _parts(look, view)
        now = _seen(look, version, given, parts)
        finished = _finished(look, view)
        return (
            *(no_update if before.get(name) == now[name] else part for name, part in parts.items()),
            *_cells(look, [each["campaign-cell"] for each in ids], before.get("cells", {}), now["cells"]),
            now,
            no_update if drawn == finished else finished,
            number,
        )


def _parts(look: CampaignSnapshot, view: CampaignView) -> dict[str, Any]:
    """What stands in each part of the page."""
    return {
        "progress": _progress(look),
        "button": _button(look),
        "trouble": _trouble(look),
        "table": _table(look, view),
        "pairs": comparisons(look.report, view.dimension),
        "competitions": _competitions(look),
    }


def _seen(look: CampaignSnapshot, version: str, given: Any, parts: Mapping[str, Any]) -> dict[str, Any]:
    """What the page shows, as little text as tells it from anything else."""
    words = {instance_key(each): [cell.words, cell.state] for each, cell in look.states.items()}
    return {
        "version": version,
        "view": given,
        "cells": words,
        **{name: content_digest(part) for name, part in parts.items()},
    }


def _cells(look: CampaignSnapshot, keys: list[str], old: Mapping[str, Any], new: Mapping[str, Any]) -> list[list[Any]]:
    """The properties of every cell's button, where its words changed."""
    rates = {row.instance: row.summary.feasibility_rate for row in look.report.rows}
    made = {
        instance_key(i): (cell_content(c, rates.get(i)), cell_class(c), cell_title(i, c))
        for i, c in look.states.items()
        if old.get(instance_key(i)) != new[instance_key(i)]
    }
    same = (no_update,) * len(CELL_PROPERTIES)
    return [list(values) for values in zip(*(made.get(key, same) for key in keys), strict=True)]


def _finished(look: CampaignSnapshot, view: CampaignView) -> list[Any]:
    """What the figures depend on: the problem and how many runs of it are done."""
    here = [row for row in look.report.rows if row.instance.problem == view.problem]
    variables = view.variables(look.folder.campaign)
    return [view.problem, variables, sum(len(r.finals) for r in here if r.instance.dimension == variables)]


def _register_figures(app: Dash, campaigns: Campaigns) -> None:
    @app.callback(
        Output("campaign-bands", "figure"),
        Output("campaign-boxes", "figure"),
        Output("campaign-figures-title", "children"),
        Output("campaign-references", "children"),
        Output("campaign-boxes-caption", "children"),
        Input("campaign-drawn", "data"),
        Input("campaign-curve", "value"),
        Input(SCHEME, "data"),
        State("campaign-view", "data"),
        State("campaign-id", "data"),
    )
    def draw(_: Any, kind: Any, scheme: Any, given: Any, campaign_id: Any) -> Any:
        look = campaigns.look(str(campaign_id))
        campaign = look.folder.campaign
        view = CampaignView.of(campaign, given)
        variables = view.variables(campaign)
        kind, dark = kind if kind in tuple(CURVES) else "objective", scheme == "dark"
        rows = [
            row for row in look.report.rows
            if (row.instance.problem, row.instance.dimension) == (view.problem, variables)
        ]  # fmt: skip
        known = campaign.problem(view.problem, variables).best_known
        lines = experiments_figures.reference_lines(rows[0] if rows else None, known)
        curves = campaigns.curves(look, [Instance(view.problem, variables, s) for s in campaign.searches])
        figures = (
            experiments_figures.convergence(curves, kind, lines, dark=dark),
            experiments_figures.solution_boxes(rows, campaign.searches, lines, dark=dark),
        )
        for figure in figures:  # a zoom stays as long as the same thing is looked at
            figure["layout"]["uirevision"] = f"{view.problem} {variables} {kind}"
        return (
            *figures,
            campaign.problem(view.problem, variables).title,
            experiments_figures.reference_words(rows, known),
            experiments_figures.box_words(figures[1]),
        )


def _register_buttons(app: Dash, campaigns: Campaigns) -> None:
    @app.callback(
        Output("campaign-button", "children", allow_duplicate=True),
        Output("campaign-seen", "data", allow_duplicate=True),  # it does not show what it did, so all is sent again
        Input({"campaign-do": ALL}, "n_clicks"),
        State("campaign-id", "data"),
        prevent_initial_call=True,
    )
    def do(clicks: list[int | None], campaign_id: Any) -> Any:
        if not any(clicks) or not isinstance(ctx.triggered_id, dict):
            return no_update, no_update
        folder = campaigns.folder(campaign_id)
        if ctx.triggered_id["campaign-do"] == "stop":
            stop_campaign(folder)
        else:
            campaigns.context.queue.check_scheduler(folder.scheduler)
            campaigns.context.queue.admit_campaign(folder.campaign)
            start_process(folder, folder.scheduler)
        return _button(campaigns.look(str(campaign_id))), None

    @app.callback(
        Output(URL, "href", allow_duplicate=True),
        Input("campaign-boxes", "clickData"),
        State("campaign-id", "data"),
        prevent_initial_call=True,
    )
    def open_run(click: Any, campaign_id: Any) -> Any:
        name = pressed_point(click).get("customdata")
        if not isinstance(name, str):
            return no_update
        folder = campaigns.folder(campaign_id)
        return f"/run/{experiments_files.take_run_in(campaigns.context.queue, folder, name)}"
