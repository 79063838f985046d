"""The path that a proxy puts in front of ours, such as /illuminate.

All pages name addresses from the root, `/runs`. Where the dashboard lies under a base path, it is taken off
what comes in and put in front of what goes out, here and nowhere else; the proxy may pass it on or cut it off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from dash import Dash
from flask import Response

from components.shared.links import without_base_path
from mapelites.core.errors import InputError

VARIABLE = "MAPELITES_BASE_PATH"
SPELLING = re.compile(r"(/[A-Za-z0-9._~-]+)*")
# Where an address stands in the JSON of a callback, its slash as it is or escaped. A quotation mark within a text
# is written \\", so that this cannot be found in one.
ADDRESS = re.compile(rb'"(href|src)":\s*"(?:/|\\u002[fF])(?!/|\\u002[fF])')


def checked_base_path(text: str) -> str:
    """A base path as it is used: with a slash in front and none at the end.

    >>> checked_base_path("tools/illuminate/")
    '/tools/illuminate'
    >>> checked_base_path("/")
    ''
    """
    path = f"/{text.strip('/')}" if text.strip("/") else ""
    if not SPELLING.fullmatch(path) or {".", ".."} & set(path.split("/")):
        raise InputError(f"--base-path must be a path such as /illuminate, but it was {text!r}")
    return path


def live_under(app: Dash, base_path: str) -> None:
    """Take the base path off every request, and put it in front of every address in an answer."""
    if not base_path:
        return
    app.server.wsgi_app = _cutting(app.server.wsgi_app, base_path)
    within = rb'"\1":"' + base_path.encode() + b"/"

    @app.server.after_request
    def put_in_front(response: Response) -> Response:
        place = response.headers.get("Location", "")
        if place.startswith("/") and without_base_path(base_path, place) == place:
            response.headers["Location"] = base_path + place
        if response.mimetype == "application/json" and not response.direct_passthrough:
            response.set_data(ADDRESS.sub(within, response.get_data()))
        return response


def _cutting(inner: Callable[..., Iterable[bytes]], base_path: str) -> Callable[..., Iterable[bytes]]:
    def outer(environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path = environment.get("PATH_INFO", "")
        if (path + "/").startswith(f"{base_path}/"):
            environment["PATH_INFO"] = path.removeprefix(base_path) or "/"
            environment["SCRIPT_NAME"] = base_path
        return inner(environment, start)

    return outer
