"""Illuminate constraints: the best solution found for every combination of tolerances.

>>> from mapelites import Tolerances, illuminate
>>> from mapelites.problems import get
>>> problem = get("C16", 10)
>>> archive = illuminate(problem, Tolerances.default(problem), search="paper-3", evaluations=5_000, seed=1)
>>> archive.best(feasible=True) is None
True
"""

from mapelites.archive import Archive, Elite
from mapelites.errors import InputError
from mapelites.problem import Constraint, Evaluation, Problem
from mapelites.problems.authored import problem
from mapelites.search import Illumination, Settings, illuminate
from mapelites.tolerances import Tolerances

__all__ = [
    "Archive",
    "Constraint",
    "Elite",
    "Evaluation",
    "Illumination",
    "InputError",
    "Problem",
    "Settings",
    "Tolerances",
    "illuminate",
    "problem",
]
