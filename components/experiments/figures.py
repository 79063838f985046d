"""Figures of one problem of a campaign: how its searches converge, and where their runs end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from components.map.colour import KINDS
from components.shared.charts import chart_layout
from mapelites.campaign.report.published import PublishedRow
from mapelites.campaign.report.table import TableRow
from mapelites.core.format import number
from mapelites.core.nested_map.axes import MapStyle
from mapelites.core.statistics import quartile_places

Array = NDArray[np.float64]
CURVES = {"objective": "Best feasible objective", "cells": "Occupied cells"}
COLUMN = {"objective": 2, "cells": 1}
PUBLISHED = "the paper's median"
WIDE = 100.0  # from this ratio of the largest to the smallest on, a scale is logarithmic


def colours(searches: Sequence[str]) -> dict[str, str]:
    """One colour for each search, the same in every figure."""
    return {search: KINDS[i % len(KINDS)] for i, search in enumerate(searches)}


def quartiles(curves: Sequence[Array], column: int) -> tuple[Array, Array]:
    """Evaluations (k,) and the three quartiles (3, k) over runs; NaN where too few runs have a value yet.

    A run without a feasible solution counts as worse than every other, so a quartile exists as soon as
    enough runs have one.
    """
    at = curves[0][:, 0]
    values = np.array([curve[:, column] for curve in curves])
    # Infinity sorts last: a run without a value counts as the worst, not as missing.
    ranked = np.sort(np.where(np.isnan(values), np.inf, values), axis=0)
    found = ranked[list(quartile_places(len(ranked)))]
    return at, np.where(np.isfinite(found), found, np.nan)


def convergence(
    curves: Mapping[str, Sequence[Array]], kind: str, references: Mapping[str, float], *, dark: bool
) -> dict[str, Any]:
    """Median and quartiles over the runs of each search, as JSON values of a figure."""
    look, shade = MapStyle.of(dark=dark, narrow=False), colours(list(curves))
    data: list[dict[str, Any]] = []
    shown: list[float] = []
    span: list[float] = []
    for search, each in curves.items():
        if each:
            at, bands = quartiles(each, COLUMN[kind])
            data += _band(search, at, bands, shade[search])
            shown += bands[~np.isnan(bands)].tolist()
            span = [float(at[0]), float(at[-1])]
    lines = references if kind == "objective" and shown else {}
    log = kind == "objective" and _spreads(shown)
    data += [_reference(name, value, span, look) for name, value in lines.items() if value > 0 or not log]
    layout = chart_layout(look, CURVES[kind], log=log)
    layout["xaxis"] |= {"type": "log", "tickformat": ",d", "dtick": 1, "title": {"text": "evaluations"}}
    if not shown:
        _empty(
            layout,
            "No run is finished yet" if not any(curves.values()) else "No run has found a feasible solution",
            look,
        )
    return {"data": data, "layout": layout}


def solution_boxes(
    rows: Sequence[TableRow], searches: Sequence[str], references: Mapping[str, float], *, dark: bool
) -> dict[str, Any]:
    """The final solutions of each search: the objectives of feasible ones, or mean violations where there is none."""
    look, shade = MapStyle.of(dark=dark, narrow=False), colours(searches)
    feasible = any(final.feasible for row in rows for final in row.finals)
    data, shown = [], []
    for row in rows:
        finals = [final for final in row.finals if final.feasible or not feasible]
        values = [final.f if feasible else final.mean_violation for final in finals]
        shown += values
        data.append(_box(row, values, [final.run for final in finals], shade[row.instance.search]))
    log = _spreads(shown)
    title = "Objective of the feasible runs" if feasible else "Mean violation, no run is feasible"
    layout = chart_layout(look, title, log=log)
    layout["xaxis"] |= {"type": "category"}
    layout["showlegend"] = False
    if not shown:
        _empty(layout, "No run is finished yet", look)
    if feasible:
        layout["shapes"] = [_line(value, look) for value in references.values() if value > 0 or not log]
        layout["annotations"] = [
            _label(name, value, look, log=log) for name, value in references.items() if value > 0 or not log
        ]
        data += [_published(row, row.paper, look) for row in rows if row.paper and _drawable(row.paper, log=log)]
    return {"data": data, "layout": layout}


def box_words(figure: Mapping[str, Any]) -> str:
    """What the boxes show, and the bar where there is one."""
    published = any(trace.get("name") == PUBLISHED for trace in figure.get("data", ()))
    bar = ": the thick bar is the paper's median" if published else ""
    return f"Where the runs end{bar}; a click opens a run"


def blank_figure() -> dict[str, Any]:
    """Nothing, until there is something to draw: no axes that would measure nothing, in either colour scheme."""
    hidden = {"visible": False}
    clear = "rgba(0,0,0,0)"
    return {"data": [], "layout": {"xaxis": hidden, "yaxis": hidden, "paper_bgcolor": clear, "plot_bgcolor": clear}}


def reference_lines(row: TableRow | None, best_known: float | None) -> dict[str, float]:
    """Values drawn as lines: εDEag's median where it is feasible, and the best known."""
    lines = {}
    if row is not None and row.edeag is not None and row.edeag.median.violated == 0:
        lines["εDEag median"] = row.edeag.median.f
    if best_known is not None:
        lines["best known"] = best_known
    return lines


