"""The timeline: scrub or play a map's history. Moved by hand it stays; "Live" is pressed to go back."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from dash.development.base_component import Component

from components.page_state import ids

STEP = 150  # milliseconds between the moments of a replay
FEWEST = 2  # moments that there is a way between
SCALE = 1_000  # the slider's, from the first moment to the last; far more than there are moments


def layout(moments: list[int], at: int | None) -> Component:
    """The bar under the map."""
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
                disabled=len(moments) < FEWEST,
                **{"aria-label": "Play the history"},
            ),
            dmc.Slider(
                id="timeline-slider",
                min=0,
                max=SCALE,
                value=slider_place(moments, at),
                step=1,
                label=None,
                updatemode="drag",
                disabled=len(moments) < FEWEST,
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


def slider_place(moments: list[int], at: int | None) -> int:
    """Where the slider stands for the moment nearest to an evaluation; None is live, at its end.

    >>> slider_place([10, 20, 40], 21), slider_place([10, 20, 40], None), slider_place([], 5)
    (500, 1000, 1000)
    """
    last = len(moments) - 1
    if at is None or last < 1:
        return SCALE
    return round(SCALE * min(range(len(moments)), key=lambda i: abs(moments[i] - at)) / last)


def register(app: Dash, *_: Any) -> None:
    """All in the browser: what is moved by hand must not be moved back by an answer that was on its way."""
    app.clientside_callback(
        ClientsideFunction("timeline", "follow"),
        Output("timeline-slider", "value"),
        Output(ids.MOMENT, "data"),
        Output("timeline-step", "disabled"),
        Output("timeline-text", "children"),
        Output("timeline-live", "variant"),
        Output("timeline-sign", "className"),
        Output("timeline-play", "aria-label"),
        Output("timeline-play", "disabled"),
        Output("timeline-slider", "disabled"),
        Input("timeline-slider", "value"),
        Input(ids.MOMENTS, "data"),
        Input("timeline-live", "n_clicks"),
        Input("timeline-play", "n_clicks"),
        Input("timeline-step", "n_intervals"),
        State(ids.MOMENT, "data"),
        State("timeline-step", "disabled"),
        State("timeline-slider", "max"),
        State("timeline-slider", "disabled"),
    )
