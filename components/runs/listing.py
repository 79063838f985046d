"""The list of runs: which are shown in which order, and what stands in a row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, ctx, html, no_update
from dash.development.base_component import Component

from components.runs import labels
from components.runs.differences import distinguishing_words
from components.shared import summary
from components.shared.format import STATES, count, duration, error_sentence, local_time, rough_count, time_ago
from components.shared.search import search_words
from mapelites.core.format import number, whole_percent
from mapelites.runs import Run

FAR = float("inf")
COLUMNS: dict[str, tuple[str, Callable[[Run], Any]]] = {
    "name": ("Run", lambda run: (summary.run_name(run).lower(), run.request.dimension, summary.search_and_seed(run))),
    "state": ("State", lambda run: list(STATES).index(run.state)),
    "progress": ("Progress", summary.spent_share),
    "best": ("Best feasible", lambda run: FAR if run.best_feasible is None else run.best_feasible),
    "coverage": ("Coverage", summary.filled_share),
    "seconds": ("Time", lambda run: run.seconds),
    "created": ("Started", lambda run: run.created),
}
PAGE = 50  # rows; every change of a cell costs a browser time in proportion to all that is shown
DESCENDING_FIRST = ("progress", "coverage", "seconds", "created")


@dataclass(frozen=True)
class ListView:
    """Which runs are shown: what they must have, the column they are sorted by, and which page of them."""

    sort: str = "created"
    descending: bool = True
    text: str = ""
    states: tuple[str, ...] = ()
    starred: bool = False
    page: int = 1

    @classmethod
    def of(cls, data: Any, text: Any = "", states: Any = (), starred: Any = False, page: Any = 1) -> ListView:
        """A view from what a browser sent; anything unknown becomes the default."""
        data = data if isinstance(data, dict) else {}
        sort = data.get("sort") if data.get("sort") in tuple(COLUMNS) else "created"
        wanted = tuple(each for each in states if each in tuple(STATES)) if isinstance(states, (list, tuple)) else ()
        words, at = text if isinstance(text, str) else "", page if isinstance(page, int) else 1
        return cls(str(sort), bool(data.get("descending", True)), words, wanted, starred is True, at)

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> ListView:
        """The view that an address asks for; assets/runs/page.js writes it."""
        sort = query["sort"] if query.get("sort") in tuple(COLUMNS) else "created"
        page = query.get("page", "1")
        order = query.get("order", "down" if sort in DESCENDING_FIRST else "up")
        return cls.of(
            {"sort": sort, "descending": order != "up"},
            query.get("q", ""),
            query.get("state", "").split(","),
            query.get("starred") == "yes",
            int(page) if page.isascii() and page.isdecimal() and len(page) < 9 else 1,
        )

    def as_dict(self) -> dict[str, Any]:
        """What a column's head sets, for a Store."""
        return {"sort": self.sort, "descending": self.descending}

    def sorted_by(self, column: str) -> ListView:
        """The view after a press on a column's head: by that column, or the other way round."""
        if column == self.sort:
            return replace(self, descending=not self.descending)
        return replace(self, sort=column, descending=column in DESCENDING_FIRST)


def select_runs(runs: Sequence[Run], view: ListView) -> list[Run]:
    """The runs a view shows, in its order."""
    words = search_words(view.text)
    texts = [_text(run) for run in runs] if words else [""] * len(runs)
    found = [run for run, text in zip(runs, texts, strict=True) if all(word in text for word in words)]
    found = [run for run in found if not view.states or run.state in view.states]
    found = [run for run in found if run.labels.starred or not view.starred]
    return sorted(found, key=COLUMNS[view.sort][1], reverse=view.descending)


