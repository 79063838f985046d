"""A run to take away: its elites as a table, and the whole run as a file. Pictures are made in the browser."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ClientsideFunction, Dash, Input
from dash.development.base_component import Component
from flask import Response, abort, request

from components.context import Context
from components.format import in_file_name
from components.run_view import Maps, from_query
from components.shell_notices import icon
from mapelites.commands.engine import elites_csv, elites_json
from mapelites.errors import InputError
from mapelites.runs import Run

KINDS = {"csv": ("text/csv", elites_csv), "json": ("application/json", elites_json)}

ITEMS = {
    "png": "Map as PNG",
    "svg": "Map as SVG",
    "csv": "Elites as CSV",
    "json": "Elites as JSON",
    "npz": "Run as file",
}


def layout() -> Component:
    """The menu; what is exported is what is shown: moment and levels go along in the address."""
    items = [dmc.MenuItem(words, id=f"export-{kind}") for kind, words in ITEMS.items()]
    items.insert(2, dmc.MenuDivider())
    items.insert(-1, dmc.MenuDivider())
    button = dmc.Button("Export", leftSection=icon("download"), variant="default", size="xs", id="export")
    return dmc.Menu([dmc.MenuTarget(button), dmc.MenuDropdown(items)], position="bottom-end", shadow="md")


def register(app: Dash, context: Context, maps: Maps) -> None:
    """Files have addresses of their own."""

    @app.server.get("/run/<run_id>/elites.<any(csv, json):kind>")
    def elites(run_id: str, kind: str) -> Response:
        mime, write = KINDS[kind]
        try:
            run = context.store.run(run_id)
            view = from_query(request.args, run.request.tolerances)
            shown = maps.shown(run_id, view["at"], view["levels"])
            content = write(maps.archive(shown))
        except InputError as error:
            abort(404, description=str(error))
        return _file(content.encode(), mime, f"{_name(run)}-elites.{kind}")

    @app.server.get("/run/<run_id>/run.npz")
    def whole_run(run_id: str) -> Response:
        try:
            run, content = context.store.run(run_id), context.store.export(run_id)
        except InputError as error:
            abort(404, description=str(error))
        return _file(content, "application/octet-stream", f"{_name(run)}.npz")

    app.clientside_callback(
        ClientsideFunction("run", "take"),
        *(Input(f"export-{kind}", "n_clicks") for kind in ITEMS),
        prevent_initial_call=True,
    )


def _name(run: Run) -> str:
    request_ = run.request
    return f"{in_file_name(request_.problem)}-{request_.dimension}d-{request_.settings.search}-{run.id}".lower()


def _file(content: bytes, mime: str, name: str) -> Response:
    headers: dict[str, Any] = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(content, mimetype=mime, headers=headers)
