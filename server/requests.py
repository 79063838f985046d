"""Whether a request for a callback can come from our page at all: what cannot is refused before anything runs.

Dash takes the names and the number of a callback's inputs from the request itself. Here they must be those
that the callback was declared with; what the values are is for each callback to check.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any

import orjson
from dash import Dash
from dash.exceptions import DependencyException, InvalidCallbackReturnValue
from flask import abort, g, request
from flask.json.provider import DefaultJSONProvider
from gunicorn.http.errors import ParseException

CALLBACKS = "/_dash-update-component"
DEEPEST = 24  # how far lists and tables may lie in each other
MOST_PARTS = 100_000  # values in one request
LARGEST = 2**20  # bytes, where no file is sent
FILE = "contents"  # the property in which the page sends files
PLAIN = (str, int, float, bool)
Declared = Mapping[str, str]

log = logging.getLogger("dashboard")


class StrictJSON(DefaultJSONProvider):
    """JSON without NaN and infinities, and with neither too many values nor too deep."""

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """The values in a text; a `ValueError` is answered with 400 by Flask."""
        given = s.encode() if isinstance(s, str) else s
        # Counted before it is read: reading and looking at millions of empty lists takes half a minute.
        if sum(map(given.count, (b"[", b"{", b","))) > MOST_PARTS:
            raise ValueError(f"a request has at most {MOST_PARTS:,} values")
        value = orjson.loads(given)
        _check_depth(value, DEEPEST)
        return value


def check_callback(app: Dash) -> None:
    """Refuse what does not fit the callbacks that are registered by now."""
    app.server.json = StrictJSON(app.server)

    large = threading.Lock()  # to look at a file takes several times its size

    @app.server.before_request
    def wait_for_turn() -> None:
        if request.path == CALLBACKS and len(request.get_data()) > LARGEST:
            large.acquire()
            g.is_large = True

    @app.server.teardown_request
    def give_turn(_: BaseException | None) -> None:
        if g.pop("is_large", False):
            large.release()

    @app.server.before_request
    def check_request() -> None:
        if request.path == CALLBACKS and request.method == "POST":
            body = request.get_json()
            wrong = body_error(app, body)
            if wrong:
                abort(400, description=wrong)
            inputs = app.callback_map[body["output"]]["inputs"]
            if len(request.get_data()) > LARGEST and not any(each["property"] == FILE for each in inputs):
                abort(413, description=f"a request without files has at most {LARGEST:,} bytes")

    @app.server.errorhandler(DependencyException)
    def no_such_file(_: Exception) -> tuple[str, int]:
        return "there is no such file", 404

    @app.server.errorhandler(ParseException)
    def no_such_body(_: Exception) -> tuple[str, int]:
        """The server reads a body only when somebody asks for it, and finds out then that it is not one."""
        return "the body of a request must come as HTTP wants it", 400

    @app.server.errorhandler(InvalidCallbackReturnValue)
    def outputs_that_do_not_fit(error: Exception) -> tuple[str, int]:
        """A request says itself how many outputs match a pattern; only what the callback returns shows a lie."""
        log.warning("a request asked for other outputs than there are", exc_info=error)
        return "outputs must be as many as the callback has", 400


def body_error(app: Dash, body: Any) -> str | None:
    """What is wrong with the body of a request for a callback, or None."""
    if not isinstance(body, dict):
        return "a request must be a table"
    output = body.get("output")
    declared = app.callback_map.get(output) if isinstance(output, str) else None
    if declared is None or "callback" not in declared:
        return "there is no such callback"
    given: list[tuple[Declared, Any]] = []
    for name in ("inputs", "state"):
        wanted, parts = declared[name], body.get(name, [])
        if not isinstance(parts, list) or len(parts) != len(wanted):
            return f"{name} must be the {len(wanted)} that the callback has"
        given += zip(wanted, parts, strict=True)
    if not all(_fits(wanted, part) for wanted, part in given) or not _agree(given):
        return "inputs and state must be those that the callback has"
    if not _are_changes(declared["inputs"], body.get("changedPropIds", [])):
        return "changedPropIds must name inputs of the callback"
    if not declared.get("no_output") and not _are_outputs(str(output), body.get("outputs")):
        return "outputs must be those that the callback has"
    return None


def _fits(declared: Declared, given: Any) -> bool:
    """Whether a value, or a list of them for a pattern, is for the component and property that were declared."""
    if isinstance(given, list):
        return _pattern(declared["id"]) is not None and all(_is_one(declared, each) for each in given)
    return _is_one(declared, given)


def _is_one(declared: Declared, given: Any) -> bool:
    if not isinstance(given, dict) or given.get("property") != declared["property"]:
        return False
    if declared["property"] == "id" and given.get("value") != given.get("id"):
        return False
    return _is_named(declared["id"], given.get("id"))


def _is_named(declared: str, name: Any) -> bool:
    """Whether a component's id is the one declared, or one that fits its pattern."""
    pattern = _pattern(declared)
    if pattern is None or not isinstance(name, dict):
        return pattern is None and bool(name == declared)
    alike = name.keys() == pattern.keys() and _is_name(name)
    return alike and all(isinstance(wanted, list) or wanted == name[key] for key, wanted in pattern.items())


