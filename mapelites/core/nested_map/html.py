"""An archive as a piece of HTML for notebooks: a picture of its map and a table of its best designs.

The picture is an SVG in an `img`: it needs no script, and a forge that shows notebooks lets it through.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import replace
from html import escape

import numpy as np

from mapelites.core.archive import Archive
from mapelites.core.format import number
from mapelites.core.nested_map.axes import MapStyle, short_bins
from mapelites.core.nested_map.colour import BEST
from mapelites.core.nested_map.fold import Axis, Fold
from mapelites.core.nested_map.thumbnail import colour_grid, png
from mapelites.core.nested_map.usual import usual_colours, usual_view
from mapelites.core.nested_map.view import is_too_fine
from mapelites.core.terms import violation_text

SIDE = 400  # pixels of the map, both ways
LEFT, TOP, RIGHT, BELOW = 70, 26, 12, 50  # room for labels
MOST_LABELS = 10  # outer bins beyond which only some have labels
MOST_ROWS = 5  # designs in the table
MOST_COLUMNS = 8  # constraints and variables in the table, each
MOST_LINES = 120  # rows or columns beyond which the lines between inner bins would hide the cells
LONGEST_NAME = 24


def as_html(archive: Archive) -> str:
    """The map, and the best designs below it."""
    archive = archive.by_axis
    numbers, allowed = archive.statistics, archive.best_within_allowance()
    shown = archive.problem.shown_objective
    best = None if numbers.best_feasible is None else shown(numbers.best_feasible)
    within = number(None if allowed is None else shown(allowed.f))
    words = (
        f"{archive.problem.title}: {numbers.occupied:,} of {numbers.cells:,} cells are occupied, "
        f"best feasible {number(best)}, best within the allowances {within}"
    )
    source = base64.b64encode(picture(archive).encode()).decode()
    width, height = LEFT + SIDE + RIGHT, TOP + SIDE + BELOW
    return (
        f'<div><p>{escape(words)}</p><img alt="{escape(words)}" width="{width}" height="{height}" '
        f'src="data:image/svg+xml;base64,{source}">{_legend(archive)}{_table(archive)}</div>'
    )


def picture(archive: Archive) -> str:
    """The map as an SVG, with the names and the outer bins of its constraints around it."""
    view, look = usual_view(archive), MapStyle.of(dark=False, narrow=False)
    view = replace(view, summary=is_too_fine(view.fold(archive.tolerances), narrow=True))
    fold = view.fold(archive.tolerances)
    rows, columns = fold.shape
    colours, shades = colour_grid(archive, view, dark=False)
    colours = colours[::-1]
    scale = max(1, SIDE // max(rows, columns))  # pixels of a cell: browsers blur what they enlarge
    pixels = shades[colours.repeat(scale, axis=0).repeat(scale, axis=1)]
    image = base64.b64encode(png(pixels)).decode()
    width, height = LEFT + SIDE + RIGHT, TOP + SIDE + BELOW
    font = f'font-family="{escape(look.font)}" font-size="11" fill="{look.text}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" {font}>',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<image x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" preserveAspectRatio="none" '
        f'href="data:image/png;base64,{image}"/>',
        *_lines(fold, look),
        *_marks(fold, archive, look),
        *_labels(fold, archive),
        "</svg>",
    ]
    return "".join(parts)


def _lines(fold: Fold, look: MapStyle) -> Iterable[str]:
    rows, columns = fold.shape
    inner = (1 if columns <= MOST_LINES else fold.x.inner, 1 if rows <= MOST_LINES else fold.y.inner)
    for (across, up), colour, width in ((inner, look.thin, 0.6), ((fold.x.inner, fold.y.inner), look.thick, 1.6)):
        upright = (f"M{LEFT + SIDE * i / columns:.5g},{TOP}v{SIDE}" for i in range(0, columns + 1, across))
        level = (f"M{LEFT},{TOP + SIDE - SIDE * i / rows:.5g}h{SIDE}" for i in range(0, rows + 1, up))
        yield f'<path d="{"".join((*upright, *level))}" stroke="{colour}" stroke-width="{width}"/>'


def _marks(fold: Fold, archive: Archive, look: MapStyle) -> Iterable[str]:
    """Outlines: what is feasible in black, the best shown in red; a dot on the best feasible one."""
    rows, columns = fold.shape
    wide, high = SIDE / columns, SIDE / rows
    boxes = [(box, look.strong, 2.6) for box in fold.feasible_boxes(archive.problem)]
    best, feasible = fold.best_place(archive, fold.rows_of(archive)), archive.best(feasible=True)
    if best is not None:
        row, column = best
        boxes.append(((column, row, column + 1, row + 1), BEST, 2))
    for (left, bottom, right, top), colour, width in boxes:
        place = f'x="{LEFT + left * wide:.5g}" y="{TOP + SIDE - top * high:.5g}"'
        size = f'width="{(right - left) * wide:.5g}" height="{(top - bottom) * high:.5g}"'
        yield f'<rect {place} {size} fill="none" stroke="{colour}" stroke-width="{width}"/>'
    if feasible is not None:
        row, column = fold.place(feasible.cell)
        centre = f'cx="{LEFT + (column + 0.5) * wide:.5g}" cy="{TOP + SIDE - (row + 0.5) * high:.5g}"'
        yield f'<circle {centre} r="4" fill="{look.star}" stroke="{look.star_edge}" stroke-width="1.4"/>'


def _labels(fold: Fold, archive: Archive) -> Iterable[str]:
    for i, text in _outer_bins(fold, archive, fold.x):
        middle = LEFT + SIDE * (i + 0.5) / fold.x.bins[0]
        yield f'<text x="{middle:.5g}" y="{TOP + SIDE + 16}" text-anchor="middle">{escape(text)}</text>'
    for i, text in _outer_bins(fold, archive, fold.y):
        middle = TOP + SIDE - SIDE * (i + 0.5) / fold.y.bins[0]
        yield f'<text x="{LEFT - 6}" y="{middle + 4:.5g}" text-anchor="end">{escape(text)}</text>'
    yield f'<text x="{LEFT}" y="{TOP + SIDE + 36}" font-weight="bold">{_names(fold, fold.x, "→")}</text>'
    if fold.y.constraints:
        yield f'<text x="{LEFT}" y="{TOP - 8}" font-weight="bold">{_names(fold, fold.y, "↑")}</text>'


def _outer_bins(fold: Fold, archive: Archive, axis: Axis) -> list[tuple[int, str]]:
    if not axis.constraints:
        return []
    found = list(enumerate(short_bins(fold, archive.problem, axis.constraints[0])))
    return found[:: -(-len(found) // MOST_LABELS)]


def _names(fold: Fold, axis: Axis, arrow: str) -> str:
    return escape(", in it ".join(f"{_brief(fold.tolerances.names[c])} {arrow}" for c in axis.constraints))


def _brief(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _legend(archive: Archive) -> str:
    view = usual_view(archive)
    colours = usual_colours(archive, view)
    if len(colours.ticks) < 2:
        return ""
    ticks = sorted(colours.ticks, key=lambda tick: tick.place)
    first, last = ticks[0].label, ticks[-1].label
    read = "up to each level" if view.reading == "up-to" else "exactly within each bin"
    words = (
        f"From {first} to {last} ({colours.title}), read {read}; red: best within the allowances, dot: best feasible."
    )
    return f"<p><small>{escape(words)}</small></p>"


def _table(archive: Archive) -> str:
    """The best feasible designs first, then the best of the others."""
    found = archive.everything()
    if not len(found):
        return "<p>No design was found: the map is empty.</p>"
    feasible = archive.problem.feasible(found.violations)
    rows = np.lexsort((found.f, ~feasible))[:MOST_ROWS]
    constraints, variables = archive.problem.constraints[:MOST_COLUMNS], archive.problem.variables[:MOST_COLUMNS]
    heads = ["objective", "feasible", *(f"violation of {each.name}" for each in constraints), *variables]
    if len(archive.problem.variables) > MOST_COLUMNS:
        heads[-1] += " …"
    lines = [
        [
            number(archive.problem.shown_objective(float(found.f[row]))),
            "yes" if feasible[row] else "no",
            *(violation_text(each, float(found.violations[row, i])) for i, each in enumerate(constraints)),
            *(number(float(each)) for each in found.x[row, : len(variables)]),
        ]
        for row in rows
    ]
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(each)}</td>" for each in line) + "</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
