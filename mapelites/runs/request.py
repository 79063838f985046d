"""What somebody asks for when starting a run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from mapelites import problems
from mapelites.errors import InputError
from mapelites.problem import Problem
from mapelites.search import Illumination, Settings
from mapelites.tolerances import Tolerances


@dataclass(frozen=True)
class RunRequest:
    """Problem, tolerances, search settings, and how fast to go at most (evaluations per second)."""

    problem: str
    dimension: int
    tolerances: Tolerances
    settings: Settings
    pace: float | None = None

    def __post_init__(self) -> None:
        check_pace(self.pace)

    def get_problem(self) -> Problem:
        """The problem itself, by its name."""
        return problems.get(self.problem, self.dimension)

    def begin(self, state: Mapping[str, Any] | None = None) -> Illumination:
        """The search, at its beginning or at the point where `state` was taken out of it."""
        if state is None:
            return Illumination(self.get_problem(), self.tolerances, self.settings)
        return Illumination.restore(self.get_problem(), self.tolerances, self.settings, state)

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
        }
        return json.dumps(table, allow_nan=False)

    @classmethod
    @lru_cache(maxsize=1024)  # a list of runs is read far more often than a request is made
    def from_text(cls, text: str) -> RunRequest:
        """A request from JSON."""
        table = json.loads(text)
        tolerances = Tolerances(tuple(table["constraints"]), tuple(tuple(levels) for levels in table["levels"]))
        settings = Settings.from_dict(table["settings"])
        return cls(str(table["problem"]), int(table["dimension"]), tolerances, settings, table["pace"])


def check_pace(pace: Any) -> None:
    """A pace is a number above 0, or None for as fast as possible."""
    if pace is None:
        return
    if isinstance(pace, bool) or not isinstance(pace, (int, float)) or not math.isfinite(pace) or pace <= 0:
        raise InputError(f"pace must be a number of evaluations per second above 0, but it was {pace!r}")
