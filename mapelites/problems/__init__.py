"""Every problem by name: the competition's, the gallery's, and one's own from files and formulas.

>>> from mapelites.problems import get, names
>>> names()[0], get("C16", 10).title, get("pressure-vessel").dimension
('C01', 'C16 10D', 4)
"""

from __future__ import annotations

from mapelites.errors import InputError, unknown
from mapelites.problem import Problem
from mapelites.problems import cec2006, cec2010, gallery
from mapelites.problems.files import described, is_description
from mapelites.problems.formulas import problem_of
from mapelites.problems.library import Library

__all__ = ["built_in", "dimensions", "find", "get", "names", "own", "renewed", "suites"]

PREFERRED_DIMENSION = 10
own = Library()  # of this process: which files it was told to read


def suites() -> dict[str, tuple[str, ...]]:
    """The names of all problems, by where they come from; one's own come first where there are any."""
    mine = own.names()
    yours = {"Yours": mine} if mine else {}
    more = {"CEC 2006": cec2006.NAMES} if cec2006.available() else {}
    return {**yours, "Gallery": gallery.NAMES, "CEC 2010": cec2010.NAMES, **more}


def names() -> tuple[str, ...]:
    """The names of all problems, the built-in ones first."""
    return (*built_in(), *own.names())


def built_in() -> tuple[str, ...]:
    """The names of the problems that are always there."""
    return (*cec2010.NAMES, *gallery.NAMES, *(cec2006.NAMES if cec2006.available() else ()))


def dimensions(name: str) -> tuple[int, ...]:
    """The dimensions a problem can have; most have exactly one."""
    return cec2010.dimensions(name) if name in cec2010.NAMES else (get(name).dimension,)


def get(name: str, dimension: int | None = None) -> Problem:
    """A problem by name, in so many dimensions where it leaves the choice.

    One from a Python file is its description alone: `own.loaded` brings its function with it.
    """
    if name in cec2010.NAMES:
        possible = cec2010.dimensions(name)
        usual = PREFERRED_DIMENSION if PREFERRED_DIMENSION in possible else possible[0]
        return cec2010.get(name, usual if dimension is None else dimension)
    if name in cec2006.NAMES:
        problem: Problem | None = cec2006.get(name)
    else:
        problem = gallery.get(name) if name in gallery.NAMES else own.get(name)
    if problem is None:
        raise unknown("the problem", name, names())
    if dimension is not None and dimension != problem.dimension:
        raise InputError(f"{name}: the dimension must be {problem.dimension}, but it was {dimension}")
    return problem


def renewed(name: str, source: str) -> str:
    """What a new run of an old run's problem stores: of one from a file, its newest version."""
    return get(name).source if is_description(source) else source


def find(name: str, dimension: int, source: str = "") -> Problem:
    """The problem of a run: by its name, or by what the run stores of it where it is somebody's own."""
    if not source:
        return get(name, dimension)
    problem = described(source) if is_description(source) else problem_of(source)
    if (problem.name, problem.dimension) != (name, dimension):
        raise InputError(f"{name} {dimension}D must be what the run's own problem is, but that is {problem.name}")
    return problem
