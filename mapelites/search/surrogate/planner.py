"""What is asked next: the feasible corner first, then the questions of the map, empty cells, and other valleys.

Every candidate is made from what is known when it is asked for. One on its way counts as if it were answered as
expected (D. Ginsbourger, R. Le Riche and L. Carraro, "Kriging is well-suited to parallelize optimization", 2010).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mapelites.core.problem import Array, Problem
from mapelites.core.tolerances import Tolerances
from mapelites.search.outlook import Outlook
from mapelites.search.surrogate.cells import CellPlanner
from mapelites.search.surrogate.points import PENDING, ConstraintRanges, Points
from mapelites.search.surrogate.region import FIRST_RADIUS, TrustRegion
from mapelites.search.surrogate.space import Space
from mapelites.search.surrogate.steps import AFTER_FAILURE, AFTER_SUCCESS, Step, Stepper

DESIGN, CORNER, QUESTION, CELL, RESTART = range(5)
PURPOSES = ("design", "corner", "relaxed", "empty cell", "restart")
NONE = -1  # no region
CORNER_AT, RESTART_AT, FIRST_QUESTION = 0, 1, 2  # places of regions
RESTORE_AFTER, ONLY_RESTORE_AFTER = 0.4, 0.7  # parts of the budget, while nothing is feasible
CORNER_ALONE = 0.5  # of the budget: beyond that, a corner that still moves shares with the map
OVERDUE = 12  # later candidates were answered: nobody expects the answer to this one any more
WORTH = 2e-4  # of f: what a question must promise
WAKE_AFTER = 3  # points, where the corner has come to its end and nothing is feasible
LOOK_AGAIN = 40  # points after which a question that was done is looked at once more
ENOUGH_SLOPES = 2  # points with gradients, to begin with
LATEST = 100  # evaluations, of which it is told how far they were from what was expected
LOOKED_AT = 4  # questions, at most, for one candidate
UNKNOWN_WORTH = 0.1  # of the neighbourhood of a point that failed or waits for its answer, at most 1.5
RESTART_RADIUS, QUESTION_RADIUS, WOKEN_RADIUS = 0.15, 0.1, 0.05
ROUND = (RESTART, QUESTION, CELL, QUESTION)  # once the corner is done


class Note(NamedTuple):
    """Why a candidate was made, and what is needed to learn from its answer."""

    purpose: int
    region: int = NONE
    turn: int = 0  # of the restarts, so that an old one's late answer is not taken for the present one's
    centre: int = NONE
    size: float = 0.0
    well_known: bool = True
    is_geometry: bool = False
    variant: int = 0  # the place among those of `AFTER_SUCCESS`


class Planner:
    """Asks for candidates in the unit box and is told what came of them, in any order."""

    def __init__(
        self, problem: Problem, tolerances: Tolerances, searched: Tolerances, seed: int, budget: int, initial: int
    ) -> None:
        self.space = Space.of(problem)
        self.points = Points(problem.dimension, 1 + len(problem.constraints))
        self.allowed, self.inequalities = np.array(problem.feasible_up_to), problem.inequalities
        self.seed, self.budget, self.asked, self.turn, self.restarts = seed, budget, 0, 0, 0
        self.notes: dict[int, Note] = {}
        self._overdue: set[int] = set()  # rows
        self.spent: Counter[int] = Counter()
        self.steps = Stepper(self.points, self.space, self.allowed)
        cells = tolerances.negotiable, self.allowed, self.inequalities
        self.cells = CellPlanner(self.steps, searched, *cells)
        self.own_cells = CellPlanner(self.steps, tolerances, *cells)  # those of the levels that people chose
        self.design = list(self.space.design(initial, np.random.default_rng([seed, 0])))
        self.initial = initial
        self.regions = [TrustRegion.of(self._within(self.allowed)), self._new_restart()]
        for i in tolerances.negotiable:
            members = list(tolerances.places[i]) if tolerances.places else [i]
            for level in tolerances.levels[i]:
                if level > self.allowed[members[0]]:
                    relaxed = self.allowed.copy()
                    relaxed[members] = level
                    self.regions.append(TrustRegion.of(self._within(relaxed), QUESTION_RADIUS))

    def ask(self) -> tuple[int, Array, int]:
        """The next candidate: its row, its place in the unit box, and the purpose it serves."""
        self.asked += 1
        self._give_up_overdue()
        rng = np.random.default_rng([self.seed, self.asked])
        found = self._from_design(rng) or self._from_corner(rng) or self._from_map(rng)
        x, expected, note = found or (self.space.snapped(rng.random(self.space.n)), None, Note(DESIGN))
        row = self.points.add(x, expected)
        self.notes[row] = note
        self.spent[note.purpose] += 1
        if note.purpose == RESTART and note.turn == self.restarts:
            self.regions[RESTART_AT].own.append(row)
        return row, x, note.purpose

    def tell(self, row: int, values: Array) -> None:
        """The answer to a candidate; with something that is no finite number, it failed."""
        note, expected = self.notes.pop(row), self.points.expected[row].copy()
        fine = self.points.tell(row, values)
        if note.purpose == CELL:
            self.cells.learn(row, fine=fine)
        if note.region == NONE or note.is_geometry or note.centre == NONE:
            return
        if note.region == RESTART_AT and note.turn != self.restarts:
            return
        region = self.regions[note.region]
        if fine:
            centre = self.points.values[note.centre]
            plain = note.variant == 0
            region.learn(centre, expected, values, note.size, well_known=note.well_known, plain=plain)
        elif note.variant == 0:
            region.shorten(note.size)

    def take_slopes(self, row: int, slopes: Array) -> None:
        """The gradients at a point that was just told; with some, two points are enough to begin with."""
        self.points.take_slopes(row, slopes)
        if self.points.slopes:
            del self.design[max(0, ENOUGH_SLOPES - len(self.points.told)) :]

    def add_known(self, u: Array, values: Array) -> None:
        """A point that somebody evaluated before; with some, fewer are needed to fill the space."""
        if not self.points.is_new(u):
            return
        self.points.tell(self.points.add(u), values)
        if len(self.design) > self.space.n // 2 + 1:
            self.design.pop()

    def start_from(self, places: Sequence[Array]) -> None:
        """Designs to begin with, before those that fill the space."""
        self.design[: len(places)] = [self.space.snapped(each) for each in places]

    def outlook(self) -> Outlook | None:
        """What is expected of the map by now, and how far the latest expectations were off."""
        points = self.points
        if not len(points.told):
            return None
        seen = self.own_cells.expectations(self.cells.radius)
        x = np.array([each for each, _ in seen]).reshape(-1, self.space.n)
        values = np.array([each for _, each in seen]).reshape(-1, points.values.shape[1])
        rows = points.told[np.isfinite(points.expected[points.told]).all(axis=1)][-LATEST:]
        return Outlook(self.space.from_unit(x), values, points.expected[rows].copy(), points.values[rows].copy())

    # What a candidate is made for

    def _from_design(self, rng: np.random.Generator) -> tuple[Array, Array | None, Note] | None:
        while self.design:
            x = self.design.pop(0)
            if self.points.is_new(x):
                return x, None, Note(DESIGN)
        enough = ENOUGH_SLOPES if self.points.slopes else min(self.space.n + 2, max(1, self.initial))
        if len(self.points.told) >= enough or not self._some_pending():
            return None
        return self.space.snapped(rng.random(self.space.n)), None, Note(DESIGN)

    def _give_up_overdue(self) -> None:
        """Nothing is built any more on candidates whose answers are long overdue; they may still come."""
        answered = np.cumsum((self.points.status != PENDING)[::-1])[::-1]
        self._overdue = {row for row in self.notes if answered[row] >= OVERDUE}

    def _expected_soon(self) -> dict[int, Note]:
        """The candidates on their way."""
        return {row: note for row, note in self.notes.items() if row not in self._overdue}

    def _some_pending(self) -> bool:
        return bool(self.notes)

    def _from_corner(self, rng: np.random.Generator) -> tuple[Array, Array | None, Note] | None:
        """A step to the best feasible solution."""
        corner = self.regions[CORNER_AT]
        if not len(self.points.told):
            return None
        now = self.steps.answer(corner)
        if corner.done and now < corner.best - 1e-6 * abs(now):  # something better was met elsewhere
            corner.done, corner.radius, corner.best = False, WOKEN_RADIUS, now
        count = self.points.count
        if corner.done and not np.isfinite(now) and count >= corner.looked + WAKE_AFTER:
            corner.done, corner.radius, corner.looked = False, FIRST_RADIUS, count  # others have learned since
        if corner.done or (count > CORNER_ALONE * self.budget and np.isfinite(now) and self.asked % 2):
            return None
        if count > CORNER_ALONE * self.budget and not np.isfinite(now) and self.asked % 3 == 0:
            return self._from_restart(rng)  # nothing near here may be feasible
        late = count > ONLY_RESTORE_AFTER * self.budget
        restore = late or (count > RESTORE_AFTER * self.budget and self.asked % 2 == 1)
        under_way = {note.variant for note in self._expected_soon().values() if note.region == CORNER_AT}
        if not under_way:
            return self._noted(self.steps.next_step(corner, rng, restore=restore), CORNER, CORNER_AT)
        for variant in AFTER_FAILURE if corner.failed else AFTER_SUCCESS:
            if AFTER_SUCCESS.index(variant) not in under_way:
                step = self.steps.further_step(corner, rng, variant)
                if step is not None:
                    return self._noted(step, CORNER, CORNER_AT)
        return None

    def _from_map(self, rng: np.random.Generator) -> tuple[Array, Array | None, Note] | None:
        if not len(self.points.told):
            return None
        for _ in range(len(ROUND) + 1):
            purpose = ROUND[self.turn % len(ROUND)]
            self.turn += 1
            maker = {RESTART: self._from_restart, QUESTION: self._from_question, CELL: self._from_cell}[purpose]
            found = maker(rng)
            if found is not None:
                return found
        return None

    def _from_question(self, rng: np.random.Generator) -> tuple[Array, Array | None, Note] | None:
        """The question that promises most, of those about one relaxed constraint."""
        count = self.points.count
        stale = [place for place, each in enumerate(self.regions) if not each.done or count - each.looked > LOOK_AGAIN]
        places = [place for place in stale if place >= FIRST_QUESTION and not self._busy(place)]
        places.sort(key=lambda place: (-self.regions[place].gain, self.regions[place].looked))
        for place in places[:LOOKED_AT]:
            region = self.regions[place]
            region.looked = count
            if region.gain == np.inf:
                region.prices = self.regions[CORNER_AT].prices.copy()
            if region.done:
                region.done, region.radius = False, max(region.radius, 0.02)
            step = self.steps.next_step(region, rng)
            if step is None or step.is_geometry:
                region.gain = 0.0 if step is None else region.gain
            else:
                now = self.steps.answer(region)
                region.gain = (now - step.expected[0]) / max(abs(now), 1e-12) if np.isfinite(now) else 1.0
                if region.gain < WORTH:
                    region.done, step = True, None
            if step is not None:
                return self._noted(step, QUESTION, place)
        return None

    def _from_cell(self, rng: np.random.Generator) -> tuple[Array, Array | None, Note] | None:
        """A cell in which nothing lies yet."""
        found = self.cells.propose(rng, self.regions[CORNER_AT].prices)
        return None if found is None else (found[0], found[1], Note(CELL))

    def _from_restart(self, rng: np.random.Generator) -> tuple[Array, Array | None, Note] | None:
        """A descent in another valley, from a point far from all others."""
        region = self.regions[RESTART_AT]
        if self._busy(RESTART_AT):
            return None
        if region.own and not region.done:
            step = self.steps.next_step(region, rng)
            region.done = step is None or self._is_hopeless(region, step)
            if step is not None and not region.done:
                return self._noted(step, RESTART, RESTART_AT)
        elif region.own or not self.restarts:
            self.restarts += 1
            self.regions[RESTART_AT] = self._new_restart()
            self.regions[RESTART_AT].prices = self.regions[CORNER_AT].prices.copy()
            return self._far_point(rng), None, Note(RESTART, RESTART_AT, self.restarts)
        return None

    def _is_hopeless(self, region: TrustRegion, step: Step) -> bool:
        """Whether a descent that had its chance still promises nothing near the best."""
        corner = self.regions[CORNER_AT]
        known = corner.merit(self.points.values[self.points.told])
        above = float(corner.merit(step.expected)) - float(known.min())
        return len(region.own) > 2 * self.space.n + 6 and above > 0.2 * abs(float(np.median(known)))

    def _far_point(self, rng: np.random.Generator) -> Array:
        """Of many random points, one that is far from the others, and rather near good ones."""
        x, told = self.points.x, self.points.told
        merits = self.regions[CORNER_AT].merit(self.points.values[told])
        worth = np.full(len(x), UNKNOWN_WORTH)
        worth[told] = 1.5 - np.argsort(np.argsort(merits)) / len(merits)
        drawn = rng.random((min(50 * self.space.n, 500), self.space.n))
        squares = (drawn**2).sum(axis=1)[:, None] + (x**2).sum(axis=1)[None] - 2.0 * drawn @ x.T
        gaps = np.sqrt(np.maximum(squares.min(axis=1), 0.0))
        return self.space.snapped(drawn[np.argmax(gaps * worth[squares.argmin(axis=1)])])

    # Small things

    def _noted(self, step: Step | None, purpose: int, place: int) -> tuple[Array, Array | None, Note] | None:
        if step is None:
            return None
        variant = AFTER_SUCCESS.index(step.variant)
        note = Note(purpose, place, self.restarts, step.centre, step.size, step.well_known, step.is_geometry, variant)
        return step.x, step.expected, note

    def _within(self, tolerance: Array) -> ConstraintRanges:
        low = np.where(np.arange(len(tolerance)) < self.inequalities, -np.inf, -tolerance)
        return ConstraintRanges(low, tolerance.copy())

    def _new_restart(self) -> TrustRegion:
        return TrustRegion.of(self._within(self.allowed), RESTART_RADIUS, is_restart=True)

    def _busy(self, place: int) -> int:
        return sum(note.region == place for note in self._expected_soon().values())

    # Checkpoints

    def packed(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Everything that was learned: arrays, and plain values."""
        points = self.points
        rows = sorted(points.slopes)
        arrays = {
            "x": points.x, "values": points.values, "expected": points.expected, "status": points.status,
            "design": np.array(self.design).reshape(-1, self.space.n), "sloped": np.array(rows, dtype=np.int64),
            "slopes": np.array([points.slopes[row] for row in rows]).reshape(-1, points.values.shape[1], self.space.n),
        }  # fmt: skip
        return {name: array.copy() for name, array in arrays.items()}, {
            "asked": self.asked, "turn": self.turn, "restarts": self.restarts, "left": len(self.design),
            "notes": {str(row): list(note) for row, note in self.notes.items()},
            "spent": {str(purpose): count for purpose, count in self.spent.items()},
            "regions": {
                str(place): each.packed() for place, each in enumerate(self.regions)
                if place < FIRST_QUESTION or each.looked
            },
            "cells": self.cells.packed(),
        }  # fmt: skip

    def restore(self, arrays: dict[str, NDArray[Any]], plan: dict[str, Any]) -> None:
        """Go on from what `packed` gave."""
        self.points.restore(arrays["x"], arrays["values"], arrays["expected"], arrays["status"])
        if "sloped" in arrays:  # a search of an earlier version has none
            pairs = zip(arrays["sloped"].tolist(), arrays["slopes"], strict=True)
            self.points.slopes = {row: slopes.copy() for row, slopes in pairs}
        self.asked, self.turn, self.restarts = plan["asked"], plan["turn"], plan["restarts"]
        self.design = list(arrays["design"]) if "design" in arrays else self.design[len(self.design) - plan["left"] :]
        self.notes = {int(row): Note(*note) for row, note in plan["notes"].items()}
        self.spent = Counter({int(purpose): count for purpose, count in plan["spent"].items()})
        for place, numbers in plan["regions"].items():
            self.regions[int(place)].restore(numbers)
        self.cells.restore(plan["cells"])
