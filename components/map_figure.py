"""The nested heatmap: an archive folded, coloured and drawn as one Plotly heatmap with lines, labels and marks.

`content` is what changes with every snapshot and goes to the browser as it is; `figure` draws it for the
first time and `patch` into a figure that is already there, so that zoom survives. All are pure functions.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from components.map_axes import Look, axes, intervals, labels, margins
from components.map_colour import EMPTY, FIRST, IMPOSSIBLE, LAST, Colouring, colouring
from components.map_fold import EMPTY as NO_ELITE
from components.map_fold import Fold
from components.map_thumbnail import BEST, thumbnail, thumbnail_png
from mapelites.archive import Archive, Elite

__all__ = ["View", "content", "figure", "patch", "thumbnail", "thumbnail_png"]

MOST_INNER_LINES = 120  # rows or columns beyond which lines between inner bins would hide the cells
MOST_LARGE_STARS = 12  # rows beyond which a star must be small to stay within its cell
MOST_HATCHED = 4_000  # impossible cells beyond which a shade alone tells them
MOST_EXACT = 10_000  # places beyond which the readout's numbers travel in single precision
INSET = (0.004, 0.007)  # of the red outline from its cell's, as shares of the map's width and height
LEAST_INSET, MOST_INSET = 0.02, 0.12  # of a cell
SHAPES = ("inner", "outer", "hatch", "feasible", "best")
CONFIG = {
    "displayModeBar": False,
    "displaylogo": False,
    "showSendToCloud": False,
    "plotlyServerURL": "",
    "doubleClick": "reset",
    "showTips": False,
    "scrollZoom": False,
    "responsive": True,
}


@dataclass(frozen=True)
class View:
    """How somebody looks at a map: order of constraints, meaning and scale of colours, bins that count of the rest."""

    order: tuple[str, ...] = ()
    colour: str = "objective"
    scale: str = "auto"
    rest: tuple[str, ...] = ()


def content(archive: Archive, view: View, evaluations: int, given: Colouring | None = None) -> dict[str, Any]:
    """Everything that changes while a map fills, as JSON values; in given colours, or in those of the view."""
    fold = Fold.of(archive.tolerances, view.order, view.rest)
    chosen = given or colouring(archive, view.colour, view.scale, evaluations)
    at = fold.rows_of_elites(archive)
    filled = at != NO_ELITE
    colours = np.where(fold.impossible(archive), IMPOSSIBLE, EMPTY).astype(np.uint8)
    colours[filled] = chosen.colours[at[filled]]
    return {
        "z": _packed(colours),
        "values": _numbers(archive.elites.f, at),
        "shown": None if view.colour == "objective" else _numbers(chosen.values, at),
        "cells": _cells(fold, archive, at),
        "best": _best(fold, archive, at),
        "box": _box(fold, _best(fold, archive, at)),
        "feasible": _place(fold, archive.best(feasible=True)),
        "own": {"best": _cell(archive.best()), "feasible": _cell(archive.best(feasible=True))},
        "legend": chosen.legend(),
        "stops": _stops(chosen),
        "occupied": int(fold.counts(archive.elites.cell).sum()),
    }


def figure(archive: Archive, view: View, drawn: dict[str, Any], *, dark: bool, narrow: bool) -> dict[str, Any]:
    """The whole figure, as JSON values."""
    fold = Fold.of(archive.tolerances, view.order, view.rest)
    look = Look.of(dark=dark, narrow=narrow)
    return {
        "data": [_heatmap(drawn, look), _marks(drawn, fold, look)],
        "layout": {
            **axes(fold, look),
            "annotations": labels(fold, look),
            "shapes": _shapes(fold, archive, drawn, look),
            "margin": margins(fold, look),
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": look.empty,
            "font": {"family": look.font, "color": look.text, "size": look.size},
            "dragmode": False if narrow else "zoom",
            "hovermode": "closest",
            "showlegend": False,
            "uirevision": "/".join(map(str, (*fold.order[: fold.shown], *fold.tolerances.shape))),
            "meta": {
                **fold.as_table(),
                "labels": [list(intervals(fold.tolerances, i)) for i in range(len(fold.tolerances.names))],
                "legend": drawn["legend"],
                "best": drawn["best"],
                "feasible": drawn["feasible"],
                "own": drawn["own"],
                "impossible": bool(fold.impossible(archive).any()),
                "corner": bool(fold.feasible_boxes(archive.problem)),
                "cells": drawn["cells"],
                "shown": drawn["shown"],
            },
        },
    }


def patch(drawn: dict[str, Any], *, dark: bool) -> dict[str, Any]:
    """The same content as a change to a figure of the same shape and look, for the script that draws it."""
    x, y = _points(drawn)
    return {
        "heatmap": {
            "z": drawn["z"],
            "customdata": drawn["values"],
            "colorscale": _ground(Look.of(dark=dark, narrow=False)) + drawn["stops"],
        },
        "marks": {"x": x, "y": y},
        "best": drawn["box"],
        "meta": {name: drawn[name] for name in ("legend", "best", "feasible", "own", "cells", "shown")},
    }


def _heatmap(drawn: dict[str, Any], look: Look) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": drawn["z"],
        "customdata": drawn["values"],
        "zmin": 0,
        "zmax": LAST,
        "colorscale": _ground(look) + drawn["stops"],
        "showscale": False,
        "hoverinfo": "none",
    }


def _marks(drawn: dict[str, Any], fold: Fold, look: Look) -> dict[str, Any]:
    """A star on the best feasible elite and, where cells are too small for a red outline, a red ring."""
    x, y = _points(drawn)
    ring = "circle-open" if max(fold.shape) > MOST_INNER_LINES else "square-open"
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x,
        "y": y,
        "hoverinfo": "skip",
        "cliponaxis": True,
        "marker": {
            "symbol": ["star", ring],
            "size": [13 if look.narrow or fold.shape[0] > MOST_LARGE_STARS else 18, 12 if ring == "circle-open" else 0],
            "color": [look.star, BEST],
            "line": {"width": [1.5, 2.5], "color": [look.star_edge, BEST]},
        },
    }


def _points(drawn: dict[str, Any]) -> tuple[list[float | None], list[float | None]]:
    places = [drawn["feasible"] or (None, None), drawn["best"] or (None, None)]
    return [place[1] for place in places], [place[0] for place in places]


def _shapes(fold: Fold, archive: Archive, drawn: dict[str, Any], look: Look) -> list[dict[str, Any]]:
    rows, columns = fold.shape
    inner = (1 if columns <= MOST_INNER_LINES else fold.x.inner, 1 if rows <= MOST_INNER_LINES else fold.y.inner)
    boxes = [f"M{a - 0.5},{b - 0.5}H{c - 0.5}V{d - 0.5}H{a - 0.5}Z" for a, b, c, d in fold.feasible_boxes(
        archive.problem)]  # fmt: skip
    paths = {
        "inner": (_grid(fold, *inner), look.thin, 0.7),
        "outer": (_grid(fold, fold.x.inner, fold.y.inner), look.thick, 1.2 if look.narrow else 1.8),
        "hatch": (_hatch(fold.impossible(archive)), look.hatch, 1),
        "feasible": ("".join(boxes), look.strong, 2.5 if look.narrow else 3.2),
    }
    lines = [
        {"type": "path", "path": path or "M0,0Z", "line": {"color": colour, "width": width}, "name": name}
        for name, (path, colour, width) in paths.items()
    ]
    red = 2 if look.narrow or rows > MOST_LARGE_STARS else 3
    best = {"type": "rect", "line": {"color": BEST, "width": red}, "name": "best"}
    return [*lines, {**best, **drawn["box"]}]


def _box(fold: Fold, place: list[int] | None) -> dict[str, Any]:
    """The outline of one cell, within that of the feasible corner; where there is none, one that is not seen."""
    row, column = place or (0, 0)
    rows, columns = fold.shape
    across, up = (0.5 - min(max(share, LEAST_INSET), MOST_INSET) for share in (INSET[0] * columns, INSET[1] * rows))
    return {
        "x0": column - across,
        "x1": column + across,
        "y0": row - up,
        "y1": row + up,
        "visible": place is not None,
    }


def _grid(fold: Fold, across: int, up: int) -> str:
    """Lines between every so many columns and rows, and around the whole, as one path."""
    rows, columns = fold.shape
    upright = [f"M{x - 0.5},-0.5V{rows - 0.5}" for x in range(0, columns + 1, across)]
    level = [f"M-0.5,{y - 0.5}H{columns - 0.5}" for y in range(0, rows + 1, up)]
    return "".join(upright + level)


def _hatch(impossible: NDArray[np.bool_]) -> str:
    """A stroke through every cell that cannot exist; neighbours' strokes join."""
    places = np.argwhere(impossible)
    if len(places) > MOST_HATCHED:
        return ""
    return "".join(f"M{c - 0.5},{r - 0.5}L{c + 0.5},{r + 0.5}" for r, c in places.tolist())


