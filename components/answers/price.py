"""The price of every constraint: a table that ranks them, and one of them in full, as a curve and in words."""

from __future__ import annotations

import math
from typing import Any

import dash_mantine_components as dmc
import numpy as np
from dash import html
from dash.development.base_component import Component

from components.answers import parts
from components.answers.answer import AnswerContext, AnswerView
from components.answers.figures import moving_variables, price_curve
from components.answers.local import local_multipliers
from components.answers.question import AskedQuestion
from components.shared.format import many
from mapelites.answers import (
    Designs,
    Multipliers,
    Price,
    PriceStep,
    RelaxationGain,
    VariableChange,
    largest_changes,
    price_of,
    rank_constraints,
)
from mapelites.answers.change import STILL
from mapelites.answers.words import format_among, format_apart, format_gain, objective_head
from mapelites.answers.words import worth_sentence as worth_in_words
from mapelites.core.format import amount
from mapelites.core.problem import Array, Problem
from mapelites.core.terms import limit_text, violation_text, with_unit
from mapelites.proof.proofs import Proofs
from mapelites.proof.words import bound_of

NOTHING_PROVEN = Proofs()
LITTLE = f"{100 * STILL:g} %"
PROVEN_HEAD = "what is proven"


def told_in_full(asked: AskedQuestion, worths: tuple[RelaxationGain, ...], designs: Designs) -> RelaxationGain:
    """The constraint that is told in full: the one asked about, or the one whose relaxation buys most."""
    named = [worth for worth in worths if designs.names[worth.constraint] == asked.about]
    return named[0] if named else worths[0]


def price_parts(
    designs: Designs, asked: AskedQuestion, selected: int | None, local: Multipliers | str | None, *, dark: bool,
    proofs: Proofs = NOTHING_PROVEN,
) -> list[Component]:  # fmt: skip
    """Everything about prices; `local` are the multipliers at the elite held now, or why there are none."""
    limits = designs.limits(asked.allow)
    worths = rank_constraints(designs, limits)
    worth = told_in_full(asked, worths, designs)
    curve = price_of(designs, worth.constraint, limits)
    return [
        html.Section(
            [
                parts.heading("What relaxing each constraint buys", held_in_words(designs, limits)),
                parts.answer_table(
                    (*_heads(designs), *([PROVEN_HEAD] if len(proofs) else [])),
                    [_rank(designs, each, selected, each is worth, limits, proofs) for each in worths],
                    "ranking",
                ),
            ],
            className="answer-part",
        ),
        html.Section(
            _detail(designs, worth, curve, limits, selected, local, proofs, dark=dark), className="answer-part"
        ),
        html.Section(_change(designs, curve, selected, dark=dark), className="answer-part"),
    ]


def _heads(designs: Designs) -> tuple[str, ...]:
    becomes = f"{objective_head(designs.problem)} becomes"
    return ("constraint", "", "tolerance", becomes, "gain", f"gain {per_unit_of(designs.problem)}")


def per_unit_of(problem: Problem) -> str:
    """What a gain is counted for: a unit of tolerance, in the objective's own where it has one."""
    return f"in {problem.objective_unit} per unit" if problem.objective_unit else "per unit"


def held_in_words(designs: Designs, limits: Array) -> str:
    """Where all constraints stand while one of them is relaxed."""
    moved = [
        f"{each.name} up to {violation_text(each, float(limit))}"
        for each, limit, usual in zip(designs.problem.constraints, limits, designs.satisfied, strict=True)
        if limit != usual
    ]
    return f"One at a time, from {', '.join(moved)}, the others satisfied." if moved else (
        "One at a time, all others satisfied."
    )  # fmt: skip


def proven_of(designs: Designs, constraint: int, step: PriceStep | None, limits: Array, proofs: Proofs) -> list[str]:
    """One more part of a row where anything is proven: what is, where all others stand at their limits."""
    if not len(proofs):
        return []
    if step is None:
        return [""]
    asked = limits.copy()
    asked[constraint] = step.tolerance
    return [bound_of(designs.problem, step.f, proofs, asked)]


