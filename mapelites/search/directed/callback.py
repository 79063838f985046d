"""A kernel around a plain Python function, so that the compiled search can call it like any other.

The kernel calls back through a C function pointer. An exception must not cross compiled code: it is kept, the
search goes on with values that are not numbers to the end of its step, and then it is raised.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numba import njit

from mapelites.core.kernels import KERNEL_SIGNATURE
from mapelites.core.problem import Problem

PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class Callback:
    """The compiled face of a problem whose function is plain Python."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._error: BaseException | None = None
        self._call = call = PROTOTYPE(self._fill)

        def kernel(x, data, out):
            for i in range(out.size):  # what an interrupt leaves, should it come before the function is reached
                out[i] = np.nan
            call(x.ctypes, out.ctypes)

        self.kernel: Any = njit(KERNEL_SIGNATURE)(kernel)

    @contextmanager
    def raising(self) -> Iterator[None]:
        """Raise in the end what was raised on the way and could not cross compiled code.

        An interrupt can come before the function is reached; Python then reports it as one that nobody can catch.
        """
        self._error, report = None, sys.unraisablehook

        def keep(lost: sys.UnraisableHookArgs) -> None:
            if isinstance(lost.exc_value, KeyboardInterrupt):
                self._error = lost.exc_value
            else:
                report(lost)

        sys.unraisablehook = keep
        try:
            yield
        finally:
            sys.unraisablehook = report
        if self._error is not None:
            raise self._error

    def _fill(self, x_address: int, out_address: int) -> None:
        if self._error is None:
            try:
                x = _vector(x_address, self._problem.dimension)
                out = _vector(out_address, 1 + len(self._problem.constraints))
                out[:] = self._problem.values(x[None])[0]
            except BaseException as error:  # an interrupt too: `raising` raises it again
                self._error = error


def _vector(address: int, size: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.ctypeslib.as_array((ctypes.c_double * size).from_address(address))
