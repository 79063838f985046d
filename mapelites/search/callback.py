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
from numba import njit, types

from mapelites.core.kernels import KERNEL_SIGNATURE
from mapelites.core.problem import Array, Problem

MOST_VECTORS = 1_000  # places in memory that are kept in mind
PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class Callback:
    """The compiled face of a problem whose function is plain Python."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._on_steps = problem, bool(problem.steps.any())
        self._vectors: dict[tuple[int, int], Array] = {}
        self._error: BaseException | None = None
        self._call = call = PROTOTYPE(self._fill)

        def kernel(x, data, out):
            for i in range(out.size):  # what an interrupt leaves, should it come before the function is reached
                out[i] = np.nan
            call(x.ctypes, out.ctypes)

        compiled = njit(KERNEL_SIGNATURE)(kernel)
        # By its address: numba would look it up anew each time that the search hands it to something compiled.
        self.kernel: Any = types.CompileResultWAP(compiled.get_compile_result(KERNEL_SIGNATURE))

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
                x = self._vector(x_address, self._problem.dimension)
                if self._on_steps:
                    x = self._problem.rounded(x[None])[0]
                self._vector(out_address, 1 + len(self._problem.constraints))[:] = self._problem.values_at(x)
            except BaseException as error:  # an interrupt too: `raising` raises it again
                self._error = error

    def _vector(self, address: int, size: int) -> Array:
        """So many numbers that begin there: as an array, which takes long to make and is kept for the next call."""
        found = self._vectors.get((address, size))
        if found is None:
            if len(self._vectors) >= MOST_VECTORS:
                self._vectors.clear()
            found = np.ctypeslib.as_array((ctypes.c_double * size).from_address(address))
            self._vectors[address, size] = found
        return found
