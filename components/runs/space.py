"""How much room the runs may take on disk, which ones could go, and which are damaged."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component

from components.shared.context import Context
from components.shared.format import many
from components.shared.notices import icon, notice, show_notices
from components.start.form import number_or_text
from mapelites.core.errors import InputError
from mapelites.core.format import byte_size

GIGABYTE = 10**9


def layout(context: Context) -> Component:
    """The limit, folded away, and above it what needs to be said."""
    limit = context.store.limit
    field = dmc.TextInput(
        id="room-limit",
        label="Limit in GB",
        description="Empty: no limit. Nothing is ever deleted by itself.",
        value=f"{limit / GIGABYTE:g}" if limit else "",
        w=320,
    )
    save = dmc.Button("Set the limit", id="room-save", variant="default", size="sm")
    return html.Div(
        [
            html.Div(space_notices(context), id="room-said"),
            html.Details(
                [html.Summary("Room on disk"), html.Div([field, save], className="room-fields")], className="advanced"
            ),
            dcc.Store(id="room-offered", data=[run.id for run in context.store.over_limit()]),
        ]
    )


def space_notices(context: Context) -> list[Component]:
    """What a person should know: that the limit is passed, and which runs cannot be read."""
    parts: list[Component] = []
    offered = context.store.over_limit()
    if offered:
        words = (
            f"Runs take {byte_size(context.store.size())}, more than the limit of "
            f"{byte_size(context.store.limit or 0)}. "
            f"Deleting the oldest {many(len(offered), 'run')} would make room."
        )
        pick = dmc.Button(
            "Select them", id={"room": "pick"}, size="compact-sm", variant="light", leftSection=icon("check")
        )
        parts.append(html.Div([words, pick], className="card undo"))
    for run_id, reason in context.store.damaged().items():
        words = f"{reason}. To erase it: python -m mapelites delete {run_id}"
        parts.append(html.Div(words, className="card undo error-text"))
    return parts


def read_limit(text: Any) -> int | None:
    """Bytes from a text in gigabytes; None where it is empty, an `InputError` where it is no size."""
    value = number_or_text(text)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
        raise InputError(f"the limit must be a number of gigabytes above 0, but it was {text!r}")
    return max(1, int(value * GIGABYTE))


def register(app: Dash, context: Context) -> None:
    """Set the limit, look again after every change, and select what could go."""

    @app.callback(
        Output("room-limit", "error"),
        Output("runs-changed", "data", allow_duplicate=True),
        Input("room-save", "n_clicks"),
        State("room-limit", "value"),
        prevent_initial_call=True,
    )
    def set_limit(clicks: int | None, text: Any) -> Any:
        if not clicks:
            return no_update, no_update
        try:
            limit = read_limit(text)
        except InputError as error:
            return str(error).capitalize(), no_update
        context.store.set_limit(limit)
        show_notices(notice(f"The limit is {byte_size(limit)}" if limit else "There is no limit"))
        return None, ["limit", clicks]

    @app.callback(
        Output("room-said", "children"),
        Output("room-offered", "data"),
        Input("runs-changed", "data"),
        prevent_initial_call=True,
    )
    def look_again(_: Any) -> Any:
        return space_notices(context), [run.id for run in context.store.over_limit()]

    @app.callback(
        Output({"tick": ALL}, "checked", allow_duplicate=True),
        Output("runs-ticked", "data", allow_duplicate=True),
        Input({"room": ALL}, "n_clicks"),
        State("room-offered", "data"),
        State({"tick": ALL}, "id"),
        prevent_initial_call=True,
    )
    def pick(clicks: list[int | None], offered: Any, ids: list[Any]) -> Any:
        if not any(clicks):
            return [no_update] * len(ids), no_update
        known = offered if isinstance(offered, list) else []
        return [each["tick"] in known for each in ids], known
