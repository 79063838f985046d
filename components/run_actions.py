"""What the buttons of a run's page do: pause, resume, stop, run again, delete and bring back, and the pace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, html, no_update
from dash.development.base_component import Component

from components import run_ids as ids
from components import run_levels, summary, tolerance_form
from components.context import Context
from components.format import rate
from components.run_view import text
from components.shell import URL
from components.shell_notices import notice, show
from components.start_form import SECONDS_TO_WATCH
from mapelites.errors import InputError
from mapelites.runs import Run, Store
from mapelites.tolerances import Tolerances

FULL_SPEED, WATCH = "full", "watch"
PACES = (2_000, 20_000, 200_000)
DONE: dict[str, tuple[Callable[[Store, str], None], str]] = {
    "pause": (lambda store, run: store.pause(run), "Pausing. Nothing is lost"),
    "resume": (lambda store, run: store.resume(run), "The run goes on"),
    "stop": (lambda store, run: store.stop(run), "Stopping. The map stays"),
    "delete": (lambda store, run: store.delete(run), "Deleted. It can be brought back"),
    "undelete": (lambda store, run: store.undelete(run), "The run is back"),
}


def pace(run: Run) -> Component:
    """How fast the run may go, in a select."""
    now = run.request.pace
    paces = sorted({*PACES, *([now] if now else [])})
    options = [{"value": FULL_SPEED, "label": "Full speed"}, {"value": WATCH, "label": "Watch"}]
    options += [{"value": repr(float(each)), "label": rate(each)} for each in reversed(paces)]
    chosen = repr(float(now)) if now else WATCH if run.request.watch else FULL_SPEED
    return html.Div(
        dmc.Select(
            id="run-pace",
            label="Pace",
            data=options,
            value=chosen,
            allowDeselect=False,
            size="xs",
            w=142,
        ),
        className="act-pace",
    )


def register(app: Dash, context: Context) -> None:
    """One callback per button."""
    for name in DONE:
        _register_button(app, context, name)

    @app.callback(
        Output(URL, "href", allow_duplicate=True),
        Input("run-again", "n_clicks"),
        State(ids.RUN, "data"),
        prevent_initial_call=True,
    )
    def again(clicks: Any, run_id: Any) -> Any:
        return _again(context, text("run", run_id)) if clicks else no_update

    @app.callback(
        Output(URL, "href", allow_duplicate=True),
        Input("run-again-levels", "n_clicks"),
        State(ids.RUN, "data"),
        State(tolerance_form.value_id(run_levels.FORM), "data"),
        prevent_initial_call=True,
    )
    def again_with_levels(clicks: Any, run_id: Any, content: Any) -> Any:
        # What stands in the form, not what the map shows: that stays with the last levels that were right.
        return _again(context, text("run", run_id), tolerance_form.read(content)) if clicks else no_update

    @app.callback(Input("run-pace", "value"), State(ids.RUN, "data"), prevent_initial_call=True)
    def set_pace(value: Any, run_id: Any) -> None:
        pace, watch = read_pace(value)
        now = context.store.run(text("run", run_id)).request
        if (now.pace, now.watch is None) != (pace, watch is None):
            context.store.set_pace(run_id, pace, watch)


def read_pace(value: Any) -> tuple[float | None, float | None]:
    """Evaluations per second, or None for full speed; and the seconds to watch the map fill, or None."""
    if value in (FULL_SPEED, WATCH):
        return None, SECONDS_TO_WATCH if value == WATCH else None
    try:
        return float(value), None
    except (TypeError, ValueError):
        raise InputError(f"pace: a number of evaluations per second is needed, but it was {value!r}") from None


def _register_button(app: Dash, context: Context, name: str) -> None:
    act, words = DONE[name]

    @app.callback(Input(f"run-{name}", "n_clicks"), State(ids.RUN, "data"), prevent_initial_call=True)
    def press(clicks: Any, run_id: Any) -> None:
        if clicks:
            act(context.store, text("run", run_id))
            show(notice(words, key=f"run-{name}"))


def _again(context: Context, run_id: str, levels: Tolerances | None = None) -> str:
    """A new run with the same request, or with other levels, and the way to it."""
    request = context.store.run(run_id).request
    created = context.store.create(replace(request.renewed(), tolerances=levels or request.tolerances))
    return summary.address(context.store.run(created))
