"""A question as people ask it: one tolerance for each constraint, by names or in order, as numbers or "5%"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mapelites.core.errors import InputError, unknown
from mapelites.core.levels import read_level
from mapelites.core.problem import Array, Problem

Question = Mapping[str, float | str] | Sequence[float | str] | Array


def question_vector(problem: Problem, tolerances: Question, who: str) -> Array:
    """One tolerance for each constraint, at least what counts as satisfied; `who` asks, for errors.

    By names, a constraint that is not named has to be satisfied. Otherwise there is one tolerance for each.

    >>> from mapelites.problems import get
    >>> question_vector(get("welded-beam"), {"shear": "5%", "buckling": 300}, "answer").tolist()
    [680.0, 0.0, 0.0, 0.0, 0.0, 0.0, 300.0]
    """
    names = [constraint.name for constraint in problem.constraints]
    if isinstance(tolerances, Mapping):
        for name in tolerances:
            if name not in names:
                raise unknown(f"{who}: a constraint", name, names)
        tolerances = [tolerances.get(name, 0.0) for name in names]
    if len(tolerances) != len(names):
        raise InputError(
            f"{who}: there must be one tolerance for each of {', '.join(names)}, but there were {len(tolerances)}"
        )
    asked: Array = np.array(
        [read_level(each, said) for each, said in zip(problem.constraints, tolerances, strict=True)]
    )
    if not (asked >= 0.0).all():
        raise InputError(f"{who}: a tolerance must be a number from 0 on, but they were {asked.tolist()}")
    found: Array = np.maximum(asked, problem.feasible_up_to)
    return found
