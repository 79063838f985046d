"""The generator against its published algorithm, and the distributions against theory."""

import numpy as np
import pytest
from numba import njit
from scipy import stats

from mapelites.search import random

MASK = 2**64 - 1


@njit
def draw(s, kind, count, n):
    out = np.empty(count)
    for i in range(count):
        out[i] = random.uniform(s) if kind == 0 else (random.normal(s) if kind == 1 else random.below(s, n))
    return out


@njit
def words(s, count):
    out = np.empty(count, dtype=np.uint64)
    for i in range(count):
        out[i] = random.bits(s)
    return out


@njit
def toss(s, probability, count):
    return random.coins(s, probability, count)


@njit
def add_normals(s, sigma, places, x, first):
    random.add_normals(s, sigma, places, x, first)


def tossed(state, probability, count, times):
    """One row of coins for each time, 1 for heads."""
    words = np.array([toss(state, probability, count) for _ in range(times)], dtype=np.uint64)
    return (words[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)).astype(int)


def xoshiro256plusplus(state, count):
    """The published algorithm in whole numbers of any size."""

    def rotate(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    s, out = [int(word) for word in state], []
    for _ in range(count):
        out.append((rotate((s[0] + s[3]) & MASK, 23) + s[0]) & MASK)
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)
    return out


def test_the_bits_are_those_of_xoshiro256plusplus():
    # From the state 1, 2, 3, 4 the reference implementation begins with these words.
    known = [41943041, 58720359, 3588806011781223, 3591011842654386]
    state = np.array([1, 2, 3, 4], dtype=np.uint64)
    assert words(state.copy(), 4).tolist() == known
    seeded = random.stream(12)
    assert words(seeded.copy(), 1_000).tolist() == xoshiro256plusplus(seeded, 1_000)


def test_normal_numbers_follow_the_normal_distribution_far_into_the_tail():
    sample = draw(random.stream(3), 1, 2_000_000, 0)
    assert stats.kstest(sample, "norm").pvalue > 1e-3
    beyond = int((np.abs(sample) > random.TAIL).sum())
    expected = 2 * stats.norm.sf(random.TAIL) * len(sample)
    assert abs(beyond - expected) < 4 * np.sqrt(expected)
    assert np.corrcoef(sample[:-1], sample[1:])[0, 1] == pytest.approx(0, abs=4e-3)


def test_uniform_numbers_are_uniform_and_below_one():
    sample = draw(random.stream(4), 0, 500_000, 0)
    assert stats.kstest(sample, "uniform").pvalue > 1e-3
    assert sample.min() >= 0
    assert sample.max() < 1


def test_below_draws_every_number_equally_often():
    counts = np.bincount(draw(random.stream(5), 2, 70_000, 7).astype(int), minlength=7)
    assert len(counts) == 7
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("probability", [0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("count", [1, 30, 64])
def test_each_coin_is_heads_with_the_probability_whatever_the_others_are(probability, count):
    coins = tossed(random.stream(6), probability, count, 5_000)
    assert not coins[:, count:].any()
    heads = coins[:, :count].sum(axis=0)
    variance = probability * (1 - probability)
    assert np.abs(heads - 5_000 * probability).max() <= 4.5 * np.sqrt(5_000 * variance)
    if count > 1 and variance:
        together = np.corrcoef(coins[:, :count], rowvar=False) - np.eye(count)
        assert np.abs(together).max() < 5.5 / np.sqrt(5_000)


def test_coins_of_one_half_take_one_draw_and_others_as_many_as_tell_them_apart():
    state = random.stream(7)
    toss(state, 0.5, 64)
    assert words(state.copy(), 3).tolist() == words(random.stream(7), 4).tolist()[1:]
    toss(state, 0.0, 64)
    toss(state, 1.0, 64)
    assert words(state.copy(), 3).tolist() == words(random.stream(7), 4).tolist()[1:]


def test_normal_numbers_are_added_one_by_one_where_a_bit_is_set():
    x, one_by_one = np.zeros(70), draw(random.stream(8), 1, 64_000, 0)
    state, places = random.stream(8), [0, 3, 17, 63]
    for k in range(0, 64_000, 4):  # enough for every layer and the tail
        add_normals(state, 2.0, np.uint64(sum(1 << i for i in places)), x, 6)
        assert x[[6 + i for i in places]].tolist() == (2.0 * one_by_one[k : k + 4]).tolist()
        assert np.count_nonzero(x) == 4
        x[:] = 0.0


def test_streams_of_one_seed_differ():
    assert not np.array_equal(random.stream(1), random.stream(1, 0))
    assert not np.array_equal(random.stream(1, 0), random.stream(1, 1))
