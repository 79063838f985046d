"""The statistical tests against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact, mannwhitneyu

from mapelites.campaign.report.rank_tests import fisher, mann_whitney

values = st.lists(st.integers(0, 30), min_size=1, max_size=30)


@given(values, values)
@settings(max_examples=300)
def test_mann_whitney_is_scipys_with_ties_and_without(first: list[int], second: list[int]) -> None:
    if len({*first, *second}) == 1:
        assert mann_whitney(first, second)[1] == 1.0
        return
    wanted = mannwhitneyu(first, second, alternative="two-sided")
    assert mann_whitney(first, second) == pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-12)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 20), (3, 5), (8, 8), (8, 40), (25, 7), (9, 9), (25, 25), (60, 90)])
def test_mann_whitney_is_scipys_for_distinct_values(m: int, n: int) -> None:
    random = np.random.default_rng(m * 100 + n)
    for _ in range(5):
        drawn = random.permutation(m + n).tolist()
        wanted = mannwhitneyu(drawn[:m], drawn[m:], alternative="two-sided")
        assert mann_whitney(drawn[:m], drawn[m:]) == pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-12)


@given(st.tuples(*[st.integers(0, 40)] * 4))
@settings(max_examples=300)
def test_fisher_is_scipys(cells: tuple[int, int, int, int]) -> None:
    a, b, c, d = cells
    if a + b + c + d:
        assert fisher([[a, b], [c, d]]) == pytest.approx(fisher_exact([[a, b], [c, d]]).pvalue, rel=1e-9)
