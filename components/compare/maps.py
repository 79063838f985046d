"""Two maps drawn to be compared: in the same colours, or as one map of who is better in which cell."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from components.map.figure import FigureView, content, figure
from components.shared.format import count
from mapelites.core.archive import Archive
from mapelites.core.format import amount, number
from mapelites.core.nested_map.axes import full_bins
from mapelites.core.nested_map.colour import EMPTY, Colouring, Tick, by_objective, shared_colourings, to_bytes
from mapelites.core.nested_map.fold import Fold
from mapelites.core.nested_map.reading import NO_ROW
from mapelites.core.nested_map.usual import shown_within, usual_view
from mapelites.core.nested_map.view import is_too_fine
from mapelites.core.problem import Array
from mapelites.snapshot.snapshot import Snapshot

ONE, OTHER = "#0072b2", "#e69f00"  # blue and orange: told apart with every kind of colour vision
SCALE = ((0.0, ONE), (0.5, "#e3e5e8"), (1.0, OTHER))
KINDS = ("only A", "A better", "equal", "B better", "only B")
EQUAL = 1e-3  # of the larger of two objectives: closer ones count as equal
LEAST_SIZE = 1e-6  # of the objectives usual on the maps: smaller ones are taken to be so large when shares are told
LEAST, MOST = 0.18, 1.0  # how strong the colours of the smallest and of the largest difference are
MOST_WORDS = 2_500  # places beyond which a readout for each would weigh more than the map


@dataclass(frozen=True)
class ComparedArchives:
    """Two archives at the same tolerances where they can be, and what had to be done for that, in words."""

    first: Archive
    second: Archive
    same_problem: bool
    note: str = ""

    @classmethod
    def of(cls, first: Snapshot, second: Snapshot) -> ComparedArchives:
        """The maps of two runs; the second is put into the first's cells if its levels are others."""
        one, two = first.archive().by_axis, second.archive().by_axis
        if (first.spec.problem, first.spec.dimension) != (second.spec.problem, second.spec.dimension):
            return cls(one, two, False, "Two different problems: each map has its own cells and its own colours.")
        if one.tolerances == two.tolerances:
            return cls(one, two, True)
        return cls(one, two.rebin(one.tolerances), True, "B had other levels; its elites are shown in the cells of A.")

    @cached_property
    def view(self) -> FigureView:
        """How both maps are looked at: as the first one's page shows it at first, by objective."""
        return by_its_size(replace(usual_view(self.first), colour="objective"), self.first)

    @cached_property
    def only_within(self) -> bool:
        """Whether only what lies within the allowances counts: beyond a limit's last level nobody wants to be."""
        return any(each.reference is not None for each in self.first.problem.constraints)

    @cached_property
    def least(self) -> float:
        """The size below which objectives count as 0, by those that are usual on the maps."""
        sizes = np.concatenate([np.abs(each[np.isfinite(each)]) for each in self.objectives])
        return max(LEAST_SIZE * float(np.median(sizes)), 1e-300) if len(sizes) else 1e-300

    def gap(self, one: Array, two: Array) -> Array:
        """How far apart objectives are, as a share of the larger: positive where the first is better."""
        return np.asarray((two - one) / np.maximum(np.maximum(np.abs(one), np.abs(two)), self.least))

    def gap_words(self, one: float, two: float) -> str:
        """Which of two objectives is better, and by what share of the larger: `A better by 3.6 %`."""
        gap = float(self.gap(np.array(one), np.array(two)))
        if abs(gap) <= EQUAL:
            return f"equal within {100 * EQUAL:g} %"
        return f"{'A' if gap > 0 else 'B'} better by {amount(100 * abs(gap), 2)} %"

    @cached_property
    def objectives(self) -> tuple[Array, Array]:
        """What each of them shows at every place, infinite where that is nothing."""
        fold = self.view.fold(self.first.tolerances)
        return _objectives(fold, self.first), _objectives(fold, self.second)


def by_its_size(view: FigureView, archive: Archive) -> FigureView:
    """Blocks as one place each where cells would be too small to be seen."""
    return replace(view, summary=is_too_fine(view.fold(archive.tolerances), narrow=False))


