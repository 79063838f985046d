"""Numbers as people read them, the same wherever they are told: on the page, in a terminal and in reports.

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


def whole_percent(share: float) -> str:
    """A share of one as whole percents; 100 % and 0 % are only said when they are true."""
    whole = round(100 * share)
    if share > 0 and whole == 0:
        return "<1 %"
    if share < 1 and whole == 100:
        return "99 %"
    return f"{whole} %"


def short_count(count: float, gap: str = "") -> str:
    """A count to three digits or so: 950, 12.3k, 1.21M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= size:
            digits = f"{count / size:.3g}" if count < 1000 * size else f"{count / size:.0f}"
            return f"{digits}{gap}{unit}"
    return f"{count:.0f}"


def evaluation_rate(per_second: float) -> str:
    """Evaluations per second, or seconds for each where it takes longer.

    >>> evaluation_rate(1_210_000.0), evaluation_rate(1.5), evaluation_rate(0.4)
    ('1.21 M/s', '1.5/s', '2.5 s each')
    """
    if 0.0 < per_second < 1.0:
        return seconds_each(per_second)
    return f"{per_second:.3g}/s" if per_second < 1e3 else f"{short_count(per_second, ' ')}/s"


def clock_time(seconds: float) -> str:
    """A length of time as people read it: 0:07, 12:30, 1:02:03."""
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def byte_size(amount: int) -> str:
    """A number of bytes, `1.2 MB`."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if amount >= factor:
            return f"{amount / factor:.3g} {unit}"
    return f"{amount} B"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
