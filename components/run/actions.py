"""What the buttons of a run's page do: pause, resume, stop, run again, delete and bring back, and the pace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, html, no_update
from dash.development.base_component import Component

from components.page_state import ids
from components.page_state.view import checked_text
from components.run import levels as run_levels
from components.shared import summary
from components.shared.context import Context
from components.shared.notices import notice, show_notices
from components.shell.frame import URL
from components.start import filled_from
from components.start import tolerances as tolerance_form
from components.start.form import SECONDS_TO_WATCH
from mapelites.core.errors import InputError
from mapelites.core.format import evaluation_rate
from mapelites.core.tolerances import Tolerances
from mapelites.runs import Run, RunRequest

FULL_SPEED, WATCH = "full", "watch"
PACES = (2_000, 20_000, 200_000)
DONE: dict[str, tuple[Callable[[Context, str], None], str]] = {
    "pause": (lambda context, run: context.store.pause(run), "Pausing. Nothing is lost"),
    "resume": (lambda context, run: context.queue.resume(run), "The run goes on"),
    "stop": (lambda context, run: context.store.stop(run), "Stopping. The map stays"),
    "delete": (lambda context, run: context.store.delete(run), "Deleted. It can be brought back"),
    "undelete": (lambda context, run: context.store.undelete(run), "The run is back"),
}


def pace(run: Run) -> Component:
    """How fast the run may go, in a select."""
    now = run.request.pace
    paces = sorted({*PACES, *([now] if now else [])})
    options = [{"value": FULL_SPEED, "label": "Full speed"}, {"value": WATCH, "label": "Watch"}]
    options += [{"value": repr(float(each)), "label": evaluation_rate(each)} for each in reversed(paces)]
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
        """The form with everything of the run and the next seed."""
        return filled_from.filled_form_address(checked_text("run", run_id)) if clicks else no_update

    @app.callback(
        Output(URL, "href", allow_duplicate=True),
        Input("run-again-levels", "n_clicks"),
        State(ids.RUN, "data"),
        State(tolerance_form.value_id(run_levels.FORM), "data"),
        prevent_initial_call=True,
    )
    def again_with_levels(clicks: Any, run_id: Any, content: Any) -> Any:
        # What stands in the form, not what the map shows: that stays with the last levels that were right.
        return (
            _again(context, checked_text("run", run_id), tolerance_form.read_tolerances(content))
            if clicks
            else no_update
        )

    @app.callback(Input("run-pace", "value"), State(ids.RUN, "data"), prevent_initial_call=True)
    def set_pace(value: Any, run_id: Any) -> None:
        pace, watch = read_pace(value)
        now = context.store.run(checked_text("run", run_id)).request
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
            act(context, checked_text("run", run_id))
            show_notices(notice(words, key=f"run-{name}"))


def _again(context: Context, run_id: str, levels: Tolerances) -> str:
    """A new run with the same request and other levels, and the way to it."""
    request = context.store.run(run_id).request
    renewed = _next_seed(request.renewed())
    chosen = tolerance_form.with_hard(request.get_problem(), levels, request.tolerances.places)
    spec = replace(renewed.spec, tolerances=chosen)
    created = context.queue.create(replace(renewed, spec=spec))
    return summary.run_address(context.store.run(created))


def _next_seed(request: RunRequest) -> RunRequest:
    """The same request from another start: the same seed would make the same map."""
    settings = replace(request.settings, seed=request.settings.seed + 1)
    return replace(request, spec=replace(request.spec, settings=settings))
