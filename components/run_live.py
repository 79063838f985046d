"""What a run's page asks for several times a second: news of the run, and the map.

These are plain addresses beside the callbacks. News are finished bytes that are made once for all browsers on a run:
the head of the page, told as properties of its parts, and the change of the map. The more pages look, the longer
each is asked to wait, so that watching never takes the machine from the search.
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import orjson
from dash import Dash
from flask import Response, request

from components import run_head
from components.context import Context
from components.many_rest import fitting
from components.map_figure import View, content, figure, patch
from components.map_fold import Fold
from components.recent import Recent
from components.run_view import Maps, Shown, from_query
from components.shell_health import Health
from mapelites.campaign.crews import cores
from mapelites.errors import InputError
from mapelites.runs import Run, Store
from mapelites.tolerances import Tolerances

NO_STORE = {"Cache-Control": "no-store"}
SOONEST, LATEST, IDLE = 0.1, 5.0, 2.0  # seconds between two looks: at least, at most, and where nothing happens
MOST_LOOKS = 12.0 * cores()  # per second, of all pages together
SPREAD = 0.2
KEPT_HEADS, KEPT_NEWS = 64, 16
KNOWN = re.compile(rb"&?\b(?:version|key)=[^&]*")  # what a page has: of no account for what it is told


class Crowd:
    """How long a page shall wait until its next look, by how many looks there are."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._since, self._looks = clock(), 0
        self.wait = SOONEST

    def look(self) -> float:
        """Note a look and return the seconds until the next one of the same page."""
        with self._lock:
            self._looks += 1
            passed = self._clock() - self._since
            if passed >= max(2 * SOONEST, self.wait):  # every page has looked
                pages = self._looks / passed * self.wait
                self.wait = min(max(SOONEST, pages / MOST_LOOKS), LATEST)
                self._since, self._looks = self._clock(), 0
        return self.wait * random.uniform(1 - SPREAD, 1 + SPREAD)  # pages that came together shall not look together

    @property
    def age(self) -> float:
        """Seconds since a page looked last: what was read since then is new to it, and drawn for others already."""
        return self.wait - SOONEST / 2


class Heads:
    """The heads of the runs that are looked at, each made once and told to all."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._kept = Recent[str, tuple[int, bytes, run_head.Speed]](KEPT_HEADS)

    def of(self, run: Run) -> bytes:
        """The properties of the head's parts, as JSON."""
        with self._lock:
            version, told, speed = self._kept.get(run.id) or (-1, b"", run_head.Speed())
            if version != run.version:
                speed = speed.after(run)
                parts = run_head.parts(self._store, run, self._store.history(run.id), speed.rate)
                told = orjson.dumps(parts, default=lambda each: each.to_plotly_json())
                self._kept.put(run.id, (run.version, told, speed))
        return told


class Map(NamedTuple):
    """What a browser gets of a map: little where its figure shows it already, else the figure or a change of it."""

    key: str
    same: bytes
    other: bytes

    def told(self) -> bytes:
        """What the browser that asks needs of it."""
        return self.same if request.args.get("key") == self.key else self.other


class News(NamedTuple):
    """A version of a run: the head of the page as JSON, and the map."""

    head: bytes
    map: Map


class Told:
    """The news that were told last: pages with the same view of the same run are told the same."""

    def __init__(self) -> None:
        self._kept = Recent[tuple[str, int, bytes], News](KEPT_NEWS)

    def of(self, run: Run, make: Callable[[], News]) -> News:
        """What `make` returns for a version of a run and the view that is asked for."""
        key = run.id, run.version, KNOWN.sub(b"", request.query_string)
        found = self._kept.get(key)
        if found is None:
            found = make()
            self._kept.put(key, found)
        return found


def register(app: Dash, context: Context, maps: Maps) -> None:
    """`/run/<id>/news` and `/run/<id>/map`; what makes no sense is refused in words."""
    crowd, heads, health, told = Crowd(), Heads(context.store), Health(context.store), Told()

    @app.server.get("/run/<run_id>/news")
    def news(run_id: str) -> Response:
        wait, age = crowd.look(), crowd.age
        try:
            run = maps.run(run_id, age)
            active = run.state in run_head.ACTIVE
            now = 1_000 * (wait if active else max(wait, IDLE)), orjson.dumps(health.lately())
            if request.args.get("version") == str(run.version):
                return _json(b'{"wait":%d,"health":%b}' % now)
            new = told.of(run, lambda: News(heads.of(run), _map(context, maps, run_id, age)))
            version = run.version, b"true" if active else b"false", new.head, new.map.told()
            return _json(b'{"wait":%d,"health":%b,"version":%d,"active":%b,"head":%b,"map":%b}' % (*now, *version))
        except InputError as error:
            return _refused(error)

    @app.server.get("/run/<run_id>/map")
    def map_of(run_id: str) -> Response:
        try:
            return _json(_map(context, maps, run_id, crowd.age).told())
        except InputError as error:
            return _refused(error)


def _map(context: Context, maps: Maps, run_id: str, age: float) -> Map:
    """The map that the address asks for."""
    asked = from_query({**request.args, "rest": ""}, maps.run(run_id, age).request.tolerances)
    shown = maps.shown(run_id, asked["at"], asked["levels"], age)
    rest = fitting(request.args.get("rest", "").split(","), shown.tolerances)
    view = View(tuple(asked["axes"] or ()), asked["colour"], asked["scale"], tuple(rest or ()))
    return _answer(context, maps, shown, view)


def _answer(context: Context, maps: Maps, shown: Shown, view: View) -> Map:
    """A change where the browser's figure only has other elites, a whole figure where its shape or look is another."""
    dark, narrow = request.args.get("scheme") == "dark", request.args.get("narrow") == "true"
    key: tuple[Any, ...] = ("map", *shown.key, ",".join(view.order), ",".join(view.rest), view.colour, view.scale)
    name = orjson.dumps(key).decode()
    look = orjson.dumps([*view.order, *view.rest, *shown.tolerances.shape, str(shown.levels), dark, narrow]).decode()
    known = request.args.get("look") == look

    def made() -> bytes:
        drawn = content(maps.archive(shown), view, shown.evaluations)
        if known:
            return orjson.dumps({"look": look, "key": name, "patch": patch(drawn, dark=dark)})
        whole = figure(maps.archive(shown), view, drawn, dark=dark, narrow=narrow)
        return orjson.dumps({"look": look, "key": name, "figure": whole, "form": form(shown.tolerances, view.order)})

    other = context.cache.remember_bytes((*key, look, "patch" if known else "figure"), made)
    return Map(name if known else "", orjson.dumps({"look": look, "key": name}), other)


def form(tolerances: Tolerances, order: tuple[str, ...] = ()) -> str:
    """The class of the map's proportions: a strip, wide or square."""
    rows, columns = Fold.of(tolerances, order).shape
    return "map-strip" if rows == 1 else "map-wide" if columns > 2 * rows else "map-square"


def _json(content: bytes) -> Response:
    return Response(content, mimetype="application/json", headers=NO_STORE)


def _refused(error: InputError) -> Response:
    return Response(str(error), status=404, mimetype="text/plain", headers=NO_STORE)
