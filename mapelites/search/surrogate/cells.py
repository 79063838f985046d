"""Candidates for cells in which nothing lies yet, one or two bins away from a known point."""

from __future__ import annotations

from typing import Any

import numpy as np

from mapelites.core.problem import Array
from mapelites.core.tolerances import Tolerances
from mapelites.search.surrogate.model import LocalModel
from mapelites.search.surrogate.points import ConstraintRanges
from mapelites.search.surrogate.steps import Stepper

DRAWS, MODELLED = 60, 6  # targets that are drawn, and looked at with models, for one candidate
TWO, FAR, BEYOND = 0.3, 0.3, 0.15  # probabilities: two bins change, to any other bin, to the one beyond the allowance
INSIDE = 0.2  # a target leaves so much of a bin's width on either side
FIRST_RADIUS, LEAST_RADIUS, LARGEST_RADIUS = 0.1, 0.003, 0.3
WIDER, NARROWER = 1.3, 0.8
OUTLOOK_CELLS, LEAST_MODELS, OUTLOOK_RADIUS = 400, 4, 0.05  # when people ask what is expected
TRUSTED = 0.1  # of f, by which models may be off at points that are left out; what is told is off by much less

Target = tuple[int, ...]


class CellPlanner:
    """Draws empty cells and asks the models how to get there, at the lowest f."""

    def __init__(
        self, steps: Stepper, searched: Tolerances, negotiable: tuple[int, ...], allowed: Array, inequalities: int
    ) -> None:
        self.steps, self.tolerances, self.negotiable = steps, searched, negotiable
        self.allowed, self.inequalities = allowed, inequalities
        self.radius = FIRST_RADIUS
        self._wanted: dict[int, Target] = {}  # by row

    def propose(self, rng: np.random.Generator, prices: Array) -> tuple[Array, Array] | None:
        """A point for an empty cell, and what is expected there; None where the models see no way to one."""
        elites = self._elites()
        cells, looked = sorted(elites), 0
        for _ in range(DRAWS if cells and self.negotiable else 0):
            beside = cells[rng.integers(len(cells))]
            target = self._drawn(beside, rng)
            if target in elites or target in self._wanted.values():
                continue
            found = self._aimed(target, elites[beside])
            if found is not None:
                self._wanted[self.steps.points.count] = target
                return found
            looked += 1
            if looked == MODELLED:
                break
        return None

    def expectations(self, radius: float) -> list[tuple[Array, Array]]:
        """For cells at and next to known ones the best point that the models see there, and its values.

        Nothing is told by models that cannot even foretell the points they are made of. It changes nothing of the
        search.
        """
        elites = self._elites()
        best: dict[Target, tuple[Array, Array]] = {}
        around = 1 + 2 * len(self.negotiable)
        # The cells near the feasible corner are those that people look at.
        for cell in sorted(elites, key=lambda each: (sum(each), each))[: max(LEAST_MODELS, OUTLOOK_CELLS // around)]:
            radius = min(radius, OUTLOOK_RADIUS)
            model = LocalModel(self.steps.points, elites[cell], radius, self.steps.most)
            if model.typical_error > TRUSTED * abs(model.base[0]):
                continue
            for target in self._beside(cell):
                found = self._best_of(model, target, elites[cell], radius)
                if found is not None and (target not in best or found[1][0] < best[target][1][0]):
                    best[target] = found
        return [best[cell] for cell in sorted(best)]

    def _beside(self, cell: Target) -> list[Target]:
        """A cell and those that differ from it by one bin, none of them beyond an allowance."""
        found = [cell]
        for i in self.negotiable:
            for bin_ in (cell[i] - 1, cell[i] + 1):
                if 0 <= bin_ < len(self.tolerances.levels[i]):
                    found.append((*cell[:i], bin_, *cell[i + 1 :]))
        return found

    def learn(self, row: int, *, fine: bool) -> None:
        """The radius grows while targets are hit."""
        target = self._wanted.pop(row)
        hit = fine and self._cell(self.steps.points.values[row : row + 1])[0] == target
        wanted = self.radius * (WIDER if hit else NARROWER)
        self.radius = min(max(wanted, LEAST_RADIUS), LARGEST_RADIUS)

    def packed(self) -> dict[str, Any]:
        """What was learned, for a checkpoint."""
        return {"radius": self.radius, "wanted": {str(row): list(cell) for row, cell in self._wanted.items()}}

    def restore(self, numbers: dict[str, Any]) -> None:
        """Go on from what `packed` gave."""
        self.radius = numbers["radius"]
        self._wanted = {int(row): tuple(cell) for row, cell in numbers["wanted"].items()}

    def _cell(self, values: Array) -> list[Target]:
        m = self.inequalities
        broken = np.concatenate([np.maximum(values[:, 1 : 1 + m], 0.0), np.abs(values[:, 1 + m :])], axis=1)
        return [tuple(row) for row in self.tolerances.bins(broken).tolist()]

    def _elites(self) -> dict[Target, int]:
        """The row with the lowest f in each cell."""
        rows = self.steps.points.told
        values = self.steps.points.values[rows]
        found: dict[Target, int] = {}
        cells = self._cell(values)
        for place in np.argsort(values[:, 0], kind="stable"):
            found.setdefault(cells[place], int(rows[place]))
        return found

    def _drawn(self, beside: Target, rng: np.random.Generator) -> Target:
        """Another cell, one or two bins away."""
        target = list(beside)
        for _ in range(1 + int(rng.random() < TWO)):
            i = self.negotiable[rng.integers(len(self.negotiable))]
            last = len(self.tolerances.levels[i])
            if rng.random() < FAR:
                target[i] = int(rng.integers(last + 1))
            else:
                target[i] = min(max(target[i] + int(rng.integers(2)) * 2 - 1, 0), last)
            if target[i] == last and rng.random() > BEYOND:
                target[i] = last - 1
        return tuple(target)

    def _interval(self, target: Target, values: Array) -> ConstraintRanges:
        """Where the constraints' values lie in a cell, well inside of its bins; an equality's on the side it is on.

        Of constraints that share an axis the one that is violated most goes into the bin, the others not beyond it.
        """
        low, high = np.empty(values.size - 1), np.empty(values.size - 1)
        for i, axis, leads in self._members(values):
            bin_, levels = target[axis], self.tolerances.levels[axis]
            if not leads:
                last = levels[bin_] if bin_ < len(levels) else np.inf
                low[i], high[i] = -np.inf if i < self.inequalities else -last, last
                continue
            first = levels[bin_ - 1] if bin_ > 0 else -np.inf
            last = levels[bin_] if bin_ < len(levels) else np.inf
            if bin_ > 0:
                margin = INSIDE * (last - first) if np.isfinite(last) else 0.05 * first + 1e-9
                first, last = first + margin, last - margin
            if i >= self.inequalities:
                if bin_ == 0:
                    first, last = -last, last
                elif values[1 + i] < 0.0:
                    first, last = -last, -first
            low[i], high[i] = first, last
        return ConstraintRanges(low, high)

    def _members(self, values: Array) -> list[tuple[int, int, bool]]:
        """Every constraint with its axis, and whether it is violated most of those that share it."""
        m, places = self.inequalities, self.tolerances.places
        if not places:
            return [(i, i, True) for i in range(len(self.tolerances.names))]
        broken = np.concatenate([np.maximum(values[1 : 1 + m], 0.0), np.abs(values[1 + m :])])
        return [(i, axis, i == max(each, key=lambda k: broken[k])) for axis, each in enumerate(places) for i in each]

    def _aimed(self, target: Target, beside: int) -> tuple[Array, Array] | None:
        """A new point of a cell with the lowest f near a known point, if the models see one."""
        model = LocalModel(self.steps.points, beside, self.radius, self.steps.most)
        found = self._best_of(model, target, beside, self.radius)
        return found if found is not None and self.steps.points.is_new(found[0]) else None

    def _best_of(self, model: LocalModel, target: Target, beside: int, radius: float) -> tuple[Array, Array] | None:
        """The point of a cell with the lowest f round the centre of a model, and what is expected there."""
        aim = self._interval(target, self.steps.points.values[beside])
        low, high = self.steps.space.box(model.centre, radius)
        x = model.descend(aim, low, high, model.centre, steps=15).x
        x = self.steps.on_steps(model, aim, low, high, x)
        expected = model.predict(x)
        return (x, expected) if self._cell(expected[None])[0] == target else None
