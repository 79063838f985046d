"""What somebody asks for when starting a run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from mapelites import problems
from mapelites.errors import InputError
from mapelites.problem import Problem
from mapelites.search import Illumination, Settings
from mapelites.slow import Outside
from mapelites.tolerances import Tolerances


@dataclass(frozen=True)
class RunRequest:
    """Problem, tolerances, search settings, and how fast to go at most.

    `pace` is in evaluations per second; `watch` is the seconds to spend the budget in, slowly at first, so that one
    sees the map fill.
    """

    problem: str
    dimension: int
    tolerances: Tolerances
    settings: Settings
    pace: float | None = None
    source: str = ""  # of a problem that is somebody's own
    watch: float | None = None

    def __post_init__(self) -> None:
        check_pace(self.pace)
        check_watch(self.watch, self.pace)

    def get_problem(self) -> Problem:
        """The problem itself, by its name, or by what the run stores of it."""
        return problems.find(self.problem, self.dimension, self.source)

    @cached_property
    def title(self) -> str:
        """What the problem is called, `C17 10D` or `Pressure vessel`."""
        try:
            return self.get_problem().title
        except InputError:  # a run may outlive its problem
            return f"{self.problem} {self.dimension}D"

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

    def begin(
        self,
        state: Mapping[str, Any] | None = None,
        problem: Problem | None = None,
        outside: Outside | None = None,
    ) -> Illumination:
        """The search, at its beginning or at the point where `state` was taken out of it.

        `problem` is the problem with its function, where that has to be loaded first, and `outside` what the search
        has from those who run it.
        """
        problem = problem or self.get_problem()
        if state is None:
            return Illumination(problem, self.tolerances, self.settings, outside)
        return Illumination.restore(problem, self.tolerances, self.settings, state, outside)

    @cached_property
    def text(self) -> str:
        """JSON for the store."""
        table = {
            "problem": self.problem,
            "dimension": self.dimension,
            "constraints": list(self.tolerances.names),
            "levels": [list(levels) for levels in self.tolerances.levels],
            "settings": self.settings.as_dict(),
            "pace": self.pace,
            **({"watch": self.watch} if self.watch else {}),
            **({"source": self.source} if self.source else {}),
        }
        return json.dumps(table, allow_nan=False)

    @classmethod
    @lru_cache(maxsize=1024)  # a list of runs is read far more often than a request is made
    def from_text(cls, text: str) -> RunRequest:
        """A request from JSON."""
        table = json.loads(text)
        tolerances = Tolerances(tuple(table["constraints"]), tuple(tuple(levels) for levels in table["levels"]))
        settings = Settings.from_dict(table["settings"])
        source = str(table.get("source", ""))
        paces = table["pace"], source, table.get("watch")
        return cls(str(table["problem"]), int(table["dimension"]), tolerances, settings, *paces)

    @classmethod
    def of(
        cls,
        problem: Problem,
        tolerances: Tolerances,
        settings: Settings,
        pace: float | None = None,
        watch: float | None = None,
    ) -> RunRequest:
        """A request for a problem as it is now."""
        return cls(problem.name, problem.dimension, tolerances, settings, pace, problem.source, watch)

    def renewed(self) -> RunRequest:
        """The same request for the newest version of a problem from a file; everything else stays as it was."""
        return replace(self, source=problems.renewed(self.problem, self.source))


def check_pace(pace: Any) -> None:
    """A pace is a number above 0, or None for as fast as possible."""
    if pace is not None and not _is_above_0(pace):
        raise InputError(f"pace must be a number of evaluations per second above 0, but it was {pace!r}")


def check_watch(watch: Any, pace: float | None) -> None:
    """The time to watch a run is a number above 0, or None, and does not go together with a pace."""
    if watch is None:
        return
    if not _is_above_0(watch):
        raise InputError(f"watch must be a number of seconds above 0, but it was {watch!r}")
    if pace is not None:
        raise InputError(f"a run has a pace or is watched, but pace was {pace!r} and watch {watch!r}")


def _is_above_0(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value > 0
