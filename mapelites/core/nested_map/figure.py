"""The nested heatmap: an archive folded, coloured and drawn as one Plotly heatmap with lines, labels and marks.

`content` is what changes with every snapshot and goes to the browser as it is; `figure` draws it for the
first time and `patch` into a figure that is already there, so that zoom survives. All are pure functions.
"""

from __future__ import annotations

import base64
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mapelites.core.archive import Archive, Elite
from mapelites.core.nested_map.axes import MapStyle, axes, full_bins, labels, margins
from mapelites.core.nested_map.colour import BEST, EMPTY, FIRST, IMPOSSIBLE, LAST, Colouring
from mapelites.core.nested_map.fold import AWAY, Fold
from mapelites.core.nested_map.fold import EMPTY as NO_ELITE
from mapelites.core.nested_map.reading import violations_read
from mapelites.core.nested_map.view import FigureView

MOST_INNER_LINES = 120  # rows or columns beyond which lines between inner bins would hide the cells
MOST_LARGE_STARS = 12  # rows beyond which a star must be small to stay within its cell
MOST_HATCHED = 4_000  # impossible cells beyond which a shade alone tells them
MOST_EXACT = 10_000  # places beyond which the readout's numbers travel in single precision
INSET = (0.004, 0.007)  # of the red outline from its cell's, as shares of the map's width and height
LEAST_INSET, MOST_INSET = 0.02, 0.12  # of a cell
SHAPES = ("beyond", "inner", "outer", "hatch", "proven", "feasible", "best")
CHANGING = (
    "legend", "best", "beyond", "feasible", "reference", "own", "cells", "shown", "violations", "bounds",
    "closed",
)  # fmt: skip
TICK = 0.35  # of a cell, the side of the corner that marks one as proven


class ProvenBounds(NamedTuple):
    """Below which f nobody can be at each place, (rows, columns), and the gap within which that is a proof."""

    f: NDArray[np.float64]
    gap: float


def content(
    archive: Archive, view: FigureView, chosen: Colouring, *, dark: bool = False, bounds: ProvenBounds | None = None
) -> dict[str, Any]:
    """Everything that changes while a map fills, as JSON values, in these colours of `archive.everything()`.

    `bounds` says of each place below which f nobody can be, or NaN; and how near an elite is to it to be proven best.
    """
    fold, found = view.fold(archive.tolerances), archive.everything()
    at = fold.rows_of(archive)
    filled = at != NO_ELITE
    colours = np.where(fold.impossible(archive), IMPOSSIBLE, EMPTY).astype(np.uint8)
    colours[filled] = chosen.colours[at[filled]]
    best = fold.best_place(archive, at)
    return {
        "z": _packed(colours),
        "values": _numbers(found.f, at),
        "shown": None if view.colour in ("objective", "gain") else _numbers(chosen.values, at),
        "cells": _cells(fold, archive, at),
        "violations": _violations(fold, archive, at),
        "best": best,
        "box": _box(fold, best),
        "beyond": best is not None and bool(fold.beyond()[best[0], best[1]]),
        "feasible": star_place(fold, archive, at),
        "reference": _reference(archive),
        "own": {"best": _cell(archive.best()), "feasible": _cell(archive.best(feasible=True))},
        "legend": chosen.legend(dark=dark),
        "stops": _stops(chosen, dark=dark),
        "occupied": int(filled.sum()),
        **_proven(archive, at, bounds),
    }


