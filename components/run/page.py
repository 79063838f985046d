"""`/run/<id>`: the one page of a run. A cell of the map, the sliders and the sentence on top say the same thing."""

from __future__ import annotations

from collections.abc import Mapping

from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components.answers import state as answers_state
from components.page_state import ids
from components.page_state import parts as page_parts
from components.page_state.state import PageState
from components.page_state.view import Maps
from components.proof import panel as proof_panel
from components.run import actions as run_actions
from components.run import answers, inspector, many_overview, timeline
from components.run import budget as run_budget
from components.run import evaluations as run_evaluations
from components.run import export as run_export
from components.run import head as run_head
from components.run import levels as run_levels
from components.run import limits as run_limits
from components.run import live as run_live
from components.run import map as run_map
from components.runs import labels
from components.shared import summary
from components.shared.context import Context


def layout(context: Context, query: Mapping[str, str], run_id: str) -> Component:
    """The page of one run, in the view that the address asks for."""
    run, history = context.store.run(run_id), context.store.history(run_id)
    problem, tolerances = run.request.problem_by_axis(), run.request.tolerances
    state = PageState.from_query(query, tolerances, problem)
    shown, view = state.binned or tolerances, state.as_data()
    return html.Div(
        [
            dcc.Store(id=ids.RUN, data=run.id),
            dcc.Store(id=ids.STATE, data=view),
            dcc.Store(id=ids.TOLD, data={}),
            dcc.Store(id=ids.version_store("parts")),
            dcc.Store(id=ids.NAMES, data=list(tolerances.names)),
            run_head.layout(context.store, run, history, [run_actions.pace(run), run_export.layout(run)]),
            labels.layout("run"),
            run_limits.sentence_line(run),
            html.Div(id="rebin-note", className="rebin-note", hidden=True),
            html.Div(
                [
                    run_limits.layout(state),
                    html.Div(
                        [
                            run_map.layout(problem, shown, view),
                            timeline.layout(run_head.replayable_moments(history), view["at"]),
                        ],
                        className="run-middle",
                    ),
                    inspector.layout(behind=state.asked.behind),
                ],
                className="run-columns",
            ),
            answers.layout(run, answers_state.as_data(state.asked)),
            proof_panel.layout(run),
            many_overview.layout(tolerances, view),
            run_levels.layout(run, view["levels"]),
            run_evaluations.layout(run),
            run_budget.layout(run_head.search_numbers(context.store, run, history)),
        ],
        className="run",
    )


def tab_title(context: Context, run_id: str) -> str:
    """The tab of the browser is called as the run is."""
    return summary.tab_title(context.store.run(run_id))


def register(app: Dash, context: Context) -> None:
    """The callbacks of all parts, and the address that follows the view."""
    maps = Maps(context.store)
    proofs = proof_panel.register(app, context, maps)
    run_actions.register(app, context)
    run_live.register(app, context, maps)
    run_map.register(app)
    run_limits.register(app)
    timeline.register(app)
    inspector.register(app)
    many_overview.register(app)
    run_levels.register(app, maps)
    run_export.register(app, context, maps)
    answers.register(app, context, maps)
    page_parts.register(
        app,
        maps,
        (
            run_limits.part(context, maps, proofs.proven),
            inspector.part(maps),
            run_levels.part(maps),
            many_overview.part(context, maps),
            run_evaluations.part(context, maps),
            run_budget.part(context, maps),
            proof_panel.part(context, maps, proofs),
            answers.part(context, maps),
        ),
    )
    app.clientside_callback(
        ClientsideFunction("pageState", "gather"),
        Output(ids.STATE, "data"),
        Input(ids.MOMENT, "data"),
        Input(ids.AXES, "data"),
        Input(ids.READING, "data"),
        Input(ids.COLOUR, "data"),
        Input(ids.SCALE, "data"),
        Input(ids.BLOCK, "data"),
        Input(ids.SELECTED, "data"),
        Input(ids.LEVELS, "data"),
        Input(ids.OVERVIEW, "value"),
        Input(ids.BRUSH, "data"),
        Input(ids.ALLOW, "data"),
        Input(ids.HARD, "data"),
        Input(ids.ANSWERS, "data"),
        State(ids.STATE, "data"),
    )
    app.clientside_callback(
        ClientsideFunction("run", "address"),
        Input(ids.STATE, "data"),
        State(ids.RUN, "data"),
        prevent_initial_call=True,
    )