def _agree(given: list[tuple[Declared, Any]]) -> bool:
    """Whether all lists for one pattern are of the same components in the same order."""
    seen: dict[str, list[Any]] = {}
    for declared, part in given:
        if isinstance(part, list):
            names = [each["id"] for each in part]
            if seen.setdefault(declared["id"], names) != names:
                return False
    return True


def _are_changes(inputs: list[Declared], changes: Any) -> bool:
    if not isinstance(changes, list) or not all(isinstance(each, str) for each in changes):
        return False
    return all(any(_is_change(declared, each) for declared in inputs) for each in changes)


def _is_change(declared: Declared, text: str) -> bool:
    """Whether a text, `id.property`, names the input that was declared."""
    name, _, prop = text.rpartition(".")
    if prop != declared["property"]:
        return False
    if not name.startswith("{"):
        return name == declared["id"]
    try:
        return _is_named(declared["id"], orjson.loads(name))
    except ValueError:
        return False


def _are_outputs(output: str, given: Any) -> bool:
    """Whether the outputs are those in the callback's name, `..id.property...id.property@copy..`."""
    given = _without_copies(given)
    if not output.startswith(".."):
        return _fits(_declared(output), given)
    parts = output[2:-2].split("...")
    if not isinstance(given, list) or len(given) != len(parts):
        return False
    return all(_fits(_declared(part), each) for part, each in zip(parts, given, strict=True))


def _without_copies(given: Any) -> Any:
    """The outputs without what tells several callbacks with the same output apart: browsers send that along."""
    if isinstance(given, list):
        return [_without_copies(each) for each in given]
    if isinstance(given, dict) and isinstance(given.get("property"), str):
        return {**given, "property": given["property"].partition("@")[0]}
    return given


def _declared(text: str) -> Declared:
    name, _, prop = text.rpartition(".")
    return {"id": name, "property": prop.partition("@")[0]}


@cache
def _pattern(name: str) -> Mapping[str, Any] | None:
    """The table that a component's id is, with lists for its wildcards; None for a plain id."""
    table: Mapping[str, Any] | None = orjson.loads(name) if name.startswith("{") else None
    return table


def _is_name(name: Any) -> bool:
    if isinstance(name, dict):
        return bool(name) and all(isinstance(each, PLAIN) for each in name.values())
    return isinstance(name, str)


def _check_depth(value: Any, left: int) -> None:
    if isinstance(value, (dict, list)):
        if left == 0:
            raise ValueError(f"lists and tables may lie at most {DEEPEST} deep in each other")
        for each in value.values() if isinstance(value, dict) else value:
            _check_depth(each, left - 1)
