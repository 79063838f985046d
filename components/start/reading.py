"""How to read a map, in three short sentences beside a small picture of one."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from components.shell.help import READING

BINS = ("{0}", "(0, 1e-4]", "(1e-4, 1]", "(1, ∞)")
SHORT = ("0", "≤1e-4", "≤1", ">1")
# From the top row down; 0 is the worst shade and 8 the best, "." not reached yet, "x" cannot exist.
PICTURE = ("3568", "2457", "1346", "0.24")


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
    foot = [html.Span("", className="reading-label"), *(html.Span(each, className="reading-label") for each in SHORT)]
    return html.Div(
        [
            html.Div([*rows, *foot], className="reading-map"),
            html.Div("violation of g1 →, of g2 ↑", className="reading-axes"),
        ],
        role="img",
        className="reading-picture",
        **{
            "aria-label": "A small map: colours grow lighter, and the objective better, from the outlined feasible "
            "corner at the lower left towards looser tolerances at the upper right."
        },
    )


def _cell(shade: str, corner: bool) -> Component:
    kind = {".": "empty", "x": "impossible"}.get(shade, f"shade-{shade}")
    return html.Span(className=f"reading-cell reading-{kind}" + (" reading-feasible" if corner else ""))
