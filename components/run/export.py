"""A run to take away: its elites as a table, and the whole run as a file. Pictures are made in the browser."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO, Any

from dash import ClientsideFunction, Dash, Input, html
from dash.development.base_component import Component
from flask import Response, abort, request

from components.page_state.state import PageState, reading_of
from components.page_state.view import Maps
from components.shared import summary
from components.shared.context import Context
from components.shared.format import in_file_name
from components.shared.notices import icon
from mapelites.core.errors import InputError
from mapelites.runs import Run
from mapelites.snapshot.exports import csv_pieces, json_pieces

PIECE = 2**20  # bytes
KINDS = {"csv": ("text/csv", csv_pieces), "json": ("application/json", json_pieces)}

ITEMS = {
    "link": "Copy link",
    "png": "Map as PNG",
    "svg": "Map as SVG",
    "csv": "Elites as CSV",
    "json": "Elites as JSON",
    "npz": "Run as file",
}


def layout(run: Run) -> Component:
    """The menu; what is exported is what is shown: moment, levels, tolerances and reading go along in the address."""
    items: list[Component] = [
        html.Button(words, id=f"export-{kind}", className="menu-item") for kind, words in ITEMS.items()
    ]
    report = html.A(
        "Report, one page",
        href=f"{summary.run_address(run)}/report.html",
        target="_blank",
        id="answers-report",
        className="menu-item",
    )
    summary_ = html.Summary([icon("download"), html.Span("Share")], id="export", className="plain-button")
    return html.Details([summary_, html.Div([report, *items], className="menu-items")], className="menu")


def register(app: Dash, context: Context, maps: Maps) -> None:
    """Files have addresses of their own."""

    @app.server.get("/run/<run_id>/elites.<any(csv, json):kind>")
    def elites(run_id: str, kind: str) -> Response:
        mime, write = KINDS[kind]
        try:
            run = context.store.run(run_id)
            state = PageState.from_query(request.args, run.request.tolerances, run.request.problem_by_axis())
            shown = maps.shown_at(run_id, state.at, state.binned)
            archive = maps.whole(shown)
        except InputError as error:
            abort(404, description=str(error))
        return _file(write(archive, reading_of(state, shown)), mime, f"{_name(run)}-elites.{kind}")

    @app.server.get("/run/<run_id>/run.npz")
    def whole_run(run_id: str) -> Response:
        try:
            run, file = context.store.run(run_id), tempfile.TemporaryFile()  # noqa: SIM115 (`_pieces` closes it)
            with maps.turn(run):
                context.store.export_to(run_id, file)
        except InputError as error:
            abort(404, description=str(error))
        return _file(_pieces(file), "application/octet-stream", f"{_name(run)}.npz")

    app.clientside_callback(
        ClientsideFunction("run", "take"),
        *(Input(f"export-{kind}", "n_clicks") for kind in ITEMS),
        prevent_initial_call=True,
    )


def _name(run: Run) -> str:
    request_ = run.request
    return f"{in_file_name(request_.problem)}-{request_.dimension}d-{request_.settings.search}-{run.id}".lower()


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """The content of a file from its beginning; it is closed at the end."""
    with file:
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


def _file(content: Iterator[str] | Iterator[bytes], mime: str, name: str) -> Response:
    headers: dict[str, Any] = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(content, mimetype=mime, headers=headers)
