"""The maps of a run's page, and the words by which a browser names them: moment, levels, axes, colours and cell.

Everything here comes from a browser, so everything is checked; `components/page_state/state.py` puts it together.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from components.shared.format import LARGEST_EXACT
from components.shared.recent import RecentValues
from mapelites.core.archive import Archive, Elites
from mapelites.core.errors import InputError, unknown
from mapelites.core.nested_map.fold import AWAY, Fold
from mapelites.core.nested_map.usual import steady_order, usual_order
from mapelites.core.tolerances import Tolerances, check_levels, short
from mapelites.runs import Moment, Run, Store
from mapelites.runs.record import OVER
from mapelites.snapshot.findings import Findings

KEPT_MAPS, KEPT_RUNS = 8, 64
MOST_MAP_BYTES = 192 * 2**20  # of all maps together, but for the one that was asked for last
DERIVED = 2  # times the solutions
LARGE_BYTES, LARGE_CELLS = 2**24, 200_000  # of a run with its history, and of its map
LONGEST = 19  # digits of a cell's number


@dataclass(frozen=True)
class ShownMap:
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
        moment = self.moment.version if self.moment else -1
        levels = levels_text(self.tolerances), ",".join(self.tolerances.hard)
        return self.run.id, moment, *levels, self.run.findings


class Maps:
    """The archives of the maps that were looked at last, so that a click need not read them again."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept = RecentValues[tuple[str | int, ...], Archive](KEPT_MAPS, bytes_of, MOST_MAP_BYTES)
        self._runs = RecentValues[str, tuple[Run, Sequence[Moment], float]](KEPT_RUNS)
        self._findings = RecentValues[tuple[str, int], Findings](KEPT_RUNS)
        self._orders = RecentValues[tuple[str, ...], tuple[str, ...]](KEPT_RUNS)
        self._one_at_a_time = threading.RLock()

    def shown(self, run_id: Any, at: Any = None, levels: Any = None, age: float = 0.0) -> ShownMap:
        """What these words of a browser ask for; an `InputError` where they make no sense."""
        run = self.run(checked_text("run", run_id), age)
        return self.shown_at(run.id, checked_whole("at", at), read_levels(levels, run.request.tolerances), age)

    def shown_at(self, run_id: str, at: int | None, levels: Tolerances | None, age: float = 0.0) -> ShownMap:
        """The map of a run at a moment, at levels that are not its own or None."""
        run, moments, _ = self._run(run_id, age)
        return ShownMap(run, nearest_moment(moments, at), levels)

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

    def newest(self, shown: ShownMap) -> Archive:
        """The map of the same run at the same levels as it is now: what the scale of colours is made for."""
        _, moments, _ = self._run(shown.run.id, math.inf)
        return self.archive(replace(shown, moment=nearest_moment(moments, None)))

    def order(self, shown: ShownMap) -> tuple[str, ...]:
        """Which constraints are the axes where nobody chose them; while a run goes on they keep their places."""
        newest = self.newest(shown)
        if shown.run.state in OVER:
            return usual_order(newest)
        key = shown.run.id, levels_text(shown.tolerances), ",".join(shown.tolerances.hard)
        order = steady_order(newest, self._orders.get(key) or ())
        self._orders.put(key, order)
        return order

    def version_of_newest(self, shown: ShownMap) -> int:
        """Which version that is."""
        moment = nearest_moment(self._run(shown.run.id, math.inf)[1], None)
        return moment.version if moment else -1

    def findings(self, run: Run) -> Findings:
        """What jobs found of a run as it is."""
        return self._findings.remember((run.id, run.findings), lambda: self._read(run))

    def _read(self, run: Run) -> Findings:
        return self._store.jobs.findings(run.id).by_axis(run.request.tolerances)

    def turn(self, run: Run) -> AbstractContextManager[Any]:
        """Around what takes several times the room of a map: of the large ones, one at a time."""
        large = run.size > LARGE_BYTES or run.request.tolerances.cells > LARGE_CELLS
        return self._one_at_a_time if large else nullcontext()

    def archive(self, shown: ShownMap) -> Archive:
        """The map itself, with a constraint for each of its axes; an empty one before the first snapshot."""
        return self.whole(shown).by_axis

    def whole(self, shown: ShownMap) -> Archive:
        """The same with every constraint: another one only where constraints share an axis."""
        found = self._kept.get(shown.key)
        if found is not None:
            return found
        with self.turn(shown.run):
            return self._kept.remember(shown.key, lambda: self._made(shown))

    def evaluations(self, shown: ShownMap) -> Elites | None:
        """Every solution that was evaluated up to a moment, where the run logs them."""
        logs = shown.run.request.settings.workers > 0
        return self._store.evaluations(shown.run.id, shown.evaluations) if logs else None

    def _made(self, shown: ShownMap) -> Archive:
        request = shown.run.request
        if shown.moment is None:
            empty = request.spec.empty_archive()
            return empty if shown.levels is None else empty.rebin(shown.levels)
        if shown.levels is not None:
            everything = self.evaluations(shown)
            if everything is not None:
                return Archive(request.get_problem(), shown.levels, everything)
            return self.whole(replace(shown, levels=None)).rebin(shown.levels)
        # A moment that was thinned out meanwhile is gone: the newest one is the next best.
        snapshot = self._store.snapshot(shown.run.id, shown.moment.version) or self._store.snapshot(shown.run.id)
        return request.spec.empty_archive() if snapshot is None else snapshot.archive()


