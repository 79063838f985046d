"""What one does with selected runs: compare, stop, export, delete and bring back; and importing run files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, ctx, dcc, html, no_update, set_props
from dash.development.base_component import Component

from components.runs.listing import ListView, select_runs
from components.shared import summary
from components.shared.context import Context
from components.shared.format import in_file_name, many, time_ago
from components.shared.notices import icon, notice, show_notices
from components.shared.upload import LARGEST_REQUEST, uploaded_bytes
from components.shell.frame import URL
from components.start import filled_from
from mapelites.core.errors import InputError
from mapelites.runs import Run

MOST_COMPARED = 6
ENDABLE = ("queued", "running", "paused")


def action_bar() -> Component:
    """The buttons, waiting for a selection."""
    return html.Div(
        [
            html.Span("Nothing selected", id="runs-selected", className="quiet", role="status"),
            _button("compare", "Compare", "compare"),
            _button("again", "New run from this", "repeat"),
            _button("stop", "Stop", "stop"),
            _button("export", "Export", "download"),
            _button("delete", "Delete", "trash"),
            dcc.Download(id="runs-download"),
            dcc.Store(id="runs-changed"),
            dcc.Store(id="runs-ticked", data=[]),
        ],
        className="runs-actions",
        role="toolbar",
        **{"aria-label": "Selected runs"},
    )


def _button(key: str, label: str, picture: str) -> Component:
    return dmc.Button(
        label,
        id=f"runs-{key}",
        leftSection=icon(picture),
        variant="default",
        size="sm",
        disabled=True,
        className="runs-action",
    )


def import_button() -> Component:
    """Opens run files from elsewhere."""
    return dcc.Upload(
        dmc.Button("Import runs", leftSection=icon("upload"), variant="default", size="sm", tabIndex=-1),
        id="runs-import",
        multiple=True,  # of every kind: a browser says nothing of files that a field does not accept
        className="import",
    )


def restorable_runs(context: Context) -> Component | None:
    """The deleted runs that can still be brought back."""
    runs = context.store.deleted()
    if not runs:
        return None
    items = [
        html.Li(
            [
                html.Span(
                    [
                        html.Strong(summary.run_name(run)),
                        f" {summary.search_and_seed(run)} · {run.id} · deleted {time_ago(run.deleted or 0)}",
                    ]
                ),
                dmc.Button(
                    "Bring back",
                    id={"undelete": run.id},
                    size="compact-sm",
                    variant="subtle",
                    leftSection=icon("undo"),
                    **{"aria-label": f"Bring back {summary.run_name(run)} {run.id}"},
                ),
            ]
        )
        for run in runs
    ]
    return html.Details(
        [
            html.Summary(f"Deleted: {many(len(runs), 'run')}, kept for a while"),
            html.Ul(items, className="deleted-list"),
        ],
        className="advanced",
    )


def register(app: Dash, context: Context) -> None:
    """The buttons."""
    _register_selection(app, context)
    _register_changes(app, context)
    _register_files(app, context)


def selected_runs(before: Any, ids: Sequence[Any], ticks: Sequence[Any], runs: Sequence[Run]) -> list[str]:
    """The selected runs: those shown with a tick, and those selected before that a filter hides now."""
    shown = {str(each["tick"]): bool(tick) for each, tick in zip(ids, ticks, strict=True)}
    told = before if isinstance(before, list) else []
    hidden = [each for each in told if isinstance(each, str) and each not in shown]
    known = {run.id for run in runs}
    return [each for each in (*hidden, *(name for name, tick in shown.items() if tick)) if each in known]


def _register_selection(app: Dash, context: Context) -> None:
    @app.callback(
        Output("runs-ticked", "data"),
        Output("runs-selected", "children"),
        Output("runs-compare", "disabled"),
        Output("runs-again", "disabled"),
        Output("runs-stop", "disabled"),
        Output("runs-export", "disabled"),
        Output("runs-delete", "disabled"),
        Input({"tick": ALL}, "checked"),
        State({"tick": ALL}, "id"),
        State("runs-ticked", "data"),
    )
    def selection(ticks: list[bool], ids: list[Any], before: Any) -> tuple[Any, ...]:
        chosen = selected_runs(before, ids, ticks, context.store.runs())
        hidden = len(chosen) - sum(map(bool, ticks))
        words = f"{many(len(chosen), 'run')} selected" if chosen else "Nothing selected"
        words += f", {hidden} not shown" if hidden > 0 else ""
        nothing = not chosen
        return chosen, words, not 2 <= len(chosen) <= MOST_COMPARED, len(chosen) != 1, nothing, nothing, nothing

    @app.callback(
        Output({"tick": ALL}, "checked"),
        Output("runs-ticked", "data", allow_duplicate=True),
        Input("runs-every", "checked"),
        State({"tick": ALL}, "id"),
        State("runs-ticked", "data"),
        State("runs-filter", "value"),
        State("runs-states", "value"),
        State("runs-starred", "checked"),
        prevent_initial_call=True,
    )
    def tick_all(every: Any, ids: list[Any], ticked: Any, text: Any, states: Any, starred: Any) -> Any:
        """All that the filter lets through, on other pages too."""
        found = [run.id for run in select_runs(context.store.runs(), ListView.of(None, text, states, starred))]
        others = [each for each in _ids(ticked) if each not in found]
        return [bool(every)] * len(ids), [*others, *found] if every else others

    @app.callback(
        Output(URL, "href", allow_duplicate=True),
        Input("runs-compare", "n_clicks"),
        State("runs-ticked", "data"),
        prevent_initial_call=True,
    )
    def compare(clicks: int | None, ticked: Any) -> Any:
        return f"/compare/{'+'.join(_ids(ticked))}" if clicks else no_update

    @app.callback(
        Output(URL, "href", allow_duplicate=True),
        Input("runs-again", "n_clicks"),
        State("runs-ticked", "data"),
        prevent_initial_call=True,
    )
    def again(clicks: int | None, ticked: Any) -> Any:
        return filled_from.filled_form_address(_ids(ticked)[0]) if clicks and _ids(ticked) else no_update


def _register_changes(app: Dash, context: Context) -> None:
    changed = [
        Output("runs-changed", "data", allow_duplicate=True),
        Output("runs-deleted", "children", allow_duplicate=True),
    ]

    @app.callback(
        *changed,
        Output("runs-undo", "children", allow_duplicate=True),
        Input("runs-stop", "n_clicks"),
        State("runs-ticked", "data"),
        prevent_initial_call=True,
    )
    def stop(clicks: int | None, ticked: Any) -> Any:
        if not clicks:
            return no_update, no_update, no_update
        going = {run.id for run in context.store.runs() if run.state in ENDABLE}
        done = _each([each for each in _ids(ticked) if each in going], context.store.stop, "Stopping {}")
        if not done:
            show_notices(notice("Nothing to stop", "None of the runs selected is waiting, running or paused."))
            return clicks, no_update, no_update
        return clicks, no_update, _undo("Stopped", done, "resume")

    @app.callback(
        *changed,
        Output("runs-undo", "children", allow_duplicate=True),
        Input({"resume": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )
    def let_go_on(clicks: list[int | None]) -> Any:
        if not any(clicks) or not isinstance(ctx.triggered_id, dict):
            return no_update, no_update, no_update
        done = _each(str(ctx.triggered_id["resume"]).split("+"), context.queue.resume, "{} going on")
        return ["resumed", *done], no_update, None

    @app.callback(
        *changed,
        Output("runs-undo", "children", allow_duplicate=True),
        Input("runs-delete", "n_clicks"),
        State("runs-ticked", "data"),
        prevent_initial_call=True,
    )
    def delete(clicks: int | None, ticked: Any) -> Any:
        if not clicks:
            return no_update, no_update, no_update
        done = _each(_ids(ticked), context.store.delete)
        set_props("runs-every", {"checked": False})
        return [clicks, done], restorable_runs(context), _undo("Deleted", done, "undelete") if done else None

    @app.callback(
        *changed,
        Output("runs-undo", "children", allow_duplicate=True),
        Input({"undelete": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )
    def bring_back(clicks: list[int | None]) -> Any:
        if not any(clicks) or not isinstance(ctx.triggered_id, dict):
            return no_update, no_update, no_update
        done = _each(str(ctx.triggered_id["undelete"]).split("+"), context.store.undelete, "{} back in the list")
        return ["back", *done], restorable_runs(context), None


def _undo(words: str, done: Sequence[str], key: str) -> Component:
    undo = dmc.Button("Undo", id={key: "+".join(done)}, size="compact-sm", variant="light", leftSection=icon("undo"))
    return html.Div([f"{words} {many(len(done), 'run')}.", undo], className="card undo")


def _register_files(app: Dash, context: Context) -> None:
    @app.callback(
        Output("runs-download", "data"),
        Input("runs-export", "n_clicks"),
        State("runs-ticked", "data"),
        prevent_initial_call=True,
    )
    def export(clicks: int | None, ticked: Any) -> Any:
        files: dict[str, bytes] = {}
        for run_id in _ids(ticked) if clicks else []:
            run = context.store.run(run_id)
            name = f"{in_file_name(run.request.problem)}-{run.request.dimension}D-{run_id}.npz"
            files[name] = context.store.export(run_id)
        if not files:
            return no_update
        if len(files) == 1:
            ((name, content),) = files.items()
            return dcc.send_bytes(content, name)
        return dcc.send_bytes(zip_of(files), "runs.zip")

    @app.callback(
        Output("runs-changed", "data", allow_duplicate=True),
        Input("runs-import", "contents"),
        State("runs-import", "filename"),
        prevent_initial_call=True,
    )
    def import_runs(contents: Any, names: Any) -> Any:
        if not isinstance(contents, list) or not isinstance(names, list):
            raise InputError(f"files must come with their names, but {type(contents).__name__} came")
        done: list[str] = []
        notices = []
        for name, text in zip(names, contents, strict=False):
            try:
                done += [context.queue.import_run(content) for content in run_files(uploaded_bytes(text))]
            except InputError as error:
                notices.append(notice(f"{name} was not imported", f"{error}.", "error"))
        if done:
            notices.append(notice(f"Imported {many(len(done), 'run')}"))
        show_notices(*notices)
        return ["imported", *done]


def zip_of(files: dict[str, bytes]) -> bytes:
    """Several files in one."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def run_files(content: bytes) -> list[bytes]:
    """The run files in what was opened: itself, or those in a zip that was exported here."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            inside = [each for each in archive.infolist() if each.filename.endswith(".npz")]
            if sum(each.file_size for each in inside) > LARGEST_REQUEST:
                raise InputError(f"a file may hold at most {LARGEST_REQUEST:,} bytes, but this one holds more")
            return [archive.read(each) for each in inside] or [content]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError):
        return [content]  # what is wrong with it, the store says in words


def _ids(ticked: Any) -> list[str]:
    """The ids of the selected runs, from a browser."""
    return [str(each) for each in ticked] if isinstance(ticked, list) else []


def _each(run_ids: Sequence[str], action: Callable[[str], None], words: str = "") -> list[str]:
    """Do it to every run; what cannot be done is said, and the others are done all the same."""
    done, notices = [], []
    for run_id in run_ids:
        try:
            action(run_id)
            done.append(run_id)
        except InputError as error:
            notices.append(notice("That did not work", f"{error}.", "error"))
    if words and done:
        notices.append(notice(words.format(many(len(done), "run"))))
    show_notices(*notices)
    return done
