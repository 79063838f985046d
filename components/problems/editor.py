"""`/problems/new`: type a problem as formulas, see it as mathematics at once, keep it, share it, search it.

What is typed is checked with every pause: an error stands below the text with the line and the character it is about.
The text is never executed: it is read by a parser that knows arithmetic and a list of functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input, Output, State, ctx, dcc, html, no_update
from dash.development.base_component import Component

from components.problems import chooser as problem_chooser
from components.problems import editor_help as problem_editor_help
from components.shared.context import Context
from components.shared.format import error_sentence, many
from components.shared.notices import icon, notice, show_notices
from components.shared.upload import label_upload, uploaded_bytes
from components.shell.frame import URL
from mapelites.core.errors import InputError
from mapelites.problems import own_problems
from mapelites.problems.formulas import FormulaError, problem_of
from mapelites.problems.own import saved
from mapelites.problems.own.library import FORMULAS
from mapelites.problems.suites import gallery

TEXT, EDITING = "editor-text", "editor-editing"
PREVIEW = "card editor-preview"
PAUSE = 250  # milliseconds without a key before the text is looked at
EXAMPLE = """problem My first problem
about   A can that holds one litre, with as little metal as possible.

variable r from 1 to 20 [cm] "radius"
variable h from 1 to 40 [cm] "height"

minimise 2*pi*r^2 + 2*pi*r*h
subject to
    volume: pi*r^2*h >= 1000
    slender: h <= 3*r
