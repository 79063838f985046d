"""What if: the best design within the tolerances set, what limits it, and the same question asked backwards."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from components import answers_parts as parts
from components.answers_state import Asked, read_number
from components.format import exact, many
from components.inspector_parts import value
from mapelites.answers import Designs, Least, least, ranking
from mapelites.answers.words import MOST_DIGITS, amount, apart, at_least, listed, percent_change, relaxing, tolerance
from mapelites.errors import InputError
from mapelites.problem import Array

MOST_LIMITING = 5
UNLIMITED = "No constraint, relaxed alone, leads to a noticeably better design on this map."


def view(designs: Designs, asked: Asked, selected: int | None) -> list[Component]:
    """Both directions."""
    limits = designs.limits(asked.allow)
    return [
        html.Section(_forward(designs, limits, selected), className="card answer-part", id="whatif-answer"),
        html.Section(_backward(designs, asked.need, selected), className="card answer-part", id="least-answer"),
    ]


def _forward(designs: Designs, limits: Array, selected: int | None) -> list[Component]:
    best = designs.best(limits)
    title = parts.heading("The best design within these tolerances")
    if best is None:
        found = _limiting(designs, limits, selected)
        words = "What would give one is below" if found else "No constraint, relaxed alone, gives one: relax several"
        return [title, parts.empty("Not found", f"No elite lies within them. {words}; or search longer."), *found]
    f = float(designs.f[best])
    feasible = designs.best(designs.satisfied)
    against = "There is no feasible design to compare with."
    if feasible == best:
        against = "It is the best feasible design."
    elif feasible is not None:
        there, here = apart(float(designs.f[feasible]), f)
        change = percent_change(float(designs.f[feasible]), f)
        against = f"The best feasible design has {there}, this one {here}{change}."
    return [
        title,
        html.Div(
            [
                html.Div([html.Span("objective", className="fact-name"), html.Div(_whole(f), className="objective")]),
                parts.design(designs, best, selected, "Show this design"),
            ],
            className="answer-best",
        ),
        dmc.Text(against, size="sm"),
        dmc.Text(["Violated: ", parts.violated(designs, best)], size="sm"),
        _vector(designs, best),
        *(_limiting(designs, limits, selected) or [dmc.Text(UNLIMITED, size="sm")]),
    ]


def _whole(f: float) -> Component:
    """The objective in as many digits as the sentence below it has."""
    return html.Span(amount(f), title=exact(f), className="value", **{"data-exact": exact(f)})


def _vector(designs: Designs, row: int) -> Component:
    pairs = zip(designs.problem.variables, designs.found.x[row].tolist(), strict=True)
    chips = [html.Span([html.B(name), " ", value(each)], className="bin-chip") for name, each in pairs]
    return html.Div(chips, className="bin-chips", **{"aria-label": "The solution"})


def _limiting(designs: Designs, limits: Array, selected: int | None) -> list[Component]:
    """What one more level of each constraint would buy; empty where none is known to buy anything."""
    worths = [each for each in ranking(designs, limits) if each.first is not None and each.verdict != "hard"]
    title = (
        parts.heading("What would give one", "The nearest step of each constraint, alone, that leads to a design.")
        if designs.best(limits) is None
        else parts.heading(
            "What limits it", "The nearest step of each constraint, alone, that leads to something better."
        )
    )
    if not worths:
        return []
    lines = []
    for worth in worths[:MOST_LIMITING]:
        assert worth.first is not None
        words = relaxing(designs.names[worth.constraint], worth.start, worth.first)
        lines.append(html.Li([*parts.whole(words), " ", parts.design(designs, worth.first.row, selected, "Show")]))
    more = len(worths) - MOST_LIMITING
    rest = [dmc.Text(f"And {many(more, 'further constraint')}.", size="sm", c="dimmed")] if more > 0 else []
    return [title, html.Ul(lines, className="answer-list"), *rest]


def _backward(designs: Designs, need: str, selected: int | None) -> list[Component]:
    title = parts.heading("The least to relax", "Fewest constraints first, then the least tolerance.")
    if not need:
        return [title, dmc.Text("Say above which objective you need.", size="sm", c="dimmed")]
    try:
        below = read_number("the objective you need", need)
    except InputError:
        return [title, dmc.Text(f"{need!r} is no number.", size="sm", className="error-text")]
    found = least(designs, below)
    wanted = amount(below, MOST_DIGITS)
    if not found:
        lowest = f" The lowest objective found is {amount(float(designs.f.min()))}." if len(designs) else ""
        return [title, parts.empty("Not found", f"No elite has an objective below {wanted}.{lowest}")]
    if not found[0].needed:
        words = f"Nothing need be relaxed for an objective below {wanted}: "
        return [title, html.P([words, parts.design(designs, found[0].row, selected)], className="answer-sentence")]
    rows = [_way(designs, each, selected) for each in found]
    heads = ("relax", "level", "objective", "relative tolerance")
    return [
        title,
        html.P(parts.whole(_words(designs, found[0], below)), className="answer-sentence"),
        parts.table(heads, rows),
    ]


def _words(designs: Designs, way: Least, below: float) -> str:
    each = [f"{designs.names[n.constraint]} to {at_least(n.violation)}" for n in way.needed]
    relaxed = listed(each)
    f, need = float(designs.f[way.row]), amount(below, MOST_DIGITS)
    return f"For an objective below {need}, relax {relaxed}: that gives {apart(f, below)[0]}."


def _way(designs: Designs, way: Least, selected: int | None) -> Component:
    names = listed([f"{designs.names[n.constraint]} by {at_least(n.violation)}" for n in way.needed])
    levels = listed([f"{designs.names[n.constraint]} {tolerance(n.level)}" for n in way.needed])
    return parts.row(
        [names, levels, parts.design(designs, way.row, selected), amount(way.relative, 3)],
        chosen=way.row == selected,
    )
