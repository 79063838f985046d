"""The loop of the directed search: whose turn it is, one turn, and again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mapelites.errors import InputError
from mapelites.problem import Problem
from mapelites.search import paper
from mapelites.search.directed import credit
from mapelites.search.directed.aim import start_aim
from mapelites.search.directed.callback import Callback
from mapelites.search.directed.descent import descend
from mapelites.search.directed.differential import evolve, inject
from mapelites.search.directed.line import vary
from mapelites.search.directed.memory import (
    ACTIVE,
    MENDING,
    Floats,
    Integers,
    Population,
    Solver,
    new_population,
    new_solver,
    new_work,
)  # fmt: skip
from mapelites.search.directed.operators import mutate
from mapelites.search.directed.polish import start_polish
from mapelites.search.directed.repair import mend
from mapelites.search.prompt import Prompt
from mapelites.search.settings import EMITTERS, Settings
from mapelites.search.state import EVALUATIONS, OCCUPIED, Map, State, grown

SHARES = {"paper": 0.04, "line": 0.06, "slow": 0.31, "fast": 0.17, "repair": 0.02, "polish": 0.3, "aim": 0.1}
OPERATORS = (*paper.OPERATORS, "line", "slow evolution", "fast evolution", "repair", "polish", "aim")
BY_LINE, BY_SLOW, BY_FAST, BY_REPAIR, BY_POLISH, BY_AIM = range(3, 9)
SLOW, FAST, REPAIR = (EMITTERS.index(name) for name in ("slow", "fast", "repair"))
TURN = 200  # evaluations
SLOW_ENDS, FAST_ENDS = 0.6, 0.0  # when ε is 0, as a part of the budget

# Places in `turn`: who is at it, where it began, where it shall end.
EMITTER, BEGAN, ENDS = range(3)
NOBODY = -1


class Memory(NamedTuple):
    """What the directed search holds besides the archive."""

    spent: Integers  # by emitter
    passes: Floats
    credit: Floats
    gain: Floats  # (1,): of the present turn
    turn: Integers
    scale: Floats  # a typical size of each constraint's value, or 0 before it is known
    tries: Integers  # by slot: how often an elite was worked on
    slow: Population
    fast: Population
    polish: Solver
    aim: Solver


def new_memory(problem: Problem, slots: int) -> Memory:
    """The memory at evaluation 0."""
    n, c, k = problem.dimension, len(problem.constraints), len(EMITTERS)
    return Memory(
        np.zeros(k, dtype=np.int64), np.zeros(k), np.zeros(k), np.zeros(1), np.array([NOBODY, 0, 0]), np.zeros(c),
        np.zeros(slots, dtype=np.int64), new_population(n, c), new_population(n, c), new_solver(n, c), new_solver(n, c),
    )  # fmt: skip


def flattened(memory: Memory) -> dict[str, NDArray[Any]]:
    """All arrays by name; those of a population or a solver have its name in front."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, part in memory._asdict().items():
        if isinstance(part, Population | Solver):
            arrays.update({f"directed_{name}_{each}": array for each, array in part._asdict().items()})
        else:
            arrays[f"directed_{name}"] = part
    return arrays


