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
def choose(s, probability, n):
    chosen = np.empty(n, dtype=np.int64)
    return chosen[: random.choose(s, probability, chosen)]


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


@pytest.mark.parametrize("probability", [0.0, 0.25, 0.5, 1.0])
def test_each_index_is_chosen_with_the_probability(probability):
    state = random.stream(6)
    drawn = [choose(state, probability, 30) for _ in range(5_000)]
    counts = np.bincount(np.concatenate(drawn), minlength=30)
    spread = np.sqrt(5_000 * probability * (1 - probability))
    assert np.abs(counts - 5_000 * probability).max() <= 4.5 * spread
    assert all((np.diff(each) > 0).all() for each in drawn)


def test_streams_of_one_seed_differ():
    assert not np.array_equal(random.stream(1), random.stream(1, 0))
    assert not np.array_equal(random.stream(1, 0), random.stream(1, 1))
