"""A cheap version of a problem beside the dear one, such as a coarse mesh: it is searched first, to begin there.

Nothing that the cheap version says counts as an answer: its designs are evaluated truly.
"""

from __future__ import annotations

import numpy as np

from mapelites.core.archive import Archive
from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Problem

LEAST_EVALUATIONS = 300  # of the cheap version, where the dear one has fewer


def check_cheap(cheap: Problem, problem: Problem) -> None:
    """An `InputError` where a problem is no other version of one."""

    def described(each: Problem) -> tuple[object, ...]:
        return each.variables, [one.name for one in each.constraints], each.lower.tolist(), each.upper.tolist()

    if described(cheap) != described(problem):
        raise InputError(
            f"cheap must have the variables, bounds and constraints of {problem.name}, but {cheap.name} has others"
        )


def promising_designs(archive: Archive) -> Array:
    """Of a cheap version's map the best feasible design, then those that relaxing one constraint buys: (k, n)."""
    tolerances, allowed = archive.tolerances, archive.problem.feasible_up_to
    best = archive.best(feasible=True)
    found = [] if best is None else [best.x]
    places = tolerances.places or tuple((i,) for i in range(len(tolerances.names)))
    for level in (-1, 0):
        for i in tolerances.negotiable:
            asked = np.array(allowed)
            asked[list(places[i])] = np.maximum(asked[list(places[i])], tolerances.levels[i][level])
            answer = archive.answer(asked)
            if answer is not None and not any((answer.x == each).all() for each in found):
                found.append(answer.x)
    most = archive.problem.dimension // 2 + 2  # the other half of the beginning fills the space
    return np.array(found[:most]).reshape(-1, archive.problem.dimension)
