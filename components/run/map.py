"""The map of a run, live: the nested heatmap with its controls, its legend and a readout in words."""

from __future__ import annotations

from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components.map import cursor as map_cursor
from components.map.figure import CONFIG
from components.page_state import ids
from components.run.live import map_proportions
from components.shared.notices import icon
from components.shell.frame import SCHEME
from mapelites.core.nested_map.fold import Fold
from mapelites.core.problem import Problem
from mapelites.core.tolerances import Tolerances

COLOUR_NAMES = {
    "gain": "Gain over the best feasible",
    "objective": "Objective",
    "age": "Age",
    "operator": "Operator",
    "satisfied": "Satisfied constraints",
}
SCALE_NAMES = {"auto": "Automatic scale", "linear": "Linear scale", "log": "Logarithmic scale", "rank": "Scale by rank"}
READING_NAMES = {
    "up-to": ("Up to", "Each cell: the best design if you allow up to this"),
    "exact": ("Exactly", "Each cell: the best design that breaks the constraints by exactly so much"),
}


def layout(problem: Problem, tolerances: Tolerances, view: dict[str, Any]) -> Component:
    """The map's card; its figure comes with the first callback."""
    box = map_cursor.cursor_box(
        [
            dcc.Graph(id=ids.MAP, config=CONFIG, className="run-graph", responsive=True, figure={"layout": _blank()}),
            *(
                html.Div(id=f"map-{name}", className=f"map-outline map-{name}", hidden=True)
                for name in ("pinned", "selection", "cursor")
            ),
            html.Div(id="map-echo", className="map-echo", **{"aria-hidden": "true"}),
            html.Button(
                icon("open"),
                id="map-open",
                className="map-open",
                hidden=True,
                tabIndex=-1,
                title="Open this block",
                **{"aria-label": "Open this block"},
            ),
            html.Button("Reset zoom", id="zoom-reset", className="plain-button"),
            html.Div(id="map-tip", className="map-tip", hidden=True, **{"aria-hidden": "true"}),
        ],
        id=ids.MAP_BOX,
        className=map_proportions(Fold.of(tolerances)),
        name="Map of cells",
        enter="Enter moves the sliders there, B opens the block alone, Escape goes back.",
        readout="map-readout",
    )
    return html.Section(
        [
            _toolbar(view),
            html.Div(id="map-where", className="map-where", hidden=True),
            html.Div(id="map-schematic", className="map-schematic"),
            box,
            html.Div(id="map-legend", className="legend"),
            html.Div(
                [
                    html.Span("Point at a cell, or move through them with the arrow keys.", className="with-keys"),
                    html.Span("Tap a cell: the sliders go there.", className="with-fingers"),
                ],
                id="map-readout",
                className="map-readout",
                role="status",
            ),
            dcc.Store(id=ids.AXES, data=view["axes"]),
            dcc.Store(id=ids.READING, data=view["reading"]),
            dcc.Store(id=ids.COLOUR, data=view["colour"]),
            dcc.Store(id=ids.SCALE, data=view["scale"]),
            dcc.Store(id=ids.BLOCK, data=view["block"]),
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
        Input(ids.STATE, "data"),
        Input(SCHEME, "data"),
        Input(ids.NARROW, "data"),
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
        Input(ids.STATE, "data"),
        Input(ids.PINNED, "data"),
        State(ids.DRAWN, "data"),
        prevent_initial_call=True,
    )


def _blank() -> dict[str, Any]:
    return {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "xaxis": {"visible": False},
        "yaxis": {"visible": False},
    }


def _toolbar(view: dict[str, Any]) -> Component:
    """The reading, what colour means, and which constraint sits on which axis."""
    readings = [
        html.Button(
            words, className="switch-button", title=meaning,
            **{"data-set": ids.READING, "data-value": name, "aria-pressed": "false"},
        )
        for name, (words, meaning) in READING_NAMES.items()
    ]  # fmt: skip
    menu = html.Details(
        [
            html.Summary([icon("compare"), "Axes"], className="plain-button"),
            html.Div(id="axes-menu", className="axes-menu"),
        ],
        id="axes",
        className="axes",
    )
    return html.Div(
        [
            html.Div(readings, className="switch", role="group", **{"aria-label": "How a cell is read"}),
            html.Label(["Colour", _select(ids.COLOUR, COLOUR_NAMES, view["colour"])], className="map-choice"),
            html.Div(_select(ids.SCALE, SCALE_NAMES, view["scale"], "Scale of the colours"), className="map-choice"),
            menu,
        ],
        className="map-toolbar",
    )


def _select(store: str, names: dict[str, str], value: str | None, label: str = "") -> Component:
    """A list of the browser's own: light, and at home on a phone. A script puts what is chosen into the store."""
    options = [html.Option(words, value=key) for key, words in names.items()]
    more = {"aria-label": label} if label else {}
    return html.Select(options, className="plain-select", **{"data-set": store, "data-chosen": value or "", **more})
