"""Numbers as people read them, the same wherever they are told: on the page, in answers and in reports of them.

>>> number(0.000123456), amount(6059.714335), number(None)
('1.235e-4', '6,060', 'none yet')
"""

from __future__ import annotations

import math

DIGITS = 4
NONE = "none yet"


def number(value: float | None) -> str:
    """A value to four significant digits, or a word where there is none."""
    if value is None or math.isnan(value):
        return NONE
    return amount(value).replace("-∞", "−∞")


def amount(value: float, digits: int = DIGITS) -> str:
    """A number to so many significant digits, with separators.

    >>> amount(6059.714335), amount(0.000123456789), amount(-1234567.8)
    ('6,060', '1.235e-4', '-1.235e6')
    """
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    if 1e-3 <= abs(value) < 1e5:
        rounded = float(f"{value:.{digits - 1}e}")
        places = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
        return _trimmed(f"{rounded:,.{places}f}")
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{_trimmed(mantissa)}e{int(exponent)}"


def seconds_each(per_second: float) -> str:
    """A rate below one in a second, told as the time that each takes.

    >>> seconds_each(0.4), seconds_each(0.001)
    ('2.5 s each', '1,000 s each')
    """
    return f"{amount(1.0 / per_second, 3)} s each"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
