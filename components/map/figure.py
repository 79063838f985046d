"""The nested heatmap as the page shows it; `mapelites/core/nested_map/figure.py` draws it."""

from __future__ import annotations

from typing import Any

from components.map.colour import colouring
from mapelites.core.archive import Archive
from mapelites.core.nested_map import figure as drawing
from mapelites.core.nested_map.colour import Colouring
from mapelites.core.nested_map.figure import MOST_EXACT, SHAPES, ProvenBounds, figure, patch
from mapelites.core.nested_map.view import FigureView
from mapelites.proof.proofs import Proofs
from mapelites.proof.words import PROVEN

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
    newest: Archive | None = None, proofs: Proofs | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Everything that changes while a map fills, as JSON values; in given colours, or in those of the view.

    Where it is read up to, what is proven of the tolerances of a place goes along.
    """
    chosen = given or colouring(archive, view, evaluations, newest)
    return drawing.content(archive, view, chosen, dark=dark, bounds=_bounds(archive, view, proofs))


def _bounds(archive: Archive, view: FigureView, proofs: Proofs | None) -> ProvenBounds | None:
    fold = view.fold(archive.tolerances)
    rows, columns = fold.shape
    if proofs is None or not len(proofs) or view.reading != "up-to" or rows * columns > MOST_EXACT:
        return None
    if len(proofs.each[0].tolerances) != len(fold.order):  # constraints share an axis
        return None
    asked = fold.tolerances_at(archive.problem.feasible_up_to)
    return ProvenBounds(proofs.bounds(asked.reshape(rows * columns, -1)).reshape(rows, columns), PROVEN)
