"""What somebody looks at on a run's page: which moment, at which levels, with which axes and colours.

Everything here comes from a browser, so everything is checked. An address holds it all, and opens the same
view elsewhere: `/run/k3x?at=12000&axes=g2,g1,;h1&colour=age&cell=31`. A semicolon takes a constraint off the map, and
`rest` says which bins count of those that it does not show.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from components.many_parallel import read_brush
from components.many_rest import check
from components.map_colour import COLOURS, SCALES
from components.map_figure import View
from components.map_fold import AWAY, Fold
from components.recent import Recent
from mapelites.archive import Archive, Elites
from mapelites.errors import InputError, unknown
from mapelites.runs import Moment, Run, Store
from mapelites.tolerances import Tolerances, check_levels, short

KEPT_MAPS, KEPT_RUNS = 8, 64
LARGEST = 2**53  # beyond it a browser's whole numbers are no longer exact
LONGEST = 19  # digits of a cell's number


@dataclass(frozen=True)
class Shown:
    """One map to show: of which run, at which evaluation (None for the newest), at which levels (None for its own)."""

    run: Run
    moment: Moment | None
    levels: Tolerances | None

    @property
    def tolerances(self) -> Tolerances:
        """The levels of the map."""
        return self.levels or self.run.request.tolerances

    @property
    def evaluations(self) -> int:
        """How far the run was."""
        return self.moment.evaluations if self.moment else 0

    @property
    def key(self) -> tuple[str | int, ...]:
        """Names the map: what is drawn of it can be remembered under this key."""
        return self.run.id, self.moment.version if self.moment else -1, levels_text(self.tolerances)


class Maps:
    """The archives of the maps that were looked at last, so that a click need not read them again."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept = Recent[tuple[str | int, ...], Archive](KEPT_MAPS)
        self._runs = Recent[str, tuple[Run, Sequence[Moment], float]](KEPT_RUNS)

    def shown(self, run_id: Any, at: Any = None, levels: Any = None, age: float = 0.0) -> Shown:
        """What these words of a browser ask for; an `InputError` where they make no sense."""
        run, moments, _ = self._run(text("run", run_id), age)
        wanted = read_levels(levels, run.request.tolerances)
        return Shown(run, nearest(moments, whole("at", at)), wanted)

    def run(self, run_id: str, age: float = 0.0) -> Run:
        """A run as it is now, or was at most so many seconds ago; read only where it changed since somebody asked."""
        return self._run(run_id, age)[0]

    def _run(self, run_id: str, age: float) -> tuple[Run, Sequence[Moment], float]:
        now, found = time.monotonic(), self._runs.get(run_id)
        if found is not None and now - found[2] < age:
            return found
        version = self._store.version(run_id)
        if found is None or found[0].version != version:
            found = self._store.run(run_id), self._store.history(run_id), now
        self._runs.put(run_id, (*found[:2], now))
        return found

    def archive(self, shown: Shown) -> Archive:
        """The map itself; an empty one before the first snapshot."""
        found = self._kept.get(shown.key)
        if found is None:
            found = self._made(shown)
            self._kept.put(shown.key, found)
        return found

    def evaluations(self, shown: Shown) -> Elites | None:
        """Every solution that was evaluated up to a moment, where the run logs them."""
        logs = shown.run.request.settings.workers > 0
        return self._store.evaluations(shown.run.id, shown.evaluations) if logs else None

    def _made(self, shown: Shown) -> Archive:
        request = shown.run.request
        if shown.moment is None:
            return request.begin().archive() if shown.levels is None else request.begin().archive().rebin(shown.levels)
        if shown.levels is not None:
            everything = self.evaluations(shown)
            if everything is not None:
                return Archive(request.get_problem(), shown.levels, everything)
            return self.archive(replace(shown, levels=None)).rebin(shown.levels)
        # A moment that was thinned out meanwhile is gone: the newest one is the next best.
        snapshot = self._store.snapshot(shown.run.id, shown.moment.version) or self._store.snapshot(shown.run.id)
        return request.begin().archive() if snapshot is None else snapshot.archive()


def nearest(moments: Sequence[Moment], at: int | None) -> Moment | None:
    """The moment nearest to an evaluation; the newest where none is named."""
    if not moments:
        return None
    return moments[-1] if at is None else min(moments, key=lambda moment: abs(moment.evaluations - at))


