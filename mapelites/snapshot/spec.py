"""What a run searches and how: the one description that requests, snapshots and campaigns share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mapelites import problems
from mapelites.core.archive import Archive, Elites
from mapelites.core.errors import InputError, unknown
from mapelites.core.problem import BY_NAME, Problem, ProblemSource
from mapelites.core.settings import Settings
from mapelites.core.tolerances import FINER, GRID_RULES, GridRule, Tolerances


@dataclass(frozen=True)
class RunSpec:
    """A problem, the tolerances that make its map, and the settings of the search.

    >>> problem = problems.get("C17", 10)
    >>> spec = RunSpec.of(problem, Tolerances.default(problem), Settings.of("paper-3", 10))
    >>> RunSpec.from_table(spec.as_table()) == spec
    True
    """

    problem: str
    dimension: int
    tolerances: Tolerances
    settings: Settings
    source: ProblemSource = BY_NAME
    # What 100 % was of constraints without a limit when the run was made; not what tells one search from another.
    scales: tuple[tuple[str, float], ...] = field(default=(), compare=False)
    grid: GridRule = FINER

    @classmethod
    def of(cls, problem: Problem, tolerances: Tolerances, settings: Settings, grid: GridRule = FINER) -> RunSpec:
        """The description for a problem as it is now."""
        scales = tuple(problem.scales.items())
        return cls(problem.name, problem.dimension, tolerances, settings, problem.source, scales, grid)

    def as_table(self) -> dict[str, Any]:
        """The JSON values that stand for it in a store, a file or a message."""
        return {
            "problem": self.problem,
            "dimension": self.dimension,
            "constraints": list(self.tolerances.names),
            "levels": [list(levels) for levels in self.tolerances.levels],
            "settings": self.settings.as_dict(),
            **({} if self.source == BY_NAME else {"source": self.source.as_value()}),
            **({"hard": list(self.tolerances.hard)} if self.tolerances.hard else {}),
            **({"groups": [list(each) for each in self.tolerances.places]} if self.tolerances.places else {}),
            **({"scales": dict(self.scales)} if self.scales else {}),
            **({} if self.grid == "levels" else {"grid": self.grid}),
        }

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> RunSpec:
        """What `as_table` put down; other values beside it are left alone."""
        names, hard = tuple(table["constraints"]), tuple(table.get("hard", ()))
        grid = table.get("grid", "levels")
        places = tuple(tuple(int(place) for place in each) for each in table.get("groups", ()))
        if grid not in GRID_RULES:
            raise unknown("the grid of a search", grid, GRID_RULES)
        return cls(
            str(table["problem"]),
            int(table["dimension"]),
            Tolerances(names, tuple(tuple(levels) for levels in table["levels"]), hard, places),
            Settings.from_dict(table["settings"]),
            ProblemSource.from_value(table.get("source", "")),
            tuple((str(name), float(scale)) for name, scale in table.get("scales", {}).items()),
            grid,
        )

    def get_problem(self) -> Problem:
        """The problem itself, by its name, or by what is stored of it."""
        return problems.find_problem(self.problem, self.dimension, self.source).with_scales(dict(self.scales))

    def check(self) -> None:
        """Refuse levels for other constraints than the problem has, without beginning a search."""
        self.tolerances.check_for(self.get_problem())

    def empty_archive(self) -> Archive:
        """The map before the first evaluation."""
        problem = self.get_problem()
        return Archive(problem, self.tolerances, Elites.empty(problem))

    @cached_property
    def title(self) -> str:
        """What the problem is called, `C17 10D` or `Pressure vessel`."""
        try:
            return self.get_problem().title
        except InputError:  # a run may outlive its problem
            return f"{self.problem} {self.dimension}D"

    @cached_property
    def maximise(self) -> bool:
        """Whether f is minus what people want much of."""
        try:
            return self.get_problem().maximise
        except InputError:  # a run may outlive its problem
            return False

    @property
    def cells(self) -> int:
        """How many cells the search's map has."""
        return self.settings.centroids if self.settings.archive == "centroids" else self.tolerances.cells

    @cached_property
    def possible_cells(self) -> int:
        """How many of these cells can exist, given the relations between the constraints."""
        if self.settings.archive == "centroids":
            return self.cells
        try:
            return self.tolerances.possible_cells(self.get_problem())
        except InputError:  # a run may outlive its problem
            return self.cells
