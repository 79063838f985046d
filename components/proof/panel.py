"""The panel of proofs and sharper answers on a run's page: what may be asked, how far it is, and what came of it."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, ctx, dcc, html, set_props
from dash.development.base_component import Component
from flask import Response, abort

from components.page_state import ids
from components.page_state.parts import DrawnPart, PagePart
from components.page_state.state import PageState, view_of
from components.page_state.view import Maps, ShownMap, checked_text
from components.proof import rest
from components.proof.findings import FindingsReader, proof_sentences, question_at
from components.proof.report import proofs_csv
from components.shared import follow
from components.shared.context import Context
from components.shared.notices import notice, show_notices
from mapelites.core.errors import InputError
from mapelites.core.tolerances import Tolerances
from mapelites.proof.process import MISSING, available
from mapelites.runs import Run
from mapelites.runs.jobs import Job
from mapelites.runs.jobs.kinds import check_job

NAME = "proof"
TICK = "proof-tick"
SECONDS = (20, 60, 300, 1800)
# What the buttons ask for: the kind of the job, what of it, and the words on the button.
BUTTONS = {
    "proof-question": ("prove", "question", "This question"),
    "proof-prices": ("prove", "prices", "Each limit and each pair"),
    "proof-lattice": ("prove", "lattice", "All combinations"),
    "proof-cells": ("prove", "cells", "Empty cells"),
    "sharpen-question": ("sharpen", "question", "This question"),
    "sharpen-prices": ("sharpen", "prices", "Each limit and each pair"),
    "sharpen-lattice": ("sharpen", "lattice", "All combinations"),
}
NAMES = {"prove": "Prove", "sharpen": "Sharpen"}
MOST_JOBS = 5
CANCEL = "job-cancel"


def layout(run: Run) -> Component:
    """The panel; what is proven and the jobs come with the first look."""
    problem = run.request.problem_by_axis()
    why_not = "" if problem.formulas else "This problem is not written as formulas, so nothing can be proven of it."
    why_not = why_not or ("" if available() else f"{MISSING[0].upper()}{MISSING[1:]}.")
    return html.Section(
        [
            html.H2("Proofs and sharper answers", className="panel-title"),
            html.P(
                "Prove: nobody can do better than this, or nothing can exist here. "
                "Sharpen: solve at exactly these tolerances, from the best that is known.",
                className="quiet",
            ),
            html.Div(
                [
                    _group("Prove", "proof-", disabled=bool(why_not)),
                    _group("Sharpen", "sharpen-", disabled=False),
                    dmc.Select(
                        id="proof-seconds",
                        label="At most",
                        data=[{"value": str(each), "label": _time(each)} for each in SECONDS],
                        value="60",
                        allowDeselect=False,
                        size="xs",
                        w=110,
                    ),
                ],
                className="proof-buttons",
            ),
            html.P(why_not, className="quiet proof-missing", hidden=not why_not),
            html.Div(id="proof-told", role="status"),
            html.Div(id="proof-jobs"),
            html.A("Proofs as CSV", id="proof-csv", href=f"{run.id}/proofs.csv", className="text-button", download=""),
            dcc.Interval(id=TICK, interval=follow.PERIOD, disabled=True),
            rest.layout(),
        ],
        id="proof",
        className="card proof",
        **{"aria-label": "Proofs and sharper answers"},
    )


def register(app: Dash, context: Context, maps: Maps) -> FindingsReader:
    """Buttons ask for jobs; the panel follows them. Returns what tells other parts of the page what is proven."""
    reader = FindingsReader(context.store)
    _register_buttons(app, context, maps)
    rest.register(app, context, maps, TICK)

    @app.server.get("/run/<run_id>/proofs.csv")
    def run_proofs(run_id: str) -> Response:
        try:
            run = context.store.run(run_id)
            content = proofs_csv(context.store.jobs.findings(run.id), run.request.get_problem())
        except InputError as error:
            abort(404, description=str(error))
        headers = {"Content-Disposition": f'attachment; filename="proofs-{run.id}.csv"', "Cache-Control": "no-store"}
        return Response(content, mimetype="text/csv", headers=headers)

    return reader


def part(context: Context, maps: Maps, reader: FindingsReader) -> PagePart:
    """What is proven and the jobs follow the sliders and the run; while a job is under way they are looked at often."""

    def draw(state: PageState, shown: ShownMap, before: Any, _: Any) -> DrawnPart | None:
        jobs = context.store.jobs.jobs(shown.run.id)[-MOST_JOBS:]
        parts = _told(proof_sentences(reader, maps, state, shown)), [_job(job) for job in reversed(jobs)]
        key = follow.content_digest(parts)
        return None if key == before else DrawnPart(key, (*parts, all(job.over for job in jobs)))

    outputs = Output("proof-told", "children"), Output("proof-jobs", "children"), Output(TICK, "disabled")
    return PagePart(NAME, outputs, (Input(TICK, "n_intervals"),), draw)


def _register_buttons(app: Dash, context: Context, maps: Maps) -> None:
    @app.callback(
        *(Input(name, "n_clicks") for name in BUTTONS),
        State("proof-seconds", "value"),
        State(ids.STATE, "data"),
        State(ids.RUN, "data"),
        prevent_initial_call=True,
    )
    def press(*values: Any) -> None:
        seconds, data, run_id = values[-3:]
        if ctx.triggered_id in BUTTONS and any(values[:-3]):
            kind, what, words = BUTTONS[ctx.triggered_id]
            request = _request(maps, what, seconds, data, run_id)
            context.store.jobs.ask(checked_text("run", run_id), kind, request, check_job)
            set_props(TICK, {"disabled": False})
            show_notices(notice(f"{NAMES[kind]}: {words[0].lower()}{words[1:]}", "It is queued; the worker takes it."))

    @app.callback(
        Input({"type": CANCEL, "job": ALL}, "n_clicks"),
        State(ids.RUN, "data"),
        prevent_initial_call=True,
    )
    def cancel(clicks: Any, run_id: Any) -> None:
        if isinstance(ctx.triggered_id, dict) and any(clicks or ()):
            context.store.jobs.cancel(checked_text("run", run_id), checked_text("job", ctx.triggered_id.get("job")))
            show_notices(notice("Cancelling", "What it has found is kept."))


def _request(maps: Maps, what: str, seconds: Any, data: Any, run_id: Any) -> dict[str, Any]:
    """What a job is asked: at the sliders, or at the levels that are shown."""
    if seconds not in [str(each) for each in SECONDS]:
        raise InputError(f"seconds must be one of {', '.join(map(str, SECONDS))}, but they were {seconds!r}")
    state, shown = view_of(maps, run_id, data)
    request: dict[str, Any] = {"what": what, "seconds": float(seconds)}
    if what == "question":
        vector = shown.tolerances.by_constraint(question_at(state, shown))
        request["tolerances"] = [float(each) if each < float("inf") else None for each in vector]
        return request
    shown_levels: Tolerances = shown.tolerances
    return {**request, "levels": [list(each) for each in shown_levels.levels], "hard": list(shown_levels.hard)}


def _group(title: str, prefix: str, *, disabled: bool) -> Component:
    buttons = [
        dmc.Button(words, id=name, size="xs", variant="default", disabled=disabled)
        for name, (_, _, words) in BUTTONS.items()
        if name.startswith(prefix)
    ]
    return html.Div([html.Span(title, className="proof-group-title"), *buttons], className="proof-group", role="group")


def _told(sentences: list[str]) -> list[Component]:
    return [html.P(each, className="proof-told") for each in sentences]


def _job(job: Job) -> Component:
    """One job: what it is, how far, and what came of it."""
    what = next(
        (words for kind, asked, words in BUTTONS.values() if (kind, asked) == (job.kind, job.request.get("what"))), ""
    )
    title = f"{NAMES.get(job.kind, job.kind)} {what[:1].lower()}{what[1:]}".strip()
    parts: list[Component] = [
        html.Span(title, className="job-title"),
        html.Span(_state(job), className="quiet job-state"),
    ]
    if not job.over:
        parts.append(html.Button("Cancel", id={"type": CANCEL, "job": job.id}, className="text-button"))
    if job.state == "running":
        share = 100.0 * job.done / job.total if job.total else 0.0
        parts.append(dmc.Progress(value=round(share, 1), size="sm", className="job-progress", **{"aria-label": title}))
    if job.said:
        parts.append(html.P(job.said, className="job-said"))
    return html.Div(parts, className=f"job job-{job.state}")


def _state(job: Job) -> str:
    if job.state == "running":
        left = "" if job.seconds_left is None else f", about {_time(job.seconds_left)} left"
        return f"{job.done:,} of {job.total:,}{left}" if job.total else f"at work{left}"
    words = {"queued": "waits for the worker", "finished": f"done in {_time(job.spent)}"}
    return words.get(job.state, job.state)


def _time(seconds: float) -> str:
    """A time as people say it.

    >>> _time(0.4), _time(60), _time(1800)
    ('0.4 s', '1 min', '30 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s".replace(".0 s", " s")
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} min"