def _rank(
    designs: Designs, worth: RelaxationGain, selected: int | None, is_chosen: bool, limits: Array, proofs: Proofs
) -> Component:
    constraint, name = designs.problem.constraints[worth.constraint], designs.names[worth.constraint]
    press = html.Button(
        name, className="text-button", title=f"Show the price of {name}",
        **{"data-about": name, "aria-pressed": "true" if is_chosen else "false"},
    )  # fmt: skip
    button = [press, " ", html.Span(limit_text(constraint), className="quiet")]
    end = worth.told
    proven = proven_of(designs, worth.constraint, end, limits, proofs)
    if end is None:
        return parts.table_row(
            [button, parts.constraint_verdict(worth.verdict), "", "", "", "", *proven], chosen=is_chosen
        )
    way = f"{violation_text(constraint, worth.start.tolerance)} → {violation_text(constraint, end.tolerance)}"
    return parts.table_row(
        [
            button,
            parts.constraint_verdict(worth.verdict),
            way,
            parts.design_button(designs, end.row, selected, _against(designs, worth)),
            gain_in_words(designs, worth.start.f, end.f),
            _per_unit(designs, worth.start, end),
            *proven,
        ],
        chosen=is_chosen,
    )


def _against(designs: Designs, worth: RelaxationGain) -> str | None:
    """What the objective becomes, in as many digits as tell it from the one that is held, where it is lower."""
    held, end, shown = worth.start.f, worth.told, designs.problem.shown_objective
    if worth.slight or held is None or end is None or end.f is None:
        return None
    return format_apart(shown(held), shown(end.f))[1]


def gain_in_words(designs: Designs, start: float | None, end: float | None) -> str:
    """What is gained from one objective to another, for a table."""
    if start is None or end is None:
        return ""
    if start - end <= designs.negligible:
        return "none found" if end == start else "next to nothing"
    return format_gain(start, end)


def _per_unit(designs: Designs, start: PriceStep, end: PriceStep) -> str:
    if start.f is None or end.f is None or math.isinf(end.tolerance) or start.f - end.f <= designs.negligible:
        return ""
    return amount((start.f - end.f) / (end.tolerance - start.tolerance))


def _detail(
    designs: Designs, worth: RelaxationGain, curve: Price, limits: Array, selected: int | None,
    local: Multipliers | str | None, proofs: Proofs, *, dark: bool,
) -> list[Component]:  # fmt: skip
    constraint = designs.problem.constraints[worth.constraint]
    name = constraint.name
    figure = price_curve(designs, curve, float(limits[worth.constraint]), selected, dark=dark)
    known = any(step.row is not None for step in curve.steps)
    return [
        parts.heading(f"The price of {name}"),
        html.P(
            parts.unbroken(worth_in_words(constraint, worth, designs.problem)),
            className="answer-sentence",
            id="answers-sentence",
        ),
        html.P(_local(designs.problem, worth, local), className="quiet"),
        html.Div(
            [
                parts.design_graph("price", figure, label=f"Chart: best objective over the tolerance of {name}"),
                _steps(designs, name, curve, worth.start.f, selected, limits, proofs),
            ],
            className="answer-pair",
        )
        if known
        else parts.empty_answer("No design was found", f"Not at any tolerance of {name}. Relax another one."),
    ]


def _local(problem: Problem, worth: RelaxationGain, local: Multipliers | str | None) -> str:
    """The multiplier beside the gain over a whole level, or why there is none."""
    constraint = problem.constraints[worth.constraint]
    name = constraint.name
    if worth.start.row is None or local is None:
        return ""
    if isinstance(local, str):
        return f"The local multiplier of {name} is left out: {local}."
    if not local.sound:
        share = f"{100 * local.unexplained:.0f} %"
        return (
            f"The local multiplier of {name} cannot be had at this design: {share} of the objective's slope is not "
            "explained by the constraints and bounds it touches, so it is no local optimum yet."
        )
    level = "" if worth.per_unit is None else f"; over the whole level it is {amount(worth.per_unit, 4)}"
    value = with_unit(amount(float(local.values[worth.constraint]), 4), problem.objective_unit)
    bought = f"a small step buys {value} by the gradients at this design{level}."
    return f"Per {constraint.unit or 'unit'} of tolerance, {bought}"


