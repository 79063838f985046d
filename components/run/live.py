"""What a run's page asks for several times a second: news of the run, and the map.

These are plain addresses beside the callbacks. News are finished bytes that are made once for all browsers on a run:
the head of the page, told as properties of its parts, and the change of the map. The more pages look, the longer
each is asked to wait, so that watching never takes the machine from the search.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import orjson
from dash import Dash
from flask import Response, request

from components.map.figure import FigureView, content, figure, patch
from components.page_state.state import PageState, figure_view
from components.page_state.view import Maps, ShownMap, levels_text
from components.run import head as run_head
from components.shared.context import Context
from components.shared.health import Health
from components.shared.recent import RecentValues
from mapelites.core.errors import InputError
from mapelites.core.nested_map.fold import Fold
from mapelites.core.nested_map.view import is_too_fine
from mapelites.runs import Run, Store

NO_STORE = {"Cache-Control": "no-store"}
IDLE = 2.0  # seconds between two looks where nothing happens
KEPT_HEADS, KEPT_NEWS = 64, 16
KNOWN = re.compile(rb"&?\b(?:version|key)=[^&]*")  # what a page has: of no account for what it is told


class HeadCache:
    """The heads of the runs that are looked at, each made once and told to all."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._kept = RecentValues[str, tuple[int, bytes, run_head.Speed]](KEPT_HEADS)

    def of(self, run: Run) -> bytes:
        """The properties of the head's parts, as JSON."""
        with self._lock:
            version, told, speed = self._kept.get(run.id) or (-1, b"", run_head.Speed())
            if version != run.version:
                speed = speed.after(run)
                parts = run_head.changing_parts(self._store, run, self._store.history(run.id), speed.rate)
                told = orjson.dumps(parts, default=lambda each: each.to_plotly_json())
                self._kept.put(run.id, (run.version, told, speed))
        return told


class MapNews(NamedTuple):
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
    map: MapNews


class NewsCache:
    """The news that were told last: pages with the same view of the same run are told the same."""

    def __init__(self) -> None:
        self._kept = RecentValues[tuple[str, int, bytes], News](KEPT_NEWS)

    def of(self, run: Run, make: Callable[[], News]) -> News:
        """What `make` returns for a version of a run and the view that is asked for."""
        key = run.id, run.version, KNOWN.sub(b"", request.query_string)
        return self._kept.remember(key, make)


def register(app: Dash, context: Context, maps: Maps) -> None:
    """`/run/<id>/news` and `/run/<id>/map`; what makes no sense is refused in words."""
    pacer, heads, health, told = context.pacer, HeadCache(context.store), Health(context.store), NewsCache()

    @app.server.get("/run/<run_id>/news")
    def news(run_id: str) -> Response:
        wait, age = pacer.look(), pacer.age
        try:
            run = maps.run(run_id, age)
            active = run.state in run_head.ACTIVE
            if run.request.unseen and request.args.get("look"):  # its map is on a screen: now its clock runs
                context.store.set_pace(run.id, None, run.request.watch)
            # The answer is put together from finished bytes: with many pages on one run, encoding it again for each
            # would cost more than all else.
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
            return _json(_map(context, maps, run_id, pacer.age).told())
        except InputError as error:
            return _refused(error)


def _map(context: Context, maps: Maps, run_id: str, age: float) -> MapNews:
    """The map that the address asks for."""
    request_ = maps.run(run_id, age).request
    state = PageState.from_query(request.args, request_.tolerances, request_.problem_by_axis())
    shown = maps.shown_at(run_id, state.at, state.binned, age)
    return _answer(context, maps, shown, figure_view(state, shown, maps))


def _answer(context: Context, maps: Maps, shown: ShownMap, view: FigureView) -> MapNews:
    """A change where the browser's figure only has other elites, a whole figure where its shape or look is another."""
    dark, narrow = request.args.get("scheme") == "dark", request.args.get("narrow") == "true"
    view = replace(view, summary=is_too_fine(replace(view, block=None).fold(shown.tolerances), narrow=narrow))
    fold = view.fold(shown.tolerances)
    # `seen` is all that decides what a figure looks like but for the elites themselves.
    hidden = [repr(fold.limits[i]) for i in fold.hidden]
    newest = maps.newest(shown)
    seen = [*map(str, fold.order), fold.shown, *hidden, view.reading, view.block, view.summary]
    scale = maps.version_of_newest(shown) if view.colour in ("gain", "objective") else 0
    key: tuple[Any, ...] = ("map", *shown.key, *map(str, seen), view.colour, view.scale, dark, scale)
    name = orjson.dumps(key).decode()
    found = maps.findings(shown.run)
    levels, hatched = levels_text(shown.tolerances), [each.cells for each in found.empty]
    look = orjson.dumps([*seen, *shown.tolerances.shape, levels, dark, narrow, hatched]).decode()
    # The browser says which figure it has. Of the same look it needs the elites alone.
    known = request.args.get("look") == look

    def made() -> bytes:
        with maps.turn(shown.run):
            return drawn_map()

    def drawn_map() -> bytes:
        archive = maps.archive(shown)
        drawn = content(archive, view, shown.evaluations, dark=dark, newest=newest, proofs=found.proofs)
        if known:
            return orjson.dumps({"look": look, "key": name, "patch": patch(drawn, dark=dark)})
        whole = figure(archive, view, drawn, dark=dark, narrow=narrow)
        return orjson.dumps({"look": look, "key": name, "figure": whole, "form": map_proportions(fold)})

    other = context.cache.remember_bytes((*key, look, "patch" if known else "figure"), made)
    return MapNews(name if known else "", orjson.dumps({"look": look, "key": name}), other)


def map_proportions(fold: Fold) -> str:
    """The class of the map's proportions: a strip, wide or square."""
    rows, columns = fold.shape
    return "map-strip" if rows == 1 else "map-wide" if columns > 2 * rows else "map-square"


def _json(content: bytes) -> Response:
    return Response(content, mimetype="application/json", headers=NO_STORE)


def _refused(error: InputError) -> Response:
    return Response(str(error), status=404, mimetype="text/plain", headers=NO_STORE)
