"""A kernel around a plain Python function, so that the compiled search can call it like any other.

The kernel calls back through a C function pointer. An exception must not cross compiled code: it is kept, the
search goes on with values that are not numbers to the end of its step, and then it is raised.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numba import njit

from mapelites.kernels import KERNEL_SIGNATURE
from mapelites.problem import Problem

PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class Callback:
    """The compiled face of a problem whose function is plain Python."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._error: BaseException | None = None
        self._call = call = PROTOTYPE(self._fill)

        def kernel(x, data, out):
            call(x.ctypes, out.ctypes)

        self.kernel: Any = njit(KERNEL_SIGNATURE)(kernel)

    def raise_error(self) -> None:
        """Raise what the function raised since the last time, if anything."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _fill(self, x_address: int, out_address: int) -> None:
        x = _vector(x_address, self._problem.dimension)
        out = _vector(out_address, 1 + len(self._problem.constraints))
        out[:] = np.nan
        if self._error is None:
            try:
                out[:] = self._problem.values(x[None])[0]
            except BaseException as error:  # an interrupt too: `raise_error` raises it again
                self._error = error


def _vector(address: int, size: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.ctypeslib.as_array((ctypes.c_double * size).from_address(address))