def reference_words(rows: Sequence[TableRow], best_known: float | None) -> str:
    """The same values in words, with those that a logarithmic scale cannot show."""
    parts = []
    for row in rows:
        if row.paper is not None:
            parts.append(f"{row.instance.search} {number(row.paper.median.f)} ({row.paper.median.violated} violated)")
    words = [f"Published medians: the paper's {', '.join(parts)}"] if parts else []
    edeag = next((row.edeag for row in rows if row.edeag is not None), None)
    if edeag is not None:
        words.append(f"εDEag's {number(edeag.median.f)} ({edeag.median.violated} violated)")
    if best_known is not None:
        words.append(f"best known {number(best_known)}")
    text = "; ".join(words)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _spreads(values: Sequence[float]) -> bool:
    return len(values) > 1 and min(values) > 0 and max(values) / min(values) > WIDE


def _drawable(published: PublishedRow, *, log: bool) -> bool:
    return published.median.violated == 0 and (published.median.f > 0 or not log)


def _band(search: str, at: Array, bands: Array, shade: str) -> list[dict[str, Any]]:
    """Quartiles as an area, the median as a line."""
    low, middle, high = bands
    inside = ~np.isnan(high)
    x, y = at[inside], np.concatenate([high[inside], low[inside][::-1]])
    area = {
        "type": "scatter", "mode": "lines", "x": np.concatenate([x, x[::-1]]).tolist(), "y": y.tolist(),
        "fill": "toself", "fillcolor": f"{shade}33", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False,
        "legendgroup": search,
    }  # fmt: skip
    known = ~np.isnan(middle)
    line = {
        "type": "scatter", "mode": "lines", "name": search, "x": at[known].tolist(), "y": middle[known].tolist(),
        "line": {"color": shade, "width": 2.2}, "legendgroup": search,
        "hovertemplate": f"{search}: median %{{y:.4g}} at %{{x:,}}<extra></extra>",
    }  # fmt: skip
    return [line, area]


def _reference(name: str, value: float, span: list[float], look: MapStyle) -> dict[str, Any]:
    dash = "dot" if name == "best known" else "dash"
    return {
        "type": "scatter", "mode": "lines", "name": name, "x": span, "y": [value, value],
        "line": {"color": look.quiet, "width": 1.4, "dash": dash},
        "hovertemplate": f"{name}: {number(value)}<extra></extra>",
    }  # fmt: skip


def _box(row: TableRow, values: list[float], runs: list[str], shade: str) -> dict[str, Any]:
    return {
        "type": "box", "name": _category(row), "y": values,
        "customdata": runs, "boxpoints": "all", "jitter": 0.5, "pointpos": 0, "fillcolor": f"{shade}33",
        "line": {"color": shade, "width": 1.6}, "marker": {"color": shade, "size": 5, "opacity": 0.75},
        "hovertemplate": "%{customdata}: %{y:.4g}<br>a click opens it<extra></extra>", "hoveron": "points",
    }  # fmt: skip


def _category(row: TableRow) -> str:
    """A search with how many of its runs are feasible."""
    return f"{row.instance.search}<br>{sum(final.feasible for final in row.finals)} of {len(row.finals)}"


def _published(row: TableRow, published: PublishedRow | None, look: MapStyle) -> dict[str, Any]:
    """The paper's median as a short bar over its search's box."""
    value = published.median.f if published is not None else 0.0
    return {
        "type": "scatter", "mode": "markers", "name": PUBLISHED, "x": [_category(row)], "y": [value],
        "marker": {"symbol": "line-ew", "size": 36, "line": {"width": 2.5, "color": look.strong}},
        "hovertemplate": f"{PUBLISHED}: {number(value)}<extra></extra>",
    }  # fmt: skip


def _line(value: float, look: MapStyle) -> dict[str, Any]:
    return {
        "type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": value, "y1": value,
        "line": {"color": look.quiet, "width": 1.4, "dash": "dash"},
    }  # fmt: skip


def _label(name: str, value: float, look: MapStyle, *, log: bool) -> dict[str, Any]:
    return {
        "xref": "paper", "x": 1 if name == "best known" else 0, "y": float(np.log10(value)) if log else value,
        "text": name, "showarrow": False, "yanchor": "bottom", "xanchor": "right" if name == "best known" else "left",
        "font": {"size": 11, "color": look.quiet},
    }  # fmt: skip


def _empty(layout: dict[str, Any], text: str, look: MapStyle) -> None:
    """Words in place of axes that would measure nothing."""
    layout["xaxis"] |= {"visible": False}
    layout["yaxis"] |= {"visible": False}
    layout["annotations"] = [
        {
            "xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5, "text": text, "showarrow": False,
            "font": {"size": 14, "color": look.quiet},
        }
    ]  # fmt: skip
