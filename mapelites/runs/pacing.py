"""Time in a run: pieces short enough to be interrupted, a pace to hold, and a rhythm of writing."""

from __future__ import annotations

import os
import time
from pathlib import Path

PIECE_SECONDS = 0.04
FASTEST_GROWTH = 2  # from piece to piece, so that the first ones are moments of a replay
BURST_SECONDS = 0.1
FIRST_COST = 0.001  # seconds
LARGEST_JUMP = 4.0
SAVED_SECONDS = 5.0  # the share of so long can be saved
IN_LINE = Path("/proc/thread-self/schedstat")


class StrideLength:
    """How many evaluations to ask for, so that a piece takes about 40 ms whatever the problem costs.

    These are the processor's, and up to twice as many of the clock: where others take the processor, or the problem
    waits, a piece for every moment of one's own would cost more than it does.
    """

    def __init__(self) -> None:
        self.size = 1

    def learn(self, evaluations: int, seconds: float, computed: float) -> None:
        """Take in how long a piece took, and how much of that the processor computed."""
        # The clock may tell twice the processor's time before pieces get smaller.
        wanted = evaluations * PIECE_SECONDS / max(seconds / 2, computed, 1e-9)
        self.size = max(1, int(min(wanted, self.size * FASTEST_GROWTH)))


class RateLimit:
    """How many evaluations may be done by now, at so many per second."""

    def __init__(self, per_second: float, now: float) -> None:
        self.per_second, self._credit, self._then = per_second, 0.0, now

    def allowed(self, now: float) -> int:
        """The evaluations that are due once they make a piece, since a piece for each would cost more than they do.

        What was missed during a long wait is not made up for.
        """
        if now < self._then:
            return 0  # it has not begun
        # At most a tenth of a second's evaluations are saved: after a pause the run does not race to catch up.
        most = max(1.0, self.per_second * BURST_SECONDS)
        self._credit = min(most, self._credit + self.per_second * (now - self._then))
        self._then = now
        return int(self._credit) if self._credit >= self._piece else 0

    def spend(self, evaluations: int) -> None:
        """So many were done, which may have been more than were due."""
        self._credit -= evaluations

    @property
    def seconds_to_next(self) -> float:
        """How long until the next piece is due."""
        return max(0.0, (self._piece - self._credit) / self.per_second)

    @property
    def _piece(self) -> float:
        return max(1.0, self.per_second * PIECE_SECONDS)


class WatchedPace(RateLimit):
    """A pace to watch a map fill: the budget is spent in so many seconds, evaluations as the third power of time.

    A map gets most of its cells within the first hundredths of a budget, and one after another only so.
    How fast to go follows from how far the run is, so a run that was halted goes on as it would have gone.
    """

    def __init__(self, seconds: float, budget: int, done: int, now: float) -> None:
        self._seconds, self._budget, self._done = seconds, budget, done
        super().__init__(self._speed, now)

    def spend(self, evaluations: int) -> None:
        """So many were done, and from now on it goes faster."""
        super().spend(evaluations)
        self._done += evaluations
        self.per_second = self._speed

    @property
    def _speed(self) -> float:
        """The slope of budget · (time / seconds)^3 at the evaluations done so far; the first is not waited for long."""
        return watched_rate(self._seconds, self._budget, self._done)


def watched_rate(seconds: float, budget: int, done: int) -> float:
    """Evaluations per second at the pace of a `Watch`, when so many are done.

    done / budget = (time / seconds)^3, so time / seconds = share^(1/3) and the slope is 3 budget / seconds ·
    share^(2/3).
    """
    share = max(1, done) / budget
    return float(3 * budget / seconds * share ** (2 / 3))


def seconds_left(seconds: float, budget: int, done: int) -> float:
    """How much longer a run goes on whose budget is spent at the pace of a `Watch`."""
    return float(seconds * (1 - (done / budget) ** (1 / 3)))


class WritePacer:
    """When to write again: every so many seconds, or less often where writing would take too much time.

    `now` is the clock's time; `worked` is the time that the run has had for itself, which on a busy machine
    is less. Writing takes at most a `share` of it. What is not used of that is saved for a while, so that something
    large now and then between many small things does not stop them; nothing is owed but for the last writing.
    """

    def __init__(self, seconds: float, share: float, last: float) -> None:
        self._seconds, self._share, self._last = seconds, share, last
        self._saved, self._worked = 0.0, 0.0
        self._usual: dict[str, float] = {}

    def is_time(self, now: float) -> bool:
        """Whether it is time by the clock."""
        return now - self._last >= self._seconds

    def due(self, now: float, worked: float) -> bool:
        """Whether it is time, and there was enough of it for the run itself."""
        return self.is_time(now) and self._saved_by(worked) >= 0.0

    def wrote(self, now: float, worked: float, cost: float, kind: str = "") -> None:
        """Something of this kind was written, and took so many seconds; one hiccup is not taken for the usual."""
        self.came_along(now, worked)
        self._usual[kind] = min(cost, LARGEST_JUMP * self._usual.get(kind, FIRST_COST))
        self._saved = max(0.0, self._saved) - self._usual[kind]

    def came_along(self, now: float, worked: float) -> None:
        """It was done together with something else, which has the cost."""
        self._saved = self._saved_by(worked)
        self._last, self._worked = now, worked

    def _saved_by(self, worked: float) -> float:
        # A bounded saving: a run that wrote little for an hour must not write without pause afterwards.
        return min(self._saved + self._share * (worked - self._worked), self._share * SAVED_SECONDS)


class OwnClock:
    """A clock that stands still while this thread stands in line for a core, as far as the system tells.

    A problem may wait for another program, and that time is the run's own; what other runs take is not.
    It is the clock of the thread that makes it.
    """

    def __init__(self) -> None:
        try:
            self._told: int | None = os.open(IN_LINE, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._told = None
        self._start = self._now()

    def seconds(self) -> float:
        """Since it was made."""
        return self._now() - self._start

    def _now(self) -> float:
        # The second number of schedstat is the time that the thread waited for a core.
        return time.perf_counter() - self._in_line() / 1e9

    def _in_line(self) -> int:
        """Nanoseconds."""
        if self._told is None:
            return 0
        try:
            return int(os.pread(self._told, 100, 0).split()[1])
        except (OSError, ValueError, IndexError):
            return 0

    def close(self) -> None:
        """Let go of what the system tells."""
        if self._told is not None:
            os.close(self._told)
            self._told = None
