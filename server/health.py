"""`/healthz`: whether the store can be used and the worker lives, for the banner and for whoever watches."""

from __future__ import annotations

from dash import Dash
from flask import Response, jsonify

from components.shared.context import Context
from components.shared.health import Health


def register(app: Dash, context: Context) -> None:
    """`/healthz` answers 200 where all is well and 503 where something is not; `/status` says it in a 200."""
    health = Health(context.store)

    @app.server.get("/healthz")
    def healthz() -> Response:
        found = health.now()
        found.pop("problem")
        answer = jsonify(found)
        answer.status_code = 200 if all(found.values()) else 503
        return answer

    @app.server.get("/status")
    def status() -> Response:
        return jsonify(health.lately())
