"""The solver itself, SCIP: one question to a model of a problem, and what it found.

Everything here runs in a process of its own (`mapelites/proof/process.py`), and is imported there only: the package
pyscipopt is an extra.
"""

from __future__ import annotations

import math
from typing import Any

from mapelites.core.problem import Problem
from mapelites.problems.formulas.tree import ProblemDocument
from mapelites.proof.region import Aim, Effort, Region, Sizes
from mapelites.proof.solved import Solved
from mapelites.proof.terms import Term
from mapelites.proof.translation import Translation, translate

INFINITE = 1e19  # the solver's own infinity is 1e20
SAFETY = 1e-6  # the solver's tolerance: by so much of its own scale a bound is taken back
MOST_POINTS = 5
MEMORY_MEGABYTES = 4096.0
PROCESSOR_CLOCK = 1
FEASIBILITY = 1e-7  # within which the solver takes a constraint for satisfied, as a share of its typical size


def solve(
    problem: Problem, document: ProblemDocument, region: Region, aim: Aim, sizes: Sizes, effort: Effort
) -> Solved:
    """Put one question to the solver."""
    translation = translate(problem, document)
    model = translation.model
    relaxation = model.addVar("relaxation", lb=0.0) if aim.kind == "relaxation" else None
    if not _restrict(translation, problem, region, aim, sizes, relaxation):
        return Solved(None, True, (), None, 0, 0.0)
    scale = _set_objective(translation, aim, sizes, relaxation)
    _set_effort(model, effort)
    if math.isfinite(aim.cutoff):
        model.setObjlimit(aim.cutoff / scale)
    model.optimize()
    return _read(translation, scale, aim.cutoff)


def _restrict(
    translation: Translation, problem: Problem, region: Region, aim: Aim, sizes: Sizes, relaxation: Any
) -> bool:
    """Add the constraints of a region to a model; whether those that depend on nothing hold."""
    model, m = translation.model, problem.inequalities
    for i, (term, size) in enumerate(zip(translation.constraints, sizes.constraints, strict=True)):
        margin = sizes.margins[i]
        low, high = region.low[i] - margin, region.high[i] + margin
        widened = aim.weights[i] if aim.kind == "relaxation" else 0.0
        sides = _sides(term, equality=i >= m)
        for side in sides if math.isfinite(high) else ():
            if isinstance(side, float) and not widened:
                if side > high:
                    return False
                continue
            model.addCons(side / size - (widened / size * relaxation if widened else 0.0) <= high / size)
        if low > (0.0 if i >= m else -math.inf):
            lower = abs(term.expression) if i >= m else term.expression
            if isinstance(lower, float):
                if lower < low:
                    return False
                continue
            model.addCons(lower / size >= low / size)
    return True


def _sides(term: Term, *, equality: bool) -> tuple[Any, ...]:
    """What must not be above the tolerance: the value, and minus the value of an equality."""
    return (term.expression, -term.expression) if equality else (term.expression,)


def _set_objective(translation: Translation, aim: Aim, sizes: Sizes, relaxation: Any) -> float:
    """What is to be made small; by what the solver's value is multiplied to be in its unit."""
    model = translation.model
    if aim.kind == "feasibility":
        return 1.0
    if aim.kind == "relaxation":
        model.setObjective(relaxation)
        return 1.0
    if aim.kind == "sum":
        pairs = [(c, i) for i, c in enumerate(aim.coefficients) if c]
        size = max(abs(c) * sizes.constraints[i] for c, i in pairs)
        value: Any = sum((c / size * translation.constraints[i].expression for c, i in pairs), 0.0)
    else:
        size = sizes.objective
        value = translation.objective.expression / size
    z = model.addVar("value", lb=None)
    model.addCons(z - value >= 0.0)
    model.setObjective(z)
    return size


def _set_effort(model: Any, effort: Effort) -> None:
    model.setParam("limits/time", max(0.05, effort.seconds))
    model.setParam("limits/gap", effort.gap / 2)  # the solver's gap is to its own solution, ours to a polished one
    model.setParam("limits/memory", MEMORY_MEGABYTES)
    model.setParam("numerics/feastol", FEASIBILITY)
    model.setParam("randomization/randomseedshift", effort.seed)
    if effort.processor_time:
        model.setParam("timing/clocktype", PROCESSOR_CLOCK)
    if effort.nodes is not None:
        model.setParam("limits/nodes", effort.nodes)


def _read(translation: Translation, scale: float, cutoff: float) -> Solved:
    model = translation.model
    nobody = model.getStatus() == "infeasible"
    infeasible = nobody and not math.isfinite(cutoff)  # else nobody is under the cutoff, which makes it the bound
    dual = cutoff / scale if nobody else min(float(model.getDualbound()), cutoff / scale)
    bound = None if infeasible or abs(dual) >= INFINITE else (dual - SAFETY * max(1.0, abs(dual))) * scale
    solutions = model.getSols()[:MOST_POINTS] if model.getNSols() else []
    value = float(model.getSolObjVal(solutions[0])) * scale if solutions else None
    points = tuple(tuple(translation.point(each)) for each in solutions)
    return Solved(bound, infeasible, points, value, int(model.getNTotalNodes()), float(model.getSolvingTime()))
