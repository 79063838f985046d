"""The state of a run's page: everything that its address holds, in one value with one codec.

A browser holds it as JSON in one store and writes the address from that; `assets/run/state.js` is the browser's half of
the codec. Both come from outside, so both are checked. `/run/k3x?at=12000&axes=g2,g1,;h1&view=price&allow=g1:any` opens
the same page elsewhere. A semicolon takes a constraint off the map. What is as usual is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

import numpy as np

from components.answers.question import AskedQuestion
from components.answers.state import ANY, MARGIN, as_data, read_question
from components.map.colour import COLOURS
from components.map.many_parallel import check_brush, read_brush
from components.page_state.view import (
    Maps,
    ShownMap,
    checked_text,
    checked_whole,
    digits_of,
    levels_from_text,
    read_axes,
    read_block,
    read_cell,
    read_levels,
    read_word,
)
from components.shared.format import cell_for_browser
from mapelites.core.errors import InputError
from mapelites.core.nested_map.colour import SCALES
from mapelites.core.nested_map.reading import READINGS, Reading, usual_reading
from mapelites.core.nested_map.usual import axis_groups, limits_of_hidden, move_together
from mapelites.core.nested_map.view import FigureView
from mapelites.core.problem import Array, Problem
from mapelites.core.tolerances import Tolerances, short

USUAL = {
    "scale": "auto", "overview": "pairs", "view": "map", "margin": MARGIN, "most": 1,
    "measure": "total",
}  # fmt: skip
REST = re.compile(r"any|[wb][0-9]{1,2}")
PLAIN_MARKS = ",;:"  # stand in an address as they are


@dataclass(frozen=True)
class PageState:
    """What somebody looks at on a run's page: which moment, levels, axes, reading and colours, and which question.

    `cell` is a design chosen by the cell it lies in; without one the design is the answer at the sliders.
    """

    at: int | None  # the evaluation that is shown; None while the page follows the run
    levels: Tolerances | None  # where they are not the run's own
    binned: Tolerances | None  # the same, with what is marked hard in the question
    axes: tuple[str, ...] | None
    reading: Reading | None
    colour: str | None
    scale: str
    block: tuple[int, int] | None
    cell: int | None
    overview: str
    brush: tuple[tuple[int, float, float], ...]  # axis, lower end, upper end
    asked: AskedQuestion

    @classmethod
    def read(cls, data: Any, own: Tolerances, problem: Problem) -> PageState:
        """From what a browser holds, for a run with its `own` tolerances; an `InputError` where it makes no sense."""
        given = data if isinstance(data, Mapping) else {}
        levels = read_levels(given.get("levels"), own)
        asked = read_question(given, levels or own)
        binned = levels
        if set(asked.hard) - set(own.hard):
            binned = (levels or own).with_hard(problem, (*own.hard, *asked.hard))
        shown = binned or own
        brush = check_brush(given.get("brush"), len(shown.names))
        return cls(
            at=checked_whole("at", given.get("at")),
            levels=levels,
            binned=binned,
            axes=read_axes(given.get("axes"), shown),
            reading=cast("Reading | None", read_word("reading", given.get("reading"), READINGS)),
            colour=read_word("colour", given.get("colour"), COLOURS),
            scale=read_word("scale", given.get("scale"), SCALES) or "auto",
            block=read_block(given.get("block")),
            cell=read_cell(given.get("cell"), shown),
            overview="parallel" if given.get("overview") == "parallel" or brush else "pairs",
            brush=brush,
            asked=asked,
        )

    @classmethod
    def from_query(cls, query: Mapping[str, str], own: Tolerances, problem: Problem) -> PageState:
        """From an address; what it does not name is as usual. One of an earlier version leads to what it meant."""
        levels = levels_from_text(query["levels"], own) if query.get("levels") else None
        shown = levels or own
        allow = (part.rpartition(":") for part in query.get("allow", "").split(",") if part)
        data = {
            **{name: query.get(name) for name in ("colour", "scale", "reading", "view", "about", "need", "margin")},
            **{name: query.get(name) for name in ("most", "measure")},
            "at": digits_of("at", query.get("at")),
            "axes": _names(query, "axes"),
            "block": [digits_of("block", each) for each in query["block"].split(",")] if query.get("block") else None,
            "cell": query.get("cell") or None,
            "levels": None if levels is None else [list(each) for each in levels.levels],
            "overview": query.get("overview"),
            "brush": read_brush(query["brush"], len(shown.names)) if query.get("brush") else None,
            "allow": {**_earlier_rest(query.get("rest", ""), shown), **{name: value for name, _, value in allow}},
            "hard": _names(query, "hard"),
            "pair": _names(query, "pair"),
            "behind": query.get("behind") == "yes",
        }
        return cls.read(data, own, problem)

    def as_data(self) -> dict[str, Any]:
        """As a browser holds it, in JSON."""
        return {
            "at": self.at,
            "axes": None if self.axes is None else list(self.axes),
            "reading": self.reading,
            "colour": self.colour,
            "scale": self.scale,
            "block": None if self.block is None else list(self.block),
            "cell": cell_for_browser(self.cell),
            "levels": None if self.levels is None else [list(each) for each in self.levels.levels],
            "overview": self.overview,
            "brush": [list(each) for each in self.brush] or None,
            **as_data(self.asked),
        }

    def address(self) -> str:
        """The query of an address that opens it, without its question mark."""
        return view_query(self.as_data())


def view_query(data: Mapping[str, Any]) -> str:
    """The query of the page's address, from what a browser holds.

    >>> view_query({"at": 900, "scale": "auto", "levels": [[0, 1e-4], [0]], "hard": ["g1"], "behind": False})
    'at=900&levels=0,1e-4;0&hard=g1'
    """
    found = []
    for name, write in WRITERS.items():
        value = data.get(name)
        written = "" if value is None or value == USUAL.get(name) else write(value)
        if written:
            found.append(f"{name}={quote(written, safe=PLAIN_MARKS)}")
    return "&".join(found)


def view_of(maps: Maps, run_id: Any, data: Any, age: float = 0.0) -> tuple[PageState, ShownMap]:
    """The state that a browser holds of a run's page, and the map that it shows; read at most so many seconds ago."""
    run = maps.run(checked_text("run", run_id), age)
    state = PageState.read(data, run.request.tolerances, run.request.problem_by_axis())
    return state, maps.shown_at(run.id, state.at, state.binned, age)


