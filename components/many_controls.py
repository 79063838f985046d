"""More constraints than a map has axes: for each that is not shown, which of its bins count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components import run_ids as ids
from components.many_rest import ANY, choices, fitting, within_tolerance
from components.map_fold import Fold
from components.run_view import Maps, read_view
from mapelites.problem import Problem
from mapelites.tolerances import Tolerances


def layout(problem: Problem, tolerances: Tolerances, axes: list[str] | None, rest: list[str] | None) -> list[Component]:
    """A button that says what counts and opens the choices; hidden where the map shows every constraint."""
    buttons = dmc.Group(
        [
            dmc.Button("Any", id="rest-any", variant="default", size="xs"),
            dmc.Button("Within tolerance", id="rest-within", variant="default", size="xs"),
        ],
        gap="xs",
    )
    help_text = (
        "The map does not show every constraint. A cell shows the best elite over those bins of the others that "
        "count: any, all within a level, or one alone."
    )
    selects = html.Div(_selects(tolerances, rest), id="rest-choices", className="rest-choices")
    inside = dmc.Stack([dmc.Text(help_text, size="xs"), buttons, selects], gap="sm")
    seen = {} if Fold.of(tolerances, axes).hidden else {"display": "none"}
    return [
        dcc.Store(id="rest-within-words", data=list(within_tolerance(tolerances, problem.feasible_up_to.tolist()))),
        dmc.Popover(
            [
                dmc.PopoverTarget(dmc.Button("Others", id="rest-button", variant="default", size="xs", style=seen)),
                dmc.PopoverDropdown(inside, className="rest-box"),
            ],
            position="bottom-start",
            trapFocus=True,
            keepMounted=True,
            shadow="md",
        ),
    ]


def register(app: Dash, maps: Maps) -> None:
    """The choices make the words; the buttons make the choices, which follow the levels."""
    choice: dict[str, Any] = {"rest": ALL}
    app.clientside_callback(
        ClientsideFunction("many", "rest"),
        Output(ids.REST, "data"),
        Output(choice, "value"),
        Output(choice, "disabled"),
        Output("rest-button", "children"),
        Output("rest-button", "style"),
        Input(choice, "value"),
        Input("rest-any", "n_clicks"),
        Input("rest-within", "n_clicks"),
        Input(ids.AXES, "data"),
        State("rest-within-words", "data"),
        State(ids.NAMES, "data"),
        State(ids.REST, "data"),
    )

    @app.callback(
        Output("rest-choices", "children"),
        Output("rest-within-words", "data"),
        Input(ids.LEVELS, "data"),
        State(ids.REST, "data"),
        State(ids.RUN, "data"),
        prevent_initial_call=True,
    )
    def follow_levels(levels: Any, rest: Any, run_id: Any) -> Any:
        shown = maps.shown(run_id, None, levels)
        tolerances, limits = shown.tolerances, shown.run.request.get_problem().feasible_up_to.tolist()
        words = read_view(None, "objective", "auto", tolerances, fitting(rest, tolerances)).rest
        return _selects(tolerances, words), list(within_tolerance(tolerances, limits))


def _selects(tolerances: Tolerances, rest: Sequence[str] | None) -> list[Component]:
    """One choice for every constraint, shown or not."""
    return [
        dmc.Select(
            id={"rest": i},
            label=name,
            data=[{"value": key, "label": label} for key, label in choices(tolerances, i).items()],
            value=rest[i] if rest else ANY,
            allowDeselect=False,
            size="xs",
            comboboxProps={"withinPortal": False},
        )
        for i, name in enumerate(tolerances.names)
    ]
