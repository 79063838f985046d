"""`/problems`: every problem with its formulas, bounds and constraints, what makes it hard and its best known value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, Dash, Input, Output, State, html
from dash.development.base_component import Component

from components.problems import chooser as problem_chooser
from components.shared import follow
from components.shared.context import Context
from components.shared.format import many
from components.shared.notices import icon
from components.shared.search import search_words
from mapelites.core.problem import Problem
from mapelites.problems import names, own_problems
from mapelites.problems.own import saved
from mapelites.problems.suites import cec2010, gallery


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
                                "Your own, a gallery of engineering designs, and the problems of four competitions. In "
                                "those of CEC 2010, z = x − o and y = z M with the published shift o and rotation M.",
                                className="lead",
                            ),
                        ]
                    ),
                    dmc.Anchor(
                        dmc.Button("Write a problem", tabIndex=-1),
                        href="/problems/new",
                        underline="never",
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
            html.Div(_files(), id="problems-files"),
            *follow.layout("problems", files_mark()),
            html.Div(own_groups(), id="problems-own", className="problems"),
            html.Div(built_in_groups(), className="problems"),
            html.Div(
                dmc.Text("No problem matches. Try a name such as C07, or a word such as rotated.", c="dimmed"),
                id="problems-none",
                className="card empty",
                hidden=True,
            ),
        ],
        className="problems",
    )


def own_groups() -> list[Component]:
    """The problems in the person's files, which may change at any time."""
    own = set(own_problems.names())
    return [
        _group(title, found) for title, found in problem_chooser.problems_by_group().items() if found[0].name in own
    ]


@cache
def built_in_groups() -> list[Component]:
    """All other problems, in their groups."""
    own = set(own_problems.names())
    return [
        _group(title, found) for title, found in problem_chooser.problems_by_group().items() if found[0].name not in own
    ]


def files_mark() -> str:
    """A text that is another one after every change of a file."""
    entries = [(str(entry.path), entry.stamp, entry.error) for entry in own_problems.entries()]
    return sha256(repr(entries).encode()).hexdigest()[:16]


def _files() -> Component | None:
    """What is wrong with the files, and what is odd about them."""
    wrong = [(entry, said) for entry in own_problems.entries() for said in (entry.error, *entry.warnings) if said]
    if not wrong:
        return None
    items = []
    for entry, said in wrong:
        kept = " The version before it is still used." if said == entry.error and entry.problems else ""
        colour = "error-text" if said == entry.error else "quiet"
        items.append(html.Li([icon("alert"), " ", html.Span(f"{said}.{kept}", className=colour)]))
    return html.Ul(items, className="card problem-files", role="status")


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
            dmc.Title(problem_chooser.short_title(problem), order=3, size="h4"),
            dmc.Text(f"{dimensions}{_place(problem)}", size="sm", c="dimmed", flex=1),
            *_open(problem),
            go,
        ]
    )
    return html.Article(
        [head, *problem_chooser.problem_details(problem)],
        id={"problem-card": problem.name},
        className="card problem-card",
    )


def _place(problem: Problem) -> str:
    entry = own_problems.entry_of(problem.name)
    return "" if entry is None or entry.path.parent == own_problems.saved else f", from {entry.path.name}"


def _open(problem: Problem) -> list[Component]:
    """A link to the page where formulas are written, for problems that are made of them."""
    if problem.name in gallery.NAMES:
        words, query = "Copy and edit", f"from={problem.name}"
    elif saved.saved_file(own_problems, problem.name) is not None:
        words, query = "Change", f"edit={problem.name}"
    else:
        return []
    return [dmc.Anchor(words, href=f"/problems/new?{query}", size="sm")]


def register(app: Dash, context: Context) -> None:
    """The search hides what does not match, so that formulas are typeset only once."""

    @app.callback(
        Output({"problem-card": ALL}, "hidden"),
        Output({"problem-group": ALL}, "hidden"),
        Output("problems-found", "children"),
        Output("problems-none", "hidden"),
        Input("problems-search", "value"),
        Input({"problem-card": ALL}, "id"),
        State({"problem-group": ALL}, "id"),
    )
    def search(wanted: Any, cards: list[Any], groups: list[Any]) -> Any:
        found = matching_problems(wanted if isinstance(wanted, str) else "")
        titles = {problem_chooser.group_of(problem_chooser.preferred_problem(name)) for name in found}
        return (
            [card["problem-card"] not in found for card in cards],
            [group["problem-group"] not in titles for group in groups],
            many(len(found), "problem"),
            bool(found),
        )

    def look(before: Any) -> tuple[Any, tuple[Any, ...]] | None:
        now = files_mark()
        return None if now == before else (now, (own_groups(), _files()))

    outputs = [Output("problems-own", "children"), Output("problems-files", "children")]
    follow.register(app, context.pacer, "problems", outputs, look)


def matching_problems(wanted: str) -> list[str]:
    """The names of the problems in whose name, group, kinds and difficulty every word is found.

    >>> matching_problems("valley rotated")[:1]
    ['C11']
    """
    words = search_words(wanted)
    texts = {name: _text(problem_chooser.preferred_problem(name)) for name in names()}
    return [name for name, text in texts.items() if all(word in text for word in words)]


def _text(problem: Problem) -> str:
    parts = (
        problem.name,
        problem.title,
        problem.reference,
        problem_chooser.group_of(problem),
        problem_chooser.constraint_kinds(problem),
        problem.difficulty,
        "rotated" if problem.name in cec2010.NAMES and _is_rotated(problem) else "",
    )
    return " ".join(parts).lower()


def _is_rotated(problem: Problem) -> bool:
    constraints = "".join(constraint.formula for constraint in problem.constraints)
    return " M" in problem.formula or "y_" in problem.formula + constraints
