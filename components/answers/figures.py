"""The figures of the answers, as JSON values: price curves, moving variables, the front, and pairs of numbers.

Every point that stands for a design carries its cell, so that a click selects it. `selected` is the row of the
design that is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from components.map.colour import KINDS
from components.shared.charts import chart_layout
from components.shared.format import cell_for_browser
from mapelites.answers import Bands, Designs, Front, Price, VariableChange
from mapelites.answers.front import axis_values
from mapelites.core.format import amount
from mapelites.core.nested_map.axes import MapStyle
from mapelites.core.problem import Array, Constraint
from mapelites.core.terms import violation_text, with_unit

ACCENT = {False: "#4263eb", True: "#91a7ff"}  # by dark
MOST_POINTS = 2_500  # of those not on the front; more would only make a blot
MOST_LINES = 8
SEED = 1
FLAT = 1e-12  # of its size: differences that a picture cannot show


def price_curve(designs: Designs, curve: Price, held: float, selected: int | None, *, dark: bool) -> dict[str, Any]:
    """Best objective over the tolerance of one constraint: steps, with the elites as points."""
    look = MapStyle.of(dark=dark, narrow=False)
    constraint = designs.problem.constraints[curve.constraint]
    name = constraint.name
    known = [place for place, step in enumerate(curve.steps) if step.row is not None]
    rows = [row for step in curve.steps if (row := step.row) is not None]
    f = [float(designs.shown_f[row]) for row in rows]
    line = {
        "type": "scatter", "mode": "lines+markers", "x": known, "y": f, "line": {"shape": "hv", "color": ACCENT[dark],
        "width": 2.4}, "marker": _marker(rows, selected, look, ACCENT[dark]),
        "customdata": _cells(designs, rows), "cliponaxis": False,
        "text": [f"{name} up to {violation_text(constraint, curve.steps[place].tolerance)}" for place in known],
        "hovertemplate": "%{text}: %{y:.6g}<br>a click opens this design<extra></extra>",
    }  # fmt: skip
    layout = _objective_layout(look, designs.shown_f[rows])
    layout["xaxis"] |= _levels_axis(curve, constraint)
    layout["showlegend"] = False
    layout["uirevision"] = f"{name} {len(curve.steps)}"
    layout["annotations"] = [
        {"x": place, "y": 0.5, "yref": "paper", "text": "not found", "showarrow": False, "textangle": -90,
         "font": {"size": 11, "color": look.quiet}}
        for place, step in enumerate(curve.steps) if step.row is None
    ]  # fmt: skip
    at = next((place for place, step in enumerate(curve.steps) if step.tolerance >= held), len(curve.steps) - 1)
    layout["shapes"] = [
        {"type": "line", "x0": at, "x1": at, "yref": "paper", "y0": 0, "y1": 1,
         "line": {"color": look.quiet, "width": 1, "dash": "dot"}}
    ]  # fmt: skip
    return {"data": [line], "layout": layout}


def band_curve(band: Bands, constraint: Constraint, *, dark: bool) -> dict[str, Any]:
    """The same over many runs: the median as steps, the quartiles as an area."""
    look = MapStyle.of(dark=dark, narrow=False)
    low, middle, high = band.quartiles
    places = np.arange(len(band.tolerances))
    both = ~(np.isnan(low) | np.isnan(high))
    edge = {"type": "scatter", "mode": "lines", "line": {"width": 0, "shape": "hv"}, "hoverinfo": "skip"}
    data = [
        {**edge, "x": places[both].tolist(), "y": low[both].tolist(), "showlegend": False},
        {**edge, "x": places[both].tolist(), "y": high[both].tolist(), "fill": "tonexty",
         "fillcolor": f"{ACCENT[dark]}33", "name": "quartiles"},
        {"type": "scatter", "mode": "lines+markers", "x": places.tolist(),
         "y": [None if math.isnan(each) else each for each in middle.tolist()], "name": "median",
         "line": {"shape": "hv", "color": ACCENT[dark], "width": 2.4}, "marker": {"size": 8},
         "text": [f"{constraint.name} up to {violation_text(constraint, t)}: found by {n} of {band.runs} runs"
                  for t, n in zip(band.tolerances, band.found.tolist(), strict=True)],
         "hovertemplate": "%{text}<br>median %{y:.6g}<extra></extra>"},
    ]  # fmt: skip
    layout = _objective_layout(look, band.quartiles[~np.isnan(band.quartiles)])
    layout["xaxis"] |= _axis_of(band.tolerances, constraint)
    if np.isnan(band.quartiles).all():
        layout["yaxis"] |= {"showticklabels": False, "showgrid": False}  # no number is meant by them
        layout["showlegend"] = False
    layout["annotations"] = [
        {"x": place, "y": 0.5, "yref": "paper", "text": "not found", "showarrow": False, "textangle": -90,
         "font": {"size": 11, "color": look.quiet}}
        for place, each in enumerate(middle.tolist()) if math.isnan(each)
    ]  # fmt: skip
    return {"data": data, "layout": layout}


def moving_variables(
    designs: Designs, curve: Price, moved: Sequence[VariableChange], selected: int | None, *, dark: bool
) -> dict[str, Any]:
    """The variables that move along a price curve, each as a share of its bounds."""
    look = MapStyle.of(dark=dark, narrow=False)
    problem = designs.problem
    rows = [step.row for step in curve.steps]
    cells = _cells(designs, rows)
    data = []
    for place, change in enumerate(moved[:MOST_LINES]):
        low, high = problem.lower[change.variable], problem.upper[change.variable]
        share = (change.values - low) / (high - low)
        data.append({
            "type": "scatter", "mode": "lines+markers", "name": problem.variables[change.variable],
            "x": list(range(len(share))), "y": [None if math.isnan(each) else 100 * each for each in share.tolist()],
            "text": [amount(value) if not math.isnan(value) else "" for value in change.values.tolist()],
            "customdata": cells, "line": {"shape": "hv", "color": KINDS[place % len(KINDS)], "width": 2},
            "marker": _marker(rows, selected, look, KINDS[place % len(KINDS)], size=7),
            "hovertemplate": f"{problem.variables[change.variable]} = %{{text}}<extra></extra>",
        })  # fmt: skip
    layout = chart_layout(look, "place within its bounds, %", log=False)
    layout["xaxis"] |= _levels_axis(curve, designs.problem.constraints[curve.constraint])
    return {"data": data, "layout": layout}


def front_figure(designs: Designs, found: Front, measure: str, selected: int | None, *, dark: bool) -> dict[str, Any]:
    """Objective against violation: every design a point, those that nothing beats joined, the knee marked."""
    look = MapStyle.of(dark=dark, narrow=False)
    on = set(found.rows)
    others = np.array([row for row in range(len(designs)) if row not in on], dtype=np.int64)
    if len(others) > MOST_POINTS:
        others = np.sort(np.random.default_rng(SEED).choice(others, MOST_POINTS, replace=False))
    place, axis = _violation_axis(found.violation)
    rows = list(found.rows)
    hover = "%{text}, objective %{y:.6g}<br>a click opens this design<extra></extra>"
    data = [
        _points(designs, others, place, found, hover, {"color": look.quiet, "size": 5, "opacity": 0.45},
                "other elites"),
        {**_points(designs, rows, place, found, hover, _marker(rows, selected, look, ACCENT[dark]), "front"),
         "mode": "lines+markers", "line": {"shape": "hv", "color": ACCENT[dark], "width": 2}},
    ]  # fmt: skip
    if found.knee is not None:
        ring = {"symbol": "diamond-open", "size": 17, "color": look.strong, "line": {"width": 2}}
        data.append(_points(designs, [found.knee], place, found, hover, ring, "knee"))
    if selected is not None and selected not in on:
        ring = {"symbol": "circle-open", "size": 13, "color": ACCENT[dark], "line": {"width": 3}}
        data.append(_points(designs, [selected], place, found, hover, ring, "selected"))
    layout = _objective_layout(look, designs.shown_f, "objective")
    layout["xaxis"] |= {**axis, "title": {"text": measure}}
    layout["uirevision"] = measure
    return {"data": data, "layout": layout}


def pair_figure(
    designs: Designs, columns: tuple[Array, Array], names: tuple[str, str], selected: int | None, *, dark: bool
) -> dict[str, Any]:
    """Two numbers of every design against each other."""
    look = MapStyle.of(dark=dark, narrow=False)
    rows = np.arange(len(designs))
    if len(rows) > MOST_POINTS:
        drawn = np.random.default_rng(SEED).choice(rows, MOST_POINTS, replace=False)
        rows = np.union1d(drawn, [] if selected is None else [selected]).astype(np.int64)
    layout = chart_layout(look, "", log=False)
    places, axes = zip(*(_violation_axis(column) for column in columns), strict=True)
    for axis, found, name in zip(("xaxis", "yaxis"), axes, names, strict=True):
        layout[axis] |= {**found, "title": {"text": name, "standoff": 10}}
    layout["showlegend"] = False
    point = {
        "type": "scatter", "mode": "markers", "x": places[0][rows].tolist(), "y": places[1][rows].tolist(),
        "customdata": _cells(designs, rows), "marker": _marker(rows, selected, look, ACCENT[dark], size=7),
        "text": [f"{names[0]} {amount(float(a))}, {names[1]} {amount(float(b))}"
                 for a, b in zip(columns[0][rows], columns[1][rows], strict=True)],
        "hovertemplate": "%{text}<br>a click opens this design<extra></extra>",
    }  # fmt: skip
    return {"data": [point], "layout": layout}


def _points(
    designs: Designs, rows: Any, place: Array, found: Front, hover: str, marker: dict[str, Any], name: str
) -> dict[str, Any]:
    at = np.asarray(rows, dtype=np.int64)
    return {
        "type": "scatter", "mode": "markers", "x": place[at].tolist(), "y": designs.shown_f[at].tolist(), "name": name,
        "customdata": _cells(designs, at), "marker": marker, "hovertemplate": hover,
        "text": [f"violation {with_unit(amount(float(each)), found.unit)}" for each in found.violation[at]],
    }  # fmt: skip


def _marker(rows: Any, selected: int | None, look: MapStyle, colour: str, size: int = 9) -> dict[str, Any]:
    """Points, the selected one larger and with a ring."""
    chosen = [row is not None and row == selected for row in rows]
    return {
        "color": colour,
        "size": [size + 6 if each else size for each in chosen],
        "line": {"width": [3 if each else 0 for each in chosen], "color": look.strong},
    }


def _cells(designs: Designs, rows: Any) -> list[int | str | None]:
    """What a click on each point selects; a star after a cell means the best feasible solution behind its elite."""
    return [None if row is None else _cell(designs, int(row)) for row in rows]


def _cell(designs: Designs, row: int) -> int | str | None:
    cell = int(designs.cells[row])
    return f"{cell}*" if row == designs.hidden else cell_for_browser(cell)


def _levels_axis(curve: Price, constraint: Constraint) -> dict[str, Any]:
    return _axis_of(tuple(step.tolerance for step in curve.steps), constraint)


def _axis_of(tolerances: Sequence[float], constraint: Constraint) -> dict[str, Any]:
    """One place per level, evenly spaced: levels usually lie orders of magnitude apart."""
    last = len(tolerances) - 1
    return {
        "tickvals": list(range(last + 1)),
        "ticktext": [violation_text(constraint, each).replace(" (", "<br>(") for each in tolerances],
        "range": [-0.25, last + 0.25],
        "title": {"text": f"tolerance allowed on {constraint.name}"},
    }


def _objective_layout(look: MapStyle, values: Array, title: str = "best objective") -> dict[str, Any]:
    """The objective upwards, by orders of magnitude where it spans many."""
    layout = chart_layout(look, title, log=_orders(values))
    layout["yaxis"] |= _room(values)
    if layout["yaxis"]["type"] == "log":
        layout["yaxis"]["dtick"] = _decades(values)
    return layout


def _room(values: Array) -> dict[str, Any]:
    """Room around numbers that are all one number, up to rounding, so that ticks need not tell its last digits."""
    size = float(np.abs(values).max(initial=0.0))
    if not len(values) or np.ptp(values) > FLAT * size:
        return {}
    centre, half = float(values[0]), size / 20 or 1.0
    return {"range": [centre - half, centre + half]}


def _orders(values: Array) -> bool:
    """Whether a scale of orders of magnitude is needed; the same rule as the knee's."""
    return bool(len(values) and (values > 0).all() and axis_values(values) is not values)


def _decades(values: Array) -> int:
    """How many orders of magnitude lie between two ticks."""
    return max(1, round(float(np.ptp(np.log10(values))) / 6))


def _violation_axis(values: Array) -> tuple[Array, dict[str, Any]]:
    """Places and ticks of numbers on a plain scale, or on one of orders of magnitude with a place for 0."""
    places = axis_values(values)
    if places is values:
        return values, _room(values)
    zero = float(places.min())
    top = math.ceil(float(places.max()))
    bottom = math.ceil(zero + (1.0 if (values == 0).any() else 0.0))
    step = max(1, round((top - bottom) / 6))
    orders = [each for each in range(bottom, top + 1, step) if each - zero > (top - zero) / 20]
    ticks, texts = [float(each) for each in orders], [amount(10.0**each) for each in orders]
    if (values == 0).any():
        ticks, texts = [zero, *ticks], ["0", *texts]
    return places, {"tickvals": ticks, "ticktext": texts}