def _objectives(fold: Fold, archive: Archive) -> Array:
    rows = fold.rows_of(archive)
    return np.asarray(np.append(archive.everything().f, np.inf)[rows])


def side_by_side(pair: ComparedArchives, *, dark: bool, narrow: bool) -> dict[str, Any]:
    """Both maps in the same colours; those of two problems each in its own."""
    archives = (pair.first, pair.second)
    if not pair.same_problem:
        views = [by_its_size(replace(usual_view(each), colour="objective"), each) for each in archives]
        found = [
            by_objective(each.everything().f, "auto", shown_within(each, view), maximise=each.problem.maximise)
            for each, view in zip(archives, views, strict=True)
        ]
        maps = [_map(*each, dark, narrow) for each in zip(archives, views, found, strict=True)]
        return {"maps": maps, "legend": [each.legend(dark=dark) for each in found]}
    within = np.concatenate([shown_within(each, pair.view) for each in archives])
    colours = shared_colourings(
        [each.everything().f for each in archives], "auto", within, maximise=pair.first.problem.maximise
    )
    maps = [_map(each, pair.view, own, dark, narrow) for each, own in zip(archives, colours, strict=True)]
    return {"maps": maps, "legend": [colours[0].legend(dark=dark)]}


def difference_map(pair: ComparedArchives, *, dark: bool, narrow: bool) -> dict[str, Any]:
    """One map of who found the better elite at which place and by how much, and the verdict."""
    kinds, strength = who_is_better(pair)
    places = np.where(kinds < 2, 0.5 - strength / 2, np.where(kinds > 2, 0.5 + strength / 2, 0.5))
    ticks = (Tick(0.0, "A better"), Tick(0.5, f"equal within {100 * EQUAL:g} %"), Tick(1.0, "B better"))
    title = "which is better; the stronger, the larger the difference"
    colours = Colouring(np.empty(0, dtype=np.uint8), np.empty(0), title, SCALE, ticks)
    both = Archive(pair.first.problem, pair.first.tolerances, pair.first.everything().and_(pair.second.everything()))
    drawn = _map(both, pair.view, by_objective(both.everything().f, "auto"), dark, narrow, pair)
    shades = np.where(kinds == NO_ROW, EMPTY, to_bytes(places)).astype(np.uint8)
    drawn["data"][0]["z"] |= {"bdata": base64.b64encode(shades.tobytes()).decode()}
    ground = [stop for stop in drawn["data"][0]["colorscale"] if stop[0] <= GROUND_END]
    stops = [[(2 + place * 253) / 255, shade] for place, shade in SCALE]
    drawn["data"][0]["colorscale"] = [*ground, [ground[-1][0], SCALE[0][1]], *stops]
    found = [_packed(np.where(np.isfinite(each), each, np.nan)) for each in pair.objectives]
    compared = {"objectives": found, "equal": EQUAL, "least": pair.least}
    drawn["layout"]["meta"] |= {"legend": colours.legend(), "shown": None, "compared": compared}
    return {"maps": [drawn], "legend": [colours.legend()], "counts": comparison_verdict(pair)}


def _packed(values: Array) -> dict[str, str]:
    """Numbers as the readout takes them."""
    return {"dtype": "f8", "bdata": base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()}


GROUND_END = 1.5 / 255  # of the colour scale: there the colours of what was found begin


def comparison_verdict(pair: ComparedArchives) -> str:
    """Who is better, in words: first of the best feasible design, then over the map."""
    kinds, _ = who_is_better(pair)
    counts, where = kinds != NO_ROW, ""
    if pair.only_within:
        counts, where = counts & ~pair.view.fold(pair.first.tolerances).beyond(), " within the allowances"
    times = np.bincount(kinds[counts].ravel(), minlength=len(KINDS))
    a, b = int(times[0] + times[1]), int(times[3] + times[4])
    ahead = "Neither map is better" if a == b else f"{'A' if a > b else 'B'} has the better map"
    only = f" (in {count(int(times[0]))} only A found anything, in {count(int(times[4]))} only B)"
    cells = (
        f"{ahead}: of {count(int(times.sum()))} cells{where} A is better in {count(a)}, B in {count(b)}"
        f"{only if times[0] or times[4] else ''}, and in {count(int(times[2]))} they are equal "
        f"within {100 * EQUAL:g} %."
    )
    return f"{_feasible_words(pair)} {cells}"


