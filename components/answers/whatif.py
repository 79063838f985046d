"""The least to relax for an objective that somebody needs: the sliders' question asked backwards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from components.answers import parts
from components.answers.answer import AnswerContext, AnswerView
from components.answers.question import AskedQuestion
from components.answers.state import read_number
from mapelites.answers import Designs, LeastRelaxation, least_relaxations
from mapelites.answers.least import NeededTolerance
from mapelites.answers.words import (
    MOST_DIGITS,
    format_apart,
    list_in_words,
    none_within,
    objective_head,
    relaxed_by,
)
from mapelites.core.constraint import Constraint
from mapelites.core.errors import InputError
from mapelites.core.format import DIGITS, amount
from mapelites.core.terms import covering_text, relaxed_limit_text, rounded_up


def target_parts(designs: Designs, asked: AskedQuestion, selected: int | None) -> list[Component]:
    """The ways to an objective that somebody needs."""
    part = html.Section(_backward(designs, asked.need, selected), className="answer-part", id="least-answer")
    return [part]


def _backward(designs: Designs, need: str, selected: int | None) -> list[Component]:
    title = parts.heading("The least to relax", "By per cent of the limits, what stays within the last levels first.")
    if not need:
        return [title, dmc.Text("Say above which objective you need.", size="sm", c="dimmed")]
    try:
        below = read_number("the objective you need", need)
    except InputError:
        return [title, dmc.Text(f"{need!r} is no number.", size="sm", className="error-text")]
    shown, side = designs.problem.shown_objective, _side(designs)
    found = least_relaxations(designs, shown(below))
    wanted = amount(below, MOST_DIGITS)
    if not found:
        last = "highest" if designs.problem.maximise else "lowest"
        best = f" The {last} objective found is {amount(shown(float(designs.f.min())))}." if len(designs) else ""
        return [title, parts.empty_answer("Not found", f"No elite has an objective {side} {wanted}.{best}")]
    if not found[0].needed:
        words = f"Nothing need be relaxed for an objective {side} {wanted}: "
        return [
            title,
            html.P([words, parts.design_button(designs, found[0].row, selected)], className="answer-sentence"),
        ]
    rows = [_way(designs, each, selected) for each in found]
    heads = ("relax", "the limit becomes", objective_head(designs.problem), "of the limits, in all")
    beyond = none_within(found)
    return [
        title,
        *([dmc.Text(beyond, size="sm", className="none-within")] if beyond else []),
        html.P(parts.unbroken(_words(designs, found[0], below)), className="answer-sentence"),
        parts.answer_table(heads, rows),
    ]


def _words(designs: Designs, way: LeastRelaxation, below: float) -> str:
    relaxed = list_in_words([relaxed_by(designs.problem.constraints[n.constraint], n.violation) for n in way.needed])
    f, need = designs.problem.shown_objective(float(designs.f[way.row])), amount(below, MOST_DIGITS)
    return f"For an objective {_side(designs)} {need}, relax {relaxed}: that gives {format_apart(f, below)[0]}."


def _side(designs: Designs) -> str:
    """Where a better objective lies."""
    return "above" if designs.problem.maximise else "below"


def _way(designs: Designs, way: LeastRelaxation, selected: int | None) -> Component:
    constraints = designs.problem.constraints
    names = list_in_words([relaxed_by(constraints[n.constraint], n.violation) for n in way.needed])
    become = list_in_words([_becomes(constraints[n.constraint], n) for n in way.needed])
    return parts.table_row(
        [names, become, parts.design_button(designs, way.row, selected), f"{amount(100 * way.relative, 3)} %"],
        chosen=way.row == selected,
    )


def _becomes(constraint: Constraint, needed: NeededTolerance) -> str:
    """The limit that is needed, `shear ≤ 14,280 psi`, or the tolerance of a constraint that has none."""
    limit = relaxed_limit_text(constraint, rounded_up(needed.violation, DIGITS))
    told = f"{constraint.name} {limit or covering_text(constraint, needed.violation)}"
    return f"{told}, beyond its last level" if math.isinf(needed.level) else told


def controls(data: Mapping[str, Any]) -> list[Component]:
    """The objective that is needed."""
    return [
        dmc.TextInput(
            id="answers-need", label="I need an objective better than", placeholder="a number", value=data["need"],
            debounce=400, size="sm", className="answer-field",
        )
    ]  # fmt: skip


def draw(question: AnswerContext) -> list[Component]:
    """The answer to a question."""
    return target_parts(question.designs, question.asked, question.selected)


ANSWER = AnswerView(
    name="whatif", label="Least to relax", order=25, draw=draw, controls=controls, controls_class="need"
)
