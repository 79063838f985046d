"""The timeline: scrub or play a map's history. Moved by hand it stays; "Live" is pressed to go back."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components import run_ids as ids

STEP = 150  # milliseconds between the moments of a replay


def layout(moments: list[int], at: int | None) -> Component:
    """The bar under the map."""
    last = max(len(moments) - 1, 1)
    place = last if at is None else min(range(len(moments)), key=lambda i: abs(moments[i] - at), default=0)
    return html.Section(
        [
            dcc.Store(id=ids.MOMENTS, data=moments),
            dcc.Store(id=ids.MOMENT, data=at),
            dcc.Interval(id="timeline-step", interval=STEP, disabled=True),
            dmc.ActionIcon(
                html.Span(id="timeline-sign", className="icon icon-play"),
                id="timeline-play",
                variant="default",
                size="lg",
                **{"aria-label": "Play the history"},
            ),
            dmc.Slider(
                id="timeline-slider",
                min=0,
                max=last,
                value=place,
                step=1,
                label=None,
                updatemode="drag",
                className="timeline-slider",
                thumbLabel="Moment of the run's history",
                size="sm",
            ),
            html.Div(id="timeline-text", className="timeline-text"),
            dmc.Button("Live", id="timeline-live", size="xs", className="timeline-live", variant="default"),
        ],
        className="card timeline",
        **{"aria-label": "Timeline"},
    )


def register(app: Dash, *_: Any) -> None:
    """All in the browser: what is moved by hand must not be moved back by an answer that was on its way."""
    app.clientside_callback(
        ClientsideFunction("run", "timeline"),
        Output("timeline-slider", "value"),
        Output("timeline-slider", "max"),
        Output(ids.MOMENT, "data"),
        Output("timeline-step", "disabled"),
        Output("timeline-text", "children"),
        Output("timeline-live", "variant"),
        Output("timeline-sign", "className"),
        Output("timeline-play", "aria-label"),
        Input("timeline-slider", "value"),
        Input(ids.MOMENTS, "data"),
        Input("timeline-live", "n_clicks"),
        Input("timeline-play", "n_clicks"),
        Input("timeline-step", "n_intervals"),
        State(ids.MOMENT, "data"),
        State("timeline-step", "disabled"),
    )
