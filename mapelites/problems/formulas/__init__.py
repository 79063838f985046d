"""Problems that are written as formulas: read by a parser, computed by a machine, shown as mathematics.

>>> text = '''problem Disc
... variable x from -2 to 2
... variable y from -2 to 2
... minimise x + y
... subject to x^2 + y^2 <= 1'''
>>> problem_of(text).evaluate([[0.0, -2.0]]).g
array([[3.]])
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from mapelites.core.problem import Constraint, Kind, Problem, ProblemSource
from mapelites.problems.formulas import typeset
from mapelites.problems.formulas.document import UNTITLED, read_document
from mapelites.problems.formulas.instructions import data_of, data_of_expressions
from mapelites.problems.formulas.limits import FoundLimit, limits_of
from mapelites.problems.formulas.machine import derivatives, machine
from mapelites.problems.formulas.scales import typical_sizes
from mapelites.problems.formulas.tokens import FormulaError
from mapelites.problems.formulas.tree import ProblemDocument

__all__ = ["UNTITLED", "FormulaError", "name_of", "problem_of"]

LONGEST = 40


@lru_cache(maxsize=256)
def problem_of(text: str) -> Problem:
    """The problem that a text describes; a `FormulaError` points at the character that is wrong."""
    document = read_document(text)
    limits, variables = limits_of(document), document.variables
    problem = Problem(
        name=name_of(document.title),
        lower=[each.low for each in variables],  # type: ignore[arg-type]
        upper=[each.high for each in variables],  # type: ignore[arg-type]
        constraints=_constraints(document, limits),
        function=machine,
        title=document.title,
        formula=typeset.typeset_objective(document),
        difficulty=document.about,
        variables=tuple(each.name for each in variables),
        best_known=document.best,
        best_known_note=document.best_note,
        equality_tolerance=document.tolerance,
        data=data_of(document),
        units=tuple(each.unit for each in variables),
        meanings=tuple(each.meaning for each in variables),
        steps=[each.step for each in variables],  # type: ignore[arg-type]
        definitions=typeset.typeset_definitions(document),
        reference=document.reference,
        source=ProblemSource("formulas", text),
        formulas=text,
        jacobian=derivatives,
        objective=document.objective_name or "f",
        objective_unit=document.objective_unit,
        maximise=document.maximise,
    )
    return _with_scales(problem, document, limits)


def _constraints(document: ProblemDocument, limits: Iterable[FoundLimit]) -> tuple[Constraint, ...]:
    """The constraints with their limits, inequalities first."""
    typed = (*document.inequalities, *document.equalities)
    kinds: list[Kind] = ["equality" if each.comparison == "=" else "inequality" for each in typed]
    return tuple(
        Constraint(
            each.name, kind, typeset.typeset_constraint(each), limit.value, limit.sense, each.unit, each.meaning,
            mirrored=limit.mirrored and limit.sense == "=",
        )
        for each, kind, limit in zip(typed, kinds, limits, strict=True)
    )  # fmt: skip


def _with_scales(problem: Problem, document: ProblemDocument, limits: Iterable[FoundLimit]) -> Problem:
    """The problem with the typical size of the sides of every constraint that has no limit but 0."""
    compared = [(each, limit.sides) for each, limit in zip(problem.constraints, limits, strict=True) if limit.sides]
    if not compared:
        return problem
    sides = data_of_expressions(document, [side for _, pair in compared for side in pair])
    sizes = zip((each.name for each, _ in compared), typical_sizes(problem, sides), strict=True)
    known = {name: size for name, size in sizes if size is not None}
    told = [
        replace(each, scale=known[each.name].value, estimated=known[each.name].estimated)
        if each.name in known
        else each
        for each in problem.constraints
    ]
    return replace(problem, constraints=tuple(told))


def name_of(title: str) -> str:
    """The short name of a problem, for addresses and files.

    >>> name_of("Pressure vessel (Sandgren, 1990)")
    'pressure-vessel-sandgren-1990'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST].rstrip("-") or "problem"
