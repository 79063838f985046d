"""What the answers share on the page: a design as a button, tables, and badges of verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from components.map.figure import CONFIG
from components.shared.format import exact_number
from mapelites.answers import Designs
from mapelites.answers.price import Verdict
from mapelites.answers.words import VERDICTS, broken_by, list_in_words
from mapelites.core.format import amount

NOT_FOUND = "not found"
HEIGHT = "300px"  # a graph's own style says 100 %, which no style sheet can overrule
TALL = "min(420px, 87vw)"  # on a phone less
BREAKABLE = re.compile(r"(\(?-?\d[\d.,]*(?:e-\d+)?(?: %)?\)?)")  # a line may end at the signs in these
SHADES: dict[Verdict, str] = {"binding": "indigo", "blocking": "indigo", "later": "cyan", "unmet": "orange"}


def design_button(designs: Designs, row: int | None, selected: int | None, words: str | None = None) -> Component:
    """A design by its objective: pressed, it is selected in every view. Where there is none, that is said.

    The best feasible one says so where it shares its cell with an elite.
    """
    if row is None:
        return html.Span(NOT_FOUND, className="answer-none")
    f = designs.problem.shown_objective(float(designs.f[row]))
    behind = {"data-behind": "true"} if row == designs.hidden else {}
    return html.Button(
        words or amount(f),
        className="text-button answer-design",
        title=f"{exact_number(f)}: show this design",
        **{"data-cell": str(designs.cells[row]), "data-exact": exact_number(f)},
        **{"aria-pressed": "true" if row == selected else "false"},
        **behind,
    )


def constraint_verdict(value: Verdict) -> Component:
    """What a constraint is, in a word."""
    return dmc.Badge(VERDICTS[value], color=SHADES.get(value, "gray"), variant="light", className="state")


def answer_table(heads: Sequence[str], rows: Sequence[Component], name: str = "") -> Component:
    """A table in the look of the answers."""
    head = html.Thead(html.Tr([html.Th(each, scope="col") for each in heads]))
    return html.Div(
        html.Table([head, html.Tbody(list(rows))], className=f"answer-table {name}".strip()), className="scroll"
    )


def table_row(cells: Sequence[Any], *, chosen: bool = False) -> Component:
    """A row whose first cell names it."""
    first, *others = (unbroken(each) if isinstance(each, str) else each for each in cells)
    return html.Tr([html.Th(first, scope="row"), *map(html.Td, others)], className="is-chosen" if chosen else "")


def unbroken(text: str) -> list[Component | str]:
    """Words with their numbers in one piece: no line ends within `1e-4` or before the sign of `-0.16 %`."""
    return [
        html.Span(part, className="whole") if "-" in part or "%" in part else part
        for part in BREAKABLE.split(text)
        if part
    ]


def design_graph(name: str, figure: dict[str, Any], height: str = HEIGHT, *, label: str) -> Component:
    """A figure whose points lead to their designs; `label` is what screen readers call it."""
    drawn = dcc.Graph(
        id={"answers-graph": name}, figure=figure, config=CONFIG, style={"height": height}, className=f"graph-{name}"
    )
    return named_chart(drawn, label)


def named_chart(graph: Component, label: str, **properties: Any) -> Component:
    """A graph with a name for screen readers."""
    return html.Div(graph, role="figure", **{"aria-label": label, **properties})


def empty_answer(title: str, words: str) -> Component:
    """Where there is nothing to show: why, and what to do."""
    return html.Div(
        [dmc.Text(title, fw=650, size="lg"), dmc.Text(words, c="dimmed", size="sm")], className="nothing-yet"
    )


def heading(text: str, words: str = "") -> Component:
    """The title of a part, with what it says."""
    more = [dmc.Text(words, size="sm", c="dimmed")] if words else []
    return html.Div([dmc.Title(text, order=3, size="h5"), *more], className="answer-heading")


def broken_constraints(designs: Designs, row: int) -> str:
    """Which constraints a design breaks, and by how much."""
    broken = [
        broken_by(each, float(violation), float(raw))
        for each, violation, limit, raw in zip(
            designs.problem.constraints, designs.violations[row], designs.satisfied, designs.values[row], strict=True
        )
        if violation > limit
    ]
    return list_in_words(broken) or "none"