def _among(designs: Designs, step: PriceStep, objectives: list[float]) -> str | None:
    return None if step.f is None else format_among(designs.problem.shown_objective(step.f), objectives)


def _steps(
    designs: Designs, name: str, curve: Price, held: float | None, selected: int | None, limits: Array, proofs: Proofs
) -> Component:
    """The curve as a table, for those who do not click on points."""
    shown = designs.problem.shown_objective
    objectives = [shown(step.f) for step in curve.steps if step.f is not None]
    rows = [
        parts.table_row(
            [
                violation_text(designs.problem.constraints[curve.constraint], step.tolerance),
                parts.design_button(designs, step.row, selected, _among(designs, step, objectives)),
                "" if step.f is None or held is None or step.f >= held else gain_in_words(designs, held, step.f),
                *proven_of(designs, curve.constraint, step, limits, proofs),
            ],
            chosen=step.row is not None and step.row == selected,
        )
        for step in curve.steps
    ]
    heads = (
        f"{name} up to",
        f"best {objective_head(designs.problem)}",
        "gain",
        *([PROVEN_HEAD] if len(proofs) else []),
    )
    return parts.answer_table(heads, rows, "steps")


def _change(designs: Designs, curve: Price, selected: int | None, *, dark: bool) -> list[Component]:
    """How the design changes along the curve."""
    name = designs.names[curve.constraint]
    moved = largest_changes(designs, curve)
    shown = [change for change in moved if change.moves]
    title = parts.heading("How the design changes", f"The variables that move as {name} is relaxed.")
    if not shown:
        return [title, dmc.Text(_unmoved(curve), size="sm")]
    figure = moving_variables(designs, curve, shown, selected, dark=dark)
    return [
        title,
        parts.design_graph("moving", figure, label=f"Chart: how variables change as {name} is relaxed"),
        _still(designs, moved, len(shown)),
    ]


def _unmoved(curve: Price) -> str:
    """Why there is no variable to draw."""
    if not curve.rows:
        return "No design was found along this curve."
    if len(curve.rows) > 1:
        return f"The design changes, but no variable moves by more than {LITTLE} of its range."
    found = all(step.row is not None for step in curve.steps)
    return "One design serves at every tolerance." if found else "One design serves wherever any was found."


def _still(designs: Designs, moved: Any, shown: int) -> Component:
    """The variables that stay, or nearly, folded away."""
    names = designs.problem.variables
    rest = [change for change in moved if not change.moves]
    values = [f"{names[each.variable]} {'about' if each.share else '='} {amount(_first(each))}" for each in rest]
    all_of = f"All {len(names)} variables move"
    moves = "moves" if len(rest) == 1 else "move"
    words = (
        f"{len(rest)} of {many(len(names), 'variable')} {moves} by less than {LITTLE} of the range" if rest else all_of
    )
    drawn = "" if shown <= 8 else f"; the 8 of {shown} that move most are drawn"
    if not rest:
        return dmc.Text(f"{words}{drawn}.", size="sm", c="dimmed")
    return html.Details([html.Summary(f"{words}{drawn}"), html.P(", ".join(values))], className="answer-fold")


def _first(change: VariableChange) -> float:
    return float(change.values[~np.isnan(change.values)][0])


def draw(question: AnswerContext) -> list[Component]:
    """The answer to a question."""
    designs, asked = question.designs, question.asked
    worth = told_in_full(asked, rank_constraints(designs, designs.limits(asked.allow)), designs)
    local = local_multipliers(question.context, question.run, designs, worth.start.row)
    findings = question.context.store.jobs.findings(question.run.id)
    proofs = findings.by_axis(question.run.request.tolerances).proofs
    return price_parts(designs, asked, question.selected, local, dark=question.dark, proofs=proofs)


ANSWER = AnswerView(name="price", label="Price curves", order=45, draw=draw)
