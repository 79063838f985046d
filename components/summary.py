"""A run in one line: its name, its state in words, its progress, and a small picture of its map."""

from __future__ import annotations

from urllib.parse import quote

import dash_mantine_components as dmc
from dash import Dash, html
from dash.development.base_component import Component
from flask import Response, abort

from components.context import Context
from components.format import percent, state
from components.map_thumbnail import thumbnail_png
from mapelites.errors import InputError
from mapelites.problems.files import is_description
from mapelites.runs import Run

ACTIVE = ("queued", "running")
PICTURE_PIXELS = 112  # twice what the style sheet shows, for fine screens


def name(run: Run) -> str:
    """What a run searches, `C17 10D`."""
    return run.request.title


def method(run: Run) -> str:
    """How it searches, `paper-3 · seed 1`."""
    return f"{run.request.settings.search} · seed {run.request.settings.seed}"


def address(run: Run) -> str:
    """Where its page is."""
    return f"/run/{quote(run.id, safe='')}"


def problem_link(run: Run) -> Component:
    """The way to what it searches: to its formulas, which it carries, or to the card of its problem."""
    formulas = run.request.source and not is_description(run.request.source)
    name = quote(run.request.problem, safe="")
    place = f"/problems/new?run={quote(run.id, safe='')}" if formulas else f"/problems?search={name}"
    return dmc.Anchor("its formulas" if formulas else "the problem", href=place, size="sm")


def progress(run: Run) -> float:
    """The share of the budget that is spent."""
    return run.evaluations / run.request.settings.evaluations


def coverage(run: Run) -> float:
    """The share of the cells that can exist which hold an elite."""
    return run.occupied / run.request.possible_cells


def badge(run: Run) -> Component:
    """Its state in words, with how far it is while it runs."""
    text = state(run.state)
    if run.state in ("running", "paused"):
        text = f"{text} · {percent(progress(run))}"
    colour = {"failed": "red", "running": "indigo", "queued": "indigo"}.get(run.state, "gray")
    return dmc.Badge(text, color=colour, variant="light", className=f"state state-{run.state}")


def picture(run: Run) -> Component:
    """A small picture of its map as it is now."""
    if run.evaluations == 0:
        return html.Span(className="thumbnail thumbnail-empty")
    place = f"/thumbnail/{quote(run.id, safe='')}/{run.version}"
    # An <img> keeps showing the last picture until the next one is there; the style sheet hides one of the two.
    pictures = [html.Img(src=f"{place}/{scheme}", alt="", className=f"only-{scheme}") for scheme in ("light", "dark")]
    return html.Span(pictures, className="thumbnail", role="img", **{"aria-label": f"The map of {name(run)}"})


def register(app: Dash, context: Context) -> None:
    """Pictures have addresses of their own, so that a browser keeps them."""

    @app.server.get("/thumbnail/<run_id>/<int:version>/<any(light, dark):scheme>")
    def thumbnail(run_id: str, version: int, scheme: str) -> Response:
        try:
            newest, snapshot = context.store.version(run_id), context.store.snapshot(run_id)
        except InputError as error:
            abort(404, description=str(error))
        if version > newest:
            abort(404, description=f"run {run_id} is at version {newest}, not yet at {version}")
        if snapshot is None:
            abort(404, description=f"run {run_id} has no map yet")
        key = ("thumbnail", run_id, version, scheme)
        content = context.cache.remember_bytes(
            key, lambda: thumbnail_png(snapshot.archive(), dark=scheme == "dark", size=PICTURE_PIXELS)
        )
        answer = Response(content, mimetype="image/png")
        answer.cache_control.max_age = 86_400
        answer.cache_control.private = True
        return answer
