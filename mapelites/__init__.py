"""Illuminate constraints: the best solution found for every combination of tolerances.

>>> from mapelites import Tolerances, illuminate
>>> from mapelites.problems import get
>>> problem = get("C16", 10)
>>> archive = illuminate(problem, Tolerances.default(problem), search="paper-3", evaluations=5_000, seed=1)
>>> archive.best(feasible=True) is None
True
"""

from mapelites.core.archive import Archive, Elite
from mapelites.core.errors import InputError
from mapelites.core.problem import Constraint, Evaluation, Problem
from mapelites.core.settings import Settings
from mapelites.core.tolerances import Tolerances
from mapelites.problems.own.authored import problem
from mapelites.search import Illumination, Search, illuminate

__version__ = "0.2.0"

__all__ = [
    "Archive",
    "Constraint",
    "Elite",
    "Evaluation",
    "Illumination",
    "InputError",
    "Problem",
    "Search",
    "Settings",
    "Tolerances",
    "illuminate",
    "problem",
]
