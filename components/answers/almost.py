"""Almost feasible and better: a short list of designs that beat the best feasible one and break little."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from components.answers import parts
from components.answers.answer import AnswerContext, AnswerView
from components.answers.question import AskedQuestion
from mapelites.answers import Designs, almost_feasible, least_margin, margin_unit, read_margin
from mapelites.answers.words import at_least, format_among, format_gain, objective_head
from mapelites.core.errors import InputError


def almost_feasible_parts(designs: Designs, asked: AskedQuestion, selected: int | None) -> list[Component]:
    """The list, or why there is none."""
    try:
        margin = read_margin(asked.margin, designs)
    except InputError as error:
        return [_part(html.P(f"{str(error)[:1].upper()}{str(error)[1:]}.", className="error-text", role="alert"))]
    rows = almost_feasible(designs, margin, asked.most)
    if rows is None:
        fewer = "; or mark fewer constraints hard" if asked.hard else ""
        words = f"So there is nothing to beat. A longer run may find one{fewer}."
        return [_part(parts.empty_answer("No feasible design was found", words))]
    best = designs.best(designs.satisfied)
    assert best is not None
    if not rows:
        return [_part(_reference(designs, best, selected), parts.empty_answer("Not found", _none(designs, asked)))]
    shown, f = designs.problem.shown_objective, float(designs.f[best])
    told = [shown(each) for each in designs.f[[best, *rows]].tolist()]
    lines = [
        parts.table_row(
            [
                parts.design_button(designs, row, selected, format_among(shown(float(designs.f[row])), told)),
                format_gain(f, float(designs.f[row])),
                parts.broken_constraints(designs, row),
            ],
            chosen=row == selected,
        )
        for row in rows
    ]
    words = format_among(shown(f), told)
    table = parts.answer_table((objective_head(designs.problem), "better by", "violates"), lines)
    return [_part(_reference(designs, best, selected, words), table)]


def _none(designs: Designs, asked: AskedQuestion) -> str:
    """Why nothing is listed, and what would be the least to change."""
    breaking = "one constraint" if asked.most == 1 else "one or two constraints"
    needed = least_margin(designs, margin_unit(asked.margin, designs), asked.most)
    two = " Or allow two of them above." if asked.most == 1 else ""
    if needed is None:
        return f"No elite beats it by breaking {breaking}, at any margin.{two}"
    sign = " %" if asked.margin.endswith("%") else ""
    return f"The first elite that beats it by breaking {breaking} takes a margin of {at_least(needed, 3)}{sign}.{two}"


def _part(*content: Component) -> Component:
    title = parts.heading("Better than the best feasible design, and almost feasible")
    return html.Section([title, *content], className="answer-part", id="almost-answer")


def _reference(designs: Designs, best: int, selected: int | None, words: str | None = None) -> Component:
    button = parts.design_button(designs, best, selected, words)
    return html.P(["The best feasible design has ", button, "."], className="quiet")


def controls(data: Mapping[str, Any]) -> list[Component]:
    """By how much, and how many of them."""
    margin = dmc.TextInput(
        id="answers-margin", label="Each violated by at most", value=data["margin"], debounce=400, size="sm",
        description="In per cent of each limit, such as 5 %, or a number in each unit", className="answer-field",
    )  # fmt: skip
    most = dmc.SegmentedControl(
        id="answers-most", data=[{"value": "1", "label": "One violated"}, {"value": "2", "label": "Up to two"}],
        value=str(data["most"]), size="sm", **{"aria-label": "How many constraints may be violated"},
    )  # fmt: skip
    return [margin, most]


def draw(question: AnswerContext) -> list[Component]:
    """The answer to a question."""
    return almost_feasible_parts(question.designs, question.asked, question.selected)


ANSWER = AnswerView(name="almost", label="Almost feasible", order=30, draw=draw, controls=controls)
