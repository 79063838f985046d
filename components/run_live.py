"""What a run's page asks for several times a second: whether there is something new, and the map.

These are plain addresses beside the callbacks, and a map's finished bytes are made once and kept, so that many
browsers on one run cost little more than one.
"""

from __future__ import annotations

from typing import Any

import orjson
from dash import Dash
from flask import Response, request

from components.context import Context
from components.many_rest import fitting
from components.map_figure import View, content, figure, patch
from components.map_fold import Fold
from components.run_view import Maps, Shown, from_query
from mapelites.errors import InputError
from mapelites.tolerances import Tolerances

NO_STORE = {"Cache-Control": "no-store"}


def register(app: Dash, context: Context, maps: Maps) -> None:
    """`/run/<id>/version` and `/run/<id>/map`; what makes no sense is refused in words."""

    @app.server.get("/run/<run_id>/version")
    def version(run_id: str) -> Response:
        try:
            return Response(str(context.store.version(run_id)), mimetype="text/plain", headers=NO_STORE)
        except InputError as error:
            return _refused(error)

    @app.server.get("/run/<run_id>/map")
    def map_of(run_id: str) -> Response:
        try:
            asked = from_query({**request.args, "rest": ""}, maps.run(run_id).request.tolerances)
            shown = maps.shown(run_id, asked["at"], asked["levels"])
            rest = fitting(request.args.get("rest", "").split(","), shown.tolerances)
            view = View(tuple(asked["axes"] or ()), asked["colour"], asked["scale"], tuple(rest or ()))
            return Response(_answer(context, maps, shown, view), mimetype="application/json", headers=NO_STORE)
        except InputError as error:
            return _refused(error)


def _answer(context: Context, maps: Maps, shown: Shown, view: View) -> bytes:
    """A change where the browser's figure only has other elites, a whole figure where its shape or look is another."""
    dark, narrow = request.args.get("scheme") == "dark", request.args.get("narrow") == "true"
    key: tuple[Any, ...] = ("map", *shown.key, ",".join(view.order), ",".join(view.rest), view.colour, view.scale)
    name = orjson.dumps(key).decode()
    look = orjson.dumps([*view.order, *view.rest, *shown.tolerances.shape, str(shown.levels), dark, narrow]).decode()
    known = request.args.get("look") == look
    if known and request.args.get("key") == name:
        return orjson.dumps({"look": look, "key": name})

    def made() -> bytes:
        drawn = content(maps.archive(shown), view, shown.evaluations)
        if known:
            return orjson.dumps({"look": look, "key": name, "patch": patch(drawn, dark=dark)})
        whole = figure(maps.archive(shown), view, drawn, dark=dark, narrow=narrow)
        return orjson.dumps({"look": look, "key": name, "figure": whole, "form": form(shown.tolerances, view.order)})

    return context.cache.remember_bytes((*key, look, "patch" if known else "figure"), made)


def form(tolerances: Tolerances, order: tuple[str, ...] = ()) -> str:
    """The class of the map's proportions: a strip, wide or square."""
    rows, columns = Fold.of(tolerances, order).shape
    return "map-strip" if rows == 1 else "map-wide" if columns > 2 * rows else "map-square"


def _refused(error: InputError) -> Response:
    return Response(str(error), status=404, mimetype="text/plain", headers=NO_STORE)
