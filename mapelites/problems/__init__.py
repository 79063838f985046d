"""Every problem by name: those of the suites, and one's own from files and formulas.

>>> from mapelites.problems import get, names
>>> names()[0], get("C16", 10).title, get("pressure-vessel").dimension
('C01', 'C16 10D', 4)
"""

from __future__ import annotations

from mapelites.core.errors import InputError, unknown
from mapelites.core.problem import BY_NAME, Problem, ProblemSource
from mapelites.problems.formulas import problem_of
from mapelites.problems.own.files import problem_from_description
from mapelites.problems.own.library import ProblemLibrary
from mapelites.problems.suites import available_suites, suite_of

__all__ = ["built_in", "dimensions", "find_problem", "get", "names", "newest_source", "own_problems", "suites"]

own_problems = ProblemLibrary()  # of this process: which files it was told to read


def suites() -> dict[str, tuple[str, ...]]:
    """The names of all problems, by where they come from; one's own come first where there are any."""
    mine = own_problems.names()
    yours = {"Yours": mine} if mine else {}
    return {**yours, **{suite.title: suite.names for suite in available_suites()}}


def names() -> tuple[str, ...]:
    """The names of all problems, the built-in ones first."""
    return (*built_in(), *own_problems.names())


def built_in() -> tuple[str, ...]:
    """The names of the suites' problems, those first that come in several dimensions."""
    several_first = sorted(available_suites(), key=lambda suite: suite.dimensions is None)
    return tuple(name for suite in several_first for name in suite.names)


def dimensions(name: str) -> tuple[int, ...]:
    """The dimensions a problem can have; most have exactly one."""
    suite = suite_of(name)
    return (get(name).dimension,) if suite is None else suite.dimensions_of(name)


def get(name: str, dimension: int | None = None) -> Problem:
    """A problem by name, in so many dimensions where it leaves the choice.

    One from a Python file is its description alone: `own_problems.loaded` brings its function with it.
    """
    suite = suite_of(name)
    if suite is not None:
        return suite.problem(name, dimension)
    problem = own_problems.get(name)
    if problem is None:
        raise unknown("the problem", name, names())
    if dimension is not None and dimension != problem.dimension:
        raise InputError(f"{name}: the dimension must be {problem.dimension}, but it was {dimension}")
    return problem


def newest_source(name: str, source: ProblemSource) -> ProblemSource:
    """What a new run of an old run's problem stores: of one from a file, its newest version."""
    return get(name).source if source.kind == "file" else source


def find_problem(name: str, dimension: int, source: ProblemSource = BY_NAME) -> Problem:
    """The problem of a run: by its name, or by what the run stores of it where it is somebody's own."""
    if source.kind == "name":
        return get(name, dimension)
    problem = (problem_from_description if source.kind == "file" else problem_of)(source.text)
    if (problem.name, problem.dimension) != (name, dimension):
        raise InputError(f"{name} {dimension}D must be what the run's own problem is, but that is {problem.name}")
    return problem
