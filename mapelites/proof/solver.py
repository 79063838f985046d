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
NEVER = -1
MOST_SHARE = 1e3  # the largest share of its size that the end of a constraint is told as
EPSILON = 1e-13  # below which the solver takes a number for 0, and leaves such coefficients out
NEAREST_POLE = 1e-12  # how near to 0 the solver looks at a divisor or at what a logarithm is taken of
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
    _set_numerics(model)
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
    for i, (term, typical) in enumerate(zip(translation.constraints, sizes.constraints, strict=True)):
        margin = sizes.margins[i]
        low, high = region.low[i] - margin, region.high[i] + margin
        ends = [abs(each) for each in (low, high) if math.isfinite(each)]
        size = max(typical, *(each / MOST_SHARE for each in ends), 0.0)
        widened = aim.weights[i] if aim.kind == "relaxation" else 0.0
        sides = _sides(term, size, equality=i >= m)
        for side in sides if math.isfinite(high) else ():
            if isinstance(side, float) and not widened:
                if side > high / size:
                    return False
                continue
            model.addCons(side - (widened / size * relaxation if widened else 0.0) <= high / size)
        if low > (0.0 if i >= m else -math.inf) and not term.huge:
            lower = abs(sides[0]) if i >= m else sides[0]
            if isinstance(lower, float):
                if lower < low / size:
                    return False
                continue
            model.addCons(lower >= low / size)
    return True


def _sides(term: Term, size: float, *, equality: bool) -> tuple[Any, ...]:
    """What must not be above the tolerance, as shares of a size: the value, and minus the value of an equality."""
    value = term.in_size(size)
    return (value, -value) if equality else (value,)


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
        value: Any = sum((translation.constraints[i].in_size(size / c) for c, i in pairs), 0.0)
    else:
        size = sizes.objective
        value = translation.objective.in_size(size)
    z = model.addVar("value", lb=None)
    model.addCons(z - value >= 0.0)
    model.setObjective(z)
    return size


def _set_numerics(model: Any) -> None:
    """Keep the solver from taking small numbers for 0, and from moving variables to where a formula has no value.

    It fixes a variable at a bound where no constraint minds, and a pole there counts as none: of 1/y >= -5 with y from
    0 on it makes y = 0, and then says that nobody is left. Its rule for quotients of linear terms is wrong where 0 is
    among the divisor's values: of (1/x)/(1/x + 1) - x <= -9, with x from -2 to -0.3, it says that nobody meets it.
    """
    model.setParam("numerics/feastol", FEASIBILITY)
    model.setParam("numerics/epsilon", EPSILON)
    for function in ("pow", "log"):
        model.setParam(f"expr/{function}/minzerodistance", NEAREST_POLE)
    model.setParam("nlhdlr/quotient/enabled", False)
    model.setParam("propagating/dualfix/freq", NEVER)
    model.setParam("propagating/dualfix/maxprerounds", 0)
    model.setParam("constraints/nonlinear/checkvarlocks", "d")


def _set_effort(model: Any, effort: Effort) -> None:
    model.setParam("limits/time", max(0.05, effort.seconds))
    model.setParam("limits/gap", effort.gap / 2)  # the solver's gap is to its own solution, ours to a polished one
    model.setParam("limits/memory", MEMORY_MEGABYTES)
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
