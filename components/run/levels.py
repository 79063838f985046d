"""Other levels for a run that exists: the map is binned anew at once, and a new run can search with them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from components.page_state import ids
from components.page_state.parts import DrawnPart, PagePart
from components.page_state.state import PageState
from components.page_state.view import Maps, ShownMap, checked_text
from components.shared.format import many
from components.shared.notices import icon
from components.start import tolerances as tolerance_form
from mapelites.core.archive import Archive
from mapelites.core.tolerances import Tolerances
from mapelites.runs import Run

FORM = "rebin"


def layout(run: Run, levels: list[list[float]] | None) -> Component:
    """The form, folded away until somebody wants it."""
    own = run.request.tolerances
    shown = own if levels is None else Tolerances(own.names, tuple(tuple(each) for each in levels), own.hard)
    return html.Section(
        html.Details(
            [
                html.Summary(
                    [
                        html.H2("Change levels (no new search)", className="panel-title"),
                        html.Span("What was found is put into other cells", className="quiet"),
                    ]
                ),
                html.Div(tolerance_form.layout(FORM, run.request.get_problem(), shown), id="rebin-form"),
                html.Div(
                    [
                        html.Div(id="rebin-words", className="rebin-words", role="status"),
                        dmc.Button("Back to the run's levels", id="rebin-back", variant="default", size="xs"),
                        dmc.Button(
                            "Run again with these levels", id="run-again-levels", leftSection=icon("repeat"), size="xs"
                        ),
                    ],
                    className="rebin-foot",
                ),
                dcc.Store(id=ids.LEVELS, data=levels),
                dcc.Store(id=ids.OWN_LEVELS, data=[list(each) for each in own.levels]),
            ],
            open=levels is not None,
        ),
        className="card rebin",
        **{"aria-label": "Change levels"},
    )


def register(app: Dash, maps: Maps) -> None:
    """Every good edit bins the map anew; the browser does that, the form has been checked by then."""

    def found(run_id: Any) -> Archive:
        return maps.archive(maps.shown(checked_text("run", run_id)))

    tolerance_form.register(app, FORM, found, [State(ids.RUN, "data")])

    app.clientside_callback(
        ClientsideFunction("run", "binAnew"),
        Output(ids.LEVELS, "data"),
        Output(ids.SELECTED, "data", allow_duplicate=True),
        Input(tolerance_form.value_id(FORM), "data"),
        State(ids.OWN_LEVELS, "data"),
        State(ids.LEVELS, "data"),
        prevent_initial_call=True,
    )

    @app.callback(
        Output("rebin-form", "children"),
        Output(ids.LEVELS, "data", allow_duplicate=True),
        Output(ids.SELECTED, "data", allow_duplicate=True),
        Input("rebin-back", "n_clicks"),
        State(ids.RUN, "data"),
        prevent_initial_call=True,
    )
    def back(clicks: Any, run_id: Any) -> Any:
        if not clicks:
            return no_update, no_update, no_update
        request = maps.shown(checked_text("run", run_id)).run.request
        return tolerance_form.layout(FORM, request.get_problem(), request.tolerances), None, None


def part(maps: Maps) -> PagePart:
    """What became of the elites at other levels, in words."""

    def say(_: PageState, shown: ShownMap, before: Any) -> DrawnPart | None:
        if shown.levels is None:
            own = ("These are the levels of the run.", "", True)
            return None if before == "own" else DrawnPart("own", own)
        if before == list(shown.key):
            return None
        everything, kept = maps.evaluations(shown), len(maps.archive(shown))
        source = f"all {many(len(everything), 'evaluation')}" if everything is not None else None
        source = source or many(len(maps.archive(replace(shown, levels=None))), "elite")
        words = f"Re-binned from {source} of the run: {many(kept, 'cell')} filled."
        return DrawnPart(list(shown.key), (words, f"{words} A new run with these levels may fill more.", False))

    outputs = (
        Output("rebin-words", "children"),
        Output("rebin-note", "children"),
        Output("rebin-note", "hidden"),
    )
    return PagePart("levels", outputs, (), say)
