"""The compiled form of a problem's function, and its evaluation over many points.

A kernel takes one solution and fills an array with f, then g, then h. Every kernel has the same
signature, so one compiled search loop serves every problem and stays in numba's cache on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numba import config, njit, types
from numpy.typing import NDArray

from mapelites.core import compiled

Array = NDArray[np.float64]

VECTOR = types.Array(types.float64, 1, "C")
MATRIX = types.Array(types.float64, 2, "C")
INDICES = types.Array(types.int64, 1, "C")
KERNEL_SIGNATURE = types.void(VECTOR, VECTOR, VECTOR)
KERNEL_TYPE = types.FunctionType(KERNEL_SIGNATURE)


def kernel(function: Callable[[Array, Array, Array], None]) -> Any:
    """Compile `function(x, data, out)`, which fills `out` with f, then every g, then every h.

    `data` holds a problem's constants (its shift, its rotation), or nothing. Division by zero
    gives an infinity as in numpy, and the search refuses the candidate.
    """
    return njit(KERNEL_SIGNATURE, cache=compiled.cache_folder() is not None, error_model="numpy")(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a piece of an inner loop, to be merged into its caller. It must not make arrays.

    Without numba's run time for arrays there is no counting of references, which otherwise costs more
    than what such a piece computes.
    """
    return njit(forceinline=True, _nrt=False, error_model="numpy")(function)


def compiled_for(*arguments: Any, allocates: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function of the search now, for these argument types, and keep the result on disk.

    A function that makes arrays has to say so. Where no folder can be written, nothing is kept.
    """

    def compile_(function: Callable[..., Any]) -> Any:
        kept = compiled.cache_folder()
        with _cache_of_this_source(kept):
            return njit(arguments, cache=kept is not None, error_model="numpy", _nrt=allocates)(function)

    return compile_


@contextmanager
def _cache_of_this_source(kept: Path | None) -> Iterator[None]:
    """Let numba cache in a folder, within the one for what is kept, named after the source of the whole search.

    numba itself only notices a change of the file a function stands in. A loop that calls functions of
    other files would go on with their old code.
    """
    before = config.CACHE_DIR
    config.CACHE_DIR = str(kept / f"search-{_digest()}") if kept else before
    try:
        yield
    finally:
        config.CACHE_DIR = before


@cache
def _digest() -> str:
    here = Path(__file__).parent
    search = here.parent / "search"
    digest = sha256()
    for path in (Path(__file__), here / "rounding.py", *sorted(search.rglob("*.py"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@compiled_for(KERNEL_TYPE, MATRIX, VECTOR, MATRIX)
def evaluate_rows(kernel, x, data, out):
    """Fill each row of `out` from the same row of `x`: the loop around a kernel, and nothing else."""
    for row in range(x.shape[0]):
        kernel(x[row], data, out[row])
