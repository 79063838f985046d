"""Choosing a problem: a searchable list in groups, and what each problem is in formulas and words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from components.shared.format import many
from components.shared.formula import Formula
from components.shared.mathml import mathml
from mapelites.core.format import number
from mapelites.core.problem import Problem
from mapelites.core.tolerances import short
from mapelites.problems import dimensions, get, suites
from mapelites.problems.formulas.typeset import typeset_name as typeset_name
from mapelites.problems.suites import cec2010, suite_of

MOST_UNFOLDED = 2  # definitions
MINUS, END = r"-\left(", r"\right)"
PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 ]*")
COMPETITION = "CEC 2010"
GROUPS = ("inequalities only", "equalities only", "inequalities and equalities")


def preferred_dimension(name: str) -> int:
    """The dimension a problem is shown in unless another is asked for."""
    return get(name).dimension


def dimensions_in_words(name: str) -> str:
    """The dimensions a problem can have, `1 to 30` or `10 or 30`."""
    possible = dimensions(name)
    if len(possible) > 2 and possible == tuple(range(possible[0], possible[-1] + 1)):
        return f"{possible[0]} to {possible[-1]}"
    return " or ".join(map(str, possible))


def group_of(problem: Problem) -> str:
    """The group a problem is listed in: where it comes from, and its family or the kinds of its constraints."""
    if problem.name not in cec2010.NAMES:
        suite = suite_of(problem.name)
        if suite is None:
            return "Yours"
        return suite.title if suite.group is None else f"{suite.title}: {suite.group(problem.name)}"
    which = 0 if not problem.equalities else 2 if problem.inequalities else 1
    return f"{COMPETITION}: {GROUPS[which]}"


def constraint_kinds(problem: Problem) -> str:
    """Number and kinds of the constraints in words."""
    parts = []
    if problem.inequalities:
        parts.append(many(problem.inequalities, "inequality", "inequalities"))
    if problem.equalities:
        parts.append(many(problem.equalities, "equality", "equalities"))
    return " and ".join(parts)


def preferred_problem(name: str) -> Problem:
    """A problem in its preferred dimension."""
    return _competition(name) if name in cec2010.NAMES else get(name)


@cache
def _competition(name: str) -> Problem:
    return get(name)


def problems_by_group() -> dict[str, list[Problem]]:
    """All problems by group, in order."""
    found: dict[str, list[Problem]] = {}
    for suite, listed in suites().items():
        if suite == COMPETITION:  # in the order of the kinds
            found.update({f"{suite}: {each}": [] for each in GROUPS})
        for name in listed:
            found.setdefault(group_of(preferred_problem(name)), []).append(preferred_problem(name))
    return found


def problem_options() -> list[dict[str, Any]]:
    """The list for a Select; its search finds names, kinds and what makes a problem hard."""
    return [
        {"group": title, "items": [{"value": each.name, "label": problem_label(each)} for each in problems]}
        for title, problems in problems_by_group().items()
    ]


def problem_label(problem: Problem) -> str:
    """A problem in one line."""
    return " · ".join(filter(None, (short_title(problem), constraint_kinds(problem), problem.difficulty)))


def short_title(problem: Problem) -> str:
    """Its title, or its name alone where the title has one of its dimensions in it."""
    suite = suite_of(problem.name)
    return problem.title if suite is None or suite.dimensions is None else problem.name


def problem_select(component_id: str, value: str) -> Component:
    """The chooser itself."""
    return dmc.Select(
        id=component_id,
        label="Problem",
        description="Type to search by name, kind of constraint or what makes it hard",
        data=problem_options(),
        value=value,
        searchable=True,
        selectFirstOptionOnChange=True,
        allowDeselect=False,
        nothingFoundMessage="No problem matches",
        maxDropdownHeight=360,
        comboboxProps={"shadow": "md"},
    )


def problem_details(problem: Problem) -> list[Component]:
    """A problem in formulas and words: objective, bounds, constraints, difficulty, best known value."""
    formulas = [formula_line(_objective(problem), problem.objective_unit)] if problem.formula else []
    formulas += list(_restrictions(problem))
    facts = [
        ("Bounds", bounds_in_words(problem)),
        ("Constraints", constraint_kinds(problem) if formulas else _listed(problem)),
        ("Best known", best_known(problem)),
        ("Source", problem.reference),
    ]
    return [
        dmc.Text(problem.difficulty, size="sm", className="difficulty"),
        html.Div(formulas, className="formulas"),
        *_definitions(problem),
        *([dmc.Text(competition_letters(problem), size="sm", c="dimmed")] if problem.name in cec2010.NAMES else []),
        html.Dl(
            [part for name, words in facts if words for part in (html.Dt(name), html.Dd(words))], className="facts"
        ),
    ]


def _objective(problem: Problem) -> str:
    """What is wanted small or large, by its name where it has one that is letters."""
    plain = problem.objective != "f" and PLAIN_NAME.fullmatch(problem.objective)
    name = rf"\text{{{problem.objective}}}" if plain else "f"
    if not problem.maximise:
        return rf"\min_x \; {name} = {problem.formula}"
    # The formula is that of f, which is minus what is wanted.
    return rf"\max_x \; {name} = {problem.formula.removeprefix(MINUS).removesuffix(END)}"


def _definitions(problem: Problem) -> list[Component]:
    """What stands for what in the formulas; more than a few are folded away, so that the form is not far below."""
    lines = [formula_line(rf"\text{{with }} {each}") for each in problem.definitions[:1]]
    lines += [formula_line(rf"\phantom{{\text{{with }}}} {each}") for each in problem.definitions[1:]]
    if len(lines) <= MOST_UNFOLDED:
        return [html.Div(lines, className="formulas")] if lines else []
    return [
        html.Details(
            [html.Summary(many(len(lines), "definition")), html.Div(lines, className="formulas")],
            className="definitions",
        )
    ]


def _restrictions(problem: Problem) -> Iterator[Component]:
    """A line for each constraint; those in a row that have one formula for all of them share it."""
    for text, alike in groupby(problem.constraints, lambda each: (each.formula, each.kind)):
        first, *others = alike
        if text[0]:
            last = rf" \ldots {_named(others[-1].name)}" if others else ""
            words = "" if others else ", ".join(filter(None, (first.unit, first.meaning)))
            yield formula_line(rf"{_named(first.name)}{last}:\; {text[0]}", words)


def competition_letters(problem: Problem) -> str:
    """What the letters of the competition's formulas are, beside x.

    >>> competition_letters(get("C17", 10))
    'z = x − o, with the published shift o'
    """
    texts = (problem.formula, *(each.formula for each in problem.constraints))
    rotated = any(re.search(r"\by_", each) for each in texts)
    return "z = x − o, with the published shift o" + (", and y = z M, with the rotation M" if rotated else "")


def formula_line(text: str, words: str = "") -> Component:
    """One formula with its unit and meaning; it scrolls by itself where the screen is narrow."""
    more = [html.Span(words, className="formula-words quiet")] if words else []
    return html.Div([Formula(mathml(text, large=True)), *more], className="formula")


def bounds_in_words(problem: Problem) -> Any:
    """The bounds in words, once where all variables share them, else a line for each with its unit and meaning."""
    low, high = problem.lower, problem.upper
    plain = not any((*problem.units, *problem.meanings)) and not problem.steps.any()
    if plain and (low == low[0]).all() and (high == high[0]).all():
        return f"{short(low[0])} to {short(high[0])} for each of {many(problem.dimension, 'variable')}"
    told = list(zip(problem.lower, problem.upper, problem.steps, problem.units, problem.meanings, strict=True))
    alike = [list(each) for _, each in groupby(range(problem.dimension), lambda i: told[i])]
    return [html.Div(_variable(problem, each[0], each[-1])) for each in alike]


def _variable(problem: Problem, i: int, last: int) -> list[Any]:
    """The bounds of the variables from `i` to the last one that has the same."""
    step, unit, meaning = float(problem.steps[i]), problem.units[i], problem.meanings[i]
    named = problem.variables[i] if i == last else f"{problem.variables[i]} … {problem.variables[last]}"
    words = f" {short(problem.lower[i])} to {short(problem.upper[i])}" + (f" {unit}" if unit else "")
    words += ", whole" if step == 1 else f", in steps of {short(step)}" if step else ""
    return [html.B(named), words, html.Span(f"  {meaning}", className="quiet") if meaning else ""]


def _listed(problem: Problem) -> str:
    names = ", ".join(constraint_names(problem))
    return f"{constraint_kinds(problem)}: {names}"


def best_known(problem: Problem) -> str:
    """The best known feasible value, with how sure it is."""
    if problem.best_known is None:
        return f"not known for {problem.title}" if problem.name in cec2010.NAMES else problem.best_known_note
    note = f" ({problem.best_known_note})" if problem.best_known_note else ""
    # Published values of designs are compared digit by digit.
    value = number(problem.best_known) if problem.name in cec2010.NAMES else f"{problem.best_known:.10g}"
    return f"{value}{note}"


def constraint_names(problem: Problem) -> list[str]:
    """The names of the constraints, in order."""
    return [constraint.name for constraint in problem.constraints]


def _named(name: str) -> str:
    """A constraint's name: a letter with a number as mathematics, a word as a word."""
    plain = name.isascii() and name[:1].isalpha() and (len(name) == 1 or name[1:].isdigit())
    return typeset_name(name) if plain else rf"\text{{{_plain(name)}}}"


def _plain(name: str) -> str:
    """A name without the signs that mean something to the typesetter."""
    return "".join(letter if letter.isalnum() or letter in " -." else " " for letter in name)
