"""Other levels for a run that exists: the map is binned anew at once, and a new run can search with them."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from components import run_ids as ids
from components import tolerance_form
from components.format import many
from components.run_view import Maps, text
from components.shell_notices import icon
from mapelites.errors import InputError
from mapelites.runs import Run
from mapelites.tolerances import Tolerances

FORM = "rebin"


def layout(run: Run, levels: list[list[float]] | None) -> Component:
    """The form, folded away until somebody wants it."""
    own = run.request.tolerances
    shown = own if levels is None else Tolerances(own.names, tuple(tuple(each) for each in levels))
    return html.Section(
        html.Details(
            [
                html.Summary(
                    [
                        dmc.Title("Tolerance levels", order=2, size="h4"),
                        dmc.Text("Bin the elites anew, without searching again", c="dimmed", size="sm"),
                    ]
                ),
                html.Div(tolerance_form.layout(FORM, shown), id="rebin-form"),
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
                dcc.Store(id=ids.seen("levels")),
            ],
            open=levels is not None,
        ),
        className="card rebin",
        **{"aria-label": "Tolerance levels"},
    )


def register(app: Dash, maps: Maps) -> None:
    """Every good edit bins the map anew."""
    tolerance_form.register(app, FORM)

    @app.callback(
        Output(ids.LEVELS, "data"),
        Output(ids.SELECTED, "data", allow_duplicate=True),
        Input(tolerance_form.value_id(FORM), "data"),
        State(ids.RUN, "data"),
        State(ids.LEVELS, "data"),
        prevent_initial_call=True,
    )
    def bin_anew(content: Any, run_id: Any, before: Any) -> Any:
        own = maps.shown(run_id).run.request.tolerances
        try:
            wanted = tolerance_form.read(content)
        except InputError:
            return no_update, no_update  # the form itself says what is wrong beside the level
        if wanted.names != own.names:
            raise InputError(f"levels: the constraints must be {', '.join(own.names)}, but they were {wanted.names}")
        now = None if wanted == own else [list(each) for each in wanted.levels]
        return (no_update, no_update) if now == before else (now, None)

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
        own = maps.shown(text("run", run_id)).run.request.tolerances
        return tolerance_form.layout(FORM, own), None, None

    @app.callback(
        Output("rebin-words", "children"),
        Output("rebin-note", "children"),
        Output("rebin-note", "hidden"),
        Input(ids.LEVELS, "data"),
        Input(ids.seen("levels"), "data"),
        Input(ids.MOMENT, "data"),
        State(ids.RUN, "data"),
        State("rebin-note", "children"),
    )
    def say(levels: Any, _: Any, at: Any, run_id: Any, before: Any) -> Any:
        shown = maps.shown(run_id, at, levels)
        if shown.levels is None:
            own = "These are the levels of the run."
            return (own, "", True) if before != "" else (no_update,) * 3
        everything, kept = maps.evaluations(shown), len(maps.archive(shown))
        if everything is not None:
            words = f"Re-binned from all {many(len(everything), 'evaluation')} of the run: {many(kept, 'cell')} filled."
            return words, f"{words} A new run with these levels may fill more.", False
        elites = len(maps.archive(maps.shown(run_id, at)))
        words = f"Re-binned from {many(elites, 'elite')} of the run: {many(kept, 'cell')} filled."
        return words, f"{words} A new run with these levels may fill more.", False