class Directed(Prompt):
    """The directed search at work on a state.

    A turn goes to one emitter and is about TURN evaluations long. It can be left after any of its steps and taken up
    again, so where a run is interrupted makes no difference.
    """

    operators = OPERATORS

    def __init__(self, problem: Problem, m: Map, settings: Settings, state: State) -> None:
        self.problem, self.map, self.settings, self.state = problem, m, settings, state
        self._memory = new_memory(problem, len(state.tags))
        self._work = new_work(problem.dimension, len(problem.constraints))._replace(gain=self._memory.gain)
        self._numbers = paper.numbers(settings)
        self._callback = None if problem.compiled else Callback(problem)
        self._kernel = problem.function if self._callback is None else self._callback.kernel
        self._base = np.array([SHARES[name] if name in settings.emitters else 0.0 for name in EMITTERS])
        self._emitters: tuple[Callable[[int], None], ...] = (
            self._paper, self._line, self._slow, self._fast, self._repair, self._polish, self._aim,
        )  # fmt: skip

    @property
    def spent(self) -> dict[str, int]:
        """The evaluations of each emitter; those of the random beginning are the paper's."""
        return {name: int(count) for name, count in zip(EMITTERS, self._memory.spent, strict=True)}

    def memory(self) -> dict[str, NDArray[Any]]:
        """Copies of everything besides the state."""
        used = 1 + int(self.state.counters[OCCUPIED])
        arrays = {name: array.copy() for name, array in flattened(self._memory).items()}
        return {**arrays, "directed_tries": self._memory.tries[:used].copy()}

    def remember(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `memory` gave."""
        self._memory = self._memory._replace(tries=np.zeros(len(self.state.tags), dtype=np.int64))
        used = 1 + int(self.state.counters[OCCUPIED])
        for name, target in flattened(self._memory).items():
            target = target[:used] if name == "directed_tries" else target
            array = arrays.get(name, np.empty(0))
            if array.shape != target.shape or array.dtype != target.dtype:
                raise InputError(
                    f"checkpoint: {name} must be {target.dtype} of shape {target.shape}, "
                    f"but it was {array.dtype} of shape {array.shape}"
                )
            target[...] = array

    def advance(self, until: int) -> None:
        """Search up to evaluation `until`, or a step further."""
        while self._evaluations < until:
            self._make_room()
            self._go_on(until)

    @property
    def _evaluations(self) -> int:
        return int(self.state.counters[EVALUATIONS])

    def _make_room(self) -> None:
        """Room for every new cell that a turn can find: its evaluations, and those of the step that ends it."""
        needed = int(self.state.counters[OCCUPIED]) + TURN + 3 * self.problem.dimension + 16
        while len(self.state.tags) <= min(needed, len(self.state.slot_of)):
            self.state = grown(self.state, self.map.grid)
        old = self._memory.tries
        if len(old) < len(self.state.tags):
            tries = np.zeros(len(self.state.tags), dtype=np.int64)
            tries[: len(old)] = old
            self._memory = self._memory._replace(tries=tries)

    def _go_on(self, until: int) -> None:
        """Begin a turn or go on with the one that was left, up to its end or to `until`."""
        memory, turn, before = self._memory, self._memory.turn, self._evaluations
        if before < self._numbers.initial or self.state.counters[OCCUPIED] == 0:
            end = max(self._numbers.initial, before + 1)  # nothing that depends on where the run was left
            self._guarded(self._paper, min(until, end, before + TURN))
            memory.spent[0] += self._evaluations - before
            return
        if turn[EMITTER] == NOBODY:
            turn[:] = credit.next_emitter(self._base, memory.passes), before, before + TURN
            memory.gain[0] = 0.0
        emitter = int(turn[EMITTER])
        self._guarded(self._emitters[emitter], min(until, int(turn[ENDS])))
        memory.spent[emitter] += self._evaluations - before
        idle = self._evaluations == before
        if idle or self._evaluations >= min(turn[ENDS], self.settings.evaluations):
            spent = self._evaluations - int(turn[BEGAN])
            credit.settle(self._base, memory.passes, memory.credit, emitter, float(memory.gain[0]), spent)
            turn[EMITTER] = NOBODY

    def _guarded(self, emitter: Callable[[int], None], until: int) -> None:
        """Let an emitter work; where the problem's function raises, it is as if it had not."""
        if self._callback is None:
            emitter(until)
            return
        state = State._make(array.copy() for array in self.state)
        arrays = {name: array.copy() for name, array in flattened(self._memory).items()}
        try:
            with self._callback.raising():
                emitter(until)
        except BaseException:
            self.state = state
            for name, target in flattened(self._memory).items():
                target[...] = arrays[name]
            raise

    def _paper(self, until: int) -> None:
        budget = self.settings.evaluations
        mutate(self._kernel, self.state, self.map, self._numbers, self._work, budget, until)

    def _line(self, until: int) -> None:
        vary(self._kernel, self.state, self.map, self._work, self.settings.evaluations, until, BY_LINE)

    def _slow(self, until: int) -> None:
        self._evolve(SLOW, self._memory.slow, until, SLOW_ENDS, BY_SLOW)

    def _fast(self, until: int) -> None:
        self._evolve(FAST, self._memory.fast, until, FAST_ENDS, BY_FAST)

    def _evolve(self, emitter: int, population: Population, until: int, ends: float, made_by: int) -> None:
        """Evolve a population; what its repairs spend is counted as repair's."""
        budget, scale, before = self.settings.evaluations, self._memory.scale, int(population.counts[MENDING])
        repaired_by = BY_REPAIR if "repair" in self.settings.emitters else NOBODY
        evolve(
            self._kernel, self.state, self.map, population, scale, self._work, budget, until, ends, made_by, repaired_by
        )
        mending = int(population.counts[MENDING]) - before
        self._memory.spent[REPAIR] += mending
        self._memory.spent[emitter] -= mending

    def _repair(self, until: int) -> None:
        scale = self._memory.scale if self._memory.scale[0] > 0.0 else np.ones(len(self.problem.constraints))
        mend(self._kernel, self.state, self.map, scale, self._work, self.settings.evaluations, until, BY_REPAIR)

    def _polish(self, until: int) -> None:
        memory, solver, budget = self._memory, self._memory.polish, self.settings.evaluations
        while self._evaluations < min(until, budget):
            if solver.counts[ACTIVE] == 0:
                # Either population by a bit of the generator's state, which is the same however the run is cut.
                population, ends = self._populations[int(self.state.rng[0]) & 1]
                start_polish(
                    self._kernel, self.state, self.map, population, memory.scale, solver, self._work, budget, ends,
                    BY_POLISH,
                )  # fmt: skip
            descend(self._kernel, self.state, self.map, solver, self._work, budget, until, BY_POLISH)
            if solver.counts[ACTIVE] == 0:
                for population, ends in self._populations:
                    inject(self.state, self.map, population, memory.scale, solver.x, solver.values, budget, ends)

    @property
    def _populations(self) -> tuple[tuple[Population, float], ...]:
        return (self._memory.slow, SLOW_ENDS), (self._memory.fast, FAST_ENDS)

    def _aim(self, until: int) -> None:
        solver, budget = self._memory.aim, self.settings.evaluations
        while self._evaluations < min(until, budget):
            if solver.counts[ACTIVE] == 0:
                start_aim(self.state, self.map, solver, self._work, self._memory.tries)
            descend(self._kernel, self.state, self.map, solver, self._work, budget, until, BY_AIM)
