"""All constraints at once, for a problem with more of them than a map shows: pairs, and parallel coordinates."""

from __future__ import annotations

import time
from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from components import many_pairs, many_parallel
from components import run_ids as ids
from components.context import Context
from components.many_rest import ANY, within_tolerance
from components.map_fold import SHOWN
from components.run_view import Maps
from components.shell import SCHEME
from mapelites.archive import Archive
from mapelites.tolerances import Tolerances

TABS = {"pairs": "All pairs", "parallel": "Parallel coordinates"}
LEAST_SECONDS = 2.0  # between two drawings while a run goes on
PAIRS_HELP = (
    "Each picture shows two constraints, from kept at the lower left to broken, and the best objective over all the "
    "others. Press one to see it on the map."
)
PARALLEL_HELP = (
    "One line for each elite, from axis to axis; the lower, the better. Drag along an axis to keep only the elites "
    "that pass there, or focus it and use the arrow keys, with Shift for the lower end and Delete to clear."
)


def layout(tolerances: Tolerances, view: dict[str, Any]) -> Component:
    """The card below the map; nothing where the map shows every constraint."""
    stores = [
        dcc.Store(id=ids.PAIR),
        dcc.Store(id=ids.BRUSH, data=view["brush"]),
        dcc.Store(id="parallel-data"),
        dcc.Store(id="many-drawn"),
        dcc.Store(id=ids.seen("many")),
    ]
    counted = dmc.SegmentedControl(
        id="pairs-counted",
        data=[{"value": ANY, "label": "Others: any"}, {"value": "within", "label": "Others: within tolerance"}],
        value=ANY,
        size="xs",
        **{"aria-label": "Which bins of the other constraints count"},
    )
    panels = {
        "pairs": [html.P(PAIRS_HELP, className="many-help"), counted, html.Div(id="many-pairs")],
        "parallel": [
            html.P(PARALLEL_HELP, className="many-help"),
            html.Div(id="parallel", className="parallel"),
            html.Div(id="parallel-words", className="parallel-words", role="status"),
            html.Div(id="parallel-list", className="parallel-list"),
        ],
    }
    tabs = dmc.Tabs(
        [
            dmc.TabsList([dmc.TabsTab(words, value=key) for key, words in TABS.items()]),
            *(dmc.TabsPanel(content, value=key, pt="sm") for key, content in panels.items()),
        ],
        id=ids.OVERVIEW,
        value=view["overview"],
        keepMounted=True,
    )
    return html.Section(
        [*stores, dmc.Title("All constraints", order=2, size="h4"), tabs],
        className="card many",
        hidden=len(tolerances.names) <= SHOWN,
        **{"aria-label": "All constraints"},
    )


def register(app: Dash, context: Context, maps: Maps) -> None:
    """Draw what is open when there is something new, but not with every moment of a run."""

    @app.callback(
        Output("many-pairs", "children"),
        Output("parallel-data", "data"),
        Output("many-drawn", "data"),
        Input(ids.OVERVIEW, "value"),
        Input("pairs-counted", "value"),
        Input(ids.seen("many"), "data"),
        Input(ids.MOMENT, "data"),
        Input(ids.LEVELS, "data"),
        Input(SCHEME, "data"),
        State(ids.RUN, "data"),
        State("many-drawn", "data"),
        prevent_initial_call=True,
    )
    def draw(tab: Any, counted: Any, _: Any, at: Any, levels: Any, scheme: Any, run_id: Any, before: Any) -> Any:
        shown = maps.shown(run_id, at, levels)
        known = (tab, tuple(TABS)), (counted, (ANY, "within")), (scheme, ("light", "dark"))
        if len(shown.tolerances.names) <= SHOWN or any(word not in words for word, words in known):
            return (no_update,) * 3
        look = [tab, counted, scheme, str(at), str(levels)]
        key: tuple[Any, ...] = ("many", tab, *shown.key, counted, scheme)
        stamp = {"look": look, "key": list(key), "time": time.time()}
        if isinstance(before, dict) and before.get("look") == look:
            then = before.get("time")
            soon = isinstance(then, float) and time.time() - then < LEAST_SECONDS and shown.run.state == "running"
            if soon or before.get("key") == list(key):
                return (no_update,) * 3
        if tab == "parallel":
            found = context.cache.remember(key, lambda: many_parallel.lines(maps.archive(shown)))
            return no_update, found, stamp
        rest = _rest(maps.archive(shown), counted)
        rows = context.cache.remember(
            key, lambda: many_pairs.pictures(maps.archive(shown), rest, dark=scheme == "dark")
        )
        return many_pairs.layout(shown.tolerances.names, rows), no_update, stamp

    app.clientside_callback(
        ClientsideFunction("many", "parallel"),
        Input("parallel-data", "data"),
        Input(ids.BRUSH, "data"),
        Input(ids.SELECTED, "data"),
        Input(ids.OVERVIEW, "value"),
        prevent_initial_call=True,
    )


def _rest(archive: Archive, counted: Any) -> tuple[str, ...]:
    """Which bins of the constraints beside a pair count."""
    if counted == "within":
        return within_tolerance(archive.tolerances, archive.problem.feasible_up_to.tolist())
    return (ANY,) * len(archive.tolerances.names)
