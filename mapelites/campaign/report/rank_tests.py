"""Two statistical tests, small enough to do without a library of them: Mann and Whitney's, and Fisher's exact one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb, erfc, sqrt

LARGEST_EXACT = 8  # runs of the smaller sample up to which the exact distribution is used, where there are no ties


def mann_whitney(first: Sequence[int], second: Sequence[int]) -> tuple[float, float]:
    """The statistic U of the first sample, and the two-sided p.

    H. B. Mann and D. R. Whitney, On a test of whether one of two random variables is stochastically larger than
    the other (1947). With ties or many values p comes from the normal distribution, corrected for ties and for
    continuity.

    >>> mann_whitney([1, 2, 3], [4, 5, 6])
    (0.0, 0.1)
    """
    counts = Counter([*first, *second])
    ranks, below = {}, 0
    for value in sorted(counts):  # equal values share the mean of their ranks
        ranks[value] = below + (counts[value] + 1) / 2
        below += counts[value]
    m, n = len(first), len(second)
    u = sum(ranks[value] for value in first) - m * (m + 1) / 2
    largest = max(u, m * n - u)
    # Without ties and with few runs: count the arrangements that are at least as extreme.
    if min(m, n) <= LARGEST_EXACT and len(counts) == m + n:
        ways = _ways(m, n)
        return u, min(1.0, 2 * sum(ways[int(largest) :]) / comb(m + n, m))
    # The variance of U under the null hypothesis shrinks with ties by sum(t^3 - t) / ((m + n)(m + n - 1)).
    ties = sum(count**3 - count for count in counts.values())
    variance = m * n / 12 * (m + n + 1 - ties / ((m + n) * (m + n - 1)))
    if variance == 0:
        return u, 1.0
    # 0.5 corrects for continuity: U takes whole and half numbers, the normal distribution any.
    return u, min(1.0, erfc((largest - m * n / 2 - 0.5) / sqrt(2 * variance)))


def fisher(table: Sequence[Sequence[int]]) -> float:
    """The two-sided p of a table of two by two: of all tables with its sums, the share of those as unlikely.

    >>> fisher([[8, 2], [1, 5]])  # doctest: +ELLIPSIS
    0.0349...
    """
    (a, b), (c, d) = table
    column = a + c

    def weight(x: int) -> int:
        return comb(a + b, x) * comb(c + d, column - x)

    possible = [weight(x) for x in range(max(0, column - c - d), min(a + b, column) + 1)]
    return sum(each for each in possible if each <= weight(a)) / sum(possible)


def _ways(m: int, n: int) -> list[int]:
    """In how many ways two samples without ties give U = 0, 1, ..., m n: a Gaussian binomial coefficient."""
    # The generating function is the product of (1 - q^(M + i)) / (1 - q^i) for i = 1 to min(m, n), where M is the
    # larger of m and n. Both loops run over the coefficients in place, hence their directions.
    ways = [1] + [0] * (m * n)
    for i in range(1, min(m, n) + 1):
        factor = max(m, n) + i
        for u in range(m * n, factor - 1, -1):  # times 1 - q^factor
            ways[u] -= ways[u - factor]
        for u in range(i, m * n + 1):  # by 1 - q^i
            ways[u] += ways[u - i]
    return ways
