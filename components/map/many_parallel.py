"""Parallel coordinates: one axis for every constraint and one for the objective, one line for every elite.

Everything is brought to places from 0, at the bottom and best, to 1. The browser draws the lines and lets somebody
brush the axes; the plotting library's own would need scripts that the page's security policy forbids.
"""

from __future__ import annotations

import base64
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from components.map.ruler import ruler_place, violation_places
from mapelites.core.archive import Archive
from mapelites.core.errors import InputError
from mapelites.core.format import number
from mapelites.core.nested_map.colour import FIRST, LAST, by_objective
from mapelites.core.tolerances import short

MOST_LINES = 3_000
BRUSH = re.compile(r"(\d{1,2}):(0|1|0?\.\d{1,4}|1\.0{1,4})-(0|1|0?\.\d{1,4}|1\.0{1,4})")


def parallel_lines(archive: Archive) -> dict[str, Any]:
    """What the browser draws: axes with ticks, and a place on each for every elite (or for some, evenly chosen)."""
    rows = elites_to_draw(archive)
    objective = by_objective(archive.elites.f, "auto")
    # The colour byte is the place on the objective's scale, so line and colour cannot disagree.
    height = 1.0 - (objective.colours[rows].astype(float) - FIRST) / (LAST - FIRST)
    tolerances = archive.tolerances
    columns = [
        violation_places(archive.elites.violations[rows, i], levels) for i, levels in enumerate(tolerances.levels)
    ]
    axes = [
        {"name": name, "ticks": [[ruler_place(level, levels), short(level)] for level in levels]}
        for name, levels in zip(tolerances.names, tolerances.levels, strict=True)
    ]
    best = [[1.0 - tick.place, tick.label] for tick in objective.ticks]
    return {
        "axes": [*axes, {"name": "objective", "ticks": best}],
        "places": _packed(np.stack([*columns, height], axis=1).astype("<f4")),
        "cells": _packed(archive.elites.cell[rows].astype("<i8")),
        "objectives": [number(float(f)) for f in archive.elites.f[rows]],
        "scale": [list(stop) for stop in objective.scale],
        "drawn": len(rows),
        "total": len(archive),
    }


def elites_to_draw(archive: Archive) -> NDArray[np.int64]:
    """The rows of the elites to draw, best first: all, or so many evenly spread over their ranks."""
    order = np.argsort(archive.elites.f, kind="stable")
    if len(order) <= MOST_LINES:
        return order
    return order[np.linspace(0, len(order) - 1, MOST_LINES).astype(np.int64)]


def read_brush(content: str, constraints: int) -> list[list[float]]:
    """The brushes in an address, `0:0-.25;11:0-.1`: axis, lower end, upper end."""
    found = []
    for part in content.split(";"):
        match = BRUSH.fullmatch(part)
        axis, low, high = match.groups() if match else ("", "1", "0")
        if not match or int(axis) > constraints or float(low) > float(high):
            raise InputError(f"brush: it must be like 0:0-.25;{constraints}:0-.1, but it was {content!r}")
        found.append([int(axis), float(low), float(high)])
    return found


def check_brush(brush: Any, constraints: int) -> tuple[tuple[int, float, float], ...]:
    """The brushes that a browser holds: the same, as numbers."""
    if brush is None:
        return ()
    try:
        found = tuple((int(axis), float(low), float(high)) for axis, low, high in brush)
    except (TypeError, ValueError, OverflowError):
        found = ((-1, 1.0, 0.0),)
    if not all(0 <= axis <= constraints and 0 <= low <= high <= 1 for axis, low, high in found):
        raise InputError(f"brush: each must be an axis and two places from 0 to 1, but it was {brush!r}")
    return found


def _packed(array: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
