"""Which moments of a run are kept for replay: at most so many, evenly spread over log(evaluations)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mapelites.runs.errors import DamagedError
from mapelites.runs.record import MOST_SECONDS, MOST_WHOLE, check_range

MOST_MOMENTS = 200
FEWEST_MOMENTS = 20
MOST_BYTES = 256 * 2**20  # beyond this, a run with large snapshots keeps fewer of them
MOST_POINTS = 400
LINGER_SECONDS = 10.0  # a reader that just learnt a version may still want its snapshot


@dataclass(frozen=True)
class Moment:
    """One snapshot of the history, and how far the run was."""

    version: int
    evaluations: int
    seconds: float
    occupied: int
    best_feasible: float | None


def most_even(evaluations: ArrayLike, most: int) -> list[int]:
    """The places to keep: first and last always, and of the rest those that leave the most even steps.

    >>> most_even([1, 2, 3, 4, 8], 4)
    [0, 1, 3, 4]
    """
    logs = np.log(np.maximum(evaluations, 1.0))
    kept = np.arange(len(logs))
    while len(kept) > max(most, 2):
        # The step that there would be without each one in between: the smallest is missed least.
        steps = logs[kept[2:]] - logs[kept[:-2]]
        kept = np.delete(kept, 1 + np.argmin(steps))
    return [int(place) for place in kept]


def thin_curve(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """The curve with at most `MOST_POINTS` rows."""
    return curve[most_even(curve[:, 0], MOST_POINTS)] if len(curve) > MOST_POINTS else curve


@dataclass(frozen=True)
class History:
    """The moments of one run with their sizes, and the snapshots that are about to be deleted.

    A snapshot that was put down as the change of another one needs that: it stays on disk as long as its changes do.
    """

    moments: tuple[Moment, ...] = ()
    sizes: tuple[int, ...] = ()
    leaving: tuple[tuple[int, float, int], ...] = ()  # version, when it left, bytes
    bases: tuple[tuple[int, int], ...] = ()  # of changes: version, and that of the snapshot that it needs

    @property
    def size(self) -> int:
        """Bytes of all snapshots that are on disk."""
        return sum(self.sizes) + sum(size for _, _, size in self.leaving)

    def add(self, moment: Moment, size: int, now: float, base: int | None = None) -> History:
        """The history with one more moment, thinned; `base` is the snapshot that this one is a change of.

        A run taken up again at a checkpoint lives through some moments twice: the later ones leave.
        """
        before = [(m, s) for m, s in zip(self.moments, self.sizes, strict=True) if m.evaluations < moment.evaluations]
        pairs = [*before, (moment, size)]
        bases = self.bases if base is None else (*self.bases, (moment.version, base))
        needed = {base for _, base in bases}
        room = sum(s for _, s in pairs) + sum(s for version, _, s in self.leaving if version in needed)
        most = min(MOST_MOMENTS, max(FEWEST_MOMENTS, MOST_BYTES * len(pairs) // max(room, 1)))
        kept = [pairs[i] for i in most_even([m.evaluations for m, _ in pairs], most)]
        stays = {m.version for m, _ in kept}
        gone = [(m.version, now, s) for m, s in zip(self.moments, self.sizes, strict=True) if m.version not in stays]
        return History(tuple(m for m, _ in kept), tuple(s for _, s in kept), (*self.leaving, *gone), bases)

    def without_gone(self, now: float) -> tuple[History, list[int]]:
        """The history without snapshots that left a while ago, and the versions of those."""
        needed = {base for _, base in self.bases}
        # Snapshots of many megabytes leave at once: few readers are worth that much room.
        waiting = sum(size for version, _, size in self.leaving if version not in needed)
        linger = LINGER_SECONDS if waiting < MOST_BYTES // 8 else 0.0
        # Either way: of a clock that was set back, they would have left in the future.
        gone = {v for v, when, _ in self.leaving if abs(now - when) >= linger and v not in needed}
        stay = tuple(each for each in self.leaving if each[0] not in gone)
        bases = tuple(each for each in self.bases if each[0] not in gone)
        return History(self.moments, self.sizes, stay, bases), sorted(gone)

    @property
    def versions(self) -> list[int]:
        """Every snapshot that is on disk."""
        return [*(moment.version for moment in self.moments), *(each[0] for each in self.leaving)]

    def as_table(self) -> dict[str, Any]:
        """Plain values for the store."""
        rows = [
            [each.version, each.evaluations, each.seconds, each.occupied, each.best_feasible, size]
            for each, size in zip(self.moments, self.sizes, strict=True)
        ]
        rest = {"leaving": [list(each) for each in self.leaving], "bases": [list(each) for each in self.bases]}
        return {"moments": rows, **rest}

    @classmethod
    def from_table(cls, table: dict[str, Any]) -> History:
        """The history from plain values."""
        try:
            moments = tuple(
                Moment(int(v), int(n), float(s), int(k), None if best is None else float(best))
                for v, n, s, k, best, _ in table["moments"]
            )
            sizes = tuple(int(row[5]) for row in table["moments"])
            leaving = tuple((int(v), float(when), int(size)) for v, when, size in table["leaving"])
            bases = tuple((int(version), int(base)) for version, base in table.get("bases", ()))
            for each in moments:
                for name in ("version", "evaluations", "occupied"):
                    check_range(name, getattr(each, name), MOST_WHOLE)
                check_range("seconds", each.seconds, MOST_SECONDS)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DamagedError(f"store: a run's history must be a list of moments, but it was not ({error})") from None
        return cls(moments, sizes, leaving, bases)
