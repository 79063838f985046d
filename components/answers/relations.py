"""What goes with what: rank correlations over the elites, and constraints that are functions of each other."""

from __future__ import annotations

from collections.abc import Sequence

import dash_mantine_components as dmc
import numpy as np
from dash import html
from dash.development.base_component import Component

from components.answers import parts
from components.answers.answer import AnswerContext, AnswerView
from components.answers.figures import pair_figure
from components.answers.local import related_constraints as relations_of
from components.answers.question import AskedQuestion
from components.answers.state import OBJECTIVE
from components.shared.format import many
from mapelites.answers import Correlation, Designs, RecognisedRelation, rank_correlation
from mapelites.core.nested_map.fold import AWAY
from mapelites.core.problem import Array

FEW = 8  # designs below which a rank correlation says next to nothing


def relation_parts(
    designs: Designs,
    asked: AskedQuestion,
    related: tuple[RecognisedRelation, ...],
    axes: Sequence[str],
    selected: int | None,
    *,
    dark: bool,
) -> list[Component]:
    """Relations first, because they explain the strongest correlations; then the table and one pair drawn."""
    found = rank_correlation(designs)
    pair = asked.pair or _strongest(found)
    return [
        html.Section(_related(designs, related, axes), className="answer-part", id="related-answer"),
        html.Section(_matrix(found, pair), className="answer-part"),
        html.Section(_drawn(designs, found, pair, selected, dark=dark), className="answer-part"),
    ]


def _strongest(found: Correlation) -> tuple[str, str]:
    """The pair drawn first: the objective and what goes with it most."""
    with_objective = [pair for pair in found.pairs if pair[0] == 0]
    i, j = with_objective[0] if with_objective else (0, 1)
    return found.names[i], found.names[j]


def _related(designs: Designs, related: tuple[RecognisedRelation, ...], axes: Sequence[str]) -> list[Component]:
    title = parts.heading("Constraints that depend on each other")
    if not related:
        return [title, dmc.Text("None: no two constraints lie on a straight line over all elites.", size="sm")]
    lines = [html.Li(_relation(designs, each, axes)) for each in related]
    return [title, html.Ul(lines, className="answer-list")]


def _relation(designs: Designs, each: RecognisedRelation, axes: Sequence[str]) -> list[Component | str]:
    names = designs.names
    checked = f" and at {many(each.points, 'random point')}" if each.points else ""
    words: list[Component | str] = [
        html.B(each.in_words(names)),
        f", at {many(each.designs, 'elite')}{checked}. ",
    ]
    spare = each.spare(designs.problem)
    if spare is None:
        return [*words, "Neither axis can go: each is violated on its own side."]
    other = names[each.second if spare == each.first else each.first]
    words.append(f"The value of {names[spare]} follows from that of {other}. ")
    name = names[spare]
    if AWAY + name in axes:
        return [*words, f"{name} is off the map. ", _button("Put it back", name)]
    return [*words, _button(f"Take {name} off the map", name)]


def _button(text: str, name: str) -> Component:
    """Takes a constraint off the map or puts it back, and shows the map."""
    return html.Button(text, className="text-button", **{"data-away": name})


def _matrix(found: Correlation, pair: tuple[str, str]) -> list[Component]:
    """The lower triangle as a table; a press draws the pair."""
    size = len(found.names)
    rows = []
    for i in range(1, size):
        cells = [html.Th(found.names[i], scope="row")]
        cells += [_coefficient(found, i, j, pair) for j in range(i)]
        rows.append(html.Tr(cells))
    heads = html.Tr([html.Th(""), *(html.Th(name, scope="col") for name in found.names[:-1])])
    table = html.Table([html.Thead(heads), html.Tbody(rows)], className="correlation")
    words = (
        f"Spearman's coefficient over {many(found.designs, 'elite')}: 1 where two numbers always rise together, "
        "-1 where one falls as the other rises. Elites are the best of their cells, not a sample of all designs."
    )
    few = (
        [html.P(f"With fewer than {FEW} elites the numbers say little.", className="quiet")]
        if found.designs < FEW
        else []
    )
    if np.isnan(found.matrix[np.tril_indices(size, -1)]).any():
        words += " A dot: one of the two is the same in all of them."
    return [parts.heading("Rank correlation", words), *few, html.Div(table, className="scroll")]


def _coefficient(found: Correlation, i: int, j: int, pair: tuple[str, str]) -> Component:
    value = float(found.matrix[i, j])
    names = (found.names[j], found.names[i])
    if np.isnan(value):
        return html.Td("·", title=f"{names[0]} or {names[1]} is the same in all elites", className="correlation-none")
    kind = "rise" if value > 0 else "fall"
    button = html.Button(
        f"{value:.2f}", className="correlation-cell", title=f"{names[0]} and {names[1]}: {value:.4f}",
        **{"data-columns": ",".join(names), "aria-pressed": "true" if set(names) == set(pair) else "false"},
    )  # fmt: skip
    return html.Td(button, className=f"correlation-{kind}", style={"--strength": f"{100 * abs(value):.0f}%"})


def _headed(name: str) -> str:
    """A column's name in a title; a constraint's is spelled as it is."""
    return name.capitalize() if name == OBJECTIVE else name


def _drawn(
    designs: Designs, found: Correlation, pair: tuple[str, str], selected: int | None, *, dark: bool
) -> list[Component]:
    columns = (_column(designs, pair[0]), _column(designs, pair[1]))
    value = found.matrix[found.names.index(pair[0]), found.names.index(pair[1])]
    titles = tuple(name if name == OBJECTIVE else f"violation of {name}" for name in pair)
    strength = "One of the two never varies" if np.isnan(value) else f"Rank correlation {value:.2f}"
    figure = pair_figure(designs, columns, (titles[0], titles[1]), selected, dark=dark)
    return [
        parts.heading(" and ".join(_headed(name) for name in pair), f"{strength}, over {many(found.designs, 'elite')}"),
        parts.design_graph("pair", figure, label=f"Chart: {' and '.join(titles)}. {strength}."),
    ]


def _column(designs: Designs, name: str) -> Array:
    return designs.shown_f if name == OBJECTIVE else designs.violations[:, designs.names.index(name)]


def draw(question: AnswerContext) -> list[Component]:
    """The answer to a question."""
    designs = question.designs
    related = relations_of(question.context, question.run, designs)
    return relation_parts(designs, question.asked, related, question.axes, question.selected, dark=question.dark)


ANSWER = AnswerView(name="relations", label="Relations", order=50, draw=draw, follows_axes=True)
