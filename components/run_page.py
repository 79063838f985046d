"""`/run/<id>`: a run live. The map is the largest thing; everything else explains it."""

from __future__ import annotations

from collections.abc import Mapping

from dash import ClientsideFunction, Dash, Input, State, dcc, html
from dash.development.base_component import Component

from components import (
    answers,
    answers_state,
    inspector,
    many_controls,
    many_overview,
    run_actions,
    run_budget,
    run_export,
    run_head,
    run_levels,
    run_live,
    run_map,
    timeline,
)
from components import run_ids as ids
from components.context import Context
from components.run_view import Maps, from_query, read_levels


def layout(context: Context, query: Mapping[str, str], run_id: str) -> Component:
    """The page of one run, in the view that the address asks for."""
    run, history = context.store.run(run_id), context.store.history(run_id)
    tolerances = run.request.tolerances
    view = from_query(query, tolerances)
    shown = read_levels(view["levels"], tolerances) or tolerances
    asked = answers_state.from_query(query, shown)
    return html.Div(
        [
            dcc.Store(id=ids.RUN, data=run.id),
            dcc.Store(id=ids.NAMES, data=list(tolerances.names)),
            run_head.layout(context.store, run, history, [run_actions.pace(run), run_export.layout()]),
            html.Div(id="rebin-note", className="rebin-note", hidden=True),
            answers.tabs(run, asked),
            html.Div(
                [
                    html.Div(
                        [
                            html.Div(
                                run_map.layout(run.request.get_problem(), shown, view),
                                id="view-map",
                                hidden=asked["view"] != "map",
                            ),
                            answers.layout(run, shown, asked),
                            timeline.layout(run_head.moments(history), view["at"]),
                        ],
                        className="run-left",
                    ),
                    inspector.layout(),
                ],
                className="run-columns",
            ),
            many_overview.layout(tolerances, view),
            run_levels.layout(run, view["levels"]),
            run_budget.layout(),
        ],
        className="run",
    )


def register(app: Dash, context: Context) -> None:
    """The callbacks of all parts, and the address that follows the view."""
    maps = Maps(context.store)
    run_actions.register(app, context)
    run_live.register(app, context, maps)
    run_map.register(app)
    many_controls.register(app, maps)
    timeline.register(app)
    inspector.register(app, maps)
    many_overview.register(app, context, maps)
    run_levels.register(app, maps)
    run_budget.register(app, context, maps)
    run_export.register(app, context, maps)
    answers.register(app, context, maps)
    app.clientside_callback(
        ClientsideFunction("run", "address"),
        Input(ids.MOMENT, "data"),
        Input(ids.AXES, "data"),
        Input(ids.COLOUR, "value"),
        Input(ids.SCALE, "value"),
        Input(ids.SELECTED, "data"),
        Input(ids.LEVELS, "data"),
        Input(ids.REST, "data"),
        Input(ids.BRUSH, "data"),
        Input(ids.OVERVIEW, "value"),
        Input(ids.ANSWERS, "data"),
        State(ids.RUN, "data"),
        prevent_initial_call=True,
    )
