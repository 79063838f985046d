"""The drawings and tables of the inspector, as pure functions of an elite: rulers, bounds, differences, texts."""

from __future__ import annotations

import json
import math
from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from components.format import exact, number
from mapelites.archive import Archive, Elite, Elites
from mapelites.commands.engine import elite_record
from mapelites.problem import Problem
from mapelites.problems.files import AbsentError
from mapelites.tolerances import short

ZERO_SHARE = 0.08  # the share of a ruler that belongs to violation 0


def value(amount: float, *, signed: bool = False) -> Component:
    """A number to four digits that holds all of them for whoever points at it or copies it."""
    words = f"+{number(amount)}" if signed and amount > 0 else number(amount)
    return html.Span(words, title=exact(amount), className="value", **{"data-exact": exact(amount)})


def place_in_words(archive: Archive, cell: int) -> list[Component]:
    """The bins of a cell, one chip per constraint."""
    bins = archive.tolerances.bins_of([cell])[0]
    return [
        html.Span([html.B(name), " ", archive.tolerances.labels(i)[bins[i]]], className="bin-chip")
        for i, name in enumerate(archive.tolerances.names)
    ]


def verdict(archive: Archive, elite: Elite) -> Component:
    """Feasible, or which constraints fail and by how much."""
    if elite.feasible:
        return dmc.Badge("feasible", color="teal", variant="light", className="state state-feasible")
    limits = archive.problem.feasible_up_to
    failing = [
        html.Span(f"{name} by {number(float(violation))}", className="number")
        for name, violation, limit in zip(archive.tolerances.names, elite.violations, limits, strict=True)
        if violation > limit
    ]
    listed = [part for each in failing for part in (", ", each)][1:]
    return html.Div(
        [dmc.Badge("infeasible", color="gray", variant="light", className="state"), " fails ", *listed],
        className="verdict",
    )


def constraints(archive: Archive, elite: Elite, other: Elite | None) -> Component:
    """Every constraint's raw value and violation, and its place among the levels, drawn."""
    values = [*elite.g, *elite.h]
    rows = []
    for i, name in enumerate(archive.tolerances.names):
        against = float(other.violations[i]) if other else None
        rows.append(
            html.Tr(
                [
                    html.Th(name, scope="row"),
                    html.Td(value(float(values[i]))),
                    html.Td(value(float(elite.violations[i]))),
                    html.Td(_ruler(archive, i, float(elite.violations[i]), against), className="drawn"),
                ]
            )
        )
    heads = ("", "value", "violation", "among its levels")
    return html.Table(
        [html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])), html.Tbody(rows)],
        className="inspector-table",
    )


def ruler_place(violation: float, levels: tuple[float, ...]) -> float:
    """The place of a violation on a logarithmic ruler, from 0 to 1; exactly 0 has a place of its own.

    >>> ruler_place(0.0, (0, 1e-4, 1)), ruler_place(1e9, (0, 1e-4, 1))
    (0.0, 1.0)
    """
    if violation <= 0:
        return 0.0
    above = levels[1:] or (1.0,)
    low, high = math.log10(above[0]) - 2, math.log10(above[-1]) + 3
    share = (math.log10(violation) - low) / (high - low)
    return ZERO_SHARE + (1 - ZERO_SHARE) * min(max(share, 0.0), 1.0)


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


def variables(problem: Problem, elite: Elite, other: Elite | None) -> Component:
    """The solution, each variable drawn within its bounds."""
    rows = []
    for i, name in enumerate(problem.variables):
        low, high = float(problem.lower[i]), float(problem.upper[i])
        dots = [html.Span(className="ruler-dot", style={"left": _percent((float(elite.x[i]) - low) / (high - low))})]
        if other is not None:
            place = (float(other.x[i]) - low) / (high - low)
            dots.insert(0, html.Span(className="ruler-other", style={"left": _percent(place)}))
        unit = f" {problem.units[i]}" if problem.units[i] else ""
        words = f"{number(float(elite.x[i]))} within {number(low)} to {number(high)}{unit}"
        drawn = html.Div(dots, className="ruler ruler-bounds", role="img", **{"aria-label": words})
        head = html.Th(name, scope="row", title=problem.meanings[i] or None)
        cells = [head, html.Td(drawn, className="drawn"), html.Td([value(float(elite.x[i])), unit])]
        if other is not None:
            cells.append(html.Td(value(float(elite.x[i] - other.x[i]), signed=True), className="difference"))
        rows.append(html.Tr(cells))
    bounds = f"{number(float(problem.lower[0]))} to {number(float(problem.upper[0]))}"
    heads = ["", f"within {bounds}" if _alike(problem) else "within its bounds", "value"]
    heads += ["difference"] if other is not None else []
    return html.Table(
        [html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])), html.Tbody(rows)],
        className="inspector-table variables",
    )


def differences(archive: Archive, elite: Elite, other: Elite, called: str) -> Component:
    """How the objective and the violations differ from another elite's, which is called so."""
    names = ("objective", *archive.tolerances.names)
    mine = (elite.f, *elite.violations)
    theirs = (other.f, *other.violations)
    rows = [
        html.Tr(
            [
                html.Th(name, scope="row"),
                html.Td(value(float(a))),
                html.Td(value(float(b))),
                html.Td(value(float(a - b), signed=True), className="difference"),
            ]
        )
        for name, a, b in zip(names, mine, theirs, strict=True)
    ]
    heads = ("", "this", called, "difference")
    return html.Table(
        [html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])), html.Tbody(rows)],
        className="inspector-table",
    )


def texts(archive: Archive, elite: Elite) -> dict[str, str]:
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


def pinned(archive: Archive, content: Any) -> Elite | None:
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


def _alike(problem: Problem) -> bool:
    return bool((problem.lower == problem.lower[0]).all() and (problem.upper == problem.upper[0]).all())


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"
