"""Kernels that are compiled when they are first used, for suites of which a process uses few.

A kernel of a hundred formulas takes seconds to compile and some milliseconds to load. A list of all problems needs
neither.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import config, njit, types

from mapelites.core import compiled
from mapelites.core.kernels import KERNEL_SIGNATURE, Array


class KernelOnDemand(types.WrapperAddressProtocol):  # type: ignore[misc]
    """A kernel like that of `mapelites.core.kernels.kernel`; compiled code takes it in its place.

    `py_func` is the function as it was written, which runs without being compiled.

    >>> import numpy as np
    >>> @kernel_on_demand
    ... def double(x, data, out):
    ...     out[0] = 2.0 * x[0]
    >>> out = np.empty(1)
    >>> double.py_func(np.array([3.0]), np.empty(0), out), out[0], double.is_compiled
    (None, np.float64(6.0), False)
    """

    def __init__(self, function: Callable[[Array, Array, Array], None]) -> None:
        self.py_func = function
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__

    def __call__(self, x: Array, data: Array, out: Array) -> None:
        """Fill `out` with f, then every g, then every h of one solution."""
        self.dispatcher(x, data, out)

    def __wrapper_address__(self) -> int:
        """Where the compiled code begins, for the code that calls it."""
        result = self.dispatcher.get_compile_result(KERNEL_SIGNATURE)
        return int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))

    def signature(self) -> Any:
        """The types of its arguments: those of every kernel."""
        return KERNEL_SIGNATURE

    @property
    def is_compiled(self) -> bool:
        """Whether it has been used already."""
        return "dispatcher" in self.__dict__

    @cached_property
    def dispatcher(self) -> Any:
        """The compiled function."""
        kept = compiled.cache_folder()
        before = config.CACHE_DIR
        # numba notices a change of this function's file only, not of the files beside it that it calls.
        source = Path(self.py_func.__code__.co_filename)
        config.CACHE_DIR = str(kept / f"kernels-{_digest(source.parent)}") if kept else before
        try:
            return njit(KERNEL_SIGNATURE, cache=kept is not None, error_model="numpy")(self.py_func)
        finally:
            config.CACHE_DIR = before


kernel_on_demand = KernelOnDemand


@cache
def _digest(folder: Path) -> str:
    digest = sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
