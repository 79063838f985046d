"""The trade-off front: objective against violation, drawn and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from components.answers import parts
from components.answers.answer import AnswerContext, AnswerView
from components.answers.figures import MOST_POINTS, front_figure
from components.answers.question import AskedQuestion
from components.shared.format import count, many
from mapelites.answers import Designs, Front, trade_off_front
from mapelites.answers.front import FEWEST
from mapelites.answers.words import format_among, format_apart, objective_head
from mapelites.core.format import amount

NAMES = {
    "total": "total",
    "mean": "mean",
    "maximal": "maximal",
    "relative": "total relative",
}
MOST_ROWS = 40
MOST_DIGITS = 7  # of an objective in the table; the exact number stands in the inspector
VIOLATION_DIGITS = 3


def front_parts(designs: Designs, asked: AskedQuestion, selected: int | None, *, dark: bool) -> list[Component]:
    """The figure, what the knee means, and the front as a table."""
    found = trade_off_front(designs, asked.measure)
    name = f"{NAMES[asked.measure]} violation" + (f", {found.unit} of the limits" if found.unit else "")
    if not found.rows:
        return [
            html.Section(
                parts.empty_answer("No elites yet", "Answers come with the first elites."), className="answer-part"
            )
        ]
    figure = front_figure(designs, found, name, selected, dark=dark)
    words = f"{many(len(found.rows), 'elite')} of {count(len(designs))} that no other beats in both."
    hidden = len(designs) - len(found.rows) - MOST_POINTS
    if hidden > 0:
        words += f" Of the others, {count(MOST_POINTS)} are drawn."
    rows = [_row(designs, found, place, selected) for place in range(len(found.rows[:MOST_ROWS]))]
    more = len(found.rows) - MOST_ROWS
    table = parts.answer_table((name, objective_head(designs.problem), "violates"), rows)
    return [
        html.Section(
            [
                parts.heading("Objective against violation", words),
                html.P(parts.unbroken(_knee(designs, found)), className="answer-sentence"),
                parts.design_graph("front", figure, parts.TALL, label=f"Chart: {words}"),
            ],
            className="answer-part",
        ),
        html.Section(
            [
                parts.heading("The front"),
                table,
                *([html.P(f"And {count(more)} more.", className="quiet")] if more > 0 else []),
            ],
            className="answer-part",
        ),
    ]


def _row(designs: Designs, found: Front, place: int, selected: int | None) -> Component:
    """One design, its objective in as many digits as tell it from those beside it."""
    row, beside = found.rows[place], list(found.rows[max(0, place - 1) : place + 2])
    violation = amount(float(found.violation[row]), VIOLATION_DIGITS)
    shown = designs.problem.shown_objective
    objective = format_among(shown(float(designs.f[row])), [shown(f) for f in designs.f[beside].tolist()], MOST_DIGITS)
    button = parts.design_button(designs, row, selected, objective)
    knee = [" ", html.Span("knee", className="quiet")] if row == found.knee else []
    return parts.table_row(
        [violation, html.Span([button, *knee]), parts.broken_constraints(designs, row)], chosen=row == selected
    )


def _knee(designs: Designs, found: Front) -> str:
    """The knee in words: before it a little violation buys much, after it much violation buys little."""
    if len(found.rows) < FEWEST:
        return f"With {many(len(found.rows), 'design')} on it, the front is no curve yet and has no knee."
    if found.knee is None:
        return "The front has no knee: no place on it lies below the straight line between its ends."
    first, last = found.rows[0], found.rows[-1]
    shown, goes = designs.problem.shown_objective, "rise" if designs.problem.maximise else "fall"
    before, here = format_apart(shown(float(designs.f[first])), shown(float(designs.f[found.knee])))
    unit = f" {found.unit}" if found.unit else ""
    violation = f"{amount(float(found.violation[found.knee]), 4)}{unit}"
    words = f"Up to the knee, at violation {violation}, the objective {goes}s from {before} to {here}; "
    if _pays(designs, found, first, found.knee) > _pays(designs, found, found.knee, last):
        return f"{words}beyond it, the same violation buys less."
    end, violation = amount(shown(float(designs.f[last]))), amount(float(found.violation[last]))
    return f"{words}only far beyond it does it {goes} further, to {end} at violation {violation}{unit}."


def _pays(designs: Designs, found: Front, start: int, end: int) -> float:
    """What a unit of violation buys on the way from one design of the front to another."""
    violation = float(found.violation[end] - found.violation[start])
    return float(designs.f[start] - designs.f[end]) / violation if violation else 0.0


def controls(data: Mapping[str, Any]) -> list[Component]:
    """How violation is measured."""
    return [
        html.Div(
            [
                dmc.Text("Violation of all constraints, taken together", size="sm"),
                dmc.Text("In per cent of the limits; relative: in units of the last levels", size="xs", c="dimmed"),
            ]
        ),
        dmc.SegmentedControl(
            id="answers-measure", value=data["measure"], size="sm", **{"aria-label": "How violation is measured"},
            data=[{"value": key, "label": name.capitalize()} for key, name in NAMES.items()],
        ),
    ]  # fmt: skip


def draw(question: AnswerContext) -> list[Component]:
    """The answer to a question."""
    return front_parts(question.designs, question.asked, question.selected, dark=question.dark)


ANSWER = AnswerView(name="front", label="Trade-off", order=40, draw=draw, controls=controls)
