"""What happens to a variable that leaves its bounds."""

from __future__ import annotations

import numpy as np

from mapelites.core.kernels import inlined

TOROIDAL, SATURATE, BOUNCE = 0, 1, 2  # places in `core.settings.RULES`


@inlined
def moved_inside(value, low, high, rule):
    """The value itself where it is in bounds, else where the rule puts it."""
    if low <= value <= high:
        return value
    return _brought_back(value, low, high, rule)


@inlined
def _brought_back(value, low, high, rule):
    """Toroidal (section 4 of the paper): b + ζ becomes a + ζ, a - ζ becomes b - ζ, for any ζ > 0."""
    width = high - low
    if rule == TOROIDAL:
        value = low + np.fmod(value - high, width) if value > high else high - np.fmod(low - value, width)
    elif rule == BOUNCE:
        over = value - high if value > high else low - value
        over = np.fmod(over, 2.0 * width)
        if over > width:
            over -= width
            value = low + over if value > high else high - over
        else:
            value = high - over if value > high else low + over
    return min(max(value, low), high)