def page_count(runs: Sequence[Run]) -> int:
    """How many pages a list of runs has; an empty one is a page, too."""
    return max(1, -(-len(runs) // PAGE))


def runs_on_page(runs: Sequence[Run], number: Any) -> tuple[int, list[Run]]:
    """The page with this number, from 1, or the nearest there is, and the runs on it."""
    wanted = number if isinstance(number, int) else 1
    found = min(max(1, wanted), page_count(runs))
    return found, list(runs[(found - 1) * PAGE : found * PAGE])


def run_marks(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """What tells a changed run from an unchanged one, by id."""
    return {run.id: [run.version, run.state, labels.labels_digest(run), time_ago(run.created)] for run in runs}


def changed_cells(run: Run, before: Any, differs: str = "") -> dict[str, Any]:
    """The cells of a row that are others than when the run was `seen` before; often only its age is."""
    (now,) = run_marks([run]).values()
    if now == before:
        return {}
    known = before if isinstance(before, list) and len(before) == len(now) else [None] * len(now)
    cells = live_cells(run)
    if known[:2] == now[:2]:
        cells = {"created": cells["created"]} if known[3] != now[3] else {}
    return cells if known[2] == now[2] else {"name": name_cell(run, differs), **cells}


def table_head(view: ListView) -> Component:
    """The head of the table, whose titles sort."""
    every = dmc.Checkbox(id="runs-every", checked=False, size="sm", **{"aria-label": "Select all runs found"})
    cells = [html.Th(every, className="tick"), html.Th("Map", className="map-head")]
    return html.Thead(html.Tr([*cells, *(_title(key, view) for key in COLUMNS)]))


def _title(key: str, view: ListView) -> Component:
    label = COLUMNS[key][0]
    button = dmc.UnstyledButton(label, id={"sort": key}, className="sort", **{"aria-label": f"Sort by {label}"})
    return html.Th(button, id={"sort-head": key}, className=f"column-{key}", **{"aria-sort": _order(key, view)})


def _order(key: str, view: ListView) -> str:
    """What a column's head tells screen readers; the style sheet draws the arrow from it."""
    if key != view.sort:
        return "none"
    return "descending" if view.descending else "ascending"


def table_rows(shown: Sequence[Run], ticked: Collection[str], runs: Sequence[Run]) -> list[Component]:
    """The rows of the table, each with what tells it from others of all runs that look the same."""
    differ = distinguishing_words(runs)
    return [_row(run, run.id in ticked, differ.get(run.id, "")) for run in shown]


def map_pictures(shown: Sequence[Run]) -> Component:
    """The pictures of the rows' maps, all in one request."""
    return summary.picture_sheet(shown)


def _row(run: Run, ticked: bool, differs: str) -> Component:
    tick = dmc.Checkbox(
        id={"tick": run.id},
        checked=ticked,
        size="sm",
        **{"aria-label": f"Select {summary.run_name(run)}, {summary.search_and_seed(run)}"},
    )
    live = {**live_cells(run), "map": summary.picture_in_sheet(run), "name": name_cell(run, differs)}
    return html.Tr(
        [
            html.Td(tick, className="tick"),
            _live(run, "map", live, "Map"),
            *(_live(run, key, live, "" if key == "name" else COLUMNS[key][0]) for key in COLUMNS),
        ],
        key=run.id,
    )


def name_cell(run: Run, differs: str) -> list[Component]:
    """What a run is called and what people wrote on it, and in what it differs from those that look the same."""
    link = dmc.Anchor(summary.run_name(run), href=summary.run_address(run), fw=600)
    found = [
        html.Div([labels.star_button(run), link, labels.edit_button(run)], className="run-line"),
        html.Div(_detail(run), className="recent-detail"),
        html.Div(differs, className="recent-detail run-differs") if differs else None,
        labels.tag_links(run),
        labels.note_line(run),
    ]
    return [each for each in found if each is not None]


def _detail(run: Run) -> list[Any]:
    back = summary.campaign_link(run)
    return [f"{summary.run_detail(run)} · {run.id}", *([" · ", back] if back is not None else [])]


def _live(run: Run, key: str, cells: dict[str, Any], label: str) -> Component:
    shown = {"data-label": label} if label else {}
    return html.Td(cells[key], id={"live": key, "run": run.id}, className=f"column-{key}", **shown)


def live_cells(run: Run) -> dict[str, Any]:
    """What stands in the cells of a row that change while a run goes on."""
    budget = count(run.request.settings.evaluations)
    return {
        "map": summary.map_picture(run),
        "state": [
            summary.state_badge(run),
            html.Div(error_sentence(run.reason), className="recent-detail run-reason", title=run.reason)
            if run.reason
            else None,
        ],
        "progress": [
            dmc.Progress(value=100 * summary.spent_share(run), size="sm", **{"aria-label": "Progress"}),
            html.Div(f"{count(run.evaluations)} of {budget}", className="recent-detail"),
        ],
        "best": number(summary.best_feasible(run)),
        "coverage": [
            whole_percent(summary.filled_share(run)),
            html.Div(_cells(run), className="recent-detail"),
        ],
        "seconds": duration(run.seconds),
        "created": html.Span(time_ago(run.created), title=local_time(run.created)),
    }


def _cells(run: Run) -> str:
    """How many cells hold an elite, of those that can."""
    possible = run.request.possible_cells
    return (
        f"{count(run.occupied)} of {rough_count(possible)} {'possible ' if possible < run.request.cells else ''}cells"
    )


def _text(run: Run) -> str:
    plain = f"{run.request.title} {run.request.problem} {summary.search_and_seed(run)} {run.id} {run.state}".lower()
    return f"{plain} {labels.search_text(run)}"


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
        view = ListView.of(data).sorted_by(str(ctx.triggered_id["sort"]))
        return view.as_dict(), [_order(str(each["sort-head"]), view) for each in heads]