def bytes_of(archive: Archive) -> int:
    """What a map takes in memory: its solutions, and what is worked out of them."""
    elites = archive.everything()
    once = sum(array.nbytes for array in (elites.x, elites.f, elites.g, elites.h, elites.found_at, elites.operator))
    return DERIVED * once


def nearest_moment(moments: Sequence[Moment], at: int | None) -> Moment | None:
    """The moment nearest to an evaluation; the newest where none is named."""
    if not moments:
        return None
    return moments[-1] if at is None else min(moments, key=lambda moment: abs(moment.evaluations - at))


def read_axes(axes: Any, tolerances: Tolerances) -> tuple[str, ...] | None:
    """The order of the constraints, checked; None for the usual one."""
    if axes is None:
        return None
    if not isinstance(axes, list) or not all(isinstance(each, str) for each in axes):
        raise InputError(f"axes: a list of constraints is needed, but it was {axes!r}")
    for name in axes:
        if name.removeprefix(AWAY) not in tolerances.names:
            raise unknown("axes: a constraint", name, tolerances.names)
    Fold.of(tolerances, axes)
    return tuple(axes)


def read_word(what: str, word: Any, known: Sequence[str]) -> str | None:
    """One of the known words, or None where nothing is said."""
    if word is None or word == "":
        return None
    if word not in known:
        raise unknown(what, word, known)
    return str(word)


def read_block(block: Any) -> tuple[int, int] | None:
    """The block that is shown alone: its place from the bottom up and from the left; None for the whole map."""
    if block is None:
        return None
    if not isinstance(block, list) or len(block) != 2:
        raise InputError(f"block: two whole numbers are needed, but it was {block!r}")
    up, right = (checked_whole("block", each) for each in block)
    if up is None or right is None or up < 0 or right < 0:
        raise InputError(f"block: two whole numbers from 0 on are needed, but it was {block!r}")
    return up, right


def read_levels(levels: Any, own: Tolerances) -> Tolerances | None:
    """Other levels for the same constraints; None where there are none or they are the run's own."""
    if levels is None:
        return None
    if not isinstance(levels, list) or not all(isinstance(each, list) for each in levels):
        raise InputError(f"levels: a list of levels for every constraint is needed, but it was {levels!r}")
    wanted = replace(own, levels=tuple(tuple(each) for each in levels))
    return None if wanted == own else wanted


def read_cell(cell: Any, tolerances: Tolerances) -> int | None:
    """A cell of the map, or None where none is chosen; one beyond a browser's whole numbers comes as text."""
    number = digits_of("cell", cell) if isinstance(cell, str) else checked_whole("cell", cell)
    if number is not None and not 0 <= number < tolerances.cells:
        raise InputError(f"cell: the map has cells 0 to {tolerances.cells - 1:,}, but it was {number:,}")
    return number


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


def checked_text(what: str, value: Any) -> str:
    """A text from a browser."""
    if not isinstance(value, str):
        raise InputError(f"{what}: a text is needed, but it was {value!r}")
    return value


def checked_whole(what: str, value: Any) -> int | None:
    """A whole number from a browser, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST_EXACT:
        raise InputError(f"{what}: a whole number is needed, but it was {value!r}")
    return value


def pressed_point(click: Any) -> Mapping[str, Any]:
    """What a figure says of the point that was pressed; nothing where none was or it makes no sense.

    >>> pressed_point({"points": [{"x": 4, "y": 2}]}), pressed_point({"points": 7}), pressed_point(None)
    ({'x': 4, 'y': 2}, {}, {})
    """
    points = click.get("points") if isinstance(click, dict) else None
    first = points[0] if isinstance(points, list) and points else None
    return first if isinstance(first, dict) else {}


def digits_of(what: str, value: str | None) -> int | None:
    """A whole number from an address, or None."""
    if value is None or value == "":
        return None
    if not (value.isascii() and value.isdecimal()) or len(value) > LONGEST:
        raise InputError(f"{what}: a whole number is needed, but it was {value!r}")
    return int(value)
