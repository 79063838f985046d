"""Random numbers for the compiled loops: fast, seeded, and a state of four numbers that can be stored.

The generator is xoshiro256++ (D. Blackman and S. Vigna, "Scrambled linear pseudorandom number
generators", 2021). Normal numbers come from the ziggurat of G. Marsaglia and W. W. Tsang ("The ziggurat
method for generating random variables", 2000) with 256 layers. Its seed is spread by numpy's SeedSequence.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from mapelites.kernels import inlined

Stream = NDArray[np.uint64]

LAYERS = 256
TAIL = 3.6541528853610088  # where the lowest layer ends, for 256 layers
TO_UNIT = 2.0**-53


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
def choose(s, probability, chosen):
    """Put the indices that a coin of this probability picks into `chosen`; returns how many.

    One coin per place of `chosen`: `uniform() < probability`, in whole numbers. Nothing here branches on
    a random number, and the generator's state stays in registers: a coin then costs a nanosecond instead
    of several.
    """
    s0, s1, s2, s3 = s[0], s[1], s[2], s[3]
    limit = np.int64(np.ceil(probability / TO_UNIT))
    count = np.int64(0)
    for i in range(chosen.size):
        drawn, s0, s1, s2, s3 = _step(s0, s1, s2, s3)
        chosen[count] = i
        count += np.int64(np.int64(drawn >> np.uint64(11)) < limit)
    s[0], s[1], s[2], s[3] = s0, s1, s2, s3
    return count


@inlined
def _place(drawn):
    """What one draw says: layer (8 bits), sign (1 bit) and position in the layer (53 bits)."""
    layer = np.int64(drawn & np.uint64(LAYERS - 1))
    sign = 1.0 - 2.0 * np.float64(np.int64((drawn >> np.uint64(8)) & np.uint64(1)))
    return layer, sign, np.float64(np.int64(drawn >> np.uint64(11))) * TO_UNIT * ENDS[layer]


@inlined
def normal(s):
    """A standard normal number."""
    drawn = bits(s)
    layer, sign, x = _place(drawn)
    return sign * x if x < ENDS[layer + 1] else _outside(s, drawn)


@inlined
def normals(s, out, count):
    """Fill the first places of `out` with what `normal` would give, the state staying in registers."""
    s0, s1, s2, s3 = s[0], s[1], s[2], s[3]
    for k in range(count):
        drawn, s0, s1, s2, s3 = _step(s0, s1, s2, s3)
        layer, sign, x = _place(drawn)
        if x < ENDS[layer + 1]:
            out[k] = sign * x
        else:
            s[0], s[1], s[2], s[3] = s0, s1, s2, s3
            out[k] = _outside(s, drawn)
            s0, s1, s2, s3 = s[0], s[1], s[2], s[3]
    s[0], s[1], s[2], s[3] = s0, s1, s2, s3


@njit(_nrt=False, error_model="numpy")
def _outside(s, drawn):
    """A normal number where the first draw fell outside the part of its layer that needs no second look."""
    while True:
        layer, sign, x = _place(drawn)
        if x < ENDS[layer + 1]:
            return sign * x
        if layer == 0:
            return sign * _tail(s)
        height = DENSITIES[layer] + uniform(s) * (DENSITIES[layer + 1] - DENSITIES[layer])
        if height < np.exp(-0.5 * x * x):
            return sign * x
        drawn = bits(s)


@inlined
def _tail(s):
    """A normal number beyond the last layer (Marsaglia 1964)."""
    while True:
        x = -np.log1p(-uniform(s)) / TAIL
        y = -np.log1p(-uniform(s))
        if y + y > x * x:
            return TAIL + x
