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
from functools import lru_cache

from mapelites.problem import Constraint, Problem
from mapelites.problems.formulas import typeset
from mapelites.problems.formulas.document import UNTITLED, read
from mapelites.problems.formulas.machine import data_of, machine
from mapelites.problems.formulas.tokens import FormulaError

__all__ = ["UNTITLED", "FormulaError", "name_of", "problem_of"]

LONGEST = 40


@lru_cache(maxsize=256)
def problem_of(text: str) -> Problem:
    """The problem that a text describes; a `FormulaError` points at the character that is wrong."""
    document = read(text)
    restrictions = [(each, "inequality") for each in document.inequalities]
    restrictions += [(each, "equality") for each in document.equalities]
    variables = document.variables
    return Problem(
        name=name_of(document.title),
        lower=[each.low for each in variables],  # type: ignore[arg-type]
        upper=[each.high for each in variables],  # type: ignore[arg-type]
        constraints=tuple(Constraint(each.name, kind, typeset.restriction(each)) for each, kind in restrictions),  # type: ignore[arg-type]
        function=machine,
        title=document.title,
        formula=typeset.objective(document),
        difficulty=document.about,
        variables=tuple(each.name for each in variables),
        best_known=document.best,
        best_known_note=document.best_note,
        equality_tolerance=document.tolerance,
        data=data_of(document),
        units=tuple(each.unit for each in variables),
        meanings=tuple(each.meaning for each in variables),
        steps=[each.step for each in variables],  # type: ignore[arg-type]
        definitions=typeset.definitions(document),
        reference=document.reference,
        source=text,
    )


def name_of(title: str) -> str:
    """The short name of a problem, for addresses and files.

    >>> name_of("Pressure vessel (Sandgren, 1990)")
    'pressure-vessel-sandgren-1990'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST].rstrip("-") or "problem"