def _ground(look: Look) -> list[list[Any]]:
    half = [(byte + 0.5) / LAST for byte in (EMPTY, IMPOSSIBLE)]
    return [[0, look.empty], [half[0], look.empty], [half[0], look.impossible], [half[1], look.impossible]]


def _stops(chosen: Colouring) -> list[list[Any]]:
    """The colour scale of the bytes that stand for elites."""
    start = (IMPOSSIBLE + 0.5) / LAST
    stops = [[(FIRST + place * (LAST - FIRST)) / LAST, shade] for place, shade in chosen.scale]
    return [[start, stops[0][1]], *stops]


def _place(fold: Fold, elite: Elite | None) -> list[int] | None:
    """Where an elite is shown, if it is."""
    if elite is None or not fold.counts(np.array([elite.cell]))[0]:
        return None
    return list(fold.place(elite.cell))


def _cell(elite: Elite | None) -> str | None:
    """The number of an elite's own cell, which its place may not show; as text, since it may be too large for JSON."""
    return None if elite is None else str(elite.cell)


def _best(fold: Fold, archive: Archive, at: NDArray[np.int64]) -> list[int] | None:
    """Where the best of the elites that are shown is."""
    rows = at[at != NO_ELITE]
    if not len(rows):
        return None
    best = rows[np.lexsort((rows, archive.elites.f[rows]))[0]]
    return list(fold.place(int(archive.elites.cell[best])))


def _cells(fold: Fold, archive: Archive, at: NDArray[np.int64]) -> str | None:
    """Which cell each place shows, where that depends on more than the place: 64-bit numbers, -1 for none."""
    if not fold.hidden:
        return None
    cells = np.where(at == NO_ELITE, -1, np.append(archive.elites.cell, -1)[at])
    return base64.b64encode(cells.astype("<i8").tobytes()).decode()


def _numbers(values: NDArray[np.float64], at: NDArray[np.int64]) -> dict[str, str]:
    """One number of each elite at the place where it is shown, for the readout."""
    filled = at != NO_ELITE
    folded = np.full(at.shape, np.nan)
    folded[filled] = values[at[filled]]
    return _packed(folded if folded.size <= MOST_EXACT else folded.astype(np.float32))


def _packed(array: NDArray[Any]) -> dict[str, str]:
    """An array in the form in which Plotly takes bytes instead of a list of numbers."""
    kind = {"uint8": "u1", "float32": "f4", "float64": "f8"}[array.dtype.name]
    rows, columns = array.shape
    content = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"dtype": kind, "bdata": content, "shape": f"{rows}, {columns}"}
