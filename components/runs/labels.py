"""Names, stars, notes and tags of runs: the window in which they are written, and the press that takes it back."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Literal
from urllib.parse import quote

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, ctx, dcc, html, no_update, set_props
from dash.development.base_component import Component

from components.shared import summary
from components.shared.context import Context
from components.shared.notices import icon
from components.shell.frame import NAME
from mapelites.core.errors import InputError
from mapelites.runs import Labels, Run
from mapelites.runs.labels import LONGEST_NAME, MOST_TAGS

SAVED = "labels-saved"  # a Store that changes whenever labels did
FIELDS = ("name", "tags", "note")
Page = Literal["runs", "run"]
HEADING, TITLE = "run-heading", "title"  # what a run's page calls it, and the tab of the browser


def layout(page: Page = "runs") -> Component:
    """The window, closed, and the place where what was written can be taken back; on the list's page or on a run's."""
    fields = [
        dmc.TextInput(
            id="labels-name", label="Name", value="", inputProps={"maxLength": LONGEST_NAME}, **{"data-autofocus": True}
        ),
        dmc.TagsInput(
            id="labels-tags",
            label="Tags",
            description="Enter or a comma ends one; #tag in the filter finds its runs.",
            value=[],
            maxTags=MOST_TAGS,
            acceptValueOnBlur=True,
        ),
        dmc.Textarea(id="labels-note", label="Note", autosize=True, minRows=3, maxRows=12),
    ]
    return html.Div(
        [
            dmc.Modal(
                dmc.Stack(
                    [
                        *fields,
                        html.Div(id="labels-wrong", className="error-text", role="alert"),
                        dmc.Group([dmc.Button("Save", id="labels-save")], justify="flex-end"),
                    ],
                    gap="sm",
                ),
                id="labels",
                title=dmc.Text("Name, tags and note", fw=650),
                closeButtonProps={"aria-label": "Close without saving"},
            ),
            html.Div(id="labels-undo", role="status"),
            dcc.Store(id="labels-run"),
            dcc.Store(id="labels-before"),
            dcc.Store(id=SAVED),
            dcc.Store(id="labels-page", data=page),
        ],
        className="labels-place",
    )


def star_button(run: Run) -> Component:
    """The button that marks a run, or takes the mark away."""
    starred = run.labels.starred
    return html.Button(
        icon("star-filled" if starred else "star"),
        id={"star": run.id},
        className="icon-button run-star is-starred" if starred else "icon-button run-star",
        **{"aria-label": f"Star {summary.run_name(run)} {run.id}", "aria-pressed": "true" if starred else "false"},
    )


def edit_button(run: Run) -> Component:
    """Opens the window."""
    return html.Button(
        icon("pencil"),
        id={"label": run.id},
        className="icon-button run-edit",
        **{"aria-label": f"Name, tags and note of {summary.run_name(run)} {run.id}"},
    )


def run_heading(run: Run) -> list[Component]:
    """What stands over a run's own page: its name, and what people wrote on it."""
    back = summary.campaign_link(run)
    told = [
        html.Span(run.request.title, className="quiet") if run.labels.name else None,
        tag_links(run),
        html.Span(["a run of ", back], className="quiet") if back is not None else None,
        note_line(run),
    ]
    return [
        html.Div(
            [html.H1(summary.run_name(run), title=summary.run_name(run)), star_button(run), edit_button(run)],
            className="run-line",
        ),
        html.Div([each for each in told if each is not None], className="run-written"),
    ]


def tag_links(run: Run) -> Component | None:
    """The tags, each the way to all runs that have it."""
    if not run.labels.tags:
        return None
    links = [html.A(f"#{tag}", href=f"/runs?q={quote(_word(tag))}", className="run-tag") for tag in run.labels.tags]
    return html.Div(links, className="run-tags")


def note_line(run: Run) -> Component | None:
    """The note, cut by the style sheet; whole where it is pointed at."""
    text = run.labels.note
    return html.Div(text, className="run-note", title=text) if text else None


def _word(tag: str) -> str:
    """How the filter is asked for a tag; the filter's words are parted by spaces.

    >>> _word("First try")
    '#first-try'
    """
    return "#" + "-".join(tag.lower().split())


def labels_digest(run: Run) -> str:
    """A short text that differs where the labels do."""
    return sha256(repr(run.labels).encode()).hexdigest()[:8]


