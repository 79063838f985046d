"""Two maps drawn to be compared: in the same colours, or as one map of who is better in which cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from components.format import count, number
from components.map_colour import Colouring, discrete, shared
from components.map_figure import View, content, figure
from components.map_fold import EMPTY as NO_ELITE
from components.map_fold import Fold
from mapelites.archive import Archive
from mapelites.snapshot import Snapshot

ONE, OTHER = "#0072b2", "#e69f00"  # blue and orange: told apart with every kind of colour vision
KINDS = (
    ("only A", "#8cc4e8"),
    ("A better", ONE),
    ("equal", "#9aa0a6"),
    ("B better", OTHER),
    ("only B", "#f7d794"),
)
MOST_WORDS = 2_500  # places beyond which a readout for each would weigh more than the map


@dataclass(frozen=True)
class Pair:
    """Two archives at the same tolerances where they can be, and what had to be done for that, in words."""

    first: Archive
    second: Archive
    same_problem: bool
    note: str = ""

    @classmethod
    def of(cls, first: Snapshot, second: Snapshot) -> Pair:
        """The maps of two runs; the second is put into the first's cells if its levels are others."""
        one, two = first.archive(), second.archive()
        if (first.problem, first.dimension) != (second.problem, second.dimension):
            return cls(one, two, False, "Two different problems: the colours are the same, the cells are not.")
        if one.tolerances == two.tolerances:
            return cls(one, two, True)
        return cls(one, two.rebin(one.tolerances), True, "B had other levels; its elites are shown in the cells of A.")


def side_by_side(pair: Pair, *, dark: bool, narrow: bool) -> dict[str, Any]:
    """Both maps in the same colours."""
    colours = shared((pair.first, pair.second), "auto")
    archives = (pair.first, pair.second)
    maps = [_map(archive, each, dark, narrow) for archive, each in zip(archives, colours, strict=True)]
    return {"maps": maps, "legend": colours[0].legend()}


def difference(pair: Pair, *, dark: bool, narrow: bool) -> dict[str, Any]:
    """One map of who found the better elite in which cell, and how often."""
    both = Archive(pair.first.problem, pair.first.tolerances, pair.first.everything().and_(pair.second.everything()))
    kinds = who_is_better(pair, both)
    names, shades = zip(*KINDS, strict=True)
    colours = discrete(kinds.astype(float), names, shades, "in comparison")
    times = np.bincount(kinds, minlength=len(KINDS))
    words = (
        f"A is better in {count(int(times[1]))} cells, B in {count(int(times[3]))}; equal in {count(int(times[2]))}. "
    )
    words += f"Only A filled {count(int(times[0]))}, only B {count(int(times[4]))}."
    drawn = _map(both, colours, dark, narrow, pair)
    return {"maps": [drawn], "legend": colours.legend(), "counts": words}


def who_is_better(pair: Pair, both: Archive) -> NDArray[np.int64]:
    """For every elite of both archives together, the place in KINDS of who holds its cell."""
    one, two = (_objectives(archive, both.elites.cell) for archive in (pair.first, pair.second))
    better = np.where(one < two, 1, np.where(one > two, 3, 2))
    return np.where(np.isinf(two), 0, np.where(np.isinf(one), 4, better)).astype(np.int64)


def _objectives(archive: Archive, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """The objective of the elite in each of these cells, infinity where there is none."""
    found = np.full(len(cells), np.inf)
    at = np.searchsorted(cells, archive.elites.cell)
    found[at] = archive.elites.f
    return found


def _map(archive: Archive, colours: Colouring, dark: bool, narrow: bool, pair: Pair | None = None) -> dict[str, Any]:
    view = View() if pair is None else View(colour="comparison")
    drawn = figure(archive, view, content(archive, view, 0, colours), dark=dark, narrow=narrow)
    fold = Fold.of(archive.tolerances)
    if np.prod(fold.shape) <= MOST_WORDS:
        heatmap = drawn["data"][0]
        heatmap["text"], heatmap["hoverinfo"] = _words(fold, archive, pair), "text"
    drawn["layout"]["dragmode"] = False
    return drawn


def _words(fold: Fold, archive: Archive, pair: Pair | None) -> list[list[str]]:
    """What stands at every place, for whoever points at it."""
    at = fold.rows_of_elites(archive)
    words = {int(row): _word(int(archive.elites.cell[row]), archive, pair) for row in at[at != NO_ELITE]}
    rows, columns = fold.shape
    return [
        [words.get(int(at[r, c])) or _word(fold.cell_at(archive, r, c), archive, pair) for c in range(columns)]
        for r in range(rows)
    ]


def _word(cell: int, archive: Archive, pair: Pair | None) -> str:
    tolerances = archive.tolerances
    bins = tolerances.bins_of([cell])[0]
    place = "<br>".join(f"{name} {tolerances.labels(i)[bins[i]]}" for i, name in enumerate(tolerances.names))
    if pair is None:
        return f"{place}<br>{_value(archive, cell)}"
    return f"{place}<br>A {_value(pair.first, cell)}<br>B {_value(pair.second, cell)}"


def _value(archive: Archive, cell: int) -> str:
    elite = archive.at(cell)
    return "empty" if elite is None else f"f = {number(elite.f)}"