def reading_of(state: PageState, shown: ShownMap) -> Reading:
    """The reading that somebody chose, or the usual one of the problem at these levels."""
    return state.reading or usual_reading(shown.run.request.problem_by_axis(), shown.tolerances)


def figure_view(state: PageState, shown: ShownMap, maps: Maps) -> FigureView:
    """How the state of a page looks at its map; what nobody chose is as usual for the run's newest map."""
    problem, tolerances = shown.run.request.problem_by_axis(), shown.tolerances
    reading = reading_of(state, shown)
    colour = state.colour or ("objective" if reading == "exact" else "gain")
    order = maps.order(shown) if state.axes is None else state.axes
    limits = limits_of_hidden(problem, tolerances, slider_tolerances(state, shown))
    return FigureView(tuple(order), colour, state.scale, tuple(limits.tolist()), reading, state.block)


def slider_tolerances(state: PageState, shown: ShownMap) -> Array:
    """The tolerances at which the sliders stand, one for each constraint; those that follow others follow them."""
    problem, tolerances = shown.run.request.problem_by_axis(), shown.tolerances
    limits = np.array(problem.feasible_up_to)
    for name, tolerance in state.asked.allow.items():
        if name not in tolerances.hard:
            limits[tolerances.names.index(name)] = max(tolerance, limits[tolerances.names.index(name)])
    return move_together(limits, np.array(problem.feasible_up_to), axis_groups(problem, tolerances))


def _earlier_rest(words: str, tolerances: Tolerances) -> dict[str, str]:
    """What earlier addresses said of constraints off the map, `any`, `w2` or `b3`, as tolerances that are allowed."""
    found = {}
    for name, word, levels in zip(tolerances.names, words.split(","), tolerances.levels, strict=False):
        if word and not REST.fullmatch(word):
            raise InputError(f"rest: words such as any, w1 and b2 are needed, but one was {word!r}")
        if word and (place := int(word[1:]) if word != "any" else len(levels)):
            found[name] = short(levels[place]) if place < len(levels) else ANY
    return found


def _names(query: Mapping[str, str], name: str) -> list[str] | None:
    return query[name].split(",") if query.get(name) else None


def _brush(brush: list[list[float]]) -> str:
    return ";".join(f"{axis:g}:{short(low)}-{short(high)}" for axis, low, high in brush)


WRITERS: dict[str, Callable[[Any], str]] = {
    "at": str,
    "axes": ",".join,
    "reading": str,
    "colour": str,
    "scale": str,
    "block": lambda block: f"{block[0]},{block[1]}",
    "cell": str,
    "levels": lambda levels: ";".join(",".join(map(short, each)) for each in levels),
    "overview": str,
    "brush": _brush,
    "view": str,
    "about": str,
    "need": str,
    "margin": str,
    "most": str,
    "measure": str,
    "allow": lambda allow: ",".join(f"{name}:{value}" for name, value in allow.items()),
    "hard": ",".join,
    "pair": ",".join,
    "behind": lambda behind: "yes" if behind else "",
}
