"""What somebody asks for when starting a run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from mapelites import problems
from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.core.settings import Settings
from mapelites.core.tolerances import FINER, Tolerances
from mapelites.evaluation.answer import RunServices
from mapelites.search import Illumination
from mapelites.snapshot.spec import RunSpec
from mapelites.system.files import json_of


@dataclass(frozen=True)
class RunRequest:
    """What to search, and how fast to go at most.

    `pace` is in evaluations per second; `watch` is the seconds to spend the budget in, slowly at first, so that one
    sees the map fill. A run that is `unseen` waits a little with that for a page that shows it.
    """

    spec: RunSpec
    pace: float | None = None
    watch: float | None = None
    unseen: bool = False

    def __post_init__(self) -> None:
        check_pace(self.pace)
        check_watch(self.watch, self.pace)

    @property
    def problem(self) -> str:
        """The problem's name."""
        return self.spec.problem

    @property
    def dimension(self) -> int:
        """How many variables it has."""
        return self.spec.dimension

    @property
    def tolerances(self) -> Tolerances:
        """The levels of its constraints."""
        return self.spec.tolerances

    @property
    def settings(self) -> Settings:
        """How it is searched."""
        return self.spec.settings

    @property
    def title(self) -> str:
        """What the problem is called."""
        return self.spec.title

    @property
    def cells(self) -> int:
        """How many cells the search's map has."""
        return self.spec.cells

    @property
    def possible_cells(self) -> int:
        """How many of these cells can exist."""
        return self.spec.possible_cells

    def get_problem(self) -> Problem:
        """The problem itself."""
        return self.spec.get_problem()

    def problem_by_axis(self) -> Problem:
        """The problem as its map shows it, with one constraint for each axis."""
        return self.tolerances.problem_by_axis(self.get_problem())

    def begin(
        self,
        state: Mapping[str, Any] | None = None,
        problem: Problem | None = None,
        outside: RunServices | None = None,
    ) -> Illumination:
        """The search, at its beginning or at the point where `state` was taken out of it.

        `problem` is the problem with its function, where that has to be loaded first, and `outside` what the search
        has from those who run it.
        """
        problem = problem or self.get_problem()
        if state is None:
            search = Illumination(problem, self.tolerances, self.settings, outside, self.spec.grid)
            if self.settings.start:
                search.start_from(np.array(self.settings.start))
            return search
        return Illumination.restore(problem, self.tolerances, self.settings, state, outside, self.spec.grid)

    @cached_property
    def text(self) -> str:
        """JSON for the store."""
        table = {**self.spec.as_table(), "pace": self.pace, **({"watch": self.watch} if self.watch else {})}
        table |= {"unseen": True} if self.unseen else {}
        return json.dumps(table, allow_nan=False)

    @classmethod
    @lru_cache(maxsize=1024)  # a list of runs is read far more often than a request is made
    def from_text(cls, text: str) -> RunRequest:
        """A request from JSON."""
        table = json_of(text)
        return cls(RunSpec.from_table(table), table["pace"], table.get("watch"), bool(table.get("unseen")))

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
        return cls(RunSpec.of(problem, tolerances, settings), pace, watch)

    def renewed(self) -> RunRequest:
        """The same request for the newest version of a problem from a file; everything else stays as it was."""
        source = problems.newest_source(self.problem, self.spec.source)
        return replace(self, spec=replace(self.spec, source=source, grid=FINER))


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
