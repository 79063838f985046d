"""Small multiples: a picture for every pair of constraints, with the best objective over all the others; a button."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from dash import html
from dash.development.base_component import Component
from numpy.typing import NDArray

from mapelites.core.archive import Archive
from mapelites.core.nested_map.colour import EMPTY, Colouring
from mapelites.core.nested_map.reading import NO_ROW, Reading, rows_by_cell
from mapelites.core.nested_map.thumbnail import drawn_apart, palette, png, with_veiled
from mapelites.core.nested_map.usual import usual_colours, usual_view
from mapelites.core.problem import Array


def pair_pictures(archive: Archive, limits: Array, reading: Reading, *, dark: bool) -> list[list[str]]:
    """A picture for every pair of constraints i < j, as data URIs in rows: j from 1 up, i from 0 to j - 1.

    Of the other constraints only that counts which violates them by at most `limits`.
    """
    chosen = usual_colours(archive, usual_view(archive, reading))
    shades = with_veiled(palette(dark, [shade for _, shade in chosen.stops(dark=dark)]))
    names = archive.tolerances.names
    return [[_picture(archive, chosen, limits, reading, i, j, shades) for i in range(j)] for j in range(1, len(names))]


def pair_colours(
    archive: Archive, chosen: Colouring, limits: Array, reading: Reading, i: int, j: int
) -> NDArray[np.uint8]:
    """One colour byte per pair of bins: those of constraint j are the rows, those of constraint i < j the columns."""
    rows = rows_by_cell(archive, reading, (j, i), limits)
    places = np.full(rows.shape, EMPTY, dtype=np.uint8)
    places[rows != NO_ROW] = chosen.colours[rows[rows != NO_ROW]]
    return places


def _picture(
    archive: Archive, chosen: Colouring, limits: Array, reading: Reading, i: int, j: int, shades: NDArray[np.uint8]
) -> str:
    places = pair_colours(archive, chosen, limits, reading, i, j)
    beyond = np.zeros(places.shape, dtype=bool)
    for axis, constraint in enumerate((j, i)):
        if archive.tolerances.shape[constraint] > 1:  # the last bin is beyond the allowance
            beyond[(slice(None),) * axis + (-1,)] = True
    content = png(shades[drawn_apart(places, beyond & (places != EMPTY))[::-1]])
    return "data:image/png;base64," + base64.b64encode(content).decode()


def layout(names: Sequence[str], rows: list[list[str]]) -> Component:
    """The pictures as a triangle of buttons, with the constraints' names beside and below."""
    found: list[Component] = []
    for j, row in enumerate(rows, start=1):
        found.append(_name(names[j], row=j, column=1, role="rowheader"))
        found += [_button(names, i, j, source) for i, source in enumerate(row)]
    for i, name in enumerate(names[:-1]):
        found.append(_name(name, row=len(names), column=i + 2, role="columnheader"))
    size = {"--pairs": str(len(names) - 1)}
    return html.Div(html.Div(found, className="pairs", style=size), className="pairs-box")


def _button(names: Sequence[str], i: int, j: int, source: str) -> Component:
    words: dict[str, Any] = {"aria-label": f"Show {names[i]} and {names[j]} on the map"}
    return html.Button(
        html.Img(src=source, alt=""),
        title=f"{names[i]} across, {names[j]} up",
        className="pair",
        style={"gridRow": j, "gridColumn": i + 2},
        **{"data-pair": f"{names[i]},{names[j]}", **words},
    )


def _name(name: str, *, row: int, column: int, role: str) -> Component:
    return html.Span(name, className=f"pair-name {role}", style={"gridRow": row, "gridColumn": column}, title=name)
