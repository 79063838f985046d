"""Almost feasible and better: a short list of designs that beat the best feasible one and break little."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from components import answers_parts as parts
from components.answers_state import Asked
from components.format import many
from mapelites.answers import Designs, almost_feasible, read_margin
from mapelites.answers.words import amount, percent_change
from mapelites.errors import InputError


def view(designs: Designs, asked: Asked, selected: int | None) -> list[Component]:
    """The list, or why there is none."""
    try:
        margin = read_margin(asked.margin, designs)
    except InputError as error:
        return [_part(html.P(f"{str(error)[:1].upper()}{str(error)[1:]}.", className="error-text", role="alert"))]
    rows = almost_feasible(designs, margin, asked.most)
    if rows is None:
        return [
            _part(
                parts.empty(
                    "No feasible design was found",
                    "So there is nothing to beat. Let the run go on, or mark fewer constraints hard.",
                )
            )
        ]
    best = designs.best(designs.satisfied)
    assert best is not None
    at_most = f"at most {many(asked.most, 'constraint')}"
    if not rows:
        words = f"No elite beats it by breaking {at_most} within the margin. Widen the margin, or allow two."
        return [_part(_reference(designs, best, selected), parts.empty("Not found", words))]
    f = float(designs.f[best])
    lines = [
        parts.row(
            [
                parts.design(designs, row, selected),
                f"{amount(f - float(designs.f[row]), 4)}{percent_change(f, float(designs.f[row]))}",
                parts.violated(designs, row),
            ],
            chosen=row == selected,
        )
        for row in rows
    ]
    return [_part(_reference(designs, best, selected), parts.table(("objective", "better by", "violates"), lines))]


def _part(*content: Component) -> Component:
    title = parts.heading("Better than the best feasible design, and almost feasible")
    return html.Section([title, *content], className="card answer-part", id="almost-answer")


def _reference(designs: Designs, best: int, selected: int | None) -> Component:
    return html.P(["The best feasible design has ", parts.design(designs, best, selected), "."], className="quiet")
