"""What all plain charts have in common."""

from __future__ import annotations

from typing import Any

from mapelites.core.nested_map.axes import MapStyle


def chart_layout(look: MapStyle, title: str, *, log: bool) -> dict[str, Any]:
    """Axes, grid and legend of a plain chart."""
    grid = {"gridcolor": "rgba(128,134,145,0.22)", "zeroline": False, "automargin": True, "exponentformat": "power",
            "separatethousands": True}  # fmt: skip
    return {
        "xaxis": dict(grid),
        "yaxis": {**grid, "title": {"text": title, "standoff": 10}, "type": "log" if log else "linear"},
        "margin": {"l": 56, "r": 12, "t": 12, "b": 44},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": look.font, "color": look.text, "size": look.size},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "showlegend": True,
        "hovermode": "closest",
    }
