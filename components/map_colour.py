"""What a colour on the map means: objective, age, operator or satisfied constraints, and the legend that says so.

A colour is a number from 0 to 255: 0 for an empty cell, 1 for one that cannot exist, 2 and up for elites.
One byte per cell keeps a large map small on its way to the browser.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from components.format import count, number
from mapelites.archive import Archive
from mapelites.errors import unknown
from mapelites.search import directed
from mapelites.slow import method as slow

Colour = Literal["objective", "age", "operator", "satisfied"]
Scale = Literal["auto", "linear", "log", "rank"]
COLOURS: tuple[str, ...] = get_args(Colour)
SCALES: tuple[str, ...] = get_args(Scale)

VIRIDIS = ("#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725")
# Okabe and Ito's palette and two of Tol's, told apart with every kind of colour vision; the vermilion stays free for
# errors.
KINDS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#8c6d31", "#f0e442", "#332288", "#882255", "#117733")
OTHER = "#999999"  # what a run from elsewhere calls by a name that is not known here
# Each operator has a colour of its own, whichever others there are.
OPERATOR_COLOURS = dict(zip(dict.fromkeys((*directed.OPERATORS, *slow.OPERATORS)), KINDS, strict=True))
EMPTY, IMPOSSIBLE, FIRST, LAST = 0, 1, 2, 255
LARGEST_SPAN = 15.0  # orders of magnitude
TICKS = 5
LEAST_SPREAD = 0.25  # the share of the colours that the middle half of the elites must take up

Values = NDArray[np.float64]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Tick:
    """A label at a place of the legend, 0 for its beginning and 1 for its end."""

    place: float
    label: str


@dataclass(frozen=True)
class Colouring:
    """The colours of an archive's elites, row by row, and what they mean."""

    colours: Bytes
    values: Values  # what a colour stands for, for the readout
    title: str
    scale: tuple[tuple[float, str], ...]  # places of the bytes FIRST to LAST, as shares of one, and their colours
    ticks: tuple[Tick, ...]
    kinds: tuple[str, ...] = ()  # names instead of ticks, where colours are kinds and not amounts

    def legend(self) -> dict[str, Any]:
        """What the browser draws as a legend."""
        return {
            "title": self.title,
            "scale": [list(stop) for stop in self.scale],
            "ticks": [[tick.place, tick.label] for tick in self.ticks],
            "kinds": [[name, colour] for name, (_, colour) in zip(self.kinds, self.scale[::2], strict=False)],
        }


def colouring(archive: Archive, colour: str, scale: str, evaluations: int) -> Colouring:
    """The colours of all elites of an archive at so many evaluations."""
    if colour not in COLOURS:
        raise unknown("colour", colour, COLOURS)
    if scale not in SCALES:
        raise unknown("scale", scale, SCALES)
    if colour == "objective":
        return _by_objective(archive.elites.f, scale)
    if colour == "age":
        return _by_age(archive.elites.found_at.astype(float), evaluations)
    if colour == "operator":
        return _by_operator(archive.elites.operator)
    return _by_satisfied(archive)


def shared(archives: Sequence[Archive], scale: str) -> list[Colouring]:
    """Colours by objective that mean the same on several maps, one colouring for each archive."""
    objectives = [archive.elites.f for archive in archives]
    whole = _by_objective(np.concatenate(objectives), scale)
    pieces = np.split(whole.colours, np.cumsum([len(f) for f in objectives])[:-1])
    return [replace(whole, colours=piece, values=f) for piece, f in zip(pieces, objectives, strict=True)]


def automatic_scale(f: Values) -> str:
    """Linear where values lie close, logarithmic over orders of magnitude, ranks where neither tells them apart."""
    if len(f) < 2 or f.min() == f.max():
        return "linear"
    for scale in ("linear", "log"):
        low, high = np.quantile(_places(f, scale), (0.25, 0.75))
        if high - low > LEAST_SPREAD:
            return scale
    return "rank"


def _by_objective(f: Values, scale: str) -> Colouring:
    chosen = automatic_scale(f) if scale == "auto" else scale
    # The lower the objective, the brighter: the best is what the map illuminates.
    colours = _bytes(1.0 - _places(f, chosen))
    return Colouring(colours, f, f"objective, {chosen} scale", _continuous(), _objective_ticks(f, chosen))


