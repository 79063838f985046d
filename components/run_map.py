"""The map of a run, live: the nested heatmap with its controls, its legend and a readout in words."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components import many_controls, map_cursor
from components import run_ids as ids
from components.map_figure import CONFIG
from components.map_fold import SHOWN, Fold
from components.run_live import form
from components.shell import SCHEME
from components.shell_notices import icon
from mapelites.problem import Problem
from mapelites.tolerances import Tolerances

COLOUR_NAMES = {
    "objective": "Objective",
    "age": "Age",
    "operator": "Operator",
    "satisfied": "Satisfied constraints",
}
SCALE_NAMES = {"auto": "Automatic", "linear": "Linear", "log": "Logarithmic", "rank": "Rank"}
SHORT_NAME = 4  # letters of a constraint's name that a narrow select has room for
AXIS_NAMES = ("x, outer", "y, outer", "x, inner", "y, inner")


def layout(problem: Problem, tolerances: Tolerances, view: dict[str, Any]) -> Component:
    """The map's card; its figure comes with the first callback."""
    box = map_cursor.box(
        [
            dcc.Graph(id=ids.MAP, config=CONFIG, className="run-graph", responsive=True, figure={"layout": _blank()}),
            html.Div(id="map-pinned", className="map-outline map-pinned", hidden=True),
            html.Div(id="map-selection", className="map-outline map-selection", hidden=True),
            html.Div(id="map-cursor", className="map-outline map-cursor", hidden=True),
            dmc.Button("Reset zoom", id="zoom-reset", variant="default", size="compact-xs"),
            html.Div(id="map-tip", className="map-tip", hidden=True, **{"aria-hidden": "true"}),
        ],
        id=ids.MAP_BOX,
        className=form(tolerances),
        name="Map of cells",
        enter="Enter opens a cell, Escape closes it.",
        readout="map-readout",
    )
    return html.Section(
        [
            _toolbar(problem, tolerances, view),
            box,
            html.Div(id="map-legend", className="legend"),
            html.Div(
                [
                    html.Span("Point at a cell, or move through them with the arrow keys.", className="with-keys"),
                    html.Span("Tap a cell to look into it.", className="with-fingers"),
                ],
                id="map-readout",
                className="map-readout",
                role="status",
            ),
            dcc.Store(id=ids.AXES, data=view["axes"]),
            dcc.Store(id=ids.AWAY),
            dcc.Store(id=ids.REST, data=view["rest"]),
            dcc.Store(id=ids.SELECTED, data=view["cell"]),
            dcc.Store(id=ids.DRAWN),
            dcc.Store(id=ids.NARROW),
        ],
        className="card run-map",
        **{"aria-label": "Map"},
    )


