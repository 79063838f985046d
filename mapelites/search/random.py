"""Random numbers for the compiled loops: fast, seeded, and a state of four numbers that can be stored.

The generator is xoshiro256++ (D. Blackman and S. Vigna, "Scrambled linear pseudorandom number
generators", 2021). Normal numbers come from the ziggurat of G. Marsaglia and W. W. Tsang ("The ziggurat
method for generating random variables", 2000) with 256 layers. Its seed is spread by numpy's SeedSequence.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numba.cpython.unsafe.numbers import trailing_zeros
from numpy.typing import NDArray

from mapelites.core.kernels import inlined

Stream = NDArray[np.uint64]

LAYERS = 256
TAIL = 3.6541528853610088  # where the lowest layer ends, for 256 layers
TO_UNIT = 2.0**-53
ALL_BITS = np.uint64(2**64 - 1)


def _tables() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The right end of each layer and the density there; all layers have the same area."""

    def density(x: float) -> float:
        return math.exp(-0.5 * x * x)

    area = TAIL * density(TAIL) + math.sqrt(math.pi / 2) * math.erfc(TAIL / math.sqrt(2))
    ends = [area / density(TAIL), TAIL]
    while len(ends) < LAYERS:
        ends.append(math.sqrt(-2.0 * math.log(area / ends[-1] + density(ends[-1]))))
    ends.append(0.0)
    return np.array(ends), np.array([density(x) for x in ends])


ENDS, DENSITIES = _tables()
WIDTHS = np.concatenate([ENDS[:LAYERS], -ENDS[:LAYERS]]) * TO_UNIT  # a layer's, and with the bit after it the negative


def stream(seed: int, *path: int) -> Stream:
    """A new generator state. `path` names an independent stream of the same seed."""
    return np.asarray(np.random.SeedSequence(seed, spawn_key=path).generate_state(4, np.uint64), dtype=np.uint64)


@inlined
def _rotate(x, k):
    return (x << np.uint64(k)) | (x >> np.uint64(64 - k))


@inlined
def _step(s0, s1, s2, s3):
    """64 random bits and the state that follows."""
    result = _rotate(s0 + s3, 23) + s0
    kept = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= kept
    return result, s0, s1, s2, _rotate(s3, 45)


@inlined
def bits(s):
    """The next 64 random bits."""
    result, s[0], s[1], s[2], s[3] = _step(s[0], s[1], s[2], s[3])
    return result


@inlined
def uniform(s):
    """A number in [0, 1)."""
    return np.float64(np.int64(bits(s) >> np.uint64(11))) * TO_UNIT


@inlined
def below(s, n):
    """A whole number from 0 to n - 1."""
    return np.int64(uniform(s) * n)


@inlined
def coins(s, probability, count):
    """Toss up to 64 coins of this probability at once: bit i of the answer is coin i, for the first `count`.

    A coin is heads where a uniform number is below the probability, and its bits are compared with those of the
    probability one by one, each draw serving all coins, until every coin is decided. A probability of one half
    takes one draw, any other a few.
    """
    undecided = ALL_BITS >> np.uint64(64 - count)
    if probability >= 1.0:
        return undecided
    heads = np.uint64(0)
    rest = np.uint64(probability / TO_UNIT) << np.uint64(11)
    while rest != 0 and undecided != 0:
        drawn = bits(s)
        if rest >> np.uint64(63):
            heads |= undecided & ~drawn
            undecided &= drawn
        else:
            undecided &= ~drawn
        rest <<= np.uint64(1)
    return heads


@inlined
def _place(drawn):
    """What one draw says: layer (8 bits), and with sign (1 bit) and place in the layer (53 bits) a number."""
    layer = np.int64(drawn & np.uint64(LAYERS - 1))
    return layer, np.float64(np.int64(drawn >> np.uint64(11))) * WIDTHS[drawn & np.uint64(2 * LAYERS - 1)]


@inlined
def normal(s):
    """A standard normal number."""
    drawn = bits(s)
    layer, z = _place(drawn)
    return z if abs(z) < ENDS[layer + 1] else _outside(s, drawn)


@inlined
def add_normals(s, sigma, places, x, first):
    """Add `sigma` times what `normal` would give to `x[first + i]` for every bit i that is set in `places`.

    The generator's state stays in registers meanwhile.
    """
    s0, s1, s2, s3 = s[0], s[1], s[2], s[3]
    while places != 0:
        drawn, s0, s1, s2, s3 = _step(s0, s1, s2, s3)
        layer, z = _place(drawn)
        if abs(z) >= ENDS[layer + 1]:
            s[0], s[1], s[2], s[3] = s0, s1, s2, s3
            z = _outside(s, drawn)
            s0, s1, s2, s3 = s[0], s[1], s[2], s[3]
        x[first + np.int64(trailing_zeros(places))] += sigma * z
        places &= places - np.uint64(1)
    s[0], s[1], s[2], s[3] = s0, s1, s2, s3


@njit(_nrt=False, error_model="numpy")
def _outside(s, drawn):
    """A normal number where the first draw fell outside the part of its layer that needs no second look."""
    while True:
        layer, z = _place(drawn)
        if abs(z) < ENDS[layer + 1]:
            return z
        if layer == 0:
            return math.copysign(_tail(s), z)
        height = DENSITIES[layer] + uniform(s) * (DENSITIES[layer + 1] - DENSITIES[layer])
        if height < np.exp(-0.5 * z * z):
            return z
        drawn = bits(s)


@inlined
def _tail(s):
    """A normal number beyond the last layer (Marsaglia 1964)."""
    while True:
        x = -np.log1p(-uniform(s)) / TAIL
        y = -np.log1p(-uniform(s))
        if y + y > x * x:
            return TAIL + x