def _feasible_words(pair: ComparedArchives) -> str:
    one, two = (each.best(feasible=True) for each in (pair.first, pair.second))
    if one is None or two is None:
        who = "Neither" if one is two else "Only A" if two is None else "Only B"
        return f"{who} found a feasible design."
    shown, words = pair.first.problem.shown_objective, pair.gap_words(one.f, two.f)
    who, _, share = words.partition(" better by ")
    if not share:
        return f"Both found the same best feasible design, within {100 * EQUAL:g} %: {number(shown(one.f))}."
    apart = "" if share == "100 %" else f", {share} apart"
    return f"{who} has the better feasible design: A {number(shown(one.f))}, B {number(shown(two.f))}{apart}."


def who_is_better(pair: ComparedArchives) -> tuple[NDArray[np.int64], Array]:
    """For every place its kind in KINDS, -1 where neither shows anything; and how strong the difference is, 0 to 1."""
    one, two = pair.objectives
    either, both = np.isfinite(one) | np.isfinite(two), np.isfinite(one) & np.isfinite(two)
    with np.errstate(invalid="ignore"):
        gap = np.where(both, pair.gap(one, two), 0.0)
    kinds = np.where(np.abs(gap) <= EQUAL, 2, np.where(gap > 0, 1, 3))
    kinds = np.where(both, kinds, np.where(np.isfinite(one), 0, 4))
    orders = np.log10(np.maximum(np.abs(gap), EQUAL) / EQUAL) / np.log10(1 / EQUAL)
    strength = np.where(both, LEAST + (MOST - LEAST) * np.minimum(orders, 1.0), MOST)
    return np.where(either, kinds, NO_ROW).astype(np.int64), np.asarray(strength)


def _map(
    archive: Archive,
    view: FigureView,
    colours: Colouring,
    dark: bool,
    narrow: bool,
    pair: ComparedArchives | None = None,
) -> dict[str, Any]:
    drawn = figure(archive, view, content(archive, view, 0, colours, dark=dark), dark=dark, narrow=narrow)
    fold = view.fold(archive.tolerances)
    if np.prod(fold.shape) <= MOST_WORDS:
        heatmap = drawn["data"][0]
        heatmap["text"], heatmap["hoverinfo"] = _words(fold, archive, pair), "text"
    drawn["layout"]["dragmode"] = False
    return drawn


def _words(fold: Fold, archive: Archive, pair: ComparedArchives | None) -> list[list[str]]:
    """What stands at every place, for whoever points at it."""
    own = (_objectives(fold, archive),) if pair is None else pair.objectives
    rows, columns = fold.shape
    return [[_word(fold, archive, r, c, own, pair) for c in range(columns)] for r in range(rows)]


def _word(
    fold: Fold, archive: Archive, row: int, column: int, objectives: tuple[Array, ...], pair: ComparedArchives | None
) -> str:
    bins, names = fold.bins_at(row, column), fold.tolerances.names
    shown = sorted((*fold.x.constraints, *fold.y.constraints))
    place = "<br>".join(f"{names[i]} {full_bins(fold, archive.problem, i)[bins[i]]}" for i in shown)
    values = [float(each[row, column]) for each in objectives]
    said = ["empty" if np.isinf(f) else number(archive.problem.shown_objective(f)) for f in values]
    if len(said) == 1:
        return f"{place}<br>{said[0]}"
    named = "<br>".join(f"{letter} {text}" for letter, text in zip("AB", said, strict=True))
    told = f"<br>{pair.gap_words(*values)}" if pair is not None and np.isfinite(values).all() else ""
    return f"{place}<br>{named}{told}"
