"""What a colour on the map means, where it means the objective, and the legend that says so.

A colour is a number from 0 to 255: 0 for an empty cell, 1 for one that cannot exist, 2 and up for elites.
One byte per cell keeps a large map small on its way to the browser.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mapelites.core.errors import unknown
from mapelites.core.format import DIGITS, amount

Scale = Literal["auto", "linear", "log", "rank"]
SCALES: tuple[str, ...] = get_args(Scale)

BEST = "#e03131"  # the outline of the best overall
# Viridis without its brightest end, which in greyscale is the ground of an empty cell.
VIRIDIS = ("#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58")
# One hue from neutral, no better than the best feasible, to the largest gain; by dark.
GAINS = {
    False: ("#ccd5e3", "#8fb3dd", "#4a86c5", "#1b5a9e", "#0a2f66"),
    True: ("#454e5c", "#3f6c9e", "#4f94d4", "#7fbcf0", "#d3eaff"),
}
EMPTY, IMPOSSIBLE, FIRST, LAST = 0, 1, 2, 255
LARGEST_SPAN = 15.0  # orders of magnitude
TICKS = 5
ENDS = ("worse", "better")
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
    dark_scale: tuple[tuple[float, str], ...] = ()  # on a dark ground, where that is another
    ends: tuple[str, str] | None = None  # what the first and the last colour are in words

    def stops(self, *, dark: bool) -> tuple[tuple[float, str], ...]:
        """The scale on a light or a dark ground."""
        return self.dark_scale if dark and self.dark_scale else self.scale

    def legend(self, *, dark: bool = False) -> dict[str, Any]:
        """What the browser draws as a legend."""
        return {
            "title": self.title,
            "scale": [list(stop) for stop in self.stops(dark=dark)],
            "ends": None if self.ends is None else list(self.ends),
            "ticks": [[tick.place, tick.label] for tick in self.ticks],
            "kinds": [[name, colour] for name, (_, colour) in zip(self.kinds, self.scale[::2], strict=False)],
        }


def shared_colourings(
    objectives: Sequence[Values], scale: str, reference: Values | None = None, *, maximise: bool = False
) -> list[Colouring]:
    """Colours by objective that mean the same on several maps, one colouring for the objectives of each."""
    # One scale for all maps, cut into pieces again: the same colour means the same objective on each.
    whole = by_objective(np.concatenate(objectives), scale, reference, maximise=maximise)
    pieces = np.split(whole.colours, np.cumsum([len(f) for f in objectives])[:-1])
    return [replace(whole, colours=piece, values=f) for piece, f in zip(pieces, objectives, strict=True)]


def automatic_scale(f: Values) -> str:
    """Linear where values lie close, logarithmic over orders of magnitude, ranks where neither tells them apart."""
    if len(f) < 2 or f.min() == f.max():
        return "linear"
    for scale in ("linear", "log"):
        # The middle half of the values tells: a few far away must not squeeze all others into one colour.
        low, high = np.quantile(_places(f, scale), (0.25, 0.75))
        if high - low > LEAST_SPREAD:
            return scale
    return "rank"


def by_objective(f: Values, scale: str, reference: Values | None = None, *, maximise: bool = False) -> Colouring:
    """The colours of solutions with these objectives, on the scale of the `reference` ones; others lie at its ends."""
    chosen, known = _chosen_scale(f, scale, reference)
    # The lower the objective, the brighter: the best is what the map illuminates.
    colours = to_bytes(1.0 - _places(f, chosen, known))
    ticks = _objective_ticks(known, chosen, maximise=maximise)
    return Colouring(colours, f, f"objective, {chosen} scale", continuous(), ticks, ends=ENDS)


def by_gain(
    f: Values, feasible: float, scale: str = "auto", reference: Values | None = None, *, maximise: bool = False
) -> Colouring:
    """The colours of solutions by how much better they are than the best feasible one, in per cent of it.

    What is no better is neutral. The scale is that of the `reference` gains. `feasible` must not be 0.
    """
    gains = gains_over(f, feasible)
    # Turned round, the best gain is the lowest value, as objectives are; 0 is always on the scale.
    loss = -np.append(gains if reference is None else reference, 0.0)
    chosen = ("linear" if scale == "auto" else scale) if scale in SCALES else scale
    chosen, known = _chosen_scale(-gains, chosen, loss)
    places = 1.0 - _places(-gains, chosen, known) if (loss < 0).any() else np.zeros(len(f))
    sign = "+" if maximise else "-"
    ticks = tuple(
        Tick(tick.place, "0 %" if tick.label in ("0", "-0") else f"{sign}{tick.label.lstrip('-')} %")
        for tick in _objective_ticks(known, chosen, digits=2)
    )
    title = "objective against the best feasible" + ("" if chosen == "linear" else f", {chosen} scale")
    light, dark = (tuple(zip(np.linspace(0, 1, len(GAINS[each])).tolist(), GAINS[each], strict=True))
                   for each in (False, True))  # fmt: skip
    return Colouring(to_bytes(places), gains, title, light, ticks, (), dark, ("no better", "better"))


def gains_over(f: Values, feasible: float) -> Values:
    """By how many per cent objectives are better than that of the best feasible solution, 0 where they are not."""
    return np.maximum(100.0 * (feasible - f) / abs(feasible), 0.0)


def _chosen_scale(f: Values, scale: str, reference: Values | None) -> tuple[str, Values]:
    """The scale that is meant, and the values that make its ends."""
    if scale not in SCALES:
        raise unknown("scale", scale, SCALES)
    known = f if reference is None or not len(reference) else reference
    return automatic_scale(known) if scale == "auto" else scale, known


def discrete(kinds: Values, names: tuple[str, ...], shades: tuple[str, ...], title: str) -> Colouring:
    """One byte per kind, spread evenly over all bytes, in bands of one colour each."""
    bands = max(len(names), 1)
    scale = tuple(((i + end) / bands, shade) for i, shade in enumerate(shades) for end in (0, 1))
    return Colouring(to_bytes((kinds + 0.5) / bands), kinds, title, scale or continuous(), (), names)


def continuous() -> tuple[tuple[float, str], ...]:
    """The colours of amounts, from the least to the most."""
    return tuple((i / (len(VIRIDIS) - 1), shade) for i, shade in enumerate(VIRIDIS))


def to_bytes(places: Values) -> Bytes:
    """The colour bytes of places from 0 to 1."""
    return np.round(FIRST + np.clip(places, 0.0, 1.0) * (LAST - FIRST)).astype(np.uint8)


def _places(f: Values, scale: str, reference: Values | None = None) -> Values:
    """Where each value lies between the lowest of the reference, 0, and the highest, 1."""
    known = f if reference is None else reference
    if not len(f) or not len(known):
        return np.zeros(len(f))
    if scale == "rank":
        distinct = np.unique(known)
        rank = np.interp(f, distinct, np.arange(len(distinct)))
        return np.asarray(rank / max(len(distinct) - 1, 1), dtype=float)
    # Divided by the largest before they are subtracted, since values near 1e308 would overflow.
    smallest, size = _smallest(known), max(float(np.abs(known).max()), 1e-300)
    values, ends = (symmetric_log(each, smallest) if scale == "log" else each / size for each in (f, known))
    low, high = ends.min(), ends.max()
    return np.asarray(np.clip((values - low) / (high - low), 0.0, 1.0)) if high > low else np.zeros(len(f))


def symmetric_log(f: Values, smallest: float) -> Values:
    """Orders of magnitude above the smallest one that counts, below zero the other way round."""
    # One order more for what is not 0, so that the smallest value that counts is told from 0 itself.
    orders = np.log10(np.maximum(np.abs(f) / smallest, 1.0)) + (f != 0)
    return np.asarray(np.sign(f) * orders)


def _smallest(f: Values) -> float:
    """The size below which values count as zero: at most so many orders below the largest."""
    sizes = np.abs(f[f != 0])
    if not len(sizes):
        return 1.0
    return max(float(sizes.min()), float(sizes.max()) * float(10.0**-LARGEST_SPAN), 1e-300)


def _objective_ticks(f: Values, scale: str, *, maximise: bool = False, digits: int = DIGITS) -> tuple[Tick, ...]:
    """Labels from the highest value, at 0, to the lowest, at 1."""
    if not len(f):
        return ()
    order = np.argsort(f)
    places = _places(f, scale)[order]
    sign = -1.0 if maximise else 1.0
    wanted = np.linspace(0.0, 1.0, TICKS)
    if scale == "linear":
        labels = f.min() + wanted * (f.max() - f.min())
    elif scale == "rank":
        labels = np.interp(wanted, places, f[order])
    else:
        labels = _inverse_log(wanted, f)
    if f.min() == f.max():
        return (Tick(0.5, amount(sign * float(f[0]), digits)),)
    names = [amount(sign * float(label), digits) for label in labels]
    if scale == "log" and 0 < f.min() < _smallest(f):
        names[0] = f"≤{names[0]}"  # what lies so far below has the same colour
    return tuple(Tick(1.0 - float(place), name) for place, name in zip(wanted, names, strict=True))


def _inverse_log(places: Values, f: Values) -> Values:
    smallest = _smallest(f)
    ends = symmetric_log(np.array([f.min(), f.max()]), smallest)
    at = ends[0] + places * (ends[1] - ends[0])
    values = np.sign(at) * smallest * 10.0 ** (np.abs(at) - 1)
    return np.asarray(np.where(np.abs(at) < 1.0, 0.0, np.clip(values, f.min(), f.max())))
