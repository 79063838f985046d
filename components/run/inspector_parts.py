"""The drawings and tables of the inspector, as pure functions of an elite: rulers, bounds, differences, texts."""

from __future__ import annotations

import json
from typing import Any

from dash import html
from dash.development.base_component import Component

from components.map.ruler import ruler_place
from components.shared.format import exact_number
from mapelites.answers.words import format_apart, percent_change
from mapelites.core.archive import Archive, Elite, Elites
from mapelites.core.constraint import Constraint
from mapelites.core.format import number
from mapelites.core.problem import Problem
from mapelites.core.terms import limit_text, violation_text
from mapelites.core.tolerances import short
from mapelites.problems.own.files import AbsentError
from mapelites.snapshot.exports import elite_record

AT_LIMIT = 1e-3  # of the limit: closer is at it
NOISE = 1e-6  # of the limit: less is what a search leaves of a difference, and nobody measures it


def value_span(amount: float, *, signed: bool = False) -> Component:
    """A number to four digits that holds all of them for whoever points at it or copies it."""
    words = f"+{number(amount)}" if signed and amount > 0 else number(amount)
    return html.Span(words, title=exact_number(amount), className="value", **{"data-exact": exact_number(amount)})


def objective_row(problem: Problem, elite: Elite, against: Elite | None) -> Component:
    """The objective before and after, and the change in per cent."""
    now = problem.shown_objective(elite.f)
    unit = f" {problem.objective_unit}" if problem.objective_unit else ""
    parts: list[Any] = [html.Span(value_span(now), className="objective"), unit]
    if against is not None and against.f != elite.f:
        then = problem.shown_objective(against.f)
        before, after = format_apart(then, now)
        shown = html.Span(after, title=exact_number(now), className="value", **{"data-exact": exact_number(now)})
        change = percent_change(then, now).strip(" ()")
        parts = [html.Span(f"{before} → ", className="quiet objective-before"), html.Span(shown, className="objective"),
                 unit, html.Span(change, className="objective-change")]  # fmt: skip
    name = "objective" if problem.objective == "f" else problem.objective
    return html.Div([html.Span(name, className="fact-name"), html.Div(parts)], className="objective-box")


def feasibility_verdict(archive: Archive, elite: Elite) -> Component:
    """Feasible, or which constraints are broken and by how much."""
    if elite.feasible:
        return html.Div(html.Span("feasible", className="tag tag-feasible"), className="verdict")
    limits = archive.problem.feasible_up_to
    failing = [
        html.Span(f"{constraint.name} +{violation_text(constraint, float(violation))}", className="number")
        for constraint, violation, limit in zip(archive.problem.constraints, elite.violations, limits, strict=True)
        if violation > limit
    ]
    listed = [part for each in failing for part in (", ", each)][1:]
    return html.Div([html.Span("relaxes", className="tag"), " ", *listed], className="verdict")


def constraint_rows(archive: Archive, elite: Elite) -> Component:
    """Every constraint's value as an engineer reads it, and how far it is from its limit."""
    raw, rows = [*elite.g, *elite.h], []
    for i, constraint in enumerate(archive.problem.constraints):
        told = constraint.value(float(raw[i]))
        unit = f" {constraint.unit}" if constraint.unit else ""
        rows.append(
            html.Tr(
                [
                    html.Th(_named(constraint), scope="row", title=constraint.meaning or None),
                    html.Td([_told_value(constraint, float(raw[i]), told), unit]),
                    html.Td(_state(archive, elite, i), className="difference"),
                ]
            )
        )
    heads = ("", "value", "against its limit")
    return html.Table(
        [html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])), html.Tbody(rows)],
        className="inspector-table",
    )


def _named(constraint: Constraint) -> list[Any]:
    """A constraint with its limit."""
    return [constraint.name, " ", html.Span(limit_text(constraint), className="quiet inspector-limit")]


def _told_value(constraint: Constraint, raw: float, told: float | None) -> Component:
    """A constraint's value; one that is 0 but for the last digits of its limit reads 0."""
    shown = value_span(raw if told is None else told)
    if constraint.reference and abs(raw if told is None else told) < NOISE * abs(constraint.reference):
        shown.children = "0"
    return shown


def _state(archive: Archive, elite: Elite, i: int) -> Component:
    """By how much a constraint is broken, that it is at its limit, or how much is spare."""
    constraint, violation = archive.problem.constraints[i], float(elite.violations[i])
    raw = float([*elite.g, *elite.h][i])
    if violation > archive.problem.feasible_up_to[i]:
        words = f"+{violation_text(constraint, violation)}".replace(" %", "\u00a0%")
        return html.B(
            words, title=exact_number(violation), className="value", **{"data-exact": exact_number(violation)}
        )
    spare = -raw / constraint.reference if constraint.reference else -raw
    words = "at limit" if constraint.kind == "equality" or spare <= AT_LIMIT else "kept"
    return html.Span(words, title=exact_number(violation), className="quiet", **{"data-exact": exact_number(violation)})


