"""`/runs`: all runs in a list to filter, sort and select; what one does with several of them; import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, dcc, html, no_update
from dash.development.base_component import Component

from components import runs_page_actions, runs_page_list, runs_page_room
from components.context import Context
from components.format import STATES, many, size
from components.runs_page_actions import selected
from components.runs_page_list import View, news, page, pages, rows, seen, select
from components.shell_notices import icon
from components.upload import label_upload

PERIOD = 1_000  # milliseconds


def layout(context: Context, query: Mapping[str, str]) -> Component:
    """The page."""
    runs = context.store.runs()
    view = View()
    chosen = select(runs, view)
    return html.Div(
        [
            html.Div(
                [
                    html.Div([dmc.Title("Runs", order=1), dmc.Text(_sum(context), id="runs-sum", className="lead")]),
                    runs_page_actions.import_button(),
                ],
                className="page-head",
            ),
            html.Div([_filters(), runs_page_actions.bar()], className="runs-tools"),
            html.Div(id="runs-undo", role="status"),
            html.Div(
                html.Table(
                    [runs_page_list.head(view), html.Tbody(rows(page(chosen, 1)[1], ()), id="runs-rows")],
                    className="runs-table",
                ),
                className="card runs-card",
            ),
            html.Nav(
                dmc.Pagination(id="runs-page", total=pages(chosen), value=1, withControls=False, hideWithOnePage=True),
                className="runs-pages",
                **{"aria-label": "Pages of the list"},
            ),
            html.Div(_empty(runs, view), id="runs-empty"),
            html.Div(runs_page_actions.deleted(context), id="runs-deleted"),
            runs_page_room.layout(context),
            dcc.Store(id="runs-view", data=view.as_dict()),
            dcc.Store(id="runs-seen", data=seen(runs)),
            dcc.Store(id="runs-news"),
            dcc.Interval(id="runs-tick", interval=PERIOD),
        ],
        className="runs",
    )


def _filters() -> Component:
    states = [{"value": key, "label": word} for key, word in STATES.items()]
    return html.Div(
        [
            dmc.TextInput(
                id="runs-filter",
                value="",
                placeholder="Filter by problem, search, seed or id",
                leftSection=icon("search"),
                debounce=150,
                className="runs-filter",
                **{"aria-label": "Filter by problem, search, seed or id"},
            ),
            dmc.MultiSelect(
                id="runs-states",
                data=states,
                value=[],
                placeholder="Any state",
                clearable=True,
                className="runs-states",
                **{"aria-label": "State"},
            ),
        ],
        className="runs-filters",
    )


def register(app: Dash, context: Context) -> None:
    """What is shown follows the filter, the order and the store; ticks survive."""
    runs_page_actions.register(app, context)
    runs_page_list.register(app)
    runs_page_room.register(app, context)
    label_upload(app, "runs-import")
    app.clientside_callback(ClientsideFunction("runs", "tell"), Input("runs-news", "data"), prevent_initial_call=True)

    app.clientside_callback(
        ClientsideFunction("runs", "first"),
        Output("runs-page", "value", allow_duplicate=True),
        Input("runs-filter", "value"),
        Input("runs-states", "value"),
        Input("runs-view", "data"),
        prevent_initial_call=True,
    )

    @app.callback(
        Output("runs-rows", "children"),
        Output("runs-news", "data"),
        Output("runs-empty", "children"),
        Output("runs-sum", "children"),
        Output("runs-seen", "data"),
        Output("runs-page", "total"),
        Output("runs-page", "value"),
        Input("runs-tick", "n_intervals"),
        Input("runs-filter", "value"),
        Input("runs-states", "value"),
        Input("runs-view", "data"),
        Input("runs-changed", "data"),
        Input("runs-page", "value"),
        State("runs-seen", "data"),
        State({"tick": ALL}, "id"),
        State({"tick": ALL}, "checked"),
        State("runs-ticked", "data"),
        prevent_initial_call=True,
    )
    def refresh(
        _: Any, text: Any, states: Any, view_data: Any, __: Any, at: Any, before: Any, ids: Any, on: Any, ticked: Any
    ) -> Any:
        """New rows only where the list itself changed; else just the cells of the runs that did."""
        view = View.of(view_data, text, states)
        runs = context.store.runs()
        chosen = select(runs, view)
        there, part = page(chosen, at)
        turned = no_update if there == at else there
        now = seen(runs)
        if [run.id for run in part] != [each["tick"] for each in ids]:
            kept = selected(ticked, ids, on, runs)
            return rows(part, kept), no_update, _empty(runs, view), _sum(context), now, pages(chosen), turned
        if now == before:
            total = _sum(context) if ctx.triggered_id == "runs-changed" else no_update
            return no_update, no_update, no_update, total, no_update, no_update, no_update
        known = before if isinstance(before, dict) else {}
        told = [[key, run.id, cell] for run in part for key, cell in news(run, known.get(run.id)).items()]
        return no_update, told, _empty(runs, view), _sum(context), now, pages(chosen), turned


def _sum(context: Context) -> str:
    runs = context.store.runs()
    if not runs:
        return "Every run is kept here until you delete it."
    limit = context.store.limit
    room = f" of {size(limit)}" if limit else ""
    return f"{many(len(runs), 'run')}, {size(context.store.size())}{room} on disk"


def _empty(runs: Sequence[Any], view: View) -> Component | None:
    if not runs:
        return html.Div(
            [
                html.Span(className="thumbnail thumbnail-empty"),
                dmc.Text(["No runs yet. ", dmc.Anchor("Start the first one", href="/"), " or import a run file."]),
            ],
            className="card empty",
        )
    if not select(runs, view):
        return html.Div(dmc.Text("No run matches the filter."), className="card empty")
    return None
