"""The built-in problems by name.

>>> from mapelites.problems import get, names
>>> names()[0], get("C16", 10).title
('C01', 'C16 10D')
"""

from __future__ import annotations

from mapelites.problem import Problem
from mapelites.problems import cec2010
from mapelites.problems.cec2010 import dimensions

__all__ = ["dimensions", "get", "names"]


def names() -> tuple[str, ...]:
    """The names of all built-in problems."""
    return cec2010.NAMES


def get(name: str, dimension: int = 10) -> Problem:
    """A built-in problem in so many dimensions."""
    return cec2010.get(name, dimension)