def violation_rulers(archive: Archive, elite: Elite, other: Elite | None) -> list[Component]:
    """The places of all violations among their levels, and of all variables within their bounds, drawn."""
    rows = [
        html.Tr(
            [
                html.Th(name, scope="row"),
                html.Td(_ruler(archive, i, float(elite.violations[i]), float(other.violations[i]) if other else None),
                        className="drawn"),
            ]
        )
        for i, name in enumerate(archive.tolerances.names)
    ]  # fmt: skip
    problem = archive.problem
    for i, name in enumerate(problem.variables):
        low, high = float(problem.lower[i]), float(problem.upper[i])
        dots = [html.Span(className="ruler-dot", style={"left": _percent((float(elite.x[i]) - low) / (high - low))})]
        if other is not None:
            place = (float(other.x[i]) - low) / (high - low)
            dots.insert(0, html.Span(className="ruler-other", style={"left": _percent(place)}))
        words = f"{number(float(elite.x[i]))} within {number(low)} to {number(high)}"
        drawn = html.Div(dots, className="ruler ruler-bounds", role="img", **{"aria-label": words})
        rows.append(html.Tr([html.Th(name, scope="row"), html.Td(drawn, className="drawn")]))
    return [html.Table(html.Tbody(rows), className="inspector-table")]


def shared_axis_members(whole: Archive, elite: Elite) -> list[Component]:
    """Every constraint of the axes that several share, in a list for each axis that opens when it is asked for."""
    tolerances = whole.tolerances
    if not tolerances.places:
        return []
    same = whole.at(elite.cell)
    if same is None or same.found_at != elite.found_at:
        same = whole.best(feasible=True)
    if same is None or same.found_at != elite.found_at:
        return []
    limits, values = whole.problem.feasible_up_to, [*same.g, *same.h]
    found: list[Component] = [html.H3("Constraints that share an axis")]
    for name, places in zip(tolerances.names, tolerances.places, strict=True):
        if len(places) > 1:
            broken = sum(bool(same.violations[i] > limits[i]) for i in places)
            rows = [
                html.Tr(
                    [
                        html.Th(whole.problem.constraints[i].name, scope="row"),
                        html.Td(value_span(float(values[i]))),
                        html.Td(value_span(float(same.violations[i]))),
                    ]
                )
                for i in places
            ]
            heads = html.Thead(html.Tr([html.Th(head, scope="col") for head in ("", "value", "violation")]))
            table = html.Table([heads, html.Tbody(rows)], className="inspector-table")
            found.append(html.Details([html.Summary(f"{name}: {len(places)}, {broken} of them broken"), table]))
    return found


def _ruler(archive: Archive, i: int, violation: float, against: float | None) -> Component:
    levels = archive.tolerances.levels[i]
    limit = float(archive.problem.feasible_up_to[i])
    ticks = [
        html.Span(className="ruler-tick", style={"left": _percent(ruler_place(level, levels))}, title=short(level))
        for level in levels
    ]
    allowed = html.Span(className="ruler-allowed", style={"width": _percent(max(ruler_place(limit, levels), 0.02))})
    dots = [html.Span(className="ruler-dot", style={"left": _percent(ruler_place(violation, levels))})]
    if against is not None:
        dots.insert(0, html.Span(className="ruler-other", style={"left": _percent(ruler_place(against, levels))}))
    words = f"violation {number(violation)} among the levels {', '.join(short(level) for level in levels)}"
    return html.Div([allowed, *ticks, *dots], className="ruler", role="img", **{"aria-label": words})


def variable_rows(problem: Problem, elite: Elite, other: Elite | None, called: str) -> Component:
    """The solution, each variable beside that of another design, which is called so."""
    rows = []
    for i, name in enumerate(problem.variables):
        unit = f" {problem.units[i]}" if problem.units[i] else ""
        cells = [html.Th(name, scope="row", title=problem.meanings[i] or None)]
        if other is not None:
            cells.append(html.Td(number(float(other.x[i])), className="difference"))
        cells.append(html.Td([value_span(float(elite.x[i])), unit]))
        moved = other is not None and other.x[i] != elite.x[i]
        rows.append(html.Tr(cells, className="is-moved" if moved else ""))
    heads = ("", called, "now") if other is not None else ("", "now")
    return html.Table(
        [html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])), html.Tbody(rows)],
        className="inspector-table variables",
    )


def copied_texts(archive: Archive, elite: Elite) -> dict[str, str]:
    """The elite to copy, in full precision: as Python, as JSON, and the name of a file for it."""
    record = elite_record(archive, elite)
    names = archive.tolerances.names
    bins = ", ".join(f"{name} {record[f'bin_{name}']}" for name in names)
    lines = [
        f"# {archive.problem.title}: the elite of {bins}",
        f"x = {elite.x.tolist()!r}",
        f"f = {elite.f!r}",
        f"g = {elite.g.tolist()!r}",
        f"h = {elite.h.tolist()!r}",
    ]
    return {
        "python": "\n".join(lines) + "\n",
        "json": json.dumps(record, indent=1) + "\n",
        "file": f"{archive.problem.name.lower()}-{archive.problem.dimension}d-cell-{elite.cell}.json",
    }


def pinned_elite(archive: Archive, content: Any) -> Elite | None:
    """The pinned elite that a browser holds, worked out anew from its x; None where it is not of this problem."""
    problem = archive.problem
    x = content.get("x") if isinstance(content, dict) else None
    if not isinstance(x, list) or len(x) != problem.dimension or not all(isinstance(each, (int, float)) for each in x):
        return None
    nothing = Archive(problem, archive.tolerances, Elites.empty(problem))
    try:
        return next(iter(nothing.add([x], 0, "pinned")), None)
    except AbsentError:  # only the worker executes its file, so it has to be one of the elites
        return next((elite for elite in archive if elite.x.tolist() == x), None)


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"
