"""What a search has found of the chosen problem, from which the form suggests levels.

Formulas are searched here for a moment. A function of somebody's own only the worker may call: the form asks it for a
short run, or takes what the newest run of the same function has found.
"""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, dcc, no_update
from dash.development.base_component import Component

from components.shared import summary
from components.shared.context import Context
from components.shared.notices import notice, show_notices
from components.start.form import number_or_text
from components.start.tolerances import NotYetFoundError, searched_id
from mapelites.core.archive import Archive
from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.core.settings import SLOW_SEARCH, Settings
from mapelites.core.tolerances import Tolerances
from mapelites.problems import get, names
from mapelites.runs import Run, RunRequest, Store
from mapelites.runs.short_search import is_searched_here, short_search

EVALUATIONS = 200  # of a function, which may be slow
NAME = "Short search for levels"
GOES_ON = ("queued", "running", "paused")
PERIOD = 1_000  # milliseconds between two looks at the run that is waited for
MOST_LOOKED_AT = 500  # runs


def layout(prefix: str) -> list[Component]:
    """The run that is waited for, and when to look at it."""
    return [dcc.Store(id=f"{prefix}-awaited"), dcc.Interval(id=f"{prefix}-look", interval=PERIOD, disabled=True)]


def found_for(context: Context, name: Any, dimension: Any) -> Archive:
    """What is known of a problem; `NotYetFoundError` where a run has to find it first."""
    if name not in names():
        raise InputError("choose a problem first")
    problem = get(name, number_or_text(dimension))
    if is_searched_here(problem):
        return short_search(problem)
    wanted = _request(problem)
    run = newest_run(context.store, wanted)
    snapshot = None if run is None or run.state in GOES_ON else context.store.snapshot(run.id)
    if snapshot is not None and snapshot.evaluations >= EVALUATIONS:
        return snapshot.archive().by_axis
    run_id = run.id if run is not None and run.state in GOES_ON else context.queue.create(wanted)
    if run is None or run.id != run_id:
        context.store.label(run_id, name=NAME)
    raise NotYetFoundError(
        f"{problem.title or problem.name} is a function of yours, which only a run evaluates: a short one, of "
        f"{EVALUATIONS} evaluations, looks for levels now, and puts them here when it is done.",
        run_id,
    )


def newest_run(store: Store, wanted: RunRequest) -> Run | None:
    """The newest run of the same function in the same version that goes on or has found anything."""
    for run in store.runs()[:MOST_LOOKED_AT]:
        same = run.request.problem == wanted.problem and run.request.spec.source == wanted.spec.source
        if same and (run.state in GOES_ON or run.evaluations >= EVALUATIONS):
            return run
    return None


def register(app: Dash, context: Context, prefix: str, problem: State) -> None:
    """Look at the run that is waited for; once it is over, press the preset again, which now has what it needs."""

    @app.callback(
        Output(searched_id(prefix), "data"),
        Output(f"{prefix}-look", "disabled"),
        Input(f"{prefix}-look", "n_intervals"),
        State(f"{prefix}-awaited", "data"),
        problem,
        prevent_initial_call=True,
    )
    def look(_: Any, run_id: Any, name: Any) -> Any:
        if not isinstance(run_id, str):
            return no_update, True
        run = context.store.run(run_id)
        if run.state in GOES_ON:
            return no_update, no_update
        if run.request.problem != name:  # another problem was chosen meanwhile
            return no_update, True
        if run.evaluations < EVALUATIONS:
            words = f"The short run ended before it had found anything: {summary.run_address(run)} says why"
            show_notices(notice("No levels from this preset", words, "error", key=f"{prefix}-preset"))
            return no_update, True
        return run_id, True


def _request(problem: Problem) -> RunRequest:
    settings = Settings.of(SLOW_SEARCH, problem.dimension, evaluations=EVALUATIONS)
    return RunRequest.of(problem, Tolerances.default(problem), settings)
