"""The work of one process: one run, searched in short pieces, watched by whoever likes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mapelites.runs.attention import BusyMark
from mapelites.runs.claim import Claim
from mapelites.runs.errors import StoreError
from mapelites.runs.filled import FilledCellCounter
from mapelites.runs.history import thin_curve
from mapelites.runs.pacing import PIECE_SECONDS, OwnClock, RateLimit, StrideLength, WatchedPace, WritePacer
from mapelites.runs.record import Record, State
from mapelites.runs.request import RunRequest
from mapelites.search.outlook import Outlook
from mapelites.snapshot.change import SnapshotChange, SnapshotSeries
from mapelites.snapshot.snapshot import Snapshot

SNAPSHOT_SECONDS = 0.2
CHECKPOINT_SECONDS = 1.0
SNAPSHOT_SHARE, CHECKPOINT_SHARE = 0.0125, 0.003  # of the time, at most; small maps need half of that
OUTLOOK_SECONDS, OUTLOOK_SHARE = 1.0, 0.02  # of what the models expect
MOMENT_STEP = 1.25  # evaluations of one moment of the replay, as a multiple of those of the one before
LIGHT = 1_000  # elites, up to which a moment costs next to nothing
HOLD_SECONDS = 0.5
UNSEEN_SECONDS = 5.0  # that a run waits for a page that shows it
ASKED_AGAIN = 5  # solutions that a function is asked for again at the end
MANY = 1_000  # evaluations: a few more do not count beside them
QUICK_SECONDS = 0.01  # of one evaluation, up to which that is done
SETTLE_SECONDS = 1.0  # for evaluations under way when the run has been halted; the supervisor waits longer

log = logging.getLogger(__name__)


class RunWorker:
    """Advances a claimed run until it is done, or asked to pause or stop, or has to leave.

    Nothing of the timing reaches the search: however it is cut into pieces, it ends in the same archive.
    """

    def __init__(self, claim: Claim, leaving: Callable[[], bool], attention: BusyMark | None = None) -> None:
        self.claim, self.leaving, self._attention = claim, leaving, attention or BusyMark()
        record = claim.record()
        with self._attention.busy():
            progress = claim.resume(record)
        self.search, self.seconds = progress.search, progress.seconds
        self._filled = FilledCellCounter(self.search)
        self._curve, self._points = progress.curve, list[tuple[float, float, float]]()
        self._version, self._wish, self._is_ours = record.version, record.wish, True
        self._state = record.state
        self._changes: tuple[int, ...] = ()
        self._passed, self._moment = list[Snapshot](), self.search.evaluations
        self._series = SnapshotSeries()
        now = time.perf_counter()
        self._stride = StrideLength()
        self._go_at(record.request)
        self._own_clock, self._not_own = OwnClock(), 0.0
        never = float("-inf")  # a new run is seen, and can be taken up again, from the first moment
        self._snapshots = WritePacer(SNAPSHOT_SECONDS, SNAPSHOT_SHARE, now if record.snapshot else never)
        self._checkpoints = WritePacer(CHECKPOINT_SECONDS, CHECKPOINT_SHARE, now if record.checkpoints else never)
        self._outlook: Outlook | None = None
        self._looked_at, self._outlooks = -1, WritePacer(OUTLOOK_SECONDS, OUTLOOK_SHARE, never)

    def work(self) -> None:
        """Search to the end, or as far as one is let."""
        try:
            self._search_to_end()
        except StoreError as error:
            self._hold_until_writable(error)
        finally:
            self.search.close()
            self._own_clock.close()

    def _search_to_end(self) -> None:
        while self._is_ours and not self.search.done:
            if self.leaving():
                self._leave_run()
                return
            self._read_wishes()
            # A wish is answered by putting the run down: the store then says paused or stopped, and the claim ends.
            if self._wish:
                self._put_down(saved=True)
            elif self._search_piece():
                self._keep_moment()
                self._publish_if_due()
        if self._is_ours:
            self._put_down(saved=False, state="finished", reason=self._repeatability_warning())
        else:
            self._wait_for_evaluations()

    def _repeatability_warning(self) -> str | None:
        """Whether a function gives other numbers for the same solution, in words: a few are asked for again."""
        problem, elites = self.search.problem, self.search.elites()
        # Only a quick function is asked again: a slow one would take as long as a part of the budget.
        quick = self.search.evaluations >= MANY and self.seconds < QUICK_SECONDS * self.search.evaluations
        if problem.compiled or self.search.settings.workers or not quick or not len(elites):
            return None
        some = elites.rows(np.argsort(elites.found_at)[-ASKED_AGAIN:])
        before = np.column_stack([some.f, some.g, some.h])
        with self._attention.busy():
            now = problem.values(some.x)
        differ = np.argwhere(before != now)
        if not len(differ):
            return None
        row, column = differ[0]
        name = ("f", *(constraint.name for constraint in problem.constraints))[column]
        return (
            f"the function gives other numbers for the same solution: {name} was {before[row, column]:.10g} and is "
            f"{now[row, column]:.10g} when asked again; each number of the map is that of one evaluation"
        )

    def _leave_run(self) -> None:
        self._put_down(saved=True)
        if self._is_ours:
            self.claim.give_back()
        self._wait_for_evaluations()

    def _wait_for_evaluations(self) -> None:
        """Wait for the evaluations under way: their answers go to the log, for which no claim is needed.

        After a pause they may take as long as they take; whoever leaves or is stopped does not wait for them.
        """
        if self._state == "paused" and self.search.under_way:
            self._attention.mark_finishing()
            while self.search.under_way and not self.leaving():
                self.search.settle(HOLD_SECONDS)
        else:
            self.search.settle(SETTLE_SECONDS)

    def _said_of_pause(self) -> str | None:
        """What becomes of evaluations under way where the run is paused at this moment."""
        waiting = self.search.under_way
        some = f"{waiting} evaluation{'s' if waiting > 1 else ''}"
        return f"{some} under way will end first, and what they give is kept" if waiting else None

    def _read_wishes(self) -> None:
        """Take in what somebody wants; asking costs next to nothing while nobody does."""
        entries, before = self.claim.entries, self._changes
        self._changes = entries.database.changes()
        if self._changes != before and entries.version(self.claim.run_id) != self._version:
            self._follow_record(self.claim.record())

    def _follow_record(self, record: Record) -> None:
        self._version, self._wish, self._is_ours = record.version, record.wish, record.claim == self.claim.token
        self._state = record.state
        if self._asked != (record.request.pace, record.request.watch, record.request.unseen):
            self._go_at(record.request)

    def _go_at(self, request: RunRequest) -> None:
        """Hold the pace that is asked for from now on."""
        now, self._asked = time.perf_counter(), (request.pace, request.watch, request.unseen)
        self._pace: RateLimit | None = None
        if request.pace is not None:
            self._pace = RateLimit(request.pace, now)
        elif request.watch is not None:
            later = UNSEEN_SECONDS if request.unseen and not self.search.evaluations else 0.0
            done, budget = self.search.evaluations, request.settings.evaluations
            self._pace = WatchedPace(request.watch, budget, done, now + later)

    def _search_piece(self) -> bool:
        """Search one piece, or wait a little where the pace wants it. Whether anything was done."""
        size, now = self._stride.size, time.perf_counter()
        if self._pace is not None:
            size = min(size, self._pace.allowed(now))
            if size == 0:
                time.sleep(min(self._pace.seconds_to_next, PIECE_SECONDS))
                return False
        before, slept, started = self.search.evaluations, self._attention.seconds_asleep, time.thread_time()
        own = self._own_clock.seconds()
        with self._attention.busy():
            self.search.advance(size)
        done, computed = self.search.evaluations - before, time.thread_time() - started
        seconds = time.perf_counter() - now - (self._attention.seconds_asleep - slept)
        if self.search.problem.compiled:  # it waits for nothing: what it did not compute, a virtual machine's host took
            self._not_own += max(0.0, self._own_clock.seconds() - own - computed)
        # The time for which the supervisor had this process sleep says nothing about the problem; it is taken off
        # above.
        self._stride.learn(done, seconds, computed)
        if self._pace is not None:
            self._pace.spend(done)
        self.seconds += seconds
        self._note_progress()
        return True

    def _note_progress(self) -> None:
        """A point of the curve; while nothing changes, the last point moves along."""
        best = self.search.best_feasible
        point = (float(self.search.evaluations), float(self._filled.count()), np.nan if best is None else best)
        # The same NaN object equals itself within a tuple.
        if len(self._points) > 1 and all(each[1:] == point[1:] for each in self._points[-2:]):
            self._points.pop()
        self._points.append(point)

    def _keep_moment(self) -> None:
        """Keep what a run that is over in a moment has passed through; it is put down with the next snapshot."""
        if self.search.evaluations >= MOMENT_STEP * self._moment and self.search.occupied <= LIGHT:
            self._passed.append(self._take_snapshot())

    def _take_snapshot(self) -> Snapshot:
        return Snapshot.of(self.search, self.seconds, self._noted_curve(), outlook=self._outlook)

    def _look_ahead(self) -> None:
        """Have the models say anew what they expect, where that is due and something was learned since."""
        now, worked = time.perf_counter(), self._seconds_worked()
        if self.search.evaluations == self._looked_at or not self._outlooks.due(now, worked):
            return
        started = time.thread_time()
        self._outlook, self._looked_at = self.search.outlook(), self.search.evaluations
        self._outlooks.wrote(now, worked, time.thread_time() - started)

    def _changed_or_whole(self) -> Snapshot | SnapshotChange:
        """The present moment; of a large map only what changed, until that is no less in all."""
        # A small map is put down whole: telling what changed would cost as much.
        base = self._series.base(self.search.occupied) if self.search.occupied > LIGHT else None
        if base is None:
            return self._take_snapshot()
        return SnapshotChange.of(self.search, self.seconds, self._noted_curve(), *base, self._outlook)

    def _noted_curve(self) -> NDArray[np.float64]:
        self._curve = thin_curve(np.vstack([self._curve, *self._points]))
        self._points.clear()
        self._moment = self.search.evaluations
        return self._curve

    def _publish_if_due(self) -> None:
        now = time.perf_counter()
        if self._snapshots.is_time(now) or self._checkpoints.is_time(now):
            worked = self._seconds_worked()
            # A checkpoint takes its snapshot along, so both are of the same moment.
            saved = self._checkpoints.due(now, worked)
            if saved or self._snapshots.due(now, worked):
                self._put_down(saved=saved)

    def _seconds_worked(self) -> float:
        """The seconds that the run has had for itself, without those in which it was put down."""
        return self._own_clock.seconds() - self._not_own

    def _put_down(self, *, saved: bool, state: State | None = None, reason: str | None = None) -> None:
        self._look_ahead()
        worked = self._seconds_worked()
        started = time.thread_time()  # not the clock: on a busy machine that counts the others' work too
        seen = self._take_snapshot() if state else self._changed_or_whole()
        checkpoint = self.search.state() if saved else None
        reason = self._said_of_pause() if saved and state is None else reason
        record = self.claim.publish(seen, checkpoint, state, reason, self._passed)
        self._passed.clear()
        now, cost = time.perf_counter(), time.thread_time() - started
        if saved:
            self._checkpoints.wrote(now, worked, cost)
            self._snapshots.came_along(now, worked)
        else:
            self._snapshots.wrote(now, worked, cost, type(seen).__name__)
        # What putting it down took is no time of the run: it must not earn the next writing sooner.
        self._not_own += self._seconds_worked() - worked
        if record.snapshot is not None:
            self._series.add(record.snapshot, seen)
        self._follow_record(record)

    def _hold_until_writable(self, error: StoreError) -> None:
        """The store cannot be written: keep the search until it can be put down as paused, with the reason."""
        log.error("run %s is held: %s", self.claim.run_id, error)
        self._make_room()
        while not self.leaving():
            try:
                self._put_down(saved=True, state="paused", reason=str(error))
            except StoreError:
                if self._put_down_reason(str(error)):
                    return
                time.sleep(HOLD_SECONDS)
            else:
                return

    def _make_room(self) -> None:
        try:
            self.claim.entries.database.free_reserve()
        except StoreError as error:
            log.warning("run %s: %s", self.claim.run_id, error)

    def _put_down_reason(self, reason: str) -> bool:
        """Put down the reason alone, for which there may be room; the last checkpoint stands."""
        try:
            self.claim.settle("paused", reason)
        except StoreError as error:
            log.debug("run %s is still held: %s", self.claim.run_id, error)
            return False
        return True