def search_text(run: Run) -> str:
    """What of the labels the filter looks through."""
    labels = run.labels
    return " ".join([labels.name, labels.note, *map(_word, labels.tags), *labels.tags]).lower()


def register(app: Dash, context: Context) -> None:
    """Open, save, star, and take back."""
    _register_window(app, context)
    _register_presses(app, context)


def _register_window(app: Dash, context: Context) -> None:
    @app.callback(
        Output("labels", "opened"),
        Output("labels-run", "data"),
        *[Output(f"labels-{name}", "value") for name in FIELDS],
        Output("labels-tags", "data"),
        Output("labels-wrong", "children"),
        Input({"label": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )
    def open_window(clicks: list[int | None]) -> Any:
        if not any(clicks) or not isinstance(ctx.triggered_id, dict):
            return (no_update,) * 7
        run = context.store.run(str(ctx.triggered_id["label"]))
        labels = run.labels
        known = sorted({tag for each in context.store.runs() for tag in each.labels.tags})
        return True, run.id, labels.name, list(labels.tags), labels.note, known, None

    @app.callback(
        Output("labels", "opened", allow_duplicate=True),
        Output("labels-wrong", "children", allow_duplicate=True),
        Output("labels-undo", "children", allow_duplicate=True),
        Output("labels-before", "data", allow_duplicate=True),
        Output(SAVED, "data", allow_duplicate=True),
        Input("labels-save", "n_clicks"),
        State("labels-run", "data"),
        State("labels-page", "data"),
        *[State(f"labels-{name}", "value") for name in FIELDS],
        prevent_initial_call=True,
    )
    def save(clicks: int | None, run_id: Any, page: Any, *given: Any) -> Any:
        if not clicks:
            return (no_update,) * 5
        name, tags, note = (each or "" for each in given)
        try:
            before = context.store.label(str(run_id), name=name, tags=tags or (), note=note)
        except InputError as error:
            return no_update, f"{str(error)[:1].upper()}{str(error)[1:]}.", no_update, no_update, no_update
        now = context.store.run(str(run_id))
        _tell(page, now)
        undo = _undo(now) if _is_lost(before, now.labels) else None
        return False, None, undo, [run_id, before.as_table()], [run_id, now.version]


def _tell(page: Any, run: Run) -> None:
    """A run's page and its tab are called as the run is now; the list follows by itself."""
    if page == "run":
        set_props(HEADING, {"children": run_heading(run)})
        set_props(TITLE, {"data": f"{summary.tab_title(run)} · {NAME}"})


def _is_lost(before: Labels, now: Labels) -> bool:
    """Whether something written is no longer there."""
    changed = before.name not in ("", now.name) or before.note not in ("", now.note)
    return changed or not set(before.tags) <= set(now.tags)


def _undo(run: Run) -> Component:
    button = dmc.Button("Undo", id={"relabel": run.id}, size="compact-sm", variant="light", leftSection=icon("undo"))
    return html.Div([f"Changed what was written on {summary.run_name(run)}.", button], className="card undo")


def _register_presses(app: Dash, context: Context) -> None:
    @app.callback(
        Output(SAVED, "data", allow_duplicate=True),
        Input({"star": ALL}, "n_clicks"),
        State("labels-page", "data"),
        prevent_initial_call=True,
    )
    def press_star(clicks: list[int | None], page: Any) -> Any:
        if not ctx.triggered or not ctx.triggered[0]["value"] or not isinstance(ctx.triggered_id, dict):
            return no_update
        run = context.store.run(str(ctx.triggered_id["star"]))
        context.store.label(run.id, starred=not run.labels.starred)
        _tell(page, context.store.run(run.id))
        return [run.id, "starred", not run.labels.starred]

    @app.callback(
        Output("labels-undo", "children", allow_duplicate=True),
        Output(SAVED, "data", allow_duplicate=True),
        Input({"relabel": ALL}, "n_clicks"),
        State("labels-before", "data"),
        State("labels-page", "data"),
        prevent_initial_call=True,
    )
    def take_back(clicks: list[int | None], before: Any, page: Any) -> Any:
        if not any(clicks) or not isinstance(before, list) or len(before) != 2:
            return no_update, no_update
        run_id, table = before
        known = table if isinstance(table, Mapping) else {}
        labels = Labels.from_table({name: value for name, value in known.items() if name in FIELDS})
        context.store.label(str(run_id), name=labels.name, tags=labels.tags, note=labels.note)
        _tell(page, context.store.run(str(run_id)))
        return None, [run_id, "taken back"]
