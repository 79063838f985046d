"""The tolerances that are allowed: a slider over the levels, a free value and a hard mark for every constraint."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, MATCH, ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from components import run_ids as ids
from components.answers_state import ANY, as_data, read, tolerance_text
from components.run_view import Maps
from mapelites.problem import Problem
from mapelites.tolerances import Tolerances

STEPS = "allow-steps"  # Store: for every constraint its tolerances as texts, and the one that is satisfied
MOST_MARKS = 7
LONGEST_MARK = 6  # characters
MOST_NAME = 7  # characters of a name that stand before a slider; a longer one stands above it


def steps(problem: Problem, tolerances: Tolerances) -> dict[str, dict[str, Any]]:
    """What a slider runs over: the levels, what counts as satisfied, and any violation."""
    found = {}
    for name, levels, limit in zip(tolerances.names, tolerances.levels, problem.feasible_up_to.tolist(), strict=True):
        values = [*sorted({*levels, limit}), math.inf]
        found[name] = {"texts": [tolerance_text(each) for each in values], "satisfied": tolerance_text(limit)}
    return found


def layout(problem: Problem, tolerances: Tolerances, data: Mapping[str, Any]) -> Component:
    """The panel; its rows are made anew when the levels change."""
    words = "Each slider runs over the levels; any other value can be typed. Hard ones stay satisfied in every view."
    return html.Section(
        html.Details(
            [
                html.Summary(
                    [
                        dmc.Title("Tolerances allowed", order=2, size="h5", className="with-sliders"),
                        dmc.Title("Hard constraints", order=2, size="h5", className="without-sliders"),
                        html.Span(id="allow-words", className="allow-words with-sliders"),
                    ]
                ),
                html.Div(
                    [
                        dmc.Text(words, size="sm", c="dimmed", className="with-sliders"),
                        dmc.Button(
                            "All satisfied", id="allow-reset", variant="default", size="xs", className="with-sliders"
                        ),
                        dmc.Text(
                            "They stay satisfied in every view.", size="sm", c="dimmed", className="without-sliders"
                        ),
                    ],
                    className="allow-help",
                ),
                html.Div(
                    rows(problem, tolerances, data),
                    id="allow-rows",
                    className=_rows_class(tolerances),
                    style={"--name": f"{max(map(len, tolerances.names))}ch"},
                ),
            ],
            id="allow-details",
            open=True,
        ),
        className="card answer-part allow for-price for-whatif for-almost for-front for-relations",
        **{"aria-label": "Tolerances allowed"},
    )


def _rows_class(tolerances: Tolerances) -> str:
    return "allow-rows" if max(map(len, tolerances.names)) <= MOST_NAME else "allow-rows has-long-names"


def rows(problem: Problem, tolerances: Tolerances, data: Mapping[str, Any]) -> list[Component]:
    """One row for every constraint, and the table of steps that they share."""
    known = steps(problem, tolerances)
    lines = [_row(name, known[name], data["allow"].get(name), name in data["hard"]) for name in tolerances.names]
    return [dcc.Store(id=STEPS, data=known), *lines]


def _row(name: str, known: dict[str, Any], allowed: str | None, hard: bool) -> Component:
    texts: list[str] = known["texts"]
    value = allowed or known["satisfied"]
    place = _place(texts, value)
    few = len(texts) <= MOST_MARKS and max(map(len, texts)) <= LONGEST_MARK
    marks = [{"value": i, **({"label": text} if few else {})} for i, text in enumerate(texts)]
    slider = dmc.Slider(
        id={"allow": "slider", "of": name}, min=0, max=len(texts) - 1, step=1, value=place, marks=marks, label=None,
        updatemode="drag", size="sm", disabled=hard, thumbLabel=f"Tolerance allowed on {name}",
        className="allow-slider",
    )  # fmt: skip
    field = dmc.TextInput(
        id={"allow": "value", "of": name}, value=value, size="xs", disabled=hard, debounce=400, className="allow-value",
        **{"aria-label": f"Tolerance allowed on {name}"},
    )  # fmt: skip
    mark = dmc.Switch(id={"allow": "hard", "of": name}, checked=hard, label="hard", size="xs", className="allow-hard",
                      **{"aria-label": f"{name} is hard"})  # fmt: skip
    return html.Div([html.B(name, className="allow-name"), slider, field, mark], className="allow-row")


def _place(texts: list[str], value: str) -> int:
    """The last step that is not beyond a value."""
    if value == ANY:
        return len(texts) - 1
    return max((i for i, text in enumerate(texts[:-1]) if float(text) <= float(value)), default=0)


def register(app: Dash, maps: Maps) -> None:
    """Slider and field follow each other in the browser; other levels make other sliders."""
    app.clientside_callback(
        ClientsideFunction("answers", "allow"),
        Output({"allow": "slider", "of": MATCH}, "value"),
        Output({"allow": "value", "of": MATCH}, "value"),
        Output({"allow": "value", "of": MATCH}, "error"),
        Output({"allow": "slider", "of": MATCH}, "disabled"),
        Output({"allow": "value", "of": MATCH}, "disabled"),
        Input({"allow": "slider", "of": MATCH}, "value"),
        Input({"allow": "value", "of": MATCH}, "value"),
        Input({"allow": "hard", "of": MATCH}, "checked"),
        State({"allow": "slider", "of": MATCH}, "id"),
        State(STEPS, "data"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("answers", "reset"),
        Output({"allow": "slider", "of": ALL}, "value", allow_duplicate=True),
        Output({"allow": "value", "of": ALL}, "value", allow_duplicate=True),
        Input("allow-reset", "n_clicks"),
        State({"allow": "slider", "of": ALL}, "id"),
        State(STEPS, "data"),
        prevent_initial_call=True,
    )

    @app.callback(
        Output("allow-rows", "children"),
        Input(ids.LEVELS, "data"),
        State(ids.ANSWERS, "data"),
        State(ids.RUN, "data"),
        prevent_initial_call=True,
    )
    def anew(levels: Any, data: Any, run_id: Any) -> Any:
        shown = maps.shown(run_id, None, levels)
        asked = as_data(read(data, shown.tolerances))
        return rows(shown.run.request.get_problem(), shown.tolerances, asked) if asked else no_update
