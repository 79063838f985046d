"""A short search of a problem, the same each time, from which levels are suggested before a run."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from mapelites.core.archive import Archive
from mapelites.core.errors import InputError
from mapelites.core.problem import Problem, ProblemSource
from mapelites.core.settings import Settings
from mapelites.core.tolerances import Tolerances
from mapelites.problems import find
from mapelites.search import Illumination

EVALUATIONS = 20_000
FINE = (0.0, 0.3, 1.0, 3.0, 10.0)  # per cent of the limit
ALLOWED_KINDS = ("name", "formulas")


def short_search(problem: Problem) -> Archive:
    """What a short search finds; an `InputError` for a function of a Python file, which only a worker may call."""
    if problem.source.kind not in ALLOWED_KINDS or not problem.compiled:
        raise InputError(
            f"{problem.title or problem.name} is a function of yours, and only a run evaluates it: start one with "
            "these levels, then press Suggested or Normalised under Change levels on its page"
        )
    return _searched(problem.name, problem.dimension, problem.source)


@lru_cache(maxsize=32)
def _searched(name: str, dimension: int, source: ProblemSource) -> Archive:
    return search_shortly(find(name, dimension, source))


def search_shortly(problem: Problem, evaluations: int = EVALUATIONS) -> Archive:
    """The search itself, of a problem that may be evaluated here."""
    usual = Tolerances.default(problem)
    levels = [
        each if constraint.reference is None else tuple(constraint.reference * percent / 100 for percent in FINE)
        for each, constraint in zip(usual.levels, usual.axes(problem), strict=True)
    ]
    try:
        tolerances = replace(usual, levels=tuple(levels))
    except InputError:  # more cells than a map has room for
        tolerances = usual
    search = Illumination(problem, tolerances, Settings.of("directed", problem.dimension, evaluations=evaluations))
    search.advance(evaluations)
    return search.archive().by_axis
