"""Where no feasible solution is known: how close one gets, and which constraints exclude each other.

What follows from the solutions that are known is no proof. It says where to look: of constraints that no solution
satisfies together, though one satisfies all but any one of them, one at least has to give way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mapelites.answers.designs import Designs
from mapelites.answers.words import broken_by, ended, list_in_words
from mapelites.core.archive import Archive, Elites
from mapelites.core.format import amount
from mapelites.core.problem import Array, Problem
from mapelites.core.statistics import counted_violations

NONE_EXISTS = "no point is feasible"  # how a suite's note begins where that is proven


@dataclass(frozen=True)
class Closest:
    """The solution with the least mean violation, as competitions count it, and the constraints in conflict.

    `conflict` are places of constraints that no known solution satisfies together; without any one of them some
    solution satisfies all the others.
    """

    x: Array
    f: float
    raw: Array  # g, then h
    violations: Array
    mean_violation: float
    conflict: tuple[int, ...]
    proven: bool  # that no feasible point exists at all


def closest(known: Archive | Designs) -> Closest | None:
    """How close known solutions come to feasibility; None where one is feasible, or none is known.

    >>> from mapelites import illuminate
    >>> from mapelites.problems import get
    >>> found = closest(illuminate(get("2017-C17", 10), search="paper-3", evaluations=5_000))
    >>> found.mean_violation >= 4.5, found.conflict, found.proven
    (True, (1,), True)
    """
    problem, found = _solutions(known)
    violations = found.violations
    if not len(found) or problem.feasible(violations).any():
        return None
    mean = counted_violations(problem, violations).mean(axis=1)
    row = int(np.lexsort((found.found_at, found.f, mean))[0])
    raw = np.concatenate([found.g[row], found.h[row]])
    return Closest(
        found.x[row].copy(), float(found.f[row]), raw, violations[row].copy(), float(mean[row]), conflict(known),
        has_no_feasible_point(problem),
    )  # fmt: skip


def has_no_feasible_point(problem: Problem) -> bool:
    """Whether it is proven that no point satisfies every constraint."""
    return problem.best_known is None and problem.best_known_note.startswith(NONE_EXISTS)


def conflict(known: Archive | Designs) -> tuple[int, ...]:
    """An irreducible set of constraints that no known solution satisfies together, empty where one is feasible.

    Constraints are left out one after the other, those first that most solutions satisfy, as long as no solution
    satisfies all that remain: the deletion filter of J. W. Chinneck and E. W. Dravnieks, "Locating minimal infeasible
    constraint sets in linear programs" (1991), with solutions instead of a solver.
    """
    problem, found = _solutions(known)
    satisfied = found.violations <= problem.feasible_up_to
    kept = list(range(satisfied.shape[1]))
    if satisfied.all(axis=1).any():
        return ()
    # A constraint that most solutions satisfy is the least likely to be to blame, so it is left out first.
    for place in np.argsort(-satisfied.sum(axis=0), kind="stable").tolist():
        others = [each for each in kept if each != place]
        # Still nobody satisfies all the others: the conflict is there without this one too.
        if not satisfied[:, others].all(axis=1).any():
            kept = others
    return tuple(kept)


def closest_sentence(known: Archive | Designs, *, so_far: bool = False) -> str:
    """The same in words, `so_far` where the search goes on; empty where a feasible solution is known."""
    found = closest(known)
    if found is None:
        return ""
    problem, _ = _solutions(known)
    named, limits = problem.constraints, problem.feasible_up_to
    none = f"No point of {problem.title or problem.name} is feasible"
    begin = none if found.proven else "No feasible solution is known"
    broken = [i for i in range(len(named)) if found.violations[i] > limits[i]]
    broken.sort(key=lambda i: -float(found.violations[i]) / (named[i].reference or 1.0))
    told = list_in_words([broken_by(named[i], float(found.violations[i]), float(found.raw[i])) for i in broken])
    far = " so far" if so_far else ""
    near = f"The nearest{far} has a mean violation of {amount(found.mean_violation, 4)}: it breaks {told}"
    names = [named[i].name for i in found.conflict]
    why = f"No known solution satisfies {names[0]} at all"
    if len(names) > 1:
        why = f"No known solution satisfies {list_in_words(names)} together, though some satisfy all but one of them"
    return f"{begin}. {ended(near)} {why}."


def _solutions(known: Archive | Designs) -> tuple[Problem, Elites]:
    return known.problem, known.found if isinstance(known, Designs) else known.everything()
