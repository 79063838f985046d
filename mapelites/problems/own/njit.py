"""A kernel around a function that somebody compiled with numba, so that the whole search runs compiled.

The function takes one solution and returns f, all g and all h as it would without numba, each of the last two as a
tuple, a list or an array.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import literal_unroll, njit, types
from numba.core.errors import NumbaError

from mapelites.core.errors import InputError
from mapelites.core.kernels import KERNEL_SIGNATURE, VECTOR
from mapelites.problems.own.declared import RawValues


def kernel_around(function: Any, name: str, inequalities: int, equalities: int, raw: RawValues | None = None) -> Any:
    """The kernel; an `InputError` says what is wrong with what the function returns.

    Where the function returns other numbers than f, g and h, `raw` makes these of them.
    """
    try:
        function.compile((VECTOR,))
    except NumbaError as error:
        raise InputError(f"{name}: numba cannot compile it: {_cause(error)}") from error
    result = function.overloads[(VECTOR,)].signature.return_type
    parts = list(result.types) if isinstance(result, types.BaseTuple) else []
    if len(parts) not in (2, 3) or (len(parts) == 2 and equalities):
        raise InputError(f"{name}: it must return f, all g and all h, but numba says that it returns {result}")
    for what, part, count in zip(("g", "h"), parts[1:], (inequalities, equalities), strict=False):
        if isinstance(part, types.BaseTuple) and len(part) != count:
            raise InputError(f"{name}: it must return {count} values of {what}, but it returned {len(part)}")
    width = 1 + inequalities + equalities
    declared = raw is not None
    factor, offset = (np.ones(width), np.zeros(width)) if raw is None else (raw.factor, raw.offset)
    copy_g = _copier(parts[1], 1, inequalities)
    copy_h = _copier(parts[2], 1 + inequalities, equalities) if len(parts) == 3 else _nothing

    def with_three(x, data, out):
        out[:] = np.nan
        found = function(x.copy())
        out[0] = found[0]
        copy_g(found[1], out)
        copy_h(found[2], out)
        if declared:
            for i in range(width):
                out[i] = out[i] * factor[i] + offset[i]

    def with_two(x, data, out):
        out[:] = np.nan
        found = function(x.copy())
        out[0] = found[0]
        copy_g(found[1], out)
        if declared:
            for i in range(width):
                out[i] = out[i] * factor[i] + offset[i]

    body = with_three if len(parts) == 3 else with_two
    return njit(KERNEL_SIGNATURE, error_model="numpy")(body)


def _cause(error: NumbaError) -> str:
    """What numba says of the cause, without the steps in which it came to it."""
    text = str(error)
    lines = [line.strip() for line in text.splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "During:"))] or [type(error).__name__]
    cause = " ".join(said[:2]) if said[0].endswith(":") else said[0]
    line = re.search(r'^File "[^"]*", line ([0-9]+):', text, re.MULTILINE)
    return cause + (f" (line {line.group(1)})" if line else "")


@njit
def _nothing(part, out):
    pass


def _copier(part: Any, first: int, count: int) -> Callable[..., Any]:
    """What copies one part into `out`: a tuple member by member, since they may be of different types."""
    if count == 0:
        return _nothing  # type: ignore[no-any-return]

    @njit
    def from_tuple(part, out):
        i = first
        for value in literal_unroll(part):
            out[i] = value
            i += 1

    @njit
    def from_sequence(part, out):
        if len(part) == count:  # otherwise the values stay NaN, and the check says so
            for i in range(count):
                out[first + i] = part[i]

    @njit
    def from_number(part, out):
        out[first] = part

    if isinstance(part, types.BaseTuple):
        return from_tuple  # type: ignore[no-any-return]
    return from_number if isinstance(part, types.Number) else from_sequence  # type: ignore[no-any-return]
