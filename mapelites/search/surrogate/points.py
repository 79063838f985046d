"""The points of a search in the unit box: evaluated, failed, or on their way with what the models expect there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mapelites.core.problem import Array

TOLD, PENDING, FAILED = range(3)
FIRST_ROOM = 64
SAME = 1e-9  # no variable differs by more between two points that count as one


class ConstraintRanges(NamedTuple):
    """Where the value of each constraint shall lie: two (constraints,) arrays, with infinities where it is open."""

    low: Array
    high: Array

    def excess(self, values: Array) -> Array:
        """By how much the constraints in (..., 1 + constraints) values lie outside."""
        found: Array = np.maximum(0.0, values[..., 1:] - self.high) + np.maximum(0.0, self.low - values[..., 1:])
        return found

    def holds(self, values: Array) -> NDArray[np.bool_]:
        """Whether all of them lie inside."""
        return np.asarray((self.excess(values) <= 0.0).all(axis=-1))

    def narrowed(self, margin: Array) -> ConstraintRanges:
        """An interval this much further inside, its ends not beyond each other."""
        most = np.where(np.isfinite(self.low) & np.isfinite(self.high), 0.45 * (self.high - self.low), np.inf)
        inside = np.minimum(margin, most)
        return ConstraintRanges(self.low + inside, self.high - inside)


class Points:
    """Rows that are only ever added to."""

    def __init__(self, n: int, outputs: int) -> None:
        self.count = 0
        self._x, self._values = np.empty((FIRST_ROOM, n)), np.empty((FIRST_ROOM, outputs))
        self._expected, self._status = np.empty((FIRST_ROOM, outputs)), np.empty(FIRST_ROOM, dtype=np.int64)
        self.slopes: dict[int, Array] = {}  # by row, (outputs, n): the gradients of those that came with some

    @property
    def x(self) -> Array:
        """(count, n)."""
        return self._x[: self.count]

    @property
    def values(self) -> Array:
        """(count, outputs): f, then every constraint; of a point that is pending or failed what was expected there."""
        return self._values[: self.count]

    @property
    def expected(self) -> Array:
        """(count, outputs): what the models said before the evaluation, NaN where there were none."""
        return self._expected[: self.count]

    @property
    def status(self) -> NDArray[np.int64]:
        """(count,): TOLD, PENDING or FAILED."""
        return self._status[: self.count]

    @property
    def told(self) -> NDArray[np.int64]:
        """The rows that were answered."""
        return np.flatnonzero(self.status == TOLD)

    @property
    def pending(self) -> NDArray[np.int64]:
        """The rows that wait for their answer."""
        return np.flatnonzero(self.status == PENDING)

    def add(self, x: Array, expected: Array | None = None) -> int:
        """A point on its way; returns its row."""
        if self.count == len(self._x):
            for name in ("_x", "_values", "_expected", "_status"):
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.empty_like(old)]))
        row = self.count
        self.count += 1
        self._x[row], self._status[row] = x, PENDING
        self._values[row] = self._expected[row] = np.nan if expected is None else expected
        return row

    def tell(self, row: int, values: Array) -> bool:
        """Its answer, which is no answer where one of the values is no finite number. Whether it is one."""
        fine = bool(np.isfinite(values).all())
        self._status[row] = TOLD if fine else FAILED
        if fine:
            self._values[row] = values
        return fine

    def take_slopes(self, row: int, slopes: Array) -> None:
        """The gradients of f and every constraint at a point that was told; where one is no number, none are known."""
        if self._status[row] == TOLD and np.isfinite(slopes).all():
            self.slopes[row] = np.array(slopes, dtype=np.float64)

    def beside(self, rows: NDArray[np.int64], step: float, most: int) -> tuple[Array, Array]:
        """Points a step beside the first of these rows that have gradients, and the values that follow from those.

        A model that goes through them has the gradients. There is one for each variable of a row, `most` in all.
        """
        n = self._x.shape[1]
        known = [int(row) for row in rows if int(row) in self.slopes][: most // n]
        x = [self._x[row] + step * np.eye(n) for row in known]
        values = [self._values[row] + step * self.slopes[row].T for row in known]
        width = self._values.shape[1]
        return np.array(x).reshape(-1, n), np.array(values).reshape(-1, width)

    def nearest(self, x: Array) -> float:
        """How far the nearest point is, in its variable that differs most."""
        return float(np.abs(self.x - x).max(axis=1).min()) if self.count else np.inf

    def is_new(self, x: Array) -> bool:
        """Whether it was never asked for."""
        return self.nearest(x) > SAME

    def restore(self, x: Array, values: Array, expected: Array, status: NDArray[np.int64]) -> None:
        """These rows in place of all others."""
        for place in range(len(x)):
            self.add(x[place], expected[place])
        self._values[: len(x)], self._status[: len(x)] = values, status
