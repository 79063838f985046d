"""The curves of several runs over their evaluations, laid over each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.core.format import number
from mapelites.core.nested_map.axes import MapStyle

Line = tuple[str, NDArray[np.float64], str]  # name, snapshot's curve, colour
WIDE = 1.0  # orders of magnitude from which on a scale is logarithmic
MOST_TIMES = 10.0  # as many evaluations, from which on their scale is logarithmic
FEW = 2.0  # up to which each of them has room for more than one number
TITLES = ("cells with an elite", "best feasible objective")  # each over the evaluations


def curves(lines: Sequence[Line], *, dark: bool) -> list[dict[str, Any]]:
    """Two figures, occupied cells and best feasible value, as JSON values."""
    look = MapStyle.of(dark=dark, narrow=False)
    return [_figure(lines, column, title, look) for column, title in zip((1, 2), TITLES, strict=True)]


def _figure(lines: Sequence[Line], column: int, title: str, look: MapStyle) -> dict[str, Any]:
    values = np.concatenate([curve[:, column] for _, curve, _ in lines]) if lines else np.empty(0)
    values = values[~np.isnan(values)]
    orders = float(np.log10(values.max() / values.min())) if len(values) and values.min() > 0 else 0.0
    grid = {"gridcolor": "rgba(128,134,145,0.22)", "zeroline": False, "automargin": True}
    scale = _logarithmic(values, orders) if orders > WIDE and column == 2 else {"type": "linear"}
    return {
        "data": [_trace(name, curve, column, shade) for name, curve, shade in lines],
        "layout": {
            "xaxis": {**grid, **_evaluations(lines), "title": {"text": "evaluations"}},
            "yaxis": {**grid, **scale, "title": {"text": title, "standoff": 12}},
            "margin": {"l": 56, "r": 12, "t": 12, "b": 44},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": look.font, "color": look.text, "size": look.size},
            "showlegend": False,
            "hovermode": "closest",
            "uirevision": "curves",
        },
    }


def _evaluations(lines: Sequence[Line]) -> dict[str, Any]:
    """The scale along x, logarithmic where a short run would not be seen beside a long one."""
    ends = [float(curve[-1, 0]) for _, curve, _ in lines if len(curve)]
    return {"type": "log", "dtick": 1} if ends and max(ends) > MOST_TIMES * min(ends) else {"rangemode": "tozero"}


def _logarithmic(values: NDArray[np.float64], orders: float) -> dict[str, Any]:
    """Whole orders of magnitude, or 1, 2 and 5 within them, spelled like every number of the page."""
    lowest, highest = (int(np.floor(np.log10(each))) for each in (values.min(), values.max()))
    step, digits = (max(1, round(orders / 6)), (1,)) if orders > FEW else (1, (1, 2, 5))
    powers = range(lowest - lowest % step, highest + 2, step)
    ticks = [digit * 10.0**power for power in powers for digit in digits]
    return {"type": "log", "tickvals": ticks, "ticktext": [number(each) for each in ticks]}


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
