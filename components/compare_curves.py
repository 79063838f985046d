"""The curves of several runs over their evaluations, laid over each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from components.map_axes import Look

Line = tuple[str, NDArray[np.float64], str]  # name, snapshot's curve, colour
WIDE = 1.0  # orders of magnitude from which on a scale is logarithmic
TITLES = ("cells with an elite", "best feasible objective")


def curves(lines: Sequence[Line], *, dark: bool) -> list[dict[str, Any]]:
    """Two figures, occupied cells and best feasible value, as JSON values."""
    look = Look.of(dark=dark, narrow=False)
    return [_figure(lines, column, title, look) for column, title in zip((1, 2), TITLES, strict=True)]


def _figure(lines: Sequence[Line], column: int, title: str, look: Look) -> dict[str, Any]:
    values = np.concatenate([curve[:, column] for _, curve, _ in lines]) if lines else np.empty(0)
    values = values[~np.isnan(values)]
    orders = float(np.log10(values.max() / values.min())) if len(values) and values.min() > 0 else 0.0
    grid = {"gridcolor": "rgba(128,134,145,0.22)", "zeroline": False, "automargin": True}
    step = max(1, round(orders / 6)) if orders > 2 else "D2"  # whole orders of magnitude, or 1, 2 and 5 within them
    scale = {"type": "log", "exponentformat": "power", "dtick": step}
    scale = scale if orders > WIDE and column == 2 else {"type": "linear"}
    return {
        "data": [_trace(name, curve, column, shade) for name, curve, shade in lines],
        "layout": {
            "xaxis": {**grid, "title": {"text": "evaluations"}, "rangemode": "tozero"},
            "yaxis": {**grid, **scale, "title": {"text": title}},
            "margin": {"l": 56, "r": 12, "t": 12, "b": 44},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": look.font, "color": look.text, "size": look.size},
            "showlegend": False,
            "hovermode": "closest",
            "uirevision": "curves",
        },
    }


def _trace(name: str, curve: NDArray[np.float64], column: int, shade: str) -> dict[str, Any]:
    known = curve[~np.isnan(curve[:, column])]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": known[:, 0].tolist(),
        "y": known[:, column].tolist(),
        "line": {"shape": "hv", "width": 2.2, "color": shade},
        "cliponaxis": False,  # the last step is at the edge
        "hovertemplate": f"{name}<br>%{{y:.4g}} at %{{x:,}}<extra></extra>",
    }
