"""`/healthz`: whether the store can be read and the worker lives, for the banner and for whoever watches."""

from __future__ import annotations

import time

from dash import Dash
from flask import Response, jsonify

from components.context import Context
from mapelites.runs import StoreError

MOMENT = 0.5  # seconds


def register(app: Dash, context: Context) -> None:
    """`/healthz` answers 200 where all is well and 503 where something is not; `/status` says it in a 200."""

    def status() -> tuple[dict[str, bool], str | None]:
        try:
            worker = context.store.worker()
        except StoreError as error:
            return {"web": True, "store": False, "worker": False}, str(error)
        return {"web": True, "store": True, "worker": worker.alive}, worker.problem

    @app.server.get("/healthz")
    def health() -> Response:
        found, _ = status()
        answer = jsonify(found)
        answer.status_code = 200 if all(found.values()) else 503
        return answer

    lately: list[tuple[float, tuple[dict[str, bool], str | None]]] = []

    @app.server.get("/status")
    def status_of_all() -> Response:
        """What every open page asks for: it looks itself only where nobody looked a moment ago."""
        if not lately or time.monotonic() - lately[0][0] > MOMENT:
            lately[:] = [(time.monotonic(), status())]
        found, problem = lately[0][1]
        return jsonify({**found, "problem": problem})
