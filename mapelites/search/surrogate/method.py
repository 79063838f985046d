"""The search for a few hundred evaluations at work: candidates by the planner, evaluated by whoever does that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.core.problem import Array, Problem
from mapelites.core.settings import Settings
from mapelites.core.tolerances import Tolerances
from mapelites.evaluation.answer import Answer, RunServices
from mapelites.search.emitters import first_surrogate_operator, slow_operators
from mapelites.search.emitters.surrogate import EMITTER as SURROGATE
from mapelites.search.outlook import Outlook
from mapelites.search.parallel.pipeline import Candidate, Pipeline
from mapelites.search.state import MapArrays, State
from mapelites.search.surrogate.planner import Planner

PREFIX = "surrogate_"
PLAN = f"{PREFIX}plan"


class SurrogateMethod(Pipeline):
    """Models of f and of every constraint say where the next candidate lies."""

    def __init__(
        self, problem: Problem, m: MapArrays, settings: Settings, state: State, outside: RunServices,
        tolerances: Tolerances, searched: Tolerances,
    ) -> None:  # fmt: skip
        super().__init__(problem, m, settings, state, outside)
        self.operators = slow_operators()
        self.planner = Planner(problem, tolerances, searched, settings.seed, settings.evaluations, settings.initial)

    @property
    def spent(self) -> dict[str, int]:
        """The evaluations of the one emitter."""
        return {SURROGATE.name: self._told}

    @property
    def on_the_way(self) -> int:
        """As many as there are workers and some to spare: each is made with less knowledge than the one before."""
        workers = 0 if self.problem.compiled else self.settings.workers
        return self.settings.batch or max(1, workers + workers // 4)

    def make_candidate(self, number: int) -> Candidate:
        """The next candidate, with the planner's row as its source."""
        row, u, purpose = self.planner.ask()
        x = self.problem.rounded(self.planner.space.from_unit(u)[None])[0]
        return Candidate(number, x, first_surrogate_operator() + purpose, row)

    def learn_known(self, x: Array, values: Array) -> None:
        """One more point for the models."""
        self.planner.add_known(self.planner.space.to_unit(x), values)

    def start_from(self, designs: Array) -> None:
        """Have these solutions evaluated first."""
        self.planner.start_from([self.planner.space.to_unit(each) for each in designs])

    def learn(self, candidate: Candidate, answer: Answer, gain: float) -> None:
        """Tell the planner."""
        self.planner.tell(candidate.source, answer.values)

    def outlook(self) -> Outlook | None:
        """What the planner's models expect."""
        return self.planner.outlook()

    def memory(self) -> dict[str, NDArray[Any]]:
        """Everything that was learned."""
        arrays, plan = self.planner.packed()
        return {
            **super().memory(),
            **{PREFIX + name: array for name, array in arrays.items()},
            PLAN: np.frombuffer(json.dumps(plan).encode(), dtype=np.uint8).copy(),
        }

    def remember(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `memory` gave."""
        own = {name.removeprefix(PREFIX): array for name, array in arrays.items() if name.startswith(PREFIX)}
        self.planner.restore(own, json.loads(own.pop("plan").tobytes()))
        super().remember(arrays)