def register(app: Dash) -> None:
    """Draw the map when something about it changed, and only then; all of it in the browser."""
    app.clientside_callback(
        ClientsideFunction("live", "draw"),
        Output(ids.MAP, "figure"),
        Output(ids.DRAWN, "data"),
        Output(ids.MAP_BOX, "className"),
        Input(ids.LATEST, "data"),
        Input(ids.MOMENT, "data"),
        Input(ids.LEVELS, "data"),
        Input(ids.AXES, "data"),
        Input(ids.COLOUR, "value"),
        Input(ids.SCALE, "value"),
        Input(SCHEME, "data"),
        Input(ids.NARROW, "data"),
        Input(ids.REST, "data"),
        State(ids.DRAWN, "data"),
        State(ids.MAP, "figure"),
        prevent_initial_call=True,
    )
    app.clientside_callback(ClientsideFunction("live", "follow"), Output(ids.LATEST, "data"), Input(ids.RUN, "data"))
    app.clientside_callback(
        ClientsideFunction("run", "narrow"),
        Output(ids.NARROW, "data"),
        Input(ids.RUN, "data"),
        State(ids.NARROW, "data"),
    )
    app.clientside_callback(
        ClientsideFunction("run", "attach"),
        Input(ids.MAP, "figure"),
        Input(ids.SELECTED, "data"),
        Input(ids.PINNED_CELL, "data"),
        State(ids.DRAWN, "data"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("run", "axes"),
        Output(ids.AXES, "data"),
        Output({"axis": 0}, "value"),
        Output({"axis": 1}, "value"),
        Output({"axis": 2}, "value"),
        Output({"axis": 3}, "value"),
        Output({"axis": 0}, "display"),
        Output({"axis": 1}, "display"),
        Output({"axis": 2}, "display"),
        Output({"axis": 3}, "display"),
        Output("axes-all", "display"),
        Input({"axis": 0}, "value"),
        Input({"axis": 1}, "value"),
        Input({"axis": 2}, "value"),
        Input({"axis": 3}, "value"),
        Input("axes-swap", "n_clicks"),
        Input("axes-all", "n_clicks"),
        Input(ids.PAIR, "data"),
        Input(ids.AWAY, "data"),
        State(ids.AXES, "data"),
        State(ids.NAMES, "data"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("run", "scaleIsIdle"), Output(ids.SCALE, "disabled"), Input(ids.COLOUR, "value")
    )
    app.clientside_callback(
        ClientsideFunction("run", "resetZoom"), Input("zoom-reset", "n_clicks"), prevent_initial_call=True
    )


def _blank() -> dict[str, Any]:
    return {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "xaxis": {"visible": False},
        "yaxis": {"visible": False},
    }


def _toolbar(problem: Problem, tolerances: Tolerances, view: dict[str, Any]) -> Component:
    return html.Div(
        [
            dmc.Select(
                id=ids.COLOUR,
                data=[{"value": key, "label": name} for key, name in COLOUR_NAMES.items()],
                value=view["colour"],
                label="Colour by",
                allowDeselect=False,
                size="xs",
            ),
            dmc.Select(
                id=ids.SCALE,
                data=[{"value": key, "label": name} for key, name in SCALE_NAMES.items()],
                value=view["scale"],
                label="Scale",
                allowDeselect=False,
                size="xs",
            ),
            _axes(tolerances, view["axes"]),
            *many_controls.layout(problem, tolerances, view["axes"], view["rest"]),
        ],
        className="map-toolbar",
    )


def _axes(tolerances: Tolerances, axes: list[str] | None) -> Component:
    """Which constraint sits on which axis."""
    fold = Fold.of(tolerances, axes)
    order, names = fold.order[: fold.shown], tolerances.names
    selects = []
    width = 84 if max(map(len, names)) <= SHORT_NAME else 132
    for place in range(SHOWN):
        value = names[order[place]] if place < len(order) else None
        selects.append(
            dmc.Select(
                id={"axis": place},
                data=list(names),
                value=value,
                label=AXIS_NAMES[place],
                allowDeselect=False,
                size="xs",
                w=width,
                comboboxProps={"withinPortal": False},
                display=None if value else "none",
            )
        )
    alone = "none" if len(names) < 2 else None  # there is nothing to choose or to swap
    button = dmc.Button("Axes", variant="default", size="xs", leftSection=icon("compare"), display=alone)
    swap = dmc.Button("Swap x and y", id="axes-swap", variant="default", size="xs")
    every = dmc.Button(
        "Put every constraint on the map", id="axes-all", variant="default", size="xs",
        display=None if _is_short(fold) else "none",
    )  # fmt: skip
    inside = dmc.Stack([dmc.Group(selects, gap="xs"), swap, every], gap="sm")
    return dmc.Popover(
        [dmc.PopoverTarget(button), dmc.PopoverDropdown(inside, maw="92vw")],
        position="bottom-start",
        trapFocus=True,
        keepMounted=True,
        shadow="md",
    )


def _is_short(fold: Fold) -> bool:
    """Whether fewer constraints are on the map than there is room for."""
    return fold.shown < min(SHOWN, len(fold.order))
