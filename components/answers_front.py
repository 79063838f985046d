"""The trade-off front: objective against violation, drawn and as a table."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from components import answers_parts as parts
from components.answers_figures import MOST_POINTS, front_figure
from components.answers_state import Asked
from components.format import count, many
from mapelites.answers import Designs, Front, front
from mapelites.answers.front import FEWEST
from mapelites.answers.words import among, amount, apart

NAMES = {
    "total": "total",
    "mean": "mean",
    "maximal": "maximal",
    "relative": "total relative",
}
MOST_ROWS = 40
MOST_DIGITS = 7  # in the table; the exact number stands in the inspector


def view(designs: Designs, asked: Asked, selected: int | None, *, dark: bool) -> list[Component]:
    """The figure, what the knee means, and the front as a table."""
    found = front(designs, asked.measure)
    name = NAMES[asked.measure]
    if not found.rows:
        return [
            html.Section(
                parts.empty("No elites yet", "Answers come with the first elites."), className="card answer-part"
            )
        ]
    figure = front_figure(designs, found, name, selected, dark=dark)
    words = f"{many(len(found.rows), 'elite')} of {count(len(designs))} that no other beats in both."
    hidden = len(designs) - len(found.rows) - MOST_POINTS
    if hidden > 0:
        words += f" Of the others, {count(MOST_POINTS)} are drawn."
    rows = [_row(designs, found, place, selected) for place in range(len(found.rows[:MOST_ROWS]))]
    more = len(found.rows) - MOST_ROWS
    table = parts.table((f"{name} violation", "objective", "violates"), rows)
    return [
        html.Section(
            [
                parts.heading("Objective against violation", words),
                html.P(parts.whole(_knee(designs, found)), className="answer-sentence"),
                parts.graph("front", figure, parts.TALL),
            ],
            className="card answer-part",
        ),
        html.Section(
            [
                parts.heading("The front"),
                table,
                *([html.P(f"And {count(more)} more.", className="quiet")] if more > 0 else []),
            ],
            className="card answer-part",
        ),
    ]


def _row(designs: Designs, found: Front, place: int, selected: int | None) -> Component:
    """One design, in as many digits as tell it from those beside it."""
    row, beside = found.rows[place], list(found.rows[max(0, place - 1) : place + 2])
    violation = among(float(found.violation[row]), found.violation[beside].tolist(), MOST_DIGITS)
    objective = among(float(designs.f[row]), designs.f[beside].tolist(), MOST_DIGITS)
    button = parts.design(designs, row, selected, objective)
    knee = [" ", html.Span("knee", className="quiet")] if row == found.knee else []
    return parts.row([violation, html.Span([button, *knee]), parts.violated(designs, row)], chosen=row == selected)


def _knee(designs: Designs, found: Front) -> str:
    """The knee in words: before it a little violation buys much, after it much violation buys little."""
    if len(found.rows) < FEWEST:
        return f"With {many(len(found.rows), 'design')} on it, the front is no curve yet and has no knee."
    if found.knee is None:
        return "The front has no knee: no place on it lies below the straight line between its ends."
    first, last = found.rows[0], found.rows[-1]
    before, here = apart(float(designs.f[first]), float(designs.f[found.knee]))
    words = (
        f"Up to the knee, at violation {amount(float(found.violation[found.knee]), 4)}, the objective falls from "
        f"{before} to {here}; "
    )
    if _pays(designs, found, first, found.knee) > _pays(designs, found, found.knee, last):
        return f"{words}beyond it, the same violation buys less."
    end, violation = amount(float(designs.f[last])), amount(float(found.violation[last]))
    return f"{words}only far beyond it does it fall further, to {end} at violation {violation}."


def _pays(designs: Designs, found: Front, start: int, end: int) -> float:
    """What a unit of violation buys on the way from one design of the front to another."""
    violation = float(found.violation[end] - found.violation[start])
    return float(designs.f[start] - designs.f[end]) / violation if violation else 0.0
