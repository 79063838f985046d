"""The list of runs: which are shown in which order, and what stands in a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, ctx, html, no_update
from dash.development.base_component import Component

from components import summary
from components.format import STATES, ago, count, date, duration, number, percent, rough_count, sentence
from mapelites.runs import Run

FAR = float("inf")
COLUMNS: dict[str, tuple[str, Callable[[Run], Any]]] = {
    "name": ("Run", lambda run: (run.request.problem, run.request.dimension, summary.method(run))),
    "state": ("State", lambda run: list(STATES).index(run.state)),
    "progress": ("Progress", summary.progress),
    "best": ("Best feasible", lambda run: FAR if run.best_feasible is None else run.best_feasible),
    "coverage": ("Coverage", summary.coverage),
    "seconds": ("Time", lambda run: run.seconds),
    "created": ("Started", lambda run: run.created),
}
PAGE = 50  # rows; every change of a cell costs a browser time in proportion to all that is shown
DESCENDING_FIRST = ("progress", "coverage", "seconds", "created")


@dataclass(frozen=True)
class View:
    """Which runs are shown: text and states they must have, and the column they are sorted by."""

    sort: str = "created"
    descending: bool = True
    text: str = ""
    states: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: Any, text: Any = "", states: Any = ()) -> View:
        """A view from what a browser sent; anything unknown becomes the default."""
        data = data if isinstance(data, dict) else {}
        sort = data.get("sort") if data.get("sort") in tuple(COLUMNS) else "created"
        wanted = tuple(each for each in states if each in tuple(STATES)) if isinstance(states, (list, tuple)) else ()
        return cls(str(sort), bool(data.get("descending", True)), text if isinstance(text, str) else "", wanted)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for a Store."""
        return asdict(self)

    def sorted_by(self, column: str) -> View:
        """The view after a press on a column's head: by that column, or the other way round."""
        if column == self.sort:
            return replace(self, descending=not self.descending)
        return replace(self, sort=column, descending=column in DESCENDING_FIRST)


def select(runs: Sequence[Run], view: View) -> list[Run]:
    """The runs a view shows, in its order."""
    words = view.text.lower().split()
    found = [run for run in runs if all(word in _text(run) for word in words)]
    found = [run for run in found if not view.states or run.state in view.states]
    return sorted(found, key=COLUMNS[view.sort][1], reverse=view.descending)


def pages(runs: Sequence[Run]) -> int:
    """How many pages a list of runs has; an empty one is a page, too."""
    return max(1, -(-len(runs) // PAGE))


def page(runs: Sequence[Run], number: Any) -> tuple[int, list[Run]]:
    """The page with this number, from 1, or the nearest there is, and the runs on it."""
    wanted = number if isinstance(number, int) else 1
    found = min(max(1, wanted), pages(runs))
    return found, list(runs[(found - 1) * PAGE : found * PAGE])


def seen(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """What tells a changed run from an unchanged one, by id."""
    return {run.id: [run.version, run.state, ago(run.created)] for run in runs}


def news(run: Run, before: Any) -> dict[str, Any]:
    """The cells of a row that are others than when the run was `seen` before; often only its age is."""
    (now,) = seen([run]).values()
    if now == before:
        return {}
    cells = live_cells(run)
    same = isinstance(before, list) and before[:-1] == now[:-1]
    return {"created": cells["created"]} if same else cells


def head(view: View) -> Component:
    """The head of the table, whose titles sort."""
    every = dmc.Checkbox(id="runs-every", checked=False, size="sm", **{"aria-label": "Select all runs found"})
    cells = [html.Th(every, className="tick"), html.Th("Map", className="map-head")]
    return html.Thead(html.Tr([*cells, *(_title(key, view) for key in COLUMNS)]))


def _title(key: str, view: View) -> Component:
    label = COLUMNS[key][0]
    button = dmc.UnstyledButton(label, id={"sort": key}, className="sort", **{"aria-label": f"Sort by {label}"})
    return html.Th(button, id={"sort-head": key}, className=f"column-{key}", **{"aria-sort": _order(key, view)})


def _order(key: str, view: View) -> str:
    """What a column's head tells screen readers; the style sheet draws the arrow from it."""
    if key != view.sort:
        return "none"
    return "descending" if view.descending else "ascending"


def rows(runs: Sequence[Run], ticked: Collection[str]) -> list[Component]:
    """The rows of the table."""
    return [_row(run, run.id in ticked) for run in runs]


def _row(run: Run, ticked: bool) -> Component:
    tick = dmc.Checkbox(
        id={"tick": run.id},
        checked=ticked,
        size="sm",
        **{"aria-label": f"Select {summary.name(run)}, {summary.method(run)}"},
    )
    link = dmc.Anchor(summary.name(run), href=summary.address(run), fw=600)
    live = live_cells(run)
    return html.Tr(
        [
            html.Td(tick, className="tick"),
            _live(run, "map", live, "Map"),
            html.Td(
                [link, html.Div(f"{summary.method(run)} · {run.id}", className="recent-detail")],
                className="column-name",
            ),
            *(_live(run, key, live, COLUMNS[key][0]) for key in COLUMNS if key != "name"),
        ],
        key=run.id,
    )


def _live(run: Run, key: str, cells: dict[str, Any], label: str) -> Component:
    return html.Td(cells[key], id={"live": key, "run": run.id}, className=f"column-{key}", **{"data-label": label})


def live_cells(run: Run) -> dict[str, Any]:
    """What stands in the cells of a row that change while a run goes on."""
    budget = count(run.request.settings.evaluations)
    return {
        "map": summary.picture(run),
        "state": [
            summary.badge(run),
            html.Div(sentence(run.reason), className="recent-detail run-reason", title=run.reason)
            if run.reason
            else None,
        ],
        "progress": [
            dmc.Progress(value=100 * summary.progress(run), size="sm", **{"aria-label": "Progress"}),
            html.Div(f"{count(run.evaluations)} of {budget}", className="recent-detail"),
        ],
        "best": number(run.best_feasible),
        "coverage": [
            percent(summary.coverage(run)),
            html.Div(_cells(run), className="recent-detail"),
        ],
        "seconds": duration(run.seconds),
        "created": html.Span(ago(run.created), title=date(run.created)),
    }


def _cells(run: Run) -> str:
    """How many cells hold an elite, of those that can."""
    possible = run.request.possible_cells
    return (
        f"{count(run.occupied)} of {rough_count(possible)} {'possible ' if possible < run.request.cells else ''}cells"
    )


def _text(run: Run) -> str:
    return f"{summary.name(run)} {summary.method(run)} {run.id} {run.state}".lower()


def register(app: Dash) -> None:
    """Titles sort."""

    @app.callback(
        Output("runs-view", "data"),
        Output({"sort-head": ALL}, "aria-sort"),
        Input({"sort": ALL}, "n_clicks"),
        State("runs-view", "data"),
        State({"sort-head": ALL}, "id"),
        prevent_initial_call=True,
    )
    def sort(clicks: list[int | None], data: Any, heads: list[Any]) -> Any:
        if not any(clicks) or not isinstance(ctx.triggered_id, dict):
            return no_update, [no_update] * len(heads)
        view = View.of(data).sorted_by(str(ctx.triggered_id["sort"]))
        return view.as_dict(), [_order(str(each["sort-head"]), view) for each in heads]
