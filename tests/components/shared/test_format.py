"""Numbers, times and states as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.shared import format
from mapelites.core.format import byte_size, evaluation_rate, number, whole_percent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none yet"),
        (math.nan, "none yet"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (0.07071067811865475, "0.07071"),
        (-5.25, "-5.25"),
        (1234.5678, "1,235"),
        (99_999.9, "100,000"),
        (123_456.0, "1.235e5"),
        (0.000123456, "1.235e-4"),
        (1e-300, "1e-300"),
    ],
)
def test_a_number_has_four_significant_digits(value: float | None, text: str) -> None:
    assert number(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=1e-290, max_value=1e290))
def test_a_number_read_back_is_right_to_four_digits(value: float) -> None:
    assert float(number(value).replace(",", "")) == pytest.approx(value, rel=6e-4)


@given(st.floats(allow_nan=False))
def test_an_exact_number_reads_back_as_itself(value: float) -> None:
    assert float(format.exact_number(value)) == value


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "unknown"), (0.04, "0.0 s"), (12.34, "12.3 s"), (59.96, "1:00"), (83.2, "1:23"), (3_725.0, "1:02:05")],
)
def test_a_duration_is_in_the_units_it_needs(seconds: float | None, text: str) -> None:
    assert format.duration(seconds) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0 %"), (0.001, "<1 %"), (0.345, "34 %"), (0.9999, "99 %"), (1.0, "100 %")]
)
def test_a_share_is_never_rounded_to_none_or_all(share: float, text: str) -> None:
    assert whole_percent(share) == text


@pytest.mark.parametrize(
    ("passed", "text"),
    [(5, "just now"), (60, "1 minute ago"), (7_300, "2 hours ago"), (90_000, "1 day ago"), (200_000, "2 days ago")],
)
def test_the_past_is_told_in_the_largest_unit(passed: float, text: str) -> None:
    assert format.time_ago(1_000.0, now=1_000.0 + passed) == text


def test_counts_rates_and_sizes_carry_their_units() -> None:
    assert format.count(1_234_567) == "1,234,567"
    assert (format.many(1, "run"), format.many(2, "run")) == ("1 run", "2 runs")
    assert format.many(3, "equality", "equalities") == "3 equalities"
    assert (evaluation_rate(1_210_000), evaluation_rate(4_592), evaluation_rate(12)) == (
        "1.21 M/s",
        "4.59 k/s",
        "12/s",
    )
    assert (evaluation_rate(0.4), evaluation_rate(0.0)) == ("2.5 s each", "0/s")
    assert (byte_size(999), byte_size(1_234_567), byte_size(5 * 10**9)) == (
        "999 B",
        "1.23 MB",
        "5 GB",
    )


def test_states_are_words() -> None:
    assert (format.run_state_text("queued"), format.run_state_text("running")) == ("waiting", "running")
