"""`/runs`: all runs in a list to filter, sort and select; what one does with several of them; import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, dcc, html, no_update
from dash.development.base_component import Component

from components.runs import actions as runs_page_actions
from components.runs import labels
from components.runs import listing as runs_page_list
from components.runs import space as runs_page_room
from components.runs.actions import selected_runs
from components.runs.differences import distinguishing_words
from components.runs.listing import (
    ListView,
    changed_cells,
    map_pictures,
    page_count,
    run_marks,
    runs_on_page,
    select_runs,
    table_rows,
)
from components.shared import follow
from components.shared.context import Context
from components.shared.format import STATES, many
from components.shared.notices import icon
from components.shared.upload import label_upload
from mapelites.core.format import byte_size


def layout(context: Context, query: Mapping[str, str]) -> Component:
    """The page."""
    runs = context.store.runs()
    view = ListView.from_query(query)
    chosen = select_runs(runs, view)
    at, shown = runs_on_page(chosen, view.page)
    return html.Div(
        [
            html.Div(
                [
                    html.Div([dmc.Title("Runs", order=1), dmc.Text(_sum(context), id="runs-sum", className="lead")]),
                    runs_page_actions.import_button(),
                ],
                className="page-head",
            ),
            html.Div([_filters(view), runs_page_actions.action_bar()], className="runs-tools"),
            html.Div(id="runs-undo", role="status"),
            labels.layout(),
            html.Div(
                html.Table(
                    [runs_page_list.table_head(view), html.Tbody(table_rows(shown, (), runs), id="runs-rows")],
                    className="runs-table",
                ),
                className="card runs-card",
            ),
            html.Div(map_pictures(shown), id="runs-pictures"),
            html.Nav(
                dmc.Pagination(
                    id="runs-page", total=page_count(chosen), value=at, withControls=False, hideWithOnePage=True
                ),
                className="runs-pages",
                **{"aria-label": "Pages of the list"},
            ),
            html.Div(_empty(runs, view), id="runs-empty"),
            html.Div(runs_page_actions.restorable_runs(context), id="runs-deleted"),
            runs_page_room.layout(context),
            dcc.Store(id="runs-view", data=view.as_dict()),
            *follow.layout("runs", run_marks(runs)),
            dcc.Store(id="runs-news"),
        ],
        className="runs",
    )


def _filters(view: ListView) -> Component:
    states = [{"value": key, "label": word} for key, word in STATES.items()]
    return html.Div(
        [
            dmc.TextInput(
                id="runs-filter",
                value=view.text,
                placeholder="Filter by name, #tag, note, problem, search, seed or id",
                leftSection=icon("search"),
                debounce=150,
                className="runs-filter",
                **{"aria-label": "Filter by name, #tag, note, problem, search, seed or id"},
            ),
            dmc.MultiSelect(
                id="runs-states",
                data=states,
                value=list(view.states),
                placeholder="Any state",
                clearable=True,
                className="runs-states",
                **{"aria-label": "State"},
            ),
            dmc.Chip("Starred", id="runs-starred", checked=view.starred, variant="outline", size="sm"),
        ],
        className="runs-filters",
    )


def register(app: Dash, context: Context) -> None:
    """What is shown follows the filter, the order and the store; ticks survive."""
    runs_page_actions.register(app, context)
    runs_page_list.register(app)
    labels.register(app, context)
    runs_page_room.register(app, context)
    label_upload(app, "runs-import")
    app.clientside_callback(ClientsideFunction("runs", "tell"), Input("runs-news", "data"), prevent_initial_call=True)

    app.clientside_callback(
        ClientsideFunction("runs", "first"),
        Output("runs-page", "value", allow_duplicate=True),
        Input("runs-filter", "value"),
        Input("runs-states", "value"),
        Input("runs-starred", "checked"),
        Input("runs-view", "data"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("runs", "address"),
        Input("runs-filter", "value"),
        Input("runs-states", "value"),
        Input("runs-starred", "checked"),
        Input("runs-view", "data"),
        Input("runs-page", "value"),
        prevent_initial_call=True,
    )

    def refresh(
        before: Any,
        text: Any,
        states: Any,
        starred: Any,
        view_data: Any,
        _: Any,
        at: Any,
        saved: Any,
        ids: Any,
        on: Any,
        ticked: Any,
    ) -> tuple[Any, tuple[Any, ...]] | None:
        """New rows only where the list itself changed; else just the cells of the runs that did."""
        view = ListView.of(view_data, text, states, starred)
        runs = context.store.runs()
        chosen = select_runs(runs, view)
        there, part = runs_on_page(chosen, at)
        turned = no_update if there == at else there
        now = run_marks(runs)
        if [run.id for run in part] != [each["tick"] for each in ids]:
            kept = selected_runs(ticked, ids, on, runs)
            drawn = table_rows(part, kept, runs), map_pictures(part)
            return now, (*drawn, no_update, _empty(runs, view), _sum(context), page_count(chosen), turned)
        if now == before and ctx.triggered_id == "runs-changed":
            return no_update, (*[no_update] * 4, _sum(context), no_update, no_update)
        if now == before:
            return None
        known = before if isinstance(before, dict) else {}
        differ = distinguishing_words(runs)
        told = [
            [key, run.id, cell]
            for run in part
            for key, cell in changed_cells(run, known.get(run.id), differ.get(run.id, "")).items()
        ]
        return now, (no_update, no_update, told, _empty(runs, view), _sum(context), page_count(chosen), turned)

    follow.register(
        app,
        context.pacer,
        "runs",
        [
            Output("runs-rows", "children"),
            Output("runs-pictures", "children"),
            Output("runs-news", "data"),
            Output("runs-empty", "children"),
            Output("runs-sum", "children"),
            Output("runs-page", "total"),
            Output("runs-page", "value"),
        ],
        refresh,
        inputs=[
            Input("runs-filter", "value"),
            Input("runs-states", "value"),
            Input("runs-starred", "checked"),
            Input("runs-view", "data"),
            Input("runs-changed", "data"),
            Input("runs-page", "value"),
            Input(labels.SAVED, "data"),
        ],
        states=[State({"tick": ALL}, "id"), State({"tick": ALL}, "checked"), State("runs-ticked", "data")],
    )


def _sum(context: Context) -> str:
    runs = context.store.runs()
    if not runs:
        return "Every run is kept here until you delete it."
    limit = context.store.limit
    room = f" of {byte_size(limit)}" if limit else ""
    return f"{many(len(runs), 'run')}, {byte_size(context.store.size())}{room} on disk"


def _empty(runs: Sequence[Any], view: ListView) -> Component | None:
    if not runs:
        return html.Div(
            [
                html.Span(className="thumbnail thumbnail-empty"),
                dmc.Text(["No runs yet. ", dmc.Anchor("Start the first one", href="/"), " or import a run file."]),
            ],
            className="card empty",
        )
    if not select_runs(runs, view):
        return html.Div(dmc.Text("No run matches the filter."), className="card empty")
    return None