def figure(archive: Archive, view: FigureView, drawn: dict[str, Any], *, dark: bool, narrow: bool) -> dict[str, Any]:
    """The whole figure, as JSON values."""
    fold, problem = view.fold(archive.tolerances), archive.problem
    look = MapStyle.of(dark=dark, narrow=narrow)
    return {
        "data": [_heatmap(drawn, look), _marks(drawn, fold, look)],
        "layout": {
            **axes(fold, problem, look),
            "annotations": labels(fold, problem, look),
            "shapes": _shapes(fold, archive, drawn, look),
            "margin": margins(fold, problem, look),
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": look.empty,
            "font": {"family": look.font, "color": look.text, "size": look.size},
            "dragmode": False if narrow else "zoom",
            "hovermode": "closest",
            "showlegend": False,
            "uirevision": "/".join(map(str, (*fold.order[: fold.shown], *fold.tolerances.shape, view.block))),
            "meta": {
                **fold.as_table(),
                "labels": [list(full_bins(fold, problem, i)) for i in range(len(fold.tolerances.names))],
                "uppers": [[*levels, None] for levels in fold.tolerances.levels],
                "references": [constraint.reference for constraint in problem.constraints],
                "units": [constraint.unit for constraint in problem.constraints],
                "satisfied": problem.feasible_up_to.tolist(),
                "objective": [problem.objective, problem.objective_unit, problem.maximise],
                "colour": view.colour,
                "scale": view.scale,
                **_whole(archive, view, fold),
                "summary": fold.shown == 2 and view.summary and view.block is None,
                "impossible": bool(fold.impossible(archive).any()),
                "corner": bool(fold.feasible_boxes(problem)),
                **{name: drawn[name] for name in CHANGING},
            },
        },
    }


def _whole(archive: Archive, view: FigureView, fold: Fold) -> dict[str, Any]:
    """What a browser needs to know of the whole map where a part of it is shown: its blocks and its order."""
    whole = Fold.of(archive.tolerances, view.order)
    names = archive.tolerances.names
    block = view.block if fold.shown < whole.shown and view.block is not None else None
    outer = []
    if block is not None:
        axes_and_bins = ((whole.x, block[1]), (whole.y, block[0]))
        outer = [[axis.constraints[0], bin_] for axis, bin_ in axes_and_bins if len(axis.bins) > 1]
    return {
        "blocks": list(whole.blocks),
        "block": None if block is None else list(block),
        "outer": outer,
        "whole": list(whole.order),
        "off": [names.index(name.removeprefix(AWAY)) for name in view.order if name.startswith(AWAY)],
        "hard": [names.index(name) for name in archive.tolerances.hard],
    }


def patch(drawn: dict[str, Any], *, dark: bool) -> dict[str, Any]:
    """The same content as a change to a figure of the same shape and look, for the script that draws it."""
    x, y = _points(drawn)
    return {
        "heatmap": {
            "z": drawn["z"],
            "customdata": drawn["values"],
            "colorscale": _ground(MapStyle.of(dark=dark, narrow=False)) + drawn["stops"],
        },
        "marks": {"x": x, "y": y},
        "best": drawn["box"],
        "proven": drawn["ticks"],
        "meta": {name: drawn[name] for name in CHANGING},
    }


def _heatmap(drawn: dict[str, Any], look: MapStyle) -> dict[str, Any]:
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


def _marks(drawn: dict[str, Any], fold: Fold, look: MapStyle) -> dict[str, Any]:
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


def _shapes(fold: Fold, archive: Archive, drawn: dict[str, Any], look: MapStyle) -> list[dict[str, Any]]:
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
    ticks = {"type": "path", "path": drawn["ticks"], "fillcolor": look.strong, "line": {"width": 0}, "opacity": 0.6}
    veil = {"type": "path", "path": _beyond(fold), "fillcolor": look.veil, "fillrule": "nonzero", "line": {"width": 0}}
    lines = [
        {"type": "path", "path": path or "M0,0Z", "line": {"color": colour, "width": width}, "name": name}
        for name, (path, colour, width) in paths.items()
    ]
    red = 2 if look.narrow or rows > MOST_LARGE_STARS else 3
    best = {"type": "rect", "line": {"color": BEST, "width": red}, "name": "best"}
    lines.insert(-1, {**ticks, "name": "proven"})
    return [{**veil, "name": "beyond"}, *lines, {**best, **drawn["box"]}]


def _beyond(fold: Fold) -> str:
    """A veil over the places that allow more than some constraint's last level, as one path."""
    rows, columns = fold.shape
    strips = []
    for axis, (length, other) in ((fold.x, (columns, rows)), (fold.y, (rows, columns))):
        if not axis.bins:
            continue
        inner = axis.inner
        starts = [length - inner] if len(axis.bins) > 1 else []
        ends = [(start, start + inner) for start in starts]
        ends += [(last, last + 1) for last in range(inner - 1 if len(axis.bins) > 1 else length - 1, length, inner)]
        for low, high in ends:
            box = (low, -0.0, high, other) if axis is fold.x else (0, low, other, high)
            a, b, c, d = (each - 0.5 for each in box)
            strips.append(f"M{a},{b}H{c}V{d}H{a}Z")
    return "".join(strips) or "M0,0Z"


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


