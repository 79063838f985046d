"""A short search of a problem, the same each time, from which levels are suggested before a run."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from mapelites.core.archive import Archive, Elites
from mapelites.core.errors import InputError
from mapelites.core.problem import Problem, ProblemSource
from mapelites.core.settings import Settings
from mapelites.core.tolerances import Tolerances
from mapelites.problems import find_problem
from mapelites.search import Illumination

EVALUATIONS = 20_000  # of all constraints together
LEAST = 500  # of one constraint
FINE = (0.0, 0.3, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)  # per cent of the limit
ALLOWED_KINDS = ("name", "formulas")


def is_searched_here(problem: Problem) -> bool:
    """Whether the page may evaluate a problem: none that is a function of somebody's own."""
    return problem.source.kind in ALLOWED_KINDS and problem.compiled


def short_search(problem: Problem) -> Archive:
    """What a short search finds; an `InputError` for a function of a Python file, which only a worker may call."""
    if not is_searched_here(problem):
        raise InputError(
            f"{problem.title or problem.name} is a function of yours, and only a run evaluates it: start one with "
            "these levels, then press Suggested or Normalised under Change levels on its page"
        )
    return _searched(problem.name, problem.dimension, problem.source)


@lru_cache(maxsize=32)
def _searched(name: str, dimension: int, source: ProblemSource) -> Archive:
    return search_shortly(find_problem(name, dimension, source))


def search_shortly(problem: Problem, evaluations: int = EVALUATIONS) -> Archive:
    """The search itself, of a problem that may be evaluated here: one for each constraint, the others satisfied.

    So a few thousand evaluations tell what relaxing it alone buys, however many constraints there are.
    """
    usual = Tolerances.default(problem)
    each = max(LEAST, evaluations // max(1, len(usual.names)))
    found = Elites.empty(problem)
    for axis in range(len(usual.names)):
        settings = Settings.of("directed", problem.dimension, evaluations=each)
        search = Illumination(problem, _alone(problem, usual, axis), settings)
        search.advance(each)
        found = found.and_(search.elites())
    return Archive(problem, usual, found).by_axis


def _alone(problem: Problem, usual: Tolerances, axis: int) -> Tolerances:
    """Fine levels of one constraint, the others hard."""
    constraint, levels = usual.axes(problem)[axis], list(usual.levels)
    if constraint.reference is not None:
        levels[axis] = tuple(constraint.reference * percent / 100 for percent in FINE)
    others = [name for name in usual.names if name != constraint.name]
    return replace(usual, levels=tuple(levels)).with_hard(problem, others)