def read_view(axes: Any, colour: Any, scale: Any, tolerances: Tolerances, rest: Any = None) -> View:
    """Axes and colours, and which bins count of the other constraints, checked."""
    for what, words, kind in (("axes", axes, "constraints"), ("rest", rest, "words")):
        if words is not None and (not isinstance(words, list) or not all(isinstance(each, str) for each in words)):
            raise InputError(f"{what}: a list of {kind} is needed, but it was {words!r}")
    for name in axes or ():
        if name.removeprefix(AWAY) not in tolerances.names:
            raise unknown("axes: a constraint", name, tolerances.names)
    if colour not in COLOURS:
        raise unknown("colour", colour, COLOURS)
    if scale not in SCALES:
        raise unknown("scale", scale, SCALES)
    Fold.of(tolerances, axes)
    return View(tuple(axes or ()), colour, scale, check(rest, tolerances))


def read_levels(levels: Any, own: Tolerances) -> Tolerances | None:
    """Other levels for the same constraints; None where there are none or they are the run's own."""
    if levels is None:
        return None
    if not isinstance(levels, list) or not all(isinstance(each, list) for each in levels):
        raise InputError(f"levels: a list of levels for every constraint is needed, but it was {levels!r}")
    wanted = Tolerances(own.names, tuple(tuple(each) for each in levels))
    return None if wanted == own else wanted


def read_cell(cell: Any, tolerances: Tolerances) -> int | None:
    """A cell of the map, or None where none is chosen; one beyond a browser's whole numbers comes as text."""
    number = _digits("cell", cell) if isinstance(cell, str) else whole("cell", cell)
    if number is not None and not 0 <= number < tolerances.cells:
        raise InputError(f"cell: the map has cells 0 to {tolerances.cells - 1:,}, but it was {number:,}")
    return number


def cell_for_browser(cell: int | None) -> int | str | None:
    """The cell as a number where a browser's are exact, else as text."""
    return str(cell) if cell is not None and cell > LARGEST else cell


def from_query(query: Mapping[str, str], tolerances: Tolerances) -> dict[str, Any]:
    """The view that an address asks for; what it does not name is as usual."""
    axes = query["axes"].split(",") if query.get("axes") else None
    levels = levels_from_text(query["levels"], tolerances) if query.get("levels") else None
    shown = levels or tolerances
    rest = query["rest"].split(",") if query.get("rest") else None
    view = read_view(axes, query.get("colour", "objective"), query.get("scale", "auto"), shown, rest)
    return {
        "at": _digits("at", query.get("at")),
        "axes": list(view.order) or None,
        "colour": view.colour,
        "scale": view.scale,
        "rest": list(view.rest) or None,
        "brush": read_brush(query["brush"], len(shown.names)) if query.get("brush") else None,
        "overview": "parallel" if query.get("overview") == "parallel" or query.get("brush") else "pairs",
        "cell": cell_for_browser(read_cell(query.get("cell") or None, shown)),
        "levels": None if levels is None else [list(each) for each in levels.levels],
    }


def levels_text(tolerances: Tolerances) -> str:
    """All levels in one line, for an address: `0,1e-4,1;0,0.5`."""
    return ";".join(",".join(short(level) for level in each) for each in tolerances.levels)


def levels_from_text(content: str, own: Tolerances) -> Tolerances | None:
    """What `levels_text` wrote."""
    lists = content.split(";")
    if len(lists) != len(own.names):
        raise InputError(f"levels: {len(own.names)} lists are needed, one per constraint, but there were {len(lists)}")
    levels = tuple(check_levels(name, each.split(",")) for name, each in zip(own.names, lists, strict=True))  # type: ignore[arg-type]
    return read_levels([list(each) for each in levels], own)


def text(what: str, value: Any) -> str:
    """A text from a browser."""
    if not isinstance(value, str):
        raise InputError(f"{what}: a text is needed, but it was {value!r}")
    return value


def whole(what: str, value: Any) -> int | None:
    """A whole number from a browser, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST:
        raise InputError(f"{what}: a whole number is needed, but it was {value!r}")
    return value


def pressed(click: Any) -> Mapping[str, Any]:
    """What a figure says of the point that was pressed; nothing where none was or it makes no sense.

    >>> pressed({"points": [{"x": 4, "y": 2}]}), pressed({"points": 7}), pressed(None)
    ({'x': 4, 'y': 2}, {}, {})
    """
    points = click.get("points") if isinstance(click, dict) else None
    first = points[0] if isinstance(points, list) and points else None
    return first if isinstance(first, dict) else {}


def _digits(what: str, value: str | None) -> int | None:
    if value is None or value == "":
        return None
    if not (value.isascii() and value.isdecimal()) or len(value) > LONGEST:
        raise InputError(f"{what}: a whole number is needed, but it was {value!r}")
    return int(value)
