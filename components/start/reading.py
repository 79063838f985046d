"""How to read a map, in three short sentences beside a small picture of one."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from components.shell.help import READING

BINS = ("0", "≤1 %", "≤5 %", "≤10 %")
MOST = 7
# From the top row down, as the map of the can that the form opens with: 0 is no better, MOST the best.
PICTURE = ("3457", "2346", "1235", "0124")


def layout() -> Component:
    """The section under the form."""
    return html.Section(
        [
            _picture(),
            html.Div(
                [
                    dmc.Title("How to read a map", order=2, size="h3"),
                    dmc.List(
                        [dmc.ListItem(line) for line in READING],
                        type="ordered",
                        spacing="xs",
                        className="reading-lines",
                    ),
                ],
            ),
        ],
        className="card reading",
    )


def _picture() -> Component:
    rows = []
    for height, shades in zip(reversed(range(len(BINS))), PICTURE, strict=True):
        cells = [_cell(shade, corner=height == 0 and width == 0) for width, shade in enumerate(shades)]
        rows += [html.Span(BINS[height], className="reading-label reading-y"), *cells]
    foot = [html.Span("", className="reading-label"), *(html.Span(each, className="reading-label") for each in BINS)]
    return html.Div(
        [
            html.Div([*rows, *foot], className="reading-map"),
            html.Div("volume given up →, height for its width ↑", className="reading-axes"),
        ],
        role="img",
        className="reading-picture",
        **{
            "aria-label": "A small map: colours grow stronger, and the objective better, from the outlined feasible "
            "corner at the lower left towards looser tolerances at the upper right."
        },
    )


def _cell(shade: str, corner: bool) -> Component:
    kind = "reading-cell reading-feasible" if corner else "reading-cell"
    return html.Span(className=kind, style={"--share": f"{100 * int(shade) / MOST:.0f}%"})
