"""Where a variable lands that left its bounds."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from mapelites.search.bounds import BOUNCE, SATURATE, TOROIDAL, moved_inside

bring = njit(lambda value, low, high, rule: moved_inside(value, low, high, rule))

finite = st.floats(-1e6, 1e6)
bounds = st.tuples(st.floats(-1000, 1000), st.floats(0.001, 1000)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(finite, bounds, st.sampled_from([TOROIDAL, SATURATE, BOUNCE]))
@example(1e300, (0.0, 1.0), TOROIDAL)
@example(-1e300, (0.0, 1.0), BOUNCE)
def test_every_value_ends_inside_and_a_value_inside_stays(value, limits, rule):
    low, high = limits
    result = bring(value, low, high, rule)
    assert low <= result <= high
    if low <= value <= high:
        assert result == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [(10.25, 0.25), (-0.25, 9.75), (10.0, 10.0), (0.0, 0.0), (20.5, 0.5), (-10.5, 9.5), (33.0, 3.0)],
)
def test_toroidal_goes_on_from_the_other_side(value, expected):
    assert bring(value, 0.0, 10.0, TOROIDAL) == expected


@given(st.floats(-1e4, 1e4), bounds)
def test_toroidal_moves_by_whole_widths(value, limits):
    low, high = limits
    turns = (bring(value, low, high, TOROIDAL) - value) / (high - low)
    assert turns == pytest.approx(round(turns), abs=1e-6)


@pytest.mark.parametrize(
    ("value", "expected"), [(10.25, 9.75), (-0.25, 0.25), (20.0, 0.0), (21.0, 1.0), (30.0, 10.0), (-11.0, 9.0)]
)
def test_bounce_is_a_reflection_at_each_wall(value, expected):
    assert bring(value, 0.0, 10.0, BOUNCE) == expected


@given(finite, bounds)
def test_saturate_is_the_nearest_bound(value, limits):
    assert bring(value, *limits, SATURATE) == np.clip(value, *limits)
