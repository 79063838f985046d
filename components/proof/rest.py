"""Who rests on a question of a cheap problem gets a sharper answer without asking for it.

A browser says when the sliders have stood still for a while (`assets/proof/rest.js`). The worker then solves the
question at exactly those tolerances, once. Questions at the run's own levels were solved by a directed search itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, set_props
from dash.development.base_component import Component

from components.page_state import ids
from components.page_state.state import PageState, view_of
from components.page_state.view import Maps, ShownMap
from components.proof.findings import question_at
from components.shared.context import Context
from mapelites.core.settings import DEFAULT_SEARCH
from mapelites.runs.jobs import Job
from mapelites.runs.jobs.kinds import check_job
from mapelites.runs.record import OVER

RESTED = "proof-rested"  # Store: the state of the page on which somebody has rested
EVALUATIONS, SECONDS = 2_000, 10.0
MOST_WAITING = 2  # jobs of the run beyond which nobody is helped unasked


def layout() -> Component:
    """What the browser tells of resting."""
    return html.Div(dcc.Store(id=RESTED), id="proof-rest", hidden=True)


def register(app: Dash, context: Context, maps: Maps, tick: str) -> None:
    """Ask for a job where somebody rests; `tick` is the clock that looks at jobs."""
    app.clientside_callback(
        ClientsideFunction("proof", "rest"), Output("proof-rest", "className"), Input(ids.STATE, "data")
    )

    @app.callback(Input(RESTED, "data"), State(ids.RUN, "data"), prevent_initial_call=True)
    def rested(data: Any, run_id: Any) -> None:
        state, shown = view_of(maps, run_id, data)
        request = wanted(state, shown, context.store.jobs.jobs(shown.run.id))
        if request is not None:
            context.store.jobs.ask(shown.run.id, "sharpen", request, check_job)
            set_props(tick, {"disabled": False})


def wanted(state: PageState, shown: ShownMap, jobs: Sequence[Job]) -> dict[str, Any] | None:
    """What the worker shall be asked for the question at hand, or None where that would help nobody."""
    run, question = shown.run, question_at(state, shown)
    request = run.request
    if state.at is not None or run.state not in OVER or not request.get_problem().compiled:
        return None
    if not (question > request.problem_by_axis().feasible_up_to).any():
        return None
    own = [[0.0, *levels] for levels in request.tolerances.levels]
    solved = all(
        np.isclose(tolerance, each, rtol=1e-9, atol=0.0).any() or tolerance <= satisfied
        for tolerance, each, satisfied in zip(question, own, request.problem_by_axis().feasible_up_to, strict=True)
    )
    if solved and request.settings.search == DEFAULT_SEARCH:
        return None
    asked_of_all = shown.tolerances.by_constraint(question)
    tolerances = [float(each) if np.isfinite(each) else None for each in asked_of_all]
    asked = [job.request.get("tolerances") for job in jobs if job.kind == "sharpen"]
    if tolerances in asked or sum(not job.over for job in jobs) >= MOST_WAITING:
        return None
    return {"what": "question", "tolerances": tolerances, "evaluations": EVALUATIONS, "seconds": SECONDS}
