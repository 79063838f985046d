"""The search for a function that takes long: the emitters of the directed search, many candidates on their way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.core.errors import InputError
from mapelites.core.problem import Array, Problem
from mapelites.core.settings import Settings
from mapelites.evaluation.answer import Answer, RunServices
from mapelites.search import paper
from mapelites.search.directed import credit
from mapelites.search.directed.memory import Integers, new_work
from mapelites.search.emitters import Emitter, operators_of, slow_emitters
from mapelites.search.parallel import modelled
from mapelites.search.parallel.pipeline import Candidate, Pipeline
from mapelites.search.state import OCCUPIED, MapArrays, State

TRIES = 10  # at a candidate that is not known yet
MEMORY = 0.02  # how much the last candidate counts
BY_EMITTER = ("passes", "credit", "spent")


class ParallelMethod(Pipeline):
    """Candidates by emitters, each of which earns its part of the budget."""

    def __init__(self, problem: Problem, m: MapArrays, settings: Settings, state: State, outside: RunServices) -> None:
        super().__init__(problem, m, settings, state, outside)
        self.emitters = slow_emitters()
        self.operators = operators_of(self.emitters)
        self.numbers = paper.loop_settings(settings)
        size = problem.dimension, len(problem.constraints)
        self.nearby, self.work = modelled.new_nearby(*size), new_work(*size)
        self._base = _base(settings, self.emitters)
        self._proposals = tuple(each.load_propose() for each in self.emitters)
        self._passes, self._credit = np.zeros(len(self.emitters)), np.zeros(len(self.emitters))
        self._spent = np.zeros(len(self.emitters), dtype=np.int64)

    @property
    def spent(self) -> dict[str, int]:
        """The evaluations of each emitter."""
        return {each.name: int(count) for each, count in zip(self.emitters, self._spent, strict=True)}

    def memory(self) -> dict[str, NDArray[Any]]:
        """The candidates on their way, and what was learned and counted."""
        return {
            **super().memory(),
            "slow_passes": self._passes.copy(),
            "slow_credit": self._credit.copy(),
            "slow_spent": self._spent.copy(),
            "slow_near_x": self.nearby.x.copy(),
            "slow_near_values": self.nearby.values.copy(),
            "slow_near_count": self.nearby.known.copy(),
        }

    def remember(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `memory` gave."""
        now = self.memory()
        for name, array in arrays.items():
            if name in now and (array.dtype != now[name].dtype or array.shape[1:] != now[name].shape[1:]):
                raise InputError(
                    f"checkpoint: {name} must be {now[name].dtype}, but it was {array.dtype} of shape {array.shape}"
                )
        for name, target in (("passes", self._passes), ("credit", self._credit), ("spent", self._spent),
                             ("near_x", self.nearby.x), ("near_values", self.nearby.values),
                             ("near_count", self.nearby.known)):  # fmt: skip
            array = arrays[f"slow_{name}"]
            if name in BY_EMITTER and not self._base[len(array) :].any():
                target = target[: len(array)]  # the run is older than the other emitters, and without them
            target[...] = array
        super().remember(arrays)

    def make_candidate(self, number: int) -> Candidate:
        """The next candidate: no elite and none that is on its way, if that can be avoided."""
        emitter = 0
        if self._starts:
            return Candidate(number, self._starts.popleft(), 0, emitter)
        if self._told >= self.numbers.initial and self.state.counters[OCCUPIED] > 0:
            emitter = credit.next_emitter(self._base, self._passes)
            self._passes[emitter] += 1.0 / credit.shares(self._base, self._credit)[emitter]
        for _ in range(TRIES):
            x, operator = self._made_by(emitter)
            x = self.problem.rounded(x[None])[0]
            if not self._is_known(x):
                break
        return Candidate(number, x, operator, emitter)

    def _made_by(self, emitter: int) -> tuple[Array, int]:
        rows = np.empty((1, self.problem.dimension))
        [operator] = self._made_rows(emitter, rows)
        return rows[0], int(operator)

    def _made_rows(self, emitter: int, rows: Array) -> Integers:
        """Fill rows with candidates of an emitter; the operators that made them."""
        return self._proposals[emitter](self, rows, len(operators_of(self.emitters[:emitter])))

    def _is_known(self, x: Array) -> bool:
        elites = self.state.x[: 1 + self.state.counters[OCCUPIED]]
        return bool((elites == x).all(axis=1).any()) or any(np.array_equal(each.x, x) for each in self._pending)

    def learn_known(self, x: Array, values: Array) -> None:
        """The models use it like any other solution."""
        if np.isfinite(values).all():
            modelled.remember_solution(self.nearby, x.copy(), values.copy())

    def learn(self, candidate: Candidate, answer: Answer, gain: float) -> None:
        """What the candidate did to the map is its emitter's credit."""
        self._credit[candidate.source] += MEMORY * (gain - self._credit[candidate.source])
        self._spent[candidate.source] += 1
        if np.isfinite(answer.values).all():
            modelled.remember_solution(self.nearby, candidate.x, answer.values)


def _base(settings: Settings, emitters: tuple[Emitter, ...]) -> Array:
    """The part of each emitter before anything is known of their success."""
    used = {"paper"}
    if settings.search == "directed":
        wanted = set(settings.emitters)
        used = {each.name for each in emitters if wanted & {each.name, *each.stands_for}} or used
    base = np.array([each.slow_share if each.name in used else 0.0 for each in emitters])
    return np.asarray(base / base.sum())
