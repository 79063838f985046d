"""The nested heatmap as the page shows it; `mapelites/core/nested_map/figure.py` draws it."""

from __future__ import annotations

from typing import Any

from components.map.colour import colouring
from mapelites.core.archive import Archive
from mapelites.core.nested_map import figure as drawing
from mapelites.core.nested_map.colour import Colouring
from mapelites.core.nested_map.figure import SHAPES, figure, patch
from mapelites.core.nested_map.view import FigureView

__all__ = ["CONFIG", "SHAPES", "FigureView", "content", "figure", "patch"]

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


def content(
    archive: Archive, view: FigureView, evaluations: int, given: Colouring | None = None, *, dark: bool = False,
    newest: Archive | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Everything that changes while a map fills, as JSON values; in given colours, or in those of the view."""
    return drawing.content(archive, view, given or colouring(archive, view, evaluations, newest), dark=dark)