"""


def layout(context: Context, query: Mapping[str, str]) -> Component:
    """The page; `from` names a problem to begin with, `edit` a saved one to change, `run` one whose problem to open."""
    text, editing = _opened(context, query)
    return html.Div(
        [
            html.Div(
                [
                    html.Div(
                        [
                            dmc.Title("Change a problem" if editing else "Write a problem", order=1),
                            dmc.Text(
                                "Variables with bounds, something to minimise, and constraints: a line each. "
                                "It is checked while you type.",
                                className="lead",
                            ),
                        ]
                    ),
                    _begin_with(),
                ],
                className="page-head",
            ),
            html.Div([_writing(text, editing), _preview(text)], className="editor-columns"),
            dcc.Store(id=EDITING, data=editing),
            dcc.Download(id="editor-file"),
        ],
        className="editor",
    )


def _opened(context: Context, query: Mapping[str, str]) -> tuple[str, str]:
    """The text to begin with, and the name of the saved problem that it is."""
    edit = query.get("edit", "")
    if edit and (found := saved.text_of(own_problems, edit)) is not None:
        return found, edit
    if query.get("from") in gallery.NAMES:
        return renamed(gallery.text(query["from"])), ""
    if query.get("run"):
        source = context.store.run(query["run"]).request.spec.source
        if source.kind == "formulas":
            return source.text, ""
    return EXAMPLE, ""


def renamed(text: str) -> str:
    """The text of a problem of the gallery under a name that is not taken.

    >>> renamed("problem Truss\\nminimise x")
    'problem My truss\\nminimise x'
    """
    first, rest = text.split("\n", 1)
    title = first.removeprefix("problem").strip()
    return f"problem My {title[:1].lower()}{title[1:]}\n{rest}"


def _begin_with() -> Component:
    data = [{"value": name, "label": gallery.get(name).title} for name in gallery.NAMES]
    return html.Div(
        [
            dmc.Select(
                id="editor-from", label="Begin with an example", data=data, placeholder="one from the gallery",
                searchable=True, comboboxProps={"shadow": "md"}, w=250,
            ),
            dcc.Upload(
                dmc.Button("Open a file", leftSection=icon("upload"), variant="default", tabIndex=-1),
                id="editor-open", accept=FORMULAS, className="import",
            ),
        ],
        className="editor-begin",
    )  # fmt: skip


def _writing(text: str, editing: str) -> Component:
    area = dmc.Textarea(
        id=TEXT,
        label="The problem",
        value=text,
        debounce=PAUSE,
        autosize=True,
        minRows=16,
        maxRows=32,
        spellCheck=False,
        className="editor-text",
        persistence=editing or "draft",
        persistence_type="session",
        **{"aria-describedby": "editor-error"},
    )
    buttons = [
        dmc.Button("Save and illuminate", id="editor-use", leftSection=icon("play")),
        dmc.Button("Save", id="editor-save", leftSection=icon("check"), variant="default"),
        dmc.Button("Download", id="editor-download", leftSection=icon("download"), variant="default"),
    ]
    if editing:
        buttons.append(dmc.Button("Delete", id="editor-delete", leftSection=icon("trash"), variant="default"))
    else:
        buttons.append(html.Span(html.Button(id="editor-delete"), hidden=True))
    return html.Section(
        [
            area,
            html.Div(_verdict(text), id="editor-error", className="editor-error", role="status"),
            html.Div(buttons, className="editor-buttons"),
            problem_editor_help.layout(),
        ],
        className="card editor-writing",
        **{"aria-label": "The text"},
    )


def _preview(text: str) -> Component:
    try:
        content = _shown(text)
    except InputError:
        content = [dmc.Text("What you write appears here as mathematics.", c="dimmed")]
    return html.Section(content, id="editor-preview", className=PREVIEW, **{"aria-label": "As mathematics"})


def _shown(text: str) -> list[Component]:
    problem = problem_of(text)
    return [dmc.Title(problem.title, order=2, size="h3"), *problem_chooser.problem_details(problem)]


def _verdict(text: str) -> list[Component]:
    """Whether the text can be used; an error with its line, and a mark below the character."""
    try:
        problem = problem_of(text)
    except FormulaError as error:
        return [
            html.Pre(
                [
                    html.Span(f"{error.line:>3} ", className="editor-number"), error.shown, "\n",
                    html.Span(" " * (3 + error.column) + "▲", className="editor-mark"),
                ],
            ),
            html.Div(
                [
                    html.Span(error_sentence(error.said), className="error-text"),
                    html.Button("Go there", id="editor-go", className="text-button", **{"data-at": str(error.at)}),
                ],
                className="editor-said",
            ),
        ]  # fmt: skip
    names = ", ".join(problem_chooser.constraint_names(problem))
    words = f"{many(problem.dimension, 'variable')}, {problem_chooser.constraint_kinds(problem)}: {names}"
    return [html.Span([icon("check"), f" Ready. {words}."], className="editor-ready")]


def register(app: Dash, context: Context) -> None:
    """Look at the text with every pause, and do what the buttons say."""
    label_upload(app, "editor-open")

    @app.callback(
        Output("editor-error", "children"),
        Output("editor-preview", "children"),
        Output("editor-preview", "className"),
        Output("editor-use", "disabled"),
        Output("editor-save", "disabled"),
        Output("editor-download", "disabled"),
        Input(TEXT, "value"),
    )
    def look(text: Any) -> Any:
        text = text if isinstance(text, str) else ""
        try:
            shown: Any = _shown(text)
        except FormulaError:
            shown = no_update  # the last version that was whole stays to be compared with
        wrong = shown is no_update
        return _verdict(text), shown, f"{PREVIEW} is-old" if wrong else PREVIEW, wrong, wrong, wrong

    @app.callback(
        Output(TEXT, "value"),
        Output("editor-from", "value"),
        Input("editor-from", "value"),
        Input("editor-open", "contents"),
        prevent_initial_call=True,
    )
    def begin(name: Any, content: Any) -> Any:
        if ctx.triggered_id == "editor-open" and content:
            return read_upload(content), no_update
        return (renamed(gallery.text(name)), None) if name in gallery.NAMES else (no_update, no_update)

    @app.callback(
        Output(URL, "href", allow_duplicate=True),
        Output(EDITING, "data"),
        Input("editor-use", "n_clicks"),
        Input("editor-save", "n_clicks"),
        Input("editor-delete", "n_clicks"),
        State(TEXT, "value"),
        State(EDITING, "data"),
        prevent_initial_call=True,
    )
    def keep(use: Any, save: Any, delete: Any, text: Any, editing: Any) -> Any:
        if not (use or save or delete):
            return no_update, no_update
        editing = editing if isinstance(editing, str) else ""
        if ctx.triggered_id == "editor-delete":
            saved.delete_problem(own_problems, editing)
            show_notices(notice("Deleted", "The text is still here: Save brings it back.", key="editor-deleted"))
            return no_update, ""
        problem = saved.save_problem(own_problems, text if isinstance(text, str) else "", editing)
        if ctx.triggered_id == "editor-use":
            return f"/?problem={problem.name}", problem.name
        show_notices(notice(f"{problem.title} is saved", "It stands under Problems and in the list of the start page."))
        return no_update, problem.name

    @app.callback(
        Output("editor-file", "data"),
        Input("editor-download", "n_clicks"),
        State(TEXT, "value"),
        prevent_initial_call=True,
    )
    def download(clicks: Any, text: Any) -> Any:
        if not clicks or not isinstance(text, str):
            return no_update
        return dcc.send_string(text, f"{problem_of(text).name}{FORMULAS}")

    app.clientside_callback(
        ClientsideFunction("editor", "go"),
        Input("editor-go", "n_clicks"),
        prevent_initial_call=True,
    )


def read_upload(content: Any) -> str:
    """The text of a file from the browser; it is only ever read as formulas."""
    try:
        return uploaded_bytes(content).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("the file must be a text of formulas, but it was something else") from None
