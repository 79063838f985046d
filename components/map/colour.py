"""What somebody may let the colours of a map mean: objective, age, operator or satisfied constraints."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from components.shared.format import count
from mapelites.core.archive import Archive
from mapelites.core.emitters import OTHER_COLOUR, operator_colours
from mapelites.core.errors import unknown
from mapelites.core.nested_map.colour import (
    SCALES,
    VIRIDIS,
    Colouring,
    Tick,
    Values,
    continuous,
    discrete,
    to_bytes,
)
from mapelites.core.nested_map.usual import usual_colours
from mapelites.core.nested_map.view import FigureView

Colour = Literal["gain", "objective", "age", "operator", "satisfied"]
COLOURS: tuple[str, ...] = get_args(Colour)

# Okabe and Ito's palette and two of Tol's, told apart with every kind of colour vision; the vermilion stays free for
# errors.
KINDS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#8c6d31", "#f0e442", "#332288", "#882255", "#117733")


def colouring(archive: Archive, view: FigureView, evaluations: int, newest: Archive | None = None) -> Colouring:
    """The colours of all an archive holds at so many evaluations, on the scale of the run's `newest` one."""
    if view.colour not in COLOURS:
        raise unknown("colour", view.colour, COLOURS)
    if view.scale not in SCALES:
        raise unknown("scale", view.scale, SCALES)
    found = archive.everything()
    if view.colour in ("gain", "objective"):
        return usual_colours(archive, view, newest)
    if view.colour == "age":
        return _by_age(found.found_at.astype(float), evaluations)
    if view.colour == "operator":
        return _by_operator(found.operator)
    return _by_satisfied(archive)


def _by_age(found_at: Values, evaluations: int) -> Colouring:
    most = max(evaluations, 1)
    places = np.clip(found_at / most, 0.0, 1.0)
    ticks = tuple(Tick(share, count(round(share * most))) for share in (0.0, 0.5, 1.0))
    return Colouring(to_bytes(places), found_at, "found at evaluation", continuous(), ticks)


def _by_operator(operators: NDArray[np.str_]) -> Colouring:
    names = tuple(str(name) for name in np.unique(operators))
    kinds = np.searchsorted(names, operators).astype(float) if names else np.empty(0)
    known = operator_colours()
    return discrete(kinds, names, tuple(known.get(name, OTHER_COLOUR) for name in names), "found by")


def _by_satisfied(archive: Archive) -> Colouring:
    total = len(archive.tolerances.names)
    satisfied = np.sum(archive.everything().violations <= archive.problem.feasible_up_to, axis=1).astype(float)
    names = tuple(f"{i} of {total}" for i in range(total + 1))
    shades = tuple(VIRIDIS[round(i * (len(VIRIDIS) - 1) / total)] for i in range(total + 1))
    return discrete(satisfied, names, shades, "satisfied constraints")
