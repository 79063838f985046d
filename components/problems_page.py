"""`/problems`: every problem with its formulas, bounds and constraints, what makes it hard and its best known value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, html
from dash.development.base_component import Component

from components import problem_chooser
from components.context import Context
from components.format import many
from components.shell_notices import icon
from mapelites.problem import Problem
from mapelites.problems import names


def layout(context: Context, query: Mapping[str, str]) -> Component:
    """The page."""
    wanted = query.get("search", "")
    return html.Div(
        [
            html.Div(
                [
                    html.Div(
                        [
                            dmc.Title("Problems", order=1),
                            dmc.Text(
                                "The 18 problems of the CEC 2010 competition on constrained optimisation. Throughout, "
                                "z = x − o and y = z M, with the published shift o and rotation M.",
                                className="lead",
                            ),
                        ]
                    ),
                    dmc.TextInput(
                        id="problems-search",
                        label="Search",
                        value=wanted,
                        placeholder="name, kind of constraint, what makes it hard",
                        leftSection=icon("search"),
                        className="page-search",
                        debounce=150,
                    ),
                ],
                className="page-head",
            ),
            html.P(id="problems-found", className="quiet", role="status"),
            *(_group(title, problems) for title, problems in problem_chooser.grouped().items()),
            html.Div(
                dmc.Text("No problem matches. Try a name such as C07, or a word such as rotated.", c="dimmed"),
                id="problems-none",
                className="card empty",
                hidden=True,
            ),
        ],
        className="problems",
    )


def _group(title: str, problems: Sequence[Problem]) -> Component:
    return html.Section(
        [
            dmc.Title(title, order=2, size="h3"),
            html.Div([_card(problem) for problem in problems], className="problem-cards"),
        ],
        id={"problem-group": title},
        className="problem-group",
    )


def _card(problem: Problem) -> Component:
    go = dmc.Anchor(
        dmc.Button("Illuminate this", size="compact-md", variant="light", leftSection=icon("play"), tabIndex=-1),
        href=f"/?problem={problem.name}",
        underline="never",
        **{"aria-label": f"Illuminate {problem.name}"},
    )
    dimensions = f"{problem_chooser.dimensions_in_words(problem.name)} variables"
    head = dmc.Group(
        [
            dmc.Title(problem.name, order=3, size="h4"),
            dmc.Text(dimensions, size="sm", c="dimmed", flex=1),
            go,
        ]
    )
    return html.Article(
        [head, *problem_chooser.details(problem)], id={"problem-card": problem.name}, className="card problem-card"
    )


def register(app: Dash, context: Context) -> None:
    """The search hides what does not match, so that formulas are typeset only once."""

    @app.callback(
        Output({"problem-card": ALL}, "hidden"),
        Output({"problem-group": ALL}, "hidden"),
        Output("problems-found", "children"),
        Output("problems-none", "hidden"),
        Input("problems-search", "value"),
        State({"problem-card": ALL}, "id"),
        State({"problem-group": ALL}, "id"),
    )
    def search(wanted: Any, cards: list[Any], groups: list[Any]) -> Any:
        found = matching(wanted if isinstance(wanted, str) else "")
        titles = {problem_chooser.group(problem_chooser.shown(name)) for name in found}
        return (
            [card["problem-card"] not in found for card in cards],
            [group["problem-group"] not in titles for group in groups],
            many(len(found), "problem"),
            bool(found),
        )


def matching(wanted: str) -> list[str]:
    """The names of the problems in whose name, group, kinds and difficulty every word is found.

    >>> matching("valley rotated")
    ['C11']
    """
    words = wanted.lower().split()
    return [name for name in names() if all(word in _text(problem_chooser.shown(name)) for word in words)]


def _text(problem: Problem) -> str:
    parts = (
        problem.name,
        problem_chooser.group(problem),
        problem_chooser.kinds(problem),
        problem.difficulty,
        "rotated" if " M" in problem.formula or "y_" in _formulas(problem) else "",
    )
    return " ".join(parts).lower()


def _formulas(problem: Problem) -> str:
    return problem.formula + "".join(constraint.formula for constraint in problem.constraints)
