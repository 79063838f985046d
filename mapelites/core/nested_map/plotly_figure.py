"""The nested map as a figure of Plotly's for notebooks and scripts, with readout and legend of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mapelites.core.archive import Archive
from mapelites.core.errors import InputError
from mapelites.core.nested_map.axes import full_bins
from mapelites.core.nested_map.colour import FIRST, LAST, Colouring
from mapelites.core.nested_map.figure import content, figure
from mapelites.core.nested_map.fold import Fold
from mapelites.core.nested_map.reading import Reading
from mapelites.core.nested_map.usual import usual_colours, usual_view
from mapelites.core.nested_map.view import is_too_fine

MOST_NAMED = 2_500  # places beyond which the readout leaves out the bins: they would make most of the file
WIDTH, HEIGHT = 760, 620
LEGEND_ROOM = 110  # pixels to the right of the map
MARGIN = 12  # pixels added to each side, which the page has around the map


def plotly_figure(
    archive: Archive, order: Sequence[str] = (), *, dark: bool = False, reading: Reading | None = None
) -> Any:
    """A `plotly.graph_objects.Figure` with the page's layout of cells."""
    try:
        from plotly import graph_objects
    except ImportError:
        raise InputError("figure needs the package plotly, but it is missing: pip install plotly") from None
    archive = archive.by_axis
    view = usual_view(archive, reading)
    view = replace(view, order=tuple(order) or view.order)
    view = replace(view, summary=is_too_fine(view.fold(archive.tolerances), narrow=False))
    colours = usual_colours(archive, view)
    drawn = figure(archive, view, content(archive, view, colours, dark=dark), dark=dark, narrow=False)
    layout = {name: value for name, value in drawn["layout"].items() if name not in ("meta", "uirevision")}
    sides = layout["margin"]
    layout["margin"] = {**{side: room + MARGIN for side, room in sides.items()}, "r": sides["r"] + LEGEND_ROOM}
    layout |= {"width": WIDTH, "height": HEIGHT, "title": None}
    layout["paper_bgcolor"] = "#14161b" if dark else "#ffffff"
    heatmap, marks = drawn["data"]
    return graph_objects.Figure(
        [{**heatmap, **_readout(view.fold(archive.tolerances), archive), **_legend(colours)}, marks], layout
    )


def _readout(fold: Fold, archive: Archive) -> dict[str, Any]:
    """What is said of the cell under the pointer."""
    said = {"hoverinfo": None, "hovertemplate": "%{text}objective %{customdata:.6g}<extra></extra>"}
    rows, columns = fold.shape
    if rows * columns > MOST_NAMED:
        return {**said, "hovertemplate": "objective %{customdata:.6g}<extra></extra>"}
    across, up = (_bins_in_words(fold, archive, axis.constraints, axis.bins) for axis in (fold.x, fold.y))
    return {**said, "text": [[f"{left}{below}" for left in across] for below in up]}


def _bins_in_words(fold: Fold, archive: Archive, constraints: tuple[int, ...], bins: tuple[int, ...]) -> list[str]:
    """For each row or column, a line for each of its constraints."""
    names, found = fold.tolerances.names, []
    for place in np.ndindex(*bins):
        parts = zip(constraints, place, strict=True)
        found.append("".join(f"{names[c]} {full_bins(fold, archive.problem, c)[i]}<br>" for c, i in parts))
    return found


def _legend(colours: Colouring) -> dict[str, Any]:
    """The colour bar, with the page's ticks."""
    if not colours.ticks:
        return {}
    return {
        "showscale": True,
        "colorbar": {
            "title": {"text": colours.title, "side": "right"},
            "tickvals": [FIRST + tick.place * (LAST - FIRST) for tick in colours.ticks],
            "ticktext": [tick.label for tick in colours.ticks],
            "thickness": 14,
            "outlinewidth": 0,
        },
    }
