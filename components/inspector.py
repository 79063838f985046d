"""The inspector: one cell in full, in the doubles of the store; an empty one leads to the nearest that is not."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
import numpy as np
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from components import inspector_parts as parts
from components import run_ids as ids
from components.format import count, number
from components.many_rest import fitting
from components.map_fold import Fold
from components.run_view import Maps, Shown, read_cell, read_view
from components.shell_notices import icon
from mapelites.archive import Archive, Elite


def layout() -> Component:
    """The panel beside the map; on a narrow screen a sheet from below."""
    tools = [
        ("pin", "Pin", "pin"),
        ("python", "Copy Python", "copy"),
        ("json", "Copy JSON", "copy"),
        ("download", "Download", "download"),
        ("link", "Copy link", "link"),
    ]
    buttons = [
        dmc.Button(words, id=f"inspector-{name}", leftSection=icon(sign), size="compact-xs", variant="default")
        for name, words, sign in tools
    ]
    close = dmc.ActionIcon(
        icon("close"), id="inspector-close", variant="subtle", color="gray", **{"aria-label": "Close the inspector"}
    )
    return html.Section(
        [
            dcc.Store(id=ids.seen("inspector")),
            dcc.Store(id=ids.PINNED, storage_type="memory"),
            dcc.Store(id=ids.PINNED_CELL),
            dcc.Store(id="inspector-texts"),
            dcc.Store(id="inspector-key"),
            html.Div([dmc.Title("Inspector", order=2, size="h4"), close], className="inspector-title"),
            html.Div(buttons, id="inspector-tools", className="inspector-tools", hidden=True),
            html.Div(_hint(), id="inspector-content", className="inspector-content"),
        ],
        id="inspector",
        className="card inspector",
        **{"aria-label": "Inspector"},
    )


def register(app: Dash, maps: Maps) -> None:
    """Show the chosen cell; while a run is live, again whenever its elite is another."""

    @app.callback(
        Output("inspector-content", "children"),
        Output("inspector-texts", "data"),
        Output("inspector-key", "data"),
        Output("inspector-tools", "hidden"),
        Output("inspector", "className"),
        Output(ids.PINNED_CELL, "data"),
        Input(ids.SELECTED, "data"),
        Input(ids.seen("inspector"), "data"),
        Input(ids.MOMENT, "data"),
        Input(ids.LEVELS, "data"),
        Input(ids.PINNED, "data"),
        Input(ids.BEHIND, "data"),
        State(ids.AXES, "data"),
        State(ids.REST, "data"),
        State(ids.RUN, "data"),
        State("inspector-key", "data"),
    )
    def inspect(
        chosen: Any, _: Any, at: Any, levels: Any, pin: Any, behind: Any, axes: Any, rest: Any, run_id: Any, before: Any
    ) -> Any:
        shown = maps.shown(run_id, at, levels)
        cell = read_cell(chosen, shown.tolerances)
        archive = maps.archive(shown)
        other = parts.pinned(archive, pin)
        marked = None if other is None else str(other.cell)
        if cell is None:
            done = before == marked
            return (
                (no_update,) * 6 if done else (_hint(), None, marked, other is None, "card inspector is-bare", marked)
            )
        view = read_view(axes, "objective", "auto", archive.tolerances, fitting(rest, archive.tolerances))
        fold = Fold.of(archive.tolerances, view.order, view.rest)
        if archive.at(cell) is None:  # at its place there may be an elite with other bins of what is not shown
            cell = fold.cell_at(archive, *fold.place(cell))
        elite, feasible = archive.at(cell), archive.best(feasible=True)
        if behind is True and feasible is not None and feasible.cell == cell:
            elite = feasible
        key = _key(shown, cell, elite, feasible, other)
        if key == before:
            return (no_update,) * 6
        if elite is None:
            return _empty(archive, fold, cell), None, key, other is None, "card inspector is-open is-bare", marked
        content = _full(shown, archive, elite, feasible, other)
        return content, _texts(archive, elite), key, False, "card inspector is-open", marked

    app.clientside_callback(
        ClientsideFunction("run", "tools"),
        Output(ids.PINNED, "data"),
        Output("inspector-pin", "children"),
        *(Input(f"inspector-{name}", "n_clicks") for name in ("pin", "python", "json", "download", "link")),
        State("inspector-texts", "data"),
        State(ids.PINNED, "data"),
        prevent_initial_call=True,
    )
    app.clientside_callback(
        ClientsideFunction("run", "close"),
        Output(ids.SELECTED, "data"),
        Input("inspector-close", "n_clicks"),
        prevent_initial_call=True,
    )


def _key(shown: Shown, cell: int, elite: Elite | None, feasible: Elite | None, other: Elite | None) -> list[Any]:
    """Changes exactly when the inspector would say something else."""
    versions = [(each.found_at, each.f) if each else None for each in (elite, feasible)]
    pin = None if other is None else other.x.tolist()
    return [shown.run.id, cell, str(shown.levels), [list(v) if v else None for v in versions], pin]


def _texts(archive: Archive, elite: Elite) -> dict[str, Any]:
    return {**parts.texts(archive, elite), "pin": {"x": elite.x.tolist()}}


def _hint() -> Component:
    return html.Div(
        [
            dmc.Text("No cell is chosen.", fw=600, size="sm"),
            dmc.Text(
                [
                    html.Span(
                        "Click a cell of the map, or move to one with the arrow keys and press Enter, or press ",
                        className="with-keys",
                    ),
                    html.Span("Tap a cell of the map, or ", className="with-fingers"),
                    "an objective in an answer: its solution stands here, what it costs, which constraints it breaks "
                    "and by how much.",
                ],
                size="sm",
                c="dimmed",
            ),
        ],
        className="inspector-hint",
    )


def _empty(archive: Archive, fold: Fold, cell: int) -> list[Component]:
    """An empty cell says so and offers the nearest occupied one."""
    row, column = fold.place(cell)
    impossible = bool(fold.impossible(archive)[row, column])
    words = (
        "No solution can lie here: the constraints depend on each other."
        if impossible
        else "No solution has been found here yet."
    )
    found: list[Component] = [
        html.Div(parts.place_in_words(archive, cell), className="bin-chips"),
        dmc.Text("This cell cannot exist" if impossible else "This cell is empty", fw=650, size="lg"),
        dmc.Text(words, size="sm", c="dimmed"),
    ]
    near = nearest_occupied(archive, cell)
    if near is not None:
        words = f"The nearest occupied cell, with objective {number(near.f)}:"
        chips = html.Div(parts.place_in_words(archive, near.cell), className="bin-chips")
        button = html.Button("Open the nearest occupied cell", className="text-button", **{"data-cell": str(near.cell)})
        found += [dmc.Text(words, size="sm"), chips, button]
    return found


def nearest_occupied(archive: Archive, cell: int) -> Elite | None:
    """The elite fewest bins away, the better one of equals; None in an empty archive."""
    if not len(archive):
        return None
    to = archive.tolerances
    steps = np.abs(to.bins_of(archive.elites.cell) - to.bins_of([cell])).sum(axis=1)
    row = int(np.lexsort((archive.elites.f, steps))[0])
    return archive.at(int(archive.elites.cell[row]))


def _full(shown: Shown, archive: Archive, elite: Elite, feasible: Elite | None, other: Elite | None) -> list[Component]:
    pinned = other is not None and other.x.tolist() != elite.x.tolist()
    reference = other if pinned else None if feasible is None or feasible.found_at == elite.found_at else feasible
    budget = shown.run.request.settings.evaluations
    found: list[Component] = [
        html.Div(parts.place_in_words(archive, elite.cell), className="bin-chips"),
        html.Div(
            [html.Span("objective", className="fact-name"), html.Div(parts.value(elite.f), className="objective")],
        ),
        parts.verdict(archive, elite),
        _against(elite, feasible),
        *([dmc.Text("This is the pinned elite.", size="sm")] if other and not pinned else []),
        *_hidden_feasible(archive, elite, feasible),
        dmc.Title("Constraints", order=3, size="h6"),
        parts.constraints(archive, elite, reference),
    ]
    if reference is not None:
        name = "pinned" if pinned else "best feasible"
        found += [
            dmc.Title(f"Compared with the {name} elite", order=3, size="h6"),
            html.Div(parts.place_in_words(archive, reference.cell), className="bin-chips"),
            parts.differences(archive, elite, reference, name),
        ]
    found += [
        dmc.Title("Solution", order=3, size="h6"),
        parts.variables(archive.problem, elite, reference),
        dmc.Text(f"Found at evaluation {count(elite.found_at)} of {count(budget)} by {elite.operator}.", size="sm"),
    ]
    return found


def _against(elite: Elite, feasible: Elite | None) -> Component:
    """The objective beside that of the best feasible elite."""
    if feasible is None:
        words: Any = "No feasible solution has been found yet."
    elif feasible.found_at == elite.found_at:
        words = "This is the best feasible elite."
    else:
        gap = elite.f - feasible.f
        side = "above" if gap > 0 else "below"
        words = [html.B(number(abs(gap))), f" {side} the best feasible elite" if gap else " exactly as good"]
    return dmc.Text(words, size="sm", className="against")


def _hidden_feasible(archive: Archive, elite: Elite, feasible: Elite | None) -> list[Component]:
    """A cell may be wider than the feasible region: then its elite may hide the best feasible solution."""
    if feasible is None or feasible.cell != elite.cell:
        return []
    if feasible.found_at == elite.found_at:
        own = archive.at(elite.cell)
        if own is None or own.found_at == elite.found_at:
            return []
        words = "It lies in the same cell as an infeasible elite, which hides it on the map. "
        button = html.Button("Show the elite", className="text-button", **{"data-cell": str(elite.cell)})
        return [dmc.Text([words, button], size="sm", c="dimmed")]
    words = f"The best feasible solution, {number(feasible.f)}, lies in this cell too, behind this infeasible one."
    whole = [parts.constraints(archive, feasible, None), parts.variables(archive.problem, feasible, None)]
    return [dmc.Text(words, size="sm", c="dimmed"), html.Details([html.Summary("Show the feasible one"), *whole])]
