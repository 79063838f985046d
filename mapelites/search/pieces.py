"""How the parts of the compiled searches are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def piece(function: Callable[..., Any]) -> Any:
    """Compile a part of an emitter; it is kept on disk with the emitter that calls it."""
    return njit(_nrt=False, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
