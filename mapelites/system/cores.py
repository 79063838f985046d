"""Processors: how many there are, and how a process is kept to one thread of numerical work."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS")
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in LIBRARIES}


def usable_cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for the processes started meanwhile."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
