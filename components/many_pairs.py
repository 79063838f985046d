"""Small multiples: a picture for every pair of constraints, with the best objective over all the others; a button."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from dash import html
from dash.development.base_component import Component
from numpy.typing import NDArray

from components.many_rest import bins_of
from components.map_colour import EMPTY, IMPOSSIBLE, colouring
from components.map_thumbnail import palette, png
from mapelites.archive import Archive


def pictures(archive: Archive, rest: Sequence[str], *, dark: bool) -> list[list[str]]:
    """A picture for every pair of constraints i < j, as data URIs in rows: j from 1 up, i from 0 to j - 1.

    Of the other constraints only those bins count that `rest` lets count.
    """
    bins = archive.tolerances.bins_of(archive.elites.cell)
    shades = palette(dark)
    return [[_picture(archive, bins, rest, i, j, shades) for i in range(j)] for j in range(1, bins.shape[1])]


def grid(archive: Archive, bins: NDArray[np.int64], rest: Sequence[str], i: int, j: int) -> NDArray[np.uint8]:
    """One colour byte per pair of bins: those of constraint j are the rows, those of constraint i < j the columns."""
    tolerances = archive.tolerances
    others = {c: bins_of(word, tolerances, c) for c, word in enumerate(rest) if c not in (i, j)}
    possible = tolerances.possible(archive.problem, others)
    places = np.where(possible.T, EMPTY, IMPOSSIBLE).astype(np.uint8)
    counted = np.ones(len(bins), dtype=bool)
    for c, each in others.items():
        counted &= (bins[:, c] >= each.start) & (bins[:, c] < each.stop)
    worst_first = np.argsort(-archive.elites.f, kind="stable")
    worst_first = worst_first[counted[worst_first]]
    colours = colouring(archive, "objective", "auto", 0).colours
    places[bins[worst_first, j], bins[worst_first, i]] = colours[worst_first]
    return places


def _picture(
    archive: Archive, bins: NDArray[np.int64], rest: Sequence[str], i: int, j: int, shades: NDArray[np.uint8]
) -> str:
    content = png(shades[grid(archive, bins, rest, i, j)[::-1]])
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
