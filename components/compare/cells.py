"""Places of two maps told side by side: where they differ most, and the one somebody pressed.

They are read as the maps are: what stands here is what the maps show there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
import numpy as np
from dash import html
from dash.development.base_component import Component

from components.answers.state import tolerance_text
from components.compare.maps import ComparedArchives
from components.page_state.state import view_query
from components.page_state.view import pressed_point
from components.shared import summary
from components.shared.format import cell_for_browser
from mapelites.core.archive import Archive
from mapelites.core.format import number
from mapelites.core.nested_map.axes import full_bins
from mapelites.core.nested_map.fold import Fold
from mapelites.core.nested_map.reading import NO_ROW
from mapelites.runs import Run

MOST_ROWS = 6
Place = tuple[int, int]  # row and column of the map


def most_different(pair: ComparedArchives, rows: int = MOST_ROWS) -> list[Place]:
    """The places at which both show something and their objectives are furthest apart, each two designs once.

    Of a design with limits no place beyond the allowances is told: there any two runs differ, and nobody wants to be
    there.
    """
    fold = pair.view.fold(pair.first.tolerances)
    one, two = pair.objectives
    both = np.isfinite(one) & np.isfinite(two)
    if pair.only_within:
        both &= ~fold.beyond()
    apart = np.abs(np.where(both, one, 0.0) - np.where(both, two, 0.0))
    shown = [fold.rows_of(archive) for archive in (pair.first, pair.second)]
    found: dict[tuple[int, int], Place] = {}
    for at in np.argsort(-apart, axis=None, kind="stable").tolist():
        row, column = divmod(at, apart.shape[1])
        if len(found) == rows or apart[row, column] == 0.0:
            break
        found.setdefault((int(shown[0][row, column]), int(shown[1][row, column])), (row, column))
    return list(found.values())


def pressed_cell(pair: ComparedArchives, click: Any) -> Place | None:
    """The place of the map that was pressed, or None where none was or it makes no sense."""
    if not pair.same_problem:
        return None
    point = pressed_point(click)
    row, column = point.get("y"), point.get("x")
    rows, columns = pair.view.fold(pair.first.tolerances).shape
    if not isinstance(row, int) or not isinstance(column, int) or not (0 <= row < rows and 0 <= column < columns):
        return None
    return row, column


def cell_table(pair: ComparedArchives, runs: Sequence[Run], pressed: Place | None) -> Component | None:
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
    archives, rows = (pair.first, pair.second), []
    for archive in archives:
        rows.append(int(fold.rows_of(archive)[place]))
    nothing = "cannot exist" if fold.impossible(pair.first)[place] else "empty"
    shown = pair.first.problem.shown_objective
    values = [None if at == NO_ROW else archive.solution(at).f for archive, at in zip(archives, rows, strict=True)]
    links = [
        html.Span(nothing, className="quiet")
        if f is None
        else dmc.Anchor(number(shown(f)), href=_address(run, pair.first, archive, fold, place))
        for run, archive, f in zip(runs, archives, values, strict=False)
    ]
    one, two = values
    better = "" if one is None or two is None else pair.gap_words(one, two).replace("better ", "")
    words: list[Component] = [*_in_words(fold, pair.first, place)]
    if pressed:
        words.insert(0, html.B("pressed "))
    return html.Tr(
        [html.Th(html.Div(words, className="compare-bins"), scope="row"), *map(html.Td, links), html.Td(better)],
        className="is-pressed" if pressed else "",
    )


def _in_words(fold: Fold, archive: Archive, place: Place) -> list[Component]:
    """The bins of a place, one chip for each axis."""
    bins, names = fold.bins_at(*place), fold.tolerances.names
    return [
        html.Span([html.B(names[i]), " ", full_bins(fold, archive.problem, i)[bins[i]]], className="bin-chip")
        for i in sorted((*fold.x.constraints, *fold.y.constraints))
    ]


def _address(run: Run, first: Archive, archive: Archive, fold: Fold, place: Place) -> str:
    """What stands there on its run's page, at the levels compared: a cell, or the sliders where it allows so much."""
    own = run.request.tolerances == first.tolerances
    data: dict[str, Any] = {"levels": None if own else [list(each) for each in first.tolerances.levels]}
    if fold.reading == "exact":
        data |= {"cell": cell_for_browser(fold.cell_at(archive, *place))}
    else:
        data |= {"allow": _allowed(fold, archive, place)}
    return f"{summary.run_address(run)}?{view_query(data)}"


def _allowed(fold: Fold, archive: Archive, place: Place) -> dict[str, str]:
    """How much a place allows of each constraint, as the sliders say it."""
    bins, shown = fold.bins_at(*place), (*fold.x.constraints, *fold.y.constraints)
    found = {}
    for i, name in enumerate(fold.tolerances.names):
        uppers = (*fold.tolerances.levels[i], math.inf)
        most = uppers[bins[i]] if i in shown else fold.limits[i] if fold.limits else math.inf
        follows = i not in shown and math.isinf(most)  # it goes where the constraint goes that it follows from
        if most > archive.problem.feasible_up_to[i] and not follows:
            found[name] = tolerance_text(most)
    return found