def _proven(archive: Archive, at: NDArray[np.int64], bounds: ProvenBounds | None) -> dict[str, Any]:
    """The bound of each place for the readout, and a small corner on each place that is proven best within the gap."""
    if bounds is None or not np.isfinite(bounds.f).any():
        return {"bounds": None, "closed": None, "ticks": "M0,0Z"}
    f = np.append(archive.everything().f, np.nan)[at]
    below = np.where(f < bounds.f, np.nan, bounds.f)  # a solution that is better than a bound refutes it
    proven = np.argwhere(f - below <= bounds.gap * np.abs(f))
    shown = proven.tolist() if len(proven) <= MOST_HATCHED else []
    rows, columns = at.shape  # cells may be long: the corner is as wide as it is high on a square map
    across, up = TICK * min(1.0, columns / rows), TICK * min(1.0, rows / columns)
    ticks = "".join(f"M{c + 0.5 - across:.3f},{r + 0.5}H{c + 0.5}V{r + 0.5 - up:.3f}Z" for r, c in shown)
    told = np.where(np.isnan(f), np.nan, below)
    return {"bounds": _packed(told), "closed": bounds.gap, "ticks": ticks or "M0,0Z"}


def _ground(look: MapStyle) -> list[list[Any]]:
    half = [(byte + 0.5) / LAST for byte in (EMPTY, IMPOSSIBLE)]
    return [[0, look.empty], [half[0], look.empty], [half[0], look.impossible], [half[1], look.impossible]]


def _stops(chosen: Colouring, *, dark: bool) -> list[list[Any]]:
    """The colour scale of the bytes that stand for elites."""
    start = (IMPOSSIBLE + 0.5) / LAST
    stops = [[(FIRST + place * (LAST - FIRST)) / LAST, shade] for place, shade in chosen.stops(dark=dark)]
    return [[start, stops[0][1]], *stops]


def _place(fold: Fold, archive: Archive, elite: Elite | None) -> list[int] | None:
    """Where an elite is shown, if it is."""
    if elite is None or not fold.counts(elite.violations[None], archive.problem.feasible_up_to)[0]:
        return None
    violations = violations_read(elite.violations[None], archive.problem, fold.reading)
    return list(fold.place(int(fold.tolerances.cell(fold.tolerances.bins(violations))[0])))


def star_place(fold: Fold, archive: Archive, at: NDArray[np.int64]) -> list[int] | None:
    """The place of the best feasible elite. Read up to, only where that is what the place shows.

    In a block of relaxed outer constraints, and where a slider relaxes one that is no axis, something better hides it.
    """
    place = _place(fold, archive, archive.best(feasible=True))
    if place is None or fold.reading == "exact":
        return place
    row = int(at[place[0], place[1]])
    return place if row != NO_ELITE and archive.solution(row).feasible else None


def _reference(archive: Archive) -> float | None:
    """The objective that others are told against: that of the best feasible solution."""
    best = archive.best(feasible=True)
    return None if best is None else best.f


def _cell(elite: Elite | None) -> str | None:
    """The number of an elite's own cell, which its place may not show; as text, since it may be too large for JSON."""
    return None if elite is None else str(elite.cell)


def _cells(fold: Fold, archive: Archive, at: NDArray[np.int64]) -> str | None:
    """Which cell each place shows, where that depends on more than the place: 64-bit numbers, -1 for none."""
    if not fold.hidden or fold.reading != "exact":
        return None
    own = archive.tolerances.cell(archive.tolerances.bins(archive.everything().violations))
    cells = np.where(at == NO_ELITE, -1, np.append(own, -1)[at])
    return base64.b64encode(cells.astype("<i8").tobytes()).decode()


def _violations(fold: Fold, archive: Archive, at: NDArray[np.int64]) -> dict[str, str] | None:
    """The violations of what each place shows, the constraints below each other, for the readout of small maps."""
    found = archive.everything().violations
    if at.size * found.shape[1] > MOST_EXACT:
        return None
    values = np.vstack([found, np.full(found.shape[1], np.nan)])[at]
    return _packed(np.moveaxis(values, 2, 0).reshape(-1, at.shape[1]).astype(np.float32))


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
