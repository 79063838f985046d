"""Choosing a problem: a searchable list in groups, and what each problem is in formulas and words."""

from __future__ import annotations

from functools import cache
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from components.format import many, number
from mapelites.problem import Problem
from mapelites.problems import dimensions, get, names
from mapelites.tolerances import short

GROUPS = ("Inequalities only", "Equalities only", "Inequalities and equalities")


def preferred_dimension(name: str) -> int:
    """The dimension a problem is shown in unless another is asked for."""
    possible = dimensions(name)
    return 10 if 10 in possible else possible[0]


def dimensions_in_words(name: str) -> str:
    """The dimensions a problem can have, `2 to 30` or `10 or 30`."""
    possible = dimensions(name)
    if len(possible) > 2 and possible == tuple(range(possible[0], possible[-1] + 1)):
        return f"{possible[0]} to {possible[-1]}"
    return " or ".join(map(str, possible))


def group(problem: Problem) -> str:
    """The group a problem is listed in, by the kinds of its constraints."""
    if not problem.equalities:
        return GROUPS[0]
    return GROUPS[2] if problem.inequalities else GROUPS[1]


def kinds(problem: Problem) -> str:
    """Number and kinds of the constraints in words."""
    parts = []
    if problem.inequalities:
        parts.append(many(problem.inequalities, "inequality", "inequalities"))
    if problem.equalities:
        parts.append(many(problem.equalities, "equality", "equalities"))
    return " and ".join(parts)


@cache
def shown(name: str) -> Problem:
    """A problem in its preferred dimension."""
    return get(name, preferred_dimension(name))


def grouped() -> dict[str, list[Problem]]:
    """All problems by group, in order."""
    problems = [shown(name) for name in names()]
    return {title: [problem for problem in problems if group(problem) == title] for title in GROUPS}


def options() -> list[dict[str, Any]]:
    """The list for a Select; its search finds names, kinds and what makes a problem hard."""
    return [
        {
            "group": title,
            "items": [
                {"value": problem.name, "label": f"{problem.name} · {kinds(problem)} · {problem.difficulty}"}
                for problem in problems
            ],
        }
        for title, problems in grouped().items()
    ]


def select(component_id: str, value: str) -> Component:
    """The chooser itself."""
    return dmc.Select(
        id=component_id,
        label="Problem",
        description="Type to search by name, kind of constraint or what makes it hard",
        data=options(),
        value=value,
        searchable=True,
        allowDeselect=False,
        nothingFoundMessage="No problem matches",
        maxDropdownHeight=360,
        comboboxProps={"shadow": "md"},
    )


def details(problem: Problem) -> list[Component]:
    """A problem in formulas and words: objective, bounds, constraints, difficulty, best known value."""
    formulas = [rf"\min_x \; f = {problem.formula}"]
    formulas += [rf"{_named(each.name)} = {each.formula}" for each in problem.constraints if each.formula]
    facts = [
        ("Bounds", bounds(problem)),
        ("Constraints", kinds(problem)),
        ("Best known", best_known(problem)),
    ]
    return [
        dmc.Text(problem.difficulty, size="sm", className="difficulty"),
        html.Div([formula(each) for each in formulas], className="formulas"),
        html.Dl([part for name, text in facts for part in (html.Dt(name), html.Dd(text))], className="facts"),
    ]


def formula(text: str) -> Component:
    """One typeset formula; it scrolls by itself where the screen is narrow."""
    # The box is there before the typesetter is, so that nothing jumps.
    return html.Div(dcc.Markdown(f"$${text}$$", mathjax=True), className="formula")


def bounds(problem: Problem) -> str:
    """The bounds in words, once where all variables share them."""
    low, high = problem.lower, problem.upper
    if (low == low[0]).all() and (high == high[0]).all():
        return f"{short(low[0])} to {short(high[0])} for each of {many(problem.dimension, 'variable')}"
    pairs = zip(problem.variables, low, high, strict=True)
    return ", ".join(f"{name} {short(a)} to {short(b)}" for name, a, b in pairs)


def best_known(problem: Problem) -> str:
    """The best known feasible value, with how sure it is."""
    if problem.best_known is None:
        return f"not known for {problem.title}"
    note = f" ({problem.best_known_note})" if problem.best_known_note else ""
    return f"{number(problem.best_known)}{note}"


def constraint_names(problem: Problem) -> list[str]:
    """The names of the constraints, in order."""
    return [constraint.name for constraint in problem.constraints]


def _named(name: str) -> str:
    return f"{name[0]}_{{{name[1:]}}}" if len(name) > 1 and name[1:].isdigit() else rf"\text{{{name}}}"
