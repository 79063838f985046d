"""Cells of two maps told side by side: where they differ most, and the one somebody pressed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
import numpy as np
from dash import html
from dash.development.base_component import Component

from components.compare.maps import ComparedArchives
from components.run.inspector_parts import place_in_words
from components.run.view import levels_text, pressed_point
from components.shared import summary
from mapelites.core.archive import Archive
from mapelites.core.format import number
from mapelites.core.nested_map.fold import Fold
from mapelites.runs import Run

MOST_ROWS = 6


def most_different(pair: ComparedArchives, rows: int = MOST_ROWS) -> list[int]:
    """The cells that both filled and in which their objectives are furthest apart."""
    cells, one, two = np.intersect1d(pair.first.elites.cell, pair.second.elites.cell, return_indices=True)
    a, b = pair.first.elites.f[one], pair.second.elites.f[two]
    apart = np.abs(a - b)
    order = np.argsort(-apart, kind="stable")
    return [int(cells[i]) for i in order[:rows] if apart[i] > 0.0]


def pressed_cell(pair: ComparedArchives, click: Any) -> int | None:
    """The cell of the map that was pressed, or None where none was or it makes no sense."""
    if not pair.same_problem:
        return None
    point = pressed_point(click)
    row, column = point.get("y"), point.get("x")
    fold = pair.view.fold(pair.first.tolerances)
    rows, columns = fold.shape
    if not isinstance(row, int) or not isinstance(column, int) or not (0 <= row < rows and 0 <= column < columns):
        return None
    return fold.cell_at(pair.first, row, column)


def cell_table(pair: ComparedArchives, runs: Sequence[Run], pressed: int | None) -> Component | None:
    """One row for each cell; every value leads to its elite on the page of its run."""
    if not pair.same_problem:
        return None
    cells = most_different(pair)
    if pressed is not None:
        cells = [pressed, *(cell for cell in cells if cell != pressed)]
    if not cells:
        return dmc.Text("They hold the same values in every cell that both filled.", c="dimmed", size="sm")
    head = html.Tr([html.Th(words, scope="col") for words in ("Cell", "A", "B", "Better")])
    body = [_row(pair, runs, cell, cell == pressed) for cell in cells]
    return html.Table([html.Thead(head), html.Tbody(body)], className="compare-cells")


def _row(pair: ComparedArchives, runs: Sequence[Run], cell: int, pressed: bool) -> Component:
    found = [archive.at(cell) for archive in (pair.first, pair.second)]
    fold = Fold.of(pair.first.tolerances)
    nothing = "cannot exist" if fold.impossible(pair.first)[fold.place(cell)] else "empty"
    links = [
        dmc.Anchor(number(pair.first.problem.shown_objective(elite.f)), href=_address(run, pair.first, cell))
        if elite
        else html.Span(nothing, className="quiet")
        for run, elite in zip(runs, found, strict=False)
    ]
    one, two = found
    better = pair.gap_words(one.f, two.f).replace("better ", "") if one and two else ""
    words: list[Component] = [*place_in_words(pair.first, cell)]
    if pressed:
        words.insert(0, html.B("pressed "))
    return html.Tr(
        [html.Th(html.Div(words, className="compare-bins"), scope="row"), *map(html.Td, links), html.Td(better)],
        className="is-pressed" if pressed else "",
    )


def _address(run: Run, first: Archive, cell: int) -> str:
    """The elite's place on its run's page, at the levels compared."""
    levels = "" if run.request.tolerances == first.tolerances else f"levels={levels_text(first.tolerances)}&"
    return f"{summary.run_address(run)}?{levels}cell={cell}"
