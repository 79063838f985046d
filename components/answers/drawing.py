"""Pictures for paper: a map, a price curve and a front as plain SVG texts, made without a plotting library."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from html import escape

import numpy as np

from mapelites.answers import Designs, Front, Price
from mapelites.answers.front import axis_values
from mapelites.core.archive import Archive
from mapelites.core.format import amount
from mapelites.core.nested_map.axes import short_bins
from mapelites.core.nested_map.colour import BEST, Colouring
from mapelites.core.nested_map.figure import star_place
from mapelites.core.nested_map.fold import Axis, Fold
from mapelites.core.nested_map.thumbnail import colour_grid, png
from mapelites.core.nested_map.usual import usual_colours
from mapelites.core.nested_map.view import FigureView, is_too_fine
from mapelites.core.problem import Array, Problem
from mapelites.core.terms import with_unit

INK, QUIET, ACCENT = "#1f2430", "#5b6270", "#3b5bdb"
SIDE = 420  # the map's own pixels
MOST_LABELS = 12


def map_drawing(archive: Archive, view: FigureView) -> str:
    """The nested map as a page shows it, with its outer bins labelled, its scale, the feasible corner and the best."""
    view = replace(view, block=None)
    view = replace(view, summary=is_too_fine(view.fold(archive.tolerances), narrow=True))
    fold = view.fold(archive.tolerances)
    colours, shades = colour_grid(archive, view, dark=False)
    rows, columns = fold.shape
    wide, high = SIDE, SIDE if rows > 1 else SIDE // 5
    left, bottom = 84, 84
    enlarged = colours[::-1].repeat(max(1, SIDE // rows), axis=0).repeat(max(1, SIDE // columns), axis=1)
    image = base64.b64encode(png(shades[enlarged])).decode()
    parts = [
        f'<image href="data:image/png;base64,{image}" x="{left}" y="4" width="{wide}" height="{high}" '
        'preserveAspectRatio="none" style="image-rendering:pixelated"/>'
    ]
    across, up = wide / columns, high / rows
    lines = [f"M{left + i * fold.x.inner * across:.1f} 4v{high}" for i in range(columns // fold.x.inner + 1)]
    lines += [f"M{left} {4 + i * fold.y.inner * up:.1f}h{wide}" for i in range(rows // fold.y.inner + 1)]
    parts.append(f'<path d="{"".join(lines)}" stroke="{INK}" stroke-opacity=".55" fill="none"/>')
    at = fold.rows_of(archive)
    best = fold.best_place(archive, at)
    boxes = [(*box, INK, 3.0) for box in fold.feasible_boxes(archive.problem)]
    boxes += [(best[1], best[0], best[1] + 1, best[0] + 1, BEST, 2.0)] if best else []
    for a, b, c, d, colour, width in boxes:
        x, y = left + a * across, 4 + high - d * up
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{(c - a) * across:.1f}" height="{(d - b) * up:.1f}" fill="none" '
            f'stroke="{colour}" stroke-width="{width}"/>'
        )
    star = star_place(fold, archive, at)
    if star is not None:
        row, column = star
        x, y = left + (column + 0.5) * across, 4 + high - (row + 0.5) * up
        parts.append(
            f'<text x="{x:.1f}" y="{y + 5:.1f}" text-anchor="middle" font-size="15" fill="#fff" stroke="{INK}" '
            'stroke-width=".8">★</text>'
        )
    parts += _labels(fold, archive.problem, fold.x, left, 4 + high, across, across_page=True)
    parts += _labels(fold, archive.problem, fold.y, left, 4 + high, up, across_page=False)
    parts += _scale(usual_colours(archive, view), left, high + 52, wide)
    return _svg(left + wide + 30, high + bottom + 8, parts, "The map")


def _scale(colours: Colouring, left: float, top: float, wide: float) -> list[str]:
    """The colour scale with its ticks, and what its ends mean."""
    stops = "".join(f'<stop offset="{place:.3f}" stop-color="{shade}"/>' for place, shade in colours.scale)
    found = [
        f'<defs><linearGradient id="scale">{stops}</linearGradient></defs>',
        f'<rect x="{left}" y="{top}" width="{wide}" height="9" rx="4" fill="url(#scale)"/>',
    ]
    for tick in colours.ticks:
        anchor = "start" if tick.place < 0.1 else "end" if tick.place > 0.9 else "middle"
        x = left + tick.place * wide
        found.append(f'<text x="{x:.1f}" y="{top + 23}" text-anchor="{anchor}" {_small()}>{escape(tick.label)}</text>')
    ends = f"{colours.ends[0]} to {colours.ends[1]}: " if colours.ends else ""
    return [*found, f'<text x="{left}" y="{top + 38}" {_small()}>{escape(ends + colours.title)}</text>']


def _labels(
    fold: Fold, problem: Problem, axis: Axis, left: float, base: float, step: float, *, across_page: bool
) -> list[str]:
    """The outer bins of one axis, and the names of its constraints."""
    if not axis.constraints:
        return []
    texts = short_bins(fold, problem, axis.constraints[0])
    every = -(-len(texts) // MOST_LABELS)
    names = [escape(fold.tolerances.names[i]) for i in axis.constraints]
    title = names[0] if len(names) == 1 else f"{names[0]}, within it {names[1]}"
    found = []
    for i, text in list(enumerate(texts))[::every]:
        middle = (i + 0.5) * axis.inner * step
        x, y, anchor = (left + middle, base + 15, "middle") if across_page else (left - 6, base - middle + 4, "end")
        found.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {_small()}>{escape(text)}</text>')
    if across_page:
        return [*found, f'<text x="{left}" y="{base + 33}" {_bold()}>{title} →</text>']
    turned = f'transform="rotate(-90 14 {base})"'
    return [*found, f'<text x="14" y="{base}" {turned} {_bold()}>{title} →</text>']


def price_drawing(curve: Price, width: int = 150, height: int = 40) -> str:
    """A price curve in a line of text: steps, with a dot for every elite."""
    known = [(i, step.f) for i, step in enumerate(curve.steps) if step.f is not None]
    if not known:
        return ""
    places = np.array([i for i, _ in known], dtype=float)
    x = 6 + places / max(len(curve.steps) - 1, 1) * (width - 12)
    y = _upwards(axis_values(np.array([f for _, f in known])), 6, height - 6)
    steps = "".join(f"H{a:.1f}V{b:.1f}" for a, b in zip(x[1:], y[1:], strict=True))
    parts = [f'<path d="M{x[0]:.1f} {y[0]:.1f}{steps}" fill="none" stroke="{ACCENT}" stroke-width="1.6"/>']
    parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.2" fill="{ACCENT}"/>' for a, b in zip(x, y, strict=True)]
    return _svg(width, height, parts, "best objective over the levels")


def front_drawing(designs: Designs, found: Front, rows: Array, width: int = 420, height: int = 240) -> str:
    """These rows of the front with its knee, the ends labelled."""
    if not len(rows):
        return ""
    left = 86
    x = left + 8 + _share(axis_values(found.violation[rows])) * (width - left - 34)
    y = _upwards(axis_values(designs.shown_f[rows]), 14, height - 42)
    steps = "".join(f"H{a:.1f}V{b:.1f}" for a, b in zip(x[1:], y[1:], strict=True))
    parts = [
        f'<path d="M{left} 8V{height - 34}H{width - 8}" fill="none" stroke="{QUIET}" stroke-opacity=".6"/>',
        f'<path d="M{x[0]:.1f} {y[0]:.1f}{steps}" fill="none" stroke="{ACCENT}" stroke-width="1.8"/>',
    ]
    for row, a, b in zip(rows.tolist(), x, y, strict=True):
        parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{ACCENT}"/>')
        if row == found.knee:
            parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="7" fill="none" stroke="{INK}" stroke-width="1.6"/>')
            parts.append(f'<text x="{a + 10:.1f}" y="{b - 6:.1f}" {_small()}>knee</text>')
    first, last = rows[0], rows[-1]
    begins, ends = (amount(float(designs.shown_f[row]), 4) for row in (first, last))
    parts += [
        f'<text x="{left - 4}" y="{y[0] + 4:.1f}" text-anchor="end" {_small()}>{begins}</text>',
        f'<text x="{x[0]:.1f}" y="{height - 20}" text-anchor="middle" {_small()}>'
        f"{with_unit(amount(float(found.violation[first]), 3), found.unit)}</text>",
        f'<text x="{(left + width) / 2:.0f}" y="{height - 6}" text-anchor="middle" {_bold()}>'
        f"total violation{_of_limits(found)} →</text>",
    ]
    if len(rows) > 1:
        parts += [
            f'<text x="{left - 4}" y="{y[-1] + 4:.1f}" text-anchor="end" {_small()}>{ends}</text>',
            f'<text x="{x[-1]:.1f}" y="{height - 20}" text-anchor="middle" {_small()}>'
            f"{with_unit(amount(float(found.violation[last]), 3), found.unit)}</text>",
        ]
    return _svg(width, height, parts, "Objective against total violation")


def _of_limits(found: Front) -> str:
    return f", {found.unit} of the limits" if found.unit else ""


def _share(values: Array) -> Array:
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low) if high > low else np.zeros(len(values))


def _upwards(values: Array, top: float, bottom: float) -> Array:
    return bottom - _share(values) * (bottom - top)


def _small() -> str:
    return f'font-size="13" fill="{QUIET}"'


def _bold() -> str:
    return f'font-size="13.5" font-weight="600" fill="{INK}"'


def _svg(width: float, height: float, parts: Sequence[str], title: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )
