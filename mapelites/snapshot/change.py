"""A snapshot told as what is other than in an earlier one: most of a large map stays as it is from moment to moment.

Only the elites that were found since are put down, with the version of the earlier snapshot, which may be a change
itself. Put together they are the whole snapshot of that moment, bit for bit.

The k-th change after a whole snapshot is told of number k with its lowest bit cleared (as in P. Fenwick, "A new data
structure for cumulative frequency tables", 1994): half of them hold what one step brought, a quarter two steps, and
whoever reads one needs as many others as k has bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.core.archive import Integers
from mapelites.core.errors import InputError
from mapelites.search import Illumination
from mapelites.search.outlook import Outlook
from mapelites.snapshot.snapshot import ELITE_ARRAYS, FORMAT, Snapshot, pack, unpack

CHANGE = "change"  # stands where a whole snapshot has the number of its format
MOST_CHANGES = 64  # of one whole snapshot
DEEPEST = 8  # changes of changes; there are no more than bits of that

Parts = tuple[Mapping[str, Any], dict[str, NDArray[Any]]]


@dataclass(frozen=True)
class SnapshotChange:
    """A moment of a run with only the elites found since the snapshot of version `base`."""

    base: int
    places: Integers  # of these elites among all
    solutions: int  # how many there are of all
    best: float | None  # of all
    moment: Snapshot

    @classmethod
    def of(
        cls, search: Illumination, seconds: float, curve: NDArray[np.float64], base: int, since: int,
        outlook: Outlook | None = None,
    ) -> SnapshotChange:  # fmt: skip
        """The present moment of a search; the snapshot of version `base` was taken at evaluation `since`."""
        places, elites = search.found_since(since)
        moment = Snapshot.of(search, seconds, curve, elites, outlook)
        return cls(base, places, search.solutions, search.best, moment)

    def to_bytes(self) -> bytes:
        """The change as the content of an `.npz` file."""
        about, arrays = self.moment.parts()
        about |= {"format": CHANGE, "base": self.base, "solutions": self.solutions}
        return pack(about, {**arrays, "places": self.places})


class SnapshotSeries:
    """A whole snapshot and its changes so far: of which one the next change is to be told, if of any."""

    def __init__(self) -> None:
        self._taken: list[tuple[int, int]] = []  # version and evaluations
        self._changed = 0

    def base(self, elites: int) -> tuple[int, int] | None:
        """Version and evaluations of the snapshot to tell the change of, with so many elites by now.

        None where a whole one is due: once the changes have had as many elites in all, it costs no more than they did.
        """
        number = len(self._taken)
        if not 0 < number <= MOST_CHANGES or self._changed >= elites:
            return None
        # The number of the change without its last bit that is set: change 7 is told of 6, 6 of 4, 4 of 0. So a
        # snapshot is never more than log2(changes) steps from a whole one, and each step stays small.
        return self._taken[number & (number - 1)]

    def add(self, version: int, seen: Snapshot | SnapshotChange) -> None:
        """This was put down."""
        if isinstance(seen, SnapshotChange):
            self._taken.append((version, seen.moment.evaluations))
            self._changed += len(seen.places)
        else:
            self._taken, self._changed = [(version, seen.evaluations)], 0


def whole_snapshot(content: bytes, read: Callable[[int], bytes | None]) -> Snapshot | None:
    """The snapshot that was put down as these bytes, whole or as a change of another one.

    `read` returns what was put down under a version. None where one that is needed is no longer there.
    """
    about, arrays = unpack(content)
    if about.get("format") != CHANGE:
        return Snapshot.from_parts(about, arrays)
    changes = [(about, arrays)]
    while changes[-1][0].get("format") == CHANGE:
        before = read(_number(changes[-1][0], "base"))
        if before is None:
            return None
        if len(changes) > DEEPEST:
            raise InputError(f"a change must be told of at most {DEEPEST} others, but there are more")
        changes.append(unpack(before))
    elites = changes.pop()[1]
    for change in reversed(changes):
        elites = _put_together(elites, change)
    others = {name: array for name, array in arrays.items() if name not in (*ELITE_ARRAYS, "places")}
    return Snapshot.from_parts({**about, "format": FORMAT}, {"curve": np.empty(0), **others, **elites})


def _put_together(old: Mapping[str, NDArray[Any]], change: Parts) -> dict[str, NDArray[Any]]:
    """The arrays of all elites, from those of the snapshot before and of the change."""
    about, new = change
    solutions, places = _number(about, "solutions"), new.get("places", np.empty(0))
    if places.ndim != 1 or places.dtype != np.int64 or not (np.diff(places) > 0).all():
        raise InputError(f"the places of a change must be ascending, but they were {places!r}")
    if len(places) and not 0 <= places[0] <= places[-1] < solutions:
        raise InputError(f"the places of a change must be 0 to {solutions - 1}, but they were {places!r}")
    both: dict[str, NDArray[Any]] = {}
    for name in ELITE_ARRAYS:
        before, now = old.get(name), new.get(name)
        if before is None or now is None or now.shape != (len(places), *before.shape[1:]) or now.dtype != before.dtype:
            raise InputError(f"{name} of a change must be as many rows as places, of the same kind, but it was {now!r}")
        known = min(len(before), solutions)
        # Rows only ever get more, so all from `known` on have to come with the change.
        if np.sum(places >= known) != solutions - known:
            raise InputError(f"a change from {len(before)} to {solutions} solutions must have the new ones")
        both[name] = np.empty((solutions, *before.shape[1:]), dtype=before.dtype)
        both[name][:known] = before[:known]
        both[name][places] = now
    return both


def _number(about: Mapping[str, Any], name: str) -> int:
    value = about.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(f"{name} of a change must be a whole number, but it was {value!r}")
    return value
