"""The loop of the directed search: whose turn it is, one turn, and again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mapelites.core.errors import InputError
from mapelites.core.lattice import Lattice
from mapelites.core.problem import Problem
from mapelites.core.settings import Settings
from mapelites.search import paper
from mapelites.search.callback import Callback
from mapelites.search.directed import credit
from mapelites.search.directed.memory import Floats, Integers, new_work
from mapelites.search.directed.quadratic import new_quadratic
from mapelites.search.directed.sequential import exact_cost
from mapelites.search.emitters import Emitter, directed_emitters, operators_of
from mapelites.search.state import EVALUATIONS, OCCUPIED, MapArrays, State, grown
from mapelites.search.synchronous import SynchronousMethod

TURN = 200  # evaluations
MOST_QUESTIONS = 1_000
STANDS_STILL = 1e-6  # of the best feasible objective: a smaller fall is none

# Places in `turn`: who is at it, where it began, where it shall end.
EMITTER, BEGAN, ENDS = range(3)
NOBODY = -1
ALL_TURNS = np.inf


class DirectedMemory(NamedTuple):
    """What the directed search holds besides the archive."""

    spent: Integers  # by emitter
    passes: Floats
    credit: Floats
    gain: Floats  # (1,): of the present turn
    turn: Integers
    scale: Floats  # a typical size of each constraint's value, or 0 before it is known
    tries: Integers  # by slot: how often an elite was worked on
    corner: (
        Floats  # (2,): the best feasible objective when it last fell by more than next to nothing, and when that was
    )
    eager: Floats  # by emitter: the part of its part of the budget that it can use now, as it says itself; or ALL_TURNS
    parts: dict[str, Any]  # by emitter: a tuple of arrays that it has for itself


BY_EMITTER = ("directed_spent", "directed_passes", "directed_credit")


def new_memory(problem: Problem, slots: int, emitters: tuple[Emitter, ...], questions: int) -> DirectedMemory:
    """The memory at evaluation 0."""
    n, c, k = problem.dimension, len(problem.constraints), len(emitters)
    parts = {each.name: each.memory(n, c, questions) for each in emitters if each.memory}
    return DirectedMemory(
        np.zeros(k, dtype=np.int64), np.zeros(k), np.zeros(k), np.zeros(1), np.array([NOBODY, 0, 0]), np.zeros(c),
        np.zeros(slots, dtype=np.int64), np.array([np.inf, 0.0]), np.ones(k), parts,
    )  # fmt: skip


def flattened(memory: DirectedMemory) -> dict[str, NDArray[Any]]:
    """All arrays by name; those of an emitter have its name in front."""
    arrays = {f"directed_{name}": array for name, array in memory._asdict().items() if name != "parts"}
    for name, part in memory.parts.items():
        arrays.update({f"directed_{name}_{each}": array for each, array in part._asdict().items()})
    return arrays


def asked_tolerances(problem: Problem, m: MapArrays, wished: tuple[tuple[float, ...], ...]) -> Floats:
    """The tolerances of the questions that the search works on, one row each.

    First come those that somebody wished for, then the first ones of the lattice of its levels.
    """
    if not problem.constraints:
        return np.empty((1, 0))
    # Constraints that share an axis of the map are relaxed together.
    axis_of = m.grid.axis_of if len(m.grid.axis_of) else np.arange(len(problem.constraints))
    first = np.unique(axis_of, return_index=True)[1]
    names = [problem.constraints[i].name for i in first]
    levels = [row[np.isfinite(row)].tolist() for row in m.grid.edges[first]]
    lattice = Lattice.of(names, levels, problem.feasible_up_to[first])
    rows = lattice.tolerances_of(lattice.first(MOST_QUESTIONS))[:, axis_of]
    most = np.array(wished).reshape(-1, len(problem.constraints))
    return np.concatenate([np.maximum(most, problem.feasible_up_to), rows])


def part_of(emitter: Emitter, problem: Problem, settings: Settings) -> float:
    """The part of the budget that an emitter has on a problem, before anything is known of its success."""
    chosen = emitter.name in settings.emitters and (emitter.suits is None or emitter.suits(problem))
    return emitter.share if chosen else 0.0


class Directed(SynchronousMethod):
    """The directed search at work on a state.

    A turn goes to one emitter and is about TURN evaluations long. It can be left after any of its steps and taken up
    again, so where a run is interrupted makes no difference.
    """

    def __init__(self, problem: Problem, m: MapArrays, settings: Settings, state: State) -> None:
        self.problem, self.map, self.settings, self.state = problem, m, settings, state
        self.emitters = directed_emitters()
        self.operators = operators_of(self.emitters)
        self.budget = settings.evaluations
        self.asked = asked_tolerances(problem, m, settings.questions)
        self.quadratic = new_quadratic(problem.dimension, len(problem.constraints))
        self._memory = new_memory(problem, len(state.tags), self.emitters, len(self.asked))
        self.work = new_work(problem.dimension, len(problem.constraints))._replace(gain=self._memory.gain)
        self.numbers = paper.loop_settings(settings)
        self._callback = None if problem.compiled else Callback(problem)
        self.kernel = problem.function if self._callback is None else self._callback.kernel
        self.slopes = self.kernel if problem.jacobian is None else problem.jacobian
        self.cost = exact_cost(problem)
        self._base = np.array([part_of(each, problem, settings) for each in self.emitters])
        if not self._base.any():
            self._base[0] = 1.0  # the paper's, where none of those chosen suits the problem
        self._memory.passes[:] = credit.first_passes(self._base)
        self._memory.eager[[each.begins for each in self.emitters]] = ALL_TURNS
        self._on_corner = np.array([each.corner for each in self.emitters])
        self._steps = tuple(each.load_step() for each in self.emitters)
        self._places = {each.name: place for place, each in enumerate(self.emitters)}

    @property
    def spent(self) -> dict[str, int]:
        """The evaluations of each emitter; those of the random beginning are the paper's."""
        return {each.name: int(count) for each, count in zip(self.emitters, self._memory.spent, strict=True)}

    @property
    def evaluations(self) -> int:
        """How many solutions have been evaluated."""
        return int(self.state.counters[EVALUATIONS])

    @property
    def scale(self) -> Floats:
        """A typical size of each constraint's value, or 0 before it is known."""
        return self._memory.scale

    @property
    def tries(self) -> Integers:
        """How often the elite of each slot was worked on."""
        return self._memory.tries

    def part(self, emitter: str) -> Any:
        """The arrays that an emitter has for itself."""
        return self._memory.parts[emitter]

    def made_by(self, emitter: str) -> int:
        """The place of an emitter's first operator among all, or -1 where the emitter is switched off."""
        place = self._places[emitter]
        return len(operators_of(self.emitters[:place])) if self._base[place] > 0.0 else NOBODY

    def set_eagerness(self, emitter: str, part: float) -> None:
        """Say what part of its part of the budget an emitter can use from now on; more than 0, or ALL_TURNS."""
        self._memory.eager[self._places[emitter]] = part

    def pass_on(self, evaluations: int, giver: str, taker: str) -> None:
        """Count evaluations of one emitter as another's."""
        self._memory.spent[self._places[taker]] += evaluations
        self._memory.spent[self._places[giver]] -= evaluations

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
            if name in BY_EMITTER and not self._base[len(array) :].any():
                target = target[: len(array)]  # the run is older than the other emitters, and without them
            if name not in arrays and name in self._added:
                continue
            if array.shape != target.shape or array.dtype != target.dtype:
                raise InputError(
                    f"checkpoint: {name} must be {target.dtype} of shape {target.shape}, "
                    f"but it was {array.dtype} of shape {array.shape}"
                )
            target[...] = array

    def advance(self, until: int) -> None:
        """Search up to evaluation `until`, or a step further."""
        while self.evaluations < until:
            self._make_room()
            self._go_on(until)

    @property
    def _added(self) -> set[str]:
        """The arrays of emitters that the run does not use, which one from before them lacks."""
        unused = [each.name for each, base in zip(self.emitters, self._base, strict=True) if not base]
        parts = self._memory.parts
        added = {f"directed_{name}_{each}" for name in unused if name in parts for each in parts[name]._fields}
        return {*added, "directed_corner", "directed_eager"}

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
        memory, turn, before = self._memory, self._memory.turn, self.evaluations
        if before < self.numbers.initial or self.state.counters[OCCUPIED] == 0:
            end = max(self.numbers.initial, before + 1)  # nothing that depends on where the run was left
            self._guarded(0, min(until, end, before + TURN))
            memory.spent[0] += self.evaluations - before
            return
        if turn[EMITTER] == NOBODY:
            turn[:] = self._next_emitter(), before, before + TURN
            memory.gain[0] = 0.0
        emitter = int(turn[EMITTER])
        self._guarded(emitter, min(until, int(turn[ENDS])))
        memory.spent[emitter] += self.evaluations - before
        idle = self.evaluations == before
        if idle or self.evaluations >= min(turn[ENDS], self.settings.evaluations):
            spent, parts = self.evaluations - int(turn[BEGAN]), self._parts()
            if memory.eager[emitter] != ALL_TURNS:
                credit.settle(parts, memory.passes, memory.credit, emitter, float(memory.gain[0]), spent)
            turn[EMITTER] = NOBODY

    def _next_emitter(self) -> int:
        """The emitter that has every turn for now, or the one whose turn it is by their parts."""
        everything = np.flatnonzero((self._memory.eager == ALL_TURNS) & (self._base > 0.0))
        return int(everything[0]) if len(everything) else credit.next_emitter(self._base, self._memory.passes)

    def _parts(self) -> Floats:
        """The parts of the budget as they are now: smaller for those on the feasible corner while it stands still."""
        corner, best = self._memory.corner, float(self.state.values[0, 0])
        if best < np.inf and (corner[0] == np.inf or best < corner[0] - STANDS_STILL * abs(corner[0])):
            corner[:] = best, self.evaluations
        left = credit.part_left(self.evaluations, int(corner[1])) if best < np.inf else 1.0
        eager = np.where(self._memory.eager == ALL_TURNS, 1.0, self._memory.eager)
        parts: Floats = self._base * np.where(self._on_corner, left, 1.0) * eager
        return parts

    def _guarded(self, emitter: int, until: int) -> None:
        """Let an emitter work; where the problem's function raises, it is as if it had not."""
        step, made_by = self._steps[emitter], len(operators_of(self.emitters[:emitter]))
        if self._callback is None:
            step(self, until, made_by)
            return
        state = State._make(array.copy() for array in self.state)
        arrays = {name: array.copy() for name, array in flattened(self._memory).items()}
        try:
            with self._callback.raising():
                step(self, until, made_by)
        except BaseException:
            self.state = state
            for name, target in flattened(self._memory).items():
                target[...] = arrays[name]
            raise
