"""All constraints at once, for a problem with more of them than a map shows: pairs, and parallel coordinates."""

from __future__ import annotations

import time
from typing import Any

import dash_mantine_components as dmc
import numpy as np
from dash import ClientsideFunction, Dash, Input, Output, dcc, html, no_update
from dash.development.base_component import Component

from components.map import many_pairs, many_parallel
from components.page_state import ids
from components.page_state.parts import DrawnPart, PagePart
from components.page_state.state import PageState, reading_of
from components.page_state.view import Maps, ShownMap
from components.shared.context import Context
from components.shell.frame import SCHEME
from mapelites.core.archive import Archive
from mapelites.core.nested_map.fold import SHOWN
from mapelites.core.problem import Array
from mapelites.core.tolerances import Tolerances

ANY = "any"
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
    ]
    counted = dmc.SegmentedControl(
        id="pairs-counted",
        data=[{"value": ANY, "label": "Others: any"}, {"value": "within", "label": "Others: satisfied"}],
        value="within",
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
        hidden=len(tolerances.negotiable) <= SHOWN,
        **{"aria-label": "All constraints"},
    )


def part(context: Context, maps: Maps) -> PagePart:
    """Draw what is open when there is something new, but not with every moment of a run."""

    def draw(state: PageState, shown: ShownMap, before: Any, counted: Any, scheme: Any) -> DrawnPart | None:
        tab = state.overview
        known = (counted, (ANY, "within")), (scheme, ("light", "dark"))
        if len(shown.tolerances.names) <= SHOWN or any(word not in words for word, words in known):
            return None
        reading = reading_of(state, shown)
        look = [tab, counted, scheme, str(state.at), str(shown.levels), reading]
        key: tuple[Any, ...] = ("many", tab, *shown.key, counted, scheme, reading)
        stamp = {"look": look, "key": list(key), "time": time.time()}
        if isinstance(before, dict) and before.get("look") == look:
            then = before.get("time")
            soon = isinstance(then, float) and time.time() - then < LEAST_SECONDS and shown.run.state == "running"
            if soon or before.get("key") == list(key):
                return None
        if tab == "parallel":
            found = context.cache.remember(key, lambda: many_parallel.parallel_lines(maps.archive(shown)))
            return DrawnPart(stamp, (no_update, found))
        limits = _limits(maps.archive(shown), counted)
        rows = context.cache.remember(
            key, lambda: many_pairs.pair_pictures(maps.archive(shown), limits, reading, dark=scheme == "dark")
        )
        return DrawnPart(stamp, (many_pairs.layout(shown.tolerances.names, rows), no_update))

    outputs = Output("many-pairs", "children"), Output("parallel-data", "data")
    return PagePart("many", outputs, (Input("pairs-counted", "value"), Input(SCHEME, "data")), draw)


def register(app: Dash) -> None:
    """The browser draws the lines."""
    app.clientside_callback(
        ClientsideFunction("many", "parallel"),
        Input("parallel-data", "data"),
        Input(ids.BRUSH, "data"),
        Input(ids.SELECTED, "data"),
        Input(ids.OVERVIEW, "value"),
        prevent_initial_call=True,
    )


def _limits(archive: Archive, counted: Any) -> Array:
    """The most that the constraints beside a pair may be violated."""
    satisfied = archive.problem.feasible_up_to
    return satisfied if counted == "within" else np.full(len(satisfied), np.inf)