def _by_age(found_at: Values, evaluations: int) -> Colouring:
    most = max(evaluations, 1)
    places = np.clip(found_at / most, 0.0, 1.0)
    ticks = tuple(Tick(share, count(round(share * most))) for share in (0.0, 0.5, 1.0))
    return Colouring(_bytes(places), found_at, "found at evaluation", _continuous(), ticks)


def _by_operator(operators: NDArray[np.str_]) -> Colouring:
    names = tuple(str(name) for name in np.unique(operators))
    kinds = np.searchsorted(names, operators).astype(float) if names else np.empty(0)
    return discrete(kinds, names, tuple(OPERATOR_COLOURS.get(name, OTHER) for name in names), "found by")


def _by_satisfied(archive: Archive) -> Colouring:
    total = len(archive.tolerances.names)
    satisfied = np.sum(archive.elites.violations <= archive.problem.feasible_up_to, axis=1).astype(float)
    names = tuple(f"{i} of {total}" for i in range(total + 1))
    shades = tuple(VIRIDIS[round(i * (len(VIRIDIS) - 1) / total)] for i in range(total + 1))
    return discrete(satisfied, names, shades, "satisfied constraints")


def discrete(kinds: Values, names: tuple[str, ...], shades: tuple[str, ...], title: str) -> Colouring:
    """One byte per kind, spread evenly over all bytes, in bands of one colour each."""
    bands = max(len(names), 1)
    scale = tuple(((i + end) / bands, shade) for i, shade in enumerate(shades) for end in (0, 1))
    return Colouring(_bytes((kinds + 0.5) / bands), kinds, title, scale or _continuous(), (), names)


def _continuous() -> tuple[tuple[float, str], ...]:
    return tuple((i / (len(VIRIDIS) - 1), shade) for i, shade in enumerate(VIRIDIS))


def _bytes(places: Values) -> Bytes:
    return np.round(FIRST + np.clip(places, 0.0, 1.0) * (LAST - FIRST)).astype(np.uint8)


def _places(f: Values, scale: str) -> Values:
    """Where each value lies between the lowest, 0, and the highest, 1."""
    if not len(f):
        return f
    if scale == "rank":
        distinct, rank = np.unique(f, return_inverse=True)
        return np.asarray(rank / max(len(distinct) - 1, 1), dtype=float)
    values = symmetric_log(f, _smallest(f)) if scale == "log" else f / max(float(np.abs(f).max()), 1e-300)
    low, high = values.min(), values.max()
    return np.asarray((values - low) / (high - low)) if high > low else np.zeros(len(f))


def symmetric_log(f: Values, smallest: float) -> Values:
    """Orders of magnitude above the smallest one that counts, below zero the other way round."""
    orders = np.log10(np.maximum(np.abs(f) / smallest, 1.0)) + (f != 0)
    return np.asarray(np.sign(f) * orders)


def _smallest(f: Values) -> float:
    """The size below which values count as zero: at most so many orders below the largest."""
    sizes = np.abs(f[f != 0])
    if not len(sizes):
        return 1.0
    return max(float(sizes.min()), float(sizes.max()) * float(10.0**-LARGEST_SPAN), 1e-300)


def _objective_ticks(f: Values, scale: str) -> tuple[Tick, ...]:
    """Labels from the highest value, at 0, to the lowest, at 1."""
    if not len(f):
        return ()
    order = np.argsort(f)
    places = _places(f, scale)[order]
    wanted = np.linspace(0.0, 1.0, TICKS)
    if scale == "linear":
        labels = f.min() + wanted * (f.max() - f.min())
    elif scale == "rank":
        labels = np.interp(wanted, places, f[order])
    else:
        labels = _inverse_log(wanted, f)
    if f.min() == f.max():
        return (Tick(0.5, number(float(f[0]))),)
    names = [number(float(label)) for label in labels]
    if scale == "log" and 0 < f.min() < _smallest(f):
        names[0] = f"≤{names[0]}"  # what lies so far below has the same colour
    return tuple(Tick(1.0 - float(place), name) for place, name in zip(wanted, names, strict=True))


def _inverse_log(places: Values, f: Values) -> Values:
    smallest = _smallest(f)
    ends = symmetric_log(np.array([f.min(), f.max()]), smallest)
    at = ends[0] + places * (ends[1] - ends[0])
    values = np.sign(at) * smallest * 10.0 ** (np.abs(at) - 1)
    return np.asarray(np.where(np.abs(at) < 1.0, 0.0, np.clip(values, f.min(), f.max())))
