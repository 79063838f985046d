"""Places of two maps told side by side: where they differ most, and the one somebody pressed.

A place is told as the maps show it: read up to, by the best that it allows, else by the elite of its cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
import numpy as np
from dash import html
from dash.development.base_component import Component

from components.answers.state import tolerance_text
from components.compare.maps import ComparedArchives
from components.run.view import levels_text, pressed_point
from components.shared import summary
from mapelites.core.archive import Archive
from mapelites.core.format import number
from mapelites.core.nested_map.axes import full_bins
from mapelites.core.nested_map.fold import Fold
from mapelites.runs import Run

MOST_ROWS = 6
Place = tuple[int, int]  # row and column of the map


def most_different(pair: ComparedArchives, rows: int = MOST_ROWS) -> list[Place]:
    """The places at which both have something and their objectives are furthest apart.

    Of a design with limits no place beyond the allowances is told: there any two runs differ, and nobody wants to be
    there. Of places that show the same two elites the one that relaxes least is told.
    """
    fold = pair.view.fold(pair.first.tolerances)
    one, two = pair.objectives
    counts = np.isfinite(one) & np.isfinite(two)
    if pair.only_within:
        counts &= ~fold.beyond()
    apart = np.where(counts, np.abs(np.where(counts, one, 0.0) - np.where(counts, two, 0.0)), 0.0)
    found: dict[tuple[float, float], Place] = {}
    for at in np.argsort(-apart, axis=None, kind="stable").tolist():
        row, column = (int(each) for each in np.unravel_index(at, apart.shape))
        if len(found) == rows or apart[row, column] <= 0.0:
            break
        key = (float(one[row, column]), float(two[row, column]))
        known = found.get(key)
        if known is None or sum(fold.bins_at(row, column)) < sum(fold.bins_at(*known)):
            found[key] = (row, column)
    return list(found.values())


def pressed_place(pair: ComparedArchives, click: Any) -> Place | None:
    """The place of the map that was pressed, or None where none was or it makes no sense."""
    if not pair.same_problem:
        return None
    point = pressed_point(click)
    row, column = point.get("y"), point.get("x")
    rows, columns = pair.view.fold(pair.first.tolerances).shape
    if not isinstance(row, int) or not isinstance(column, int) or not (0 <= row < rows and 0 <= column < columns):
        return None
    return row, column


def place_table(pair: ComparedArchives, runs: Sequence[Run], pressed: Place | None) -> Component | None:
    """One row for each place; every value leads to its design on the page of its run."""
    if not pair.same_problem:
        return None
    places = most_different(pair)
    if pressed is not None:
        places = [pressed, *(place for place in places if place != pressed)]
    if not places:
        return dmc.Text("They hold the same values in every cell that both filled.", c="dimmed", size="sm")
    head = html.Tr([html.Th(words, scope="col") for words in ("Cell", "A", "B", "Better")])
    body = [_row(pair, runs, place, place == pressed) for place in places]
    return html.Table([html.Thead(head), html.Tbody(body)], className="compare-cells")


def _row(pair: ComparedArchives, runs: Sequence[Run], place: Place, pressed: bool) -> Component:
    fold = pair.view.fold(pair.first.tolerances)
    nothing = "cannot exist" if fold.impossible(pair.first)[place] else "empty"
    values = [float(each[place]) for each in pair.objectives]
    links = [
        dmc.Anchor(number(archive.problem.shown_objective(f)), href=_address(run, pair.first, archive, fold, place))
        if np.isfinite(f)
        else html.Span(nothing, className="quiet")
        for run, archive, f in zip(runs, (pair.first, pair.second), values, strict=False)
    ]
    better = pair.gap_words(*values).replace("better ", "") if np.isfinite(values).all() else ""
    words: list[Component] = place_chips(fold, pair.first, place)
    if pressed:
        words.insert(0, html.B("pressed "))
    return html.Tr(
        [html.Th(html.Div(words, className="compare-bins"), scope="row"), *map(html.Td, links), html.Td(better)],
        className="is-pressed" if pressed else "",
    )


def place_chips(fold: Fold, archive: Archive, place: Place) -> list[Component]:
    """The bins of a place in the map's own reading, one chip for each constraint that is an axis."""
    bins, names = fold.bins_at(*place), fold.tolerances.names
    return [
        html.Span([html.B(names[i]), " ", full_bins(fold, archive.problem, i)[bins[i]]], className="bin-chip")
        for i in sorted((*fold.x.constraints, *fold.y.constraints))
    ]


def _address(run: Run, first: Archive, archive: Archive, fold: Fold, place: Place) -> str:
    """The same place on the page of its run, at the levels compared."""
    levels = "" if run.request.tolerances == first.tolerances else f"levels={levels_text(first.tolerances)}&"
    if fold.reading == "exact":
        return f"{summary.run_address(run)}?{levels}cell={fold.cell_at(archive, *place)}"
    satisfied = archive.problem.feasible_up_to
    allowed = zip(fold.tolerances.names, fold.tolerances_at(satisfied)[place], satisfied, strict=True)
    allow = ",".join(f"{name}:{tolerance_text(float(most))}" for name, most, least in allowed if most > least)
    return f"{summary.run_address(run)}?{levels}allow={allow}"
