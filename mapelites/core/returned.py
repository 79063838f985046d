"""What a function returned, as one row of numbers: the quick way for what is usual."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LISTS = (list, tuple, np.ndarray)


def side_by_side(found: Any, inequalities: int, equalities: int) -> NDArray[np.float64] | None:
    """f, g and h in one array; None for whatever is not a number and two lists of so many numbers.

    >>> side_by_side((1.0, [2.0], [3.0]), 1, 1)
    array([1., 2., 3.])
    >>> side_by_side((1.0, [2.0, 3.0], []), 1, 1) is None
    True
    """
    try:
        f, g, h = found
        if type(g) not in LISTS or type(h) not in LISTS or len(g) != inequalities or len(h) != equalities:
            return None
        row = np.array((f, *g, *h), dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return row if row.ndim == 1 else None
