"""`/healthz`: whether the store can be read and the worker lives, for the banner and for whoever watches."""

from __future__ import annotations

from dash import Dash
from flask import Response, jsonify

from components.context import Context
from mapelites.runs import StoreError


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

    @app.server.get("/status")
    def status_of_all() -> Response:
        found, problem = status()
        return jsonify({**found, "problem": problem})
