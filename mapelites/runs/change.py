"""A snapshot told as what is other than in an earlier one: most of a large map stays as it is from moment to moment.

Only the elites that were found since are put down, with the version of the whole snapshot that has the others. Put
together, the two are the whole snapshot of that moment, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.archive import Integers
from mapelites.errors import InputError
from mapelites.search import Illumination
from mapelites.snapshot import ELITE_ARRAYS, FORMAT, Snapshot, pack, unpack

CHANGE = "change"  # stands where a whole snapshot has the number of its format


@dataclass(frozen=True)
class Change:
    """A moment of a run with only the elites found since the whole snapshot of version `base`."""

    base: int
    places: Integers  # of these elites among all
    solutions: int  # how many there are of all
    best: float | None  # of all
    moment: Snapshot

    @classmethod
    def of(cls, search: Illumination, seconds: float, curve: NDArray[np.float64], base: int, since: int) -> Change:
        """The present moment of a search; the snapshot of version `base` was taken at evaluation `since`."""
        places, elites = search.found_since(since)
        return cls(base, places, search.solutions, search.best, Snapshot.of(search, seconds, curve, elites))

    def to_bytes(self) -> bytes:
        """The change as the content of an `.npz` file."""
        about, arrays = self.moment.parts()
        about |= {"format": CHANGE, "base": self.base, "solutions": self.solutions}
        return pack(about, {**arrays, "places": self.places})


def whole(content: bytes, read: Callable[[int], bytes | None]) -> Snapshot | None:
    """The snapshot that was put down as these bytes, whole or as a change of another one.

    `read` returns what was put down under a version. None where the other one is no longer there.
    """
    about, arrays = unpack(content)
    if about.get("format") != CHANGE:
        return Snapshot.from_parts(about, arrays)
    try:
        version, solutions, places = int(about["base"]), int(about["solutions"]), arrays.pop("places")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"not a change of a snapshot ({error!r})") from None
    before = read(version)
    if before is None:
        return None
    base = Snapshot.from_bytes(before)
    _check(base, solutions, places, arrays)
    for name in ELITE_ARRAYS:
        arrays[name] = _put_together(getattr(base.elites, name), solutions, places, arrays[name])
    return Snapshot.from_parts({**about, "format": FORMAT}, arrays)


def _check(base: Snapshot, solutions: int, places: NDArray[Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """An `InputError` where the change is not one of this snapshot."""
    known = min(len(base.elites), solutions)
    if places.ndim != 1 or places.dtype != np.int64 or not (np.diff(places) > 0).all():
        raise InputError(f"the places of a change must be ascending, but they were {places!r}")
    if solutions < 0 or (len(places) and not 0 <= places[0] <= places[-1] < solutions):
        raise InputError(f"the places of a change must be 0 to {solutions - 1}, but they were {places!r}")
    if np.sum(places >= known) != solutions - known:
        raise InputError(f"a change from {len(base.elites)} to {solutions} solutions must have the new ones")
    for name in ELITE_ARRAYS:
        new, old = arrays.get(name), getattr(base.elites, name)
        if new is None or new.shape != (len(places), *old.shape[1:]) or new.dtype != old.dtype:
            raise InputError(f"{name} of a change must be {len(places)} rows of {old.dtype}, but it was {new!r}")


def _put_together(old: NDArray[Any], count: int, places: Integers, new: NDArray[Any]) -> NDArray[Any]:
    both = np.empty((count, *old.shape[1:]), dtype=old.dtype)
    both[: len(old)] = old[:count]
    both[places] = new
    return both
