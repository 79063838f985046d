"""What several families need: whole numbers as the competition's code rounds them."""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable


@register_jitable
def whole(value):
    """The nearest whole number; a half goes away from zero."""
    return np.floor(value + 0.5) if value >= 0.0 else np.ceil(value - 0.5)
