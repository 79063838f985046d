"""Pieces, pace and rhythm, on a clock of our own."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from mapelites.runs import pacing
from mapelites.runs.pacing import (
    PIECE_SECONDS,
    OwnClock,
    RateLimit,
    StrideLength,
    WatchedPace,
    WritePacer,
    seconds_left,
)


def test_the_stride_grows_to_pieces_of_the_wanted_length() -> None:
    stride, rate = StrideLength(), 1_000_000
    for _ in range(20):
        stride.learn(stride.size, stride.size / rate, stride.size / rate)
    assert stride.size == int(PIECE_SECONDS * rate)


def test_on_a_busy_machine_a_piece_takes_up_to_twice_as_long() -> None:
    stride, rate = StrideLength(), 1_000_000
    for _ in range(20):
        stride.learn(stride.size, 3 * stride.size / rate, stride.size / rate)
    assert stride.size == int(2 / 3 * PIECE_SECONDS * rate)


def test_a_problem_that_takes_seconds_is_searched_one_evaluation_at_a_time() -> None:
    stride = StrideLength()
    stride.learn(1, 3.0, 0.0)
    assert stride.size == 1


def test_a_pace_allows_so_many_evaluations_per_second_in_the_long_run() -> None:
    pace, spent = RateLimit(70.0, now=0.0), 0
    for tick in range(1, 1_001):
        allowed = pace.allowed(tick / 100)
        pace.spend(allowed)
        spent += allowed
        assert 0 <= 70.0 * tick / 100 - spent < 1 + 70.0 * PIECE_SECONDS  # at most one piece behind, never ahead


def test_a_paced_run_is_searched_in_pieces_and_not_one_by_one() -> None:
    pace = RateLimit(10_000.0, now=0.0)
    assert pace.allowed(PIECE_SECONDS / 2) == 0
    assert pace.seconds_to_next == PIECE_SECONDS / 2
    assert pace.allowed(PIECE_SECONDS) == 10_000 * PIECE_SECONDS


def test_a_pace_below_one_evaluation_per_second_waits_for_each() -> None:
    pace = RateLimit(0.5, now=0.0)
    assert pace.allowed(1.0) == 0
    assert pace.seconds_to_next == 1.0
    assert pace.allowed(2.0) == 1


def test_what_was_missed_during_a_long_wait_is_not_made_up_for() -> None:
    assert RateLimit(1_000.0, now=0.0).allowed(3_600.0) == 100


def test_a_step_that_took_more_than_was_due_is_waited_for_afterwards() -> None:
    pace = RateLimit(10.0, now=0.0)
    pace.spend(pace.allowed(1.0) + 4)
    assert pace.allowed(1.2) == 0
    assert pace.allowed(1.6) == 1


def watched(done: int, until: int, budget: int = 200_000) -> float:
    """How many seconds a watched run takes from so many evaluations to so many."""
    watch, tick = WatchedPace(10.0, budget, done, now=0.0), 0
    while done < until:
        tick += 1
        allowed = watch.allowed(tick / 1_000)
        watch.spend(allowed)
        done += allowed
    return tick / 1_000


def test_a_watched_run_begins_slowly_and_spends_its_budget_in_the_time_asked_for() -> None:
    for share in (0.2, 0.5, 1.0):
        assert abs(watched(0, int(200_000 * share**3)) - 10 * share) < 0.3
    assert watched(0, 1) < 0.1


def test_a_watched_run_that_was_halted_goes_on_as_it_would_have_gone() -> None:
    assert abs(watched(25_000, 200_000) - 5.0) < 0.3
    assert abs(seconds_left(10.0, 200_000, 25_000) - 5.0) < 1e-9


def test_writing_that_costs_much_is_done_less_often() -> None:
    rhythm = WritePacer(0.2, share=0.01, last=0.0)
    for now in range(1, 20):
        rhythm.wrote(float(now), float(now), cost=0.05)
    assert not rhythm.due(19.0 + 4.9, 19.0 + 4.9)
    assert rhythm.due(19.0 + 5.1, 19.0 + 5.1)


def test_on_a_busy_machine_writing_takes_its_share_of_what_the_run_has() -> None:
    rhythm = WritePacer(0.2, share=0.01, last=0.0)
    rhythm.wrote(0.0, 0.0, cost=0.002)
    assert not rhythm.due(now=0.5, worked=0.1)
    assert rhythm.due(now=1.0, worked=0.25)


def test_what_was_not_used_of_the_share_is_there_for_something_large_between_small_things() -> None:
    rhythm, written = WritePacer(0.19, share=0.01, last=0.0), 0
    for piece in range(1, 1_001):
        now = piece / 25
        if rhythm.due(now, now):
            rhythm.wrote(now, now, *((0.02, "large") if written % 20 == 19 else (0.001, "small")))
            written += 1
    assert written == 200  # at every fifth piece, as by the clock alone: 0.002 seconds each, on the average


def test_no_more_than_the_share_is_used_in_the_long_run_whatever_things_cost() -> None:
    rhythm, spent = WritePacer(0.2, share=0.01, last=0.0), 0.0
    for piece in range(1, 10_001):
        now = piece / 25
        if rhythm.due(now, now):
            cost, kind = (0.1, "large") if piece % 3 else (0.003, "small")
            rhythm.wrote(now, now, cost, kind)
            spent += cost
    assert 0.009 * 400 < spent < 0.011 * 400


def test_one_hiccup_of_the_disk_does_not_change_the_rhythm_for_long() -> None:
    rhythm = WritePacer(0.2, share=0.01, last=0.0)
    rhythm.wrote(1.0, 1.0, cost=0.0004)
    rhythm.wrote(2.0, 2.0, cost=3.0)
    assert rhythm.due(2.21, 2.21)


def test_a_snapshot_that_came_along_with_a_checkpoint_is_not_charged_for_it() -> None:
    rhythm = WritePacer(0.2, share=0.01, last=0.0)
    rhythm.wrote(1.0, 1.0, cost=0.001)
    rhythm.came_along(2.0, 2.0)
    assert not rhythm.due(2.1, 2.1)
    assert rhythm.due(2.21, 2.21)


def test_the_time_in_line_for_a_core_is_not_a_runs_own_and_waiting_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "schedstat"
    monkeypatch.setattr(pacing, "IN_LINE", told)
    monkeypatch.setattr(time, "perf_counter", lambda: 10.0)
    silent = OwnClock()  # where the system does not tell, all time is
    told.write_text("7000000000 1500000000 31\n")  # computed, in line, turns
    clock = OwnClock()
    told.write_text("7200000000 4000000000 35\n")
    monkeypatch.setattr(time, "perf_counter", lambda: 20.0)
    assert (silent.seconds(), clock.seconds()) == (10.0, 7.5)
    clock.close()


def test_a_pace_may_begin_later_and_then_has_missed_nothing() -> None:
    watched = WatchedPace(10.0, 1_000, 0, now=5.0)
    assert [watched.allowed(now) for now in (0.0, 3.0, 4.99)] == [0, 0, 0]
    begun, later = WatchedPace(10.0, 1_000, 0, now=0.0), [6.0, 7.0, 8.0]
    assert [watched.allowed(now) for now in later] == [begun.allowed(now - 5.0) for now in later]
