"""A run in one line: its name, its state in words, its progress, and a small picture of its map."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from urllib.parse import quote

import dash_mantine_components as dmc
import numpy as np
from dash import Dash, html
from dash.development.base_component import Component
from flask import Response, abort, request
from numpy.typing import NDArray

from components.shared.context import Context
from components.shared.format import run_state_text
from mapelites.core.errors import InputError
from mapelites.core.format import whole_percent
from mapelites.core.nested_map.thumbnail import thumbnail_png
from mapelites.runs import Run
from mapelites.snapshot.snapshot import Snapshot

ACTIVE = ("queued", "running")
SCHEMES = ("light", "dark")
MOST_IN_SHEET = 200  # pictures
PICTURE_PIXELS = 112  # twice what the style sheet shows, for fine screens


def run_name(run: Run) -> str:
    """What somebody called a run, and otherwise what it searches, `C17 10D`."""
    return run.labels.name or run.request.title


def run_detail(run: Run) -> str:
    """What its name does not tell: how it searches, and what, where somebody gave it another name."""
    return f"{run.request.title} · {search_and_seed(run)}" if run.labels.name else search_and_seed(run)


def tab_title(run: Run) -> str:
    """What a tab of the browser is called that shows it."""
    return run.labels.name or f"{run.request.title} · {search_and_seed(run)}"


def search_and_seed(run: Run) -> str:
    """How it searches, `paper-3 · seed 1`."""
    return f"{run.request.settings.search} · seed {run.request.settings.seed}"


def run_address(run: Run) -> str:
    """Where its page is."""
    return f"/run/{quote(run.id, safe='')}"


def problem_link(run: Run) -> Component:
    """The way to what it searches: to its formulas, which it carries, or to the card of its problem."""
    formulas = run.request.spec.source.kind == "formulas"
    name = quote(run.request.problem, safe="")
    place = f"/problems/new?run={quote(run.id, safe='')}" if formulas else f"/problems?search={name}"
    return dmc.Anchor("its formulas" if formulas else "the problem", href=place, size="sm")


def campaign_link(run: Run) -> Component | None:
    """The way back to the campaign that a run is of."""
    campaign = run.labels.campaign
    if not campaign:
        return None
    return dmc.Anchor("its campaign", href=f"/experiments/{quote(campaign, safe='')}", size="sm")


def best_feasible(run: Run) -> float | None:
    """The best feasible objective as people mean it, or None where none is found."""
    f = run.best_feasible
    return -f if f is not None and run.request.spec.maximise else f


def shown_curve(run: Run, curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """Evaluations, filled cells and best feasible value, (k, 3), the last as people mean it."""
    return curve * [1.0, 1.0, -1.0] if run.request.spec.maximise else curve


def spent_share(run: Run) -> float:
    """The share of the budget that is spent."""
    return run.evaluations / run.request.settings.evaluations


def filled_share(run: Run) -> float:
    """The share of the cells that can exist which hold an elite."""
    return run.occupied / run.request.possible_cells


def state_badge(run: Run) -> Component:
    """Its state in words, with how far it is while it runs."""
    text = run_state_text(run.state)
    if run.state in ("running", "paused"):
        text = f"{text} · {whole_percent(spent_share(run))}"
    colour = {"failed": "red", "running": "indigo", "queued": "indigo"}.get(run.state, "gray")
    return dmc.Badge(text, color=colour, variant="light", className=f"state state-{run.state}")


def map_picture(run: Run) -> Component:
    """A small picture of its map as it is now."""
    if run.evaluations == 0:
        return html.Span(className="thumbnail thumbnail-empty")
    place = f"/thumbnail/{quote(run.id, safe='')}/{run.version}"
    # An <img> keeps showing the last picture until the next one is there; the style sheet hides one of the two.
    pictures = [html.Img(src=f"{place}/{scheme}", alt="", className=f"only-{scheme}") for scheme in SCHEMES]
    return html.Span(pictures, className="thumbnail", role="img", **{"aria-label": f"The map of {run_name(run)}"})


def picture_sheet(runs: Sequence[Run]) -> Component:
    """The pictures of many runs in one request, for `picture_in_sheet`."""
    of = ",".join(f"{run.id}.{run.version}" for run in runs if run.evaluations)
    return html.Link(rel="stylesheet", href=f"/thumbnails.css?of={of}") if of else html.Span(hidden=True)


def picture_in_sheet(run: Run) -> Component:
    """A small picture of its map, where the `sheet` is on the page too."""
    if run.evaluations == 0:
        return map_picture(run)
    return html.Span(
        className="thumbnail",
        role="img",
        **{"data-map": f"{run.id}.{run.version}", "aria-label": f"The map of {run_name(run)}"},
    )


def register(app: Dash, context: Context) -> None:
    """Pictures have addresses of their own, so that a browser keeps them."""
    _register_one(app, context)
    _register_sheet(app, context)


def _png(context: Context, run_id: str, version: int, snapshot: Snapshot, scheme: str) -> bytes:
    key = ("thumbnail", run_id, version, scheme)
    return context.cache.remember_bytes(
        key, lambda: thumbnail_png(snapshot.archive(), dark=scheme == "dark", size=PICTURE_PIXELS)
    )


def _kept(answer: Response) -> Response:
    answer.cache_control.max_age = 86_400
    answer.cache_control.private = True
    return answer


def _register_sheet(app: Dash, context: Context) -> None:
    @app.server.get("/thumbnails.css")
    def thumbnails() -> Response:
        rules = []
        for each in request.args.get("of", "").split(",")[:MOST_IN_SHEET]:
            run_id, _, number = each.partition(".")
            try:
                snapshot = context.store.snapshot(run_id)
                newest = context.store.version(run_id)
            except InputError:
                continue  # erased since the page was made
            if snapshot is None or not number.isascii() or not number.isdecimal() or int(number[:18]) > newest:
                continue
            for scheme in SCHEMES:
                data = b64encode(_png(context, run_id, int(number), snapshot, scheme)).decode()
                place = f':root[data-mantine-color-scheme="{scheme}"] [data-map="{run_id}.{int(number)}"]'
                rules.append(f'{place} {{ background-image: url("data:image/png;base64,{data}"); }}')
        return _kept(Response("\n".join(rules), mimetype="text/css"))


def _register_one(app: Dash, context: Context) -> None:

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
        return _kept(Response(_png(context, run_id, version, snapshot, scheme), mimetype="image/png"))
