"""Questions as the unit of search: solve the best objective at exactly the tolerances that somebody may ask for.

Each question of the list is solved once by a local descent (`sequential.py`) from the best solution known within its
tolerances, unless its answer solves a stricter question whose multipliers say that what is relaxed buys nothing. After
that the budget goes where answers are likely wrong: to a question for which some elite, brought back within its
tolerances at the prices of its answer, would be better than that answer; and to starts elsewhere, by what such starts
have found: other elites, any point, the answer after a kick, its neighbours on the grid of the steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from mapelites.search.directed.memory import Floats, Integers
from mapelites.search.directed.quadratic import Quadratic
from mapelites.search.directed.sequential import ACTIVE, INSIDE_AT_END, Descent, new_descent, pursue
from mapelites.search.directed.starts import (
    ANYWHERE,
    KICK,
    STEP,
    begin_at,
    begin_elsewhere,
    best_at_prices,
    best_within,
    draw,
    draw_part,
    least_beyond,
)
from mapelites.search.state import OCCUPIED

if TYPE_CHECKING:
    from mapelites.search.directed.loop import Directed
    from mapelites.search.state import MapArrays, State

FROM_ANSWER, FROM_PRICED, FROM_ELITE, FROM_ANYWHERE, FROM_KICK, FROM_GRID = range(6)
KINDS = 6
MANNERS = {FROM_ANYWHERE: ANYWHERE, FROM_KICK: KICK, FROM_GRID: STEP}
QUESTION, KIND, BEGAN = range(3)  # places in `current`
ACCURACY = 1e-7  # relative to f
ITERATIONS = 60
DRAWN = 12  # questions among which the likeliest wrong answer is looked for
UNKNOWN = -1.0  # instead of a price
LIKELY = 1e-4  # of f: how much better an elite must promise to be
LEARNING = 0.1  # how much the last descent of a kind counts
LEAST_WORTH = 0.02
RATE = 0.03  # how much the last descent counts in the share of those that made an answer better
BUSY = 0.05  # from this share on, all of the part of the budget is used
LEAST_EAGER = 0.15
FIRST_PASS = 2.5  # times its part of the budget, while questions are unsolved
FRONT = 2.0  # questions at the front of the list are drawn more often: the place is a power of a uniform number


class QuestionMemory(NamedTuple):
    """The descent in progress, and what is known of each question."""

    x: Floats
    values: Floats
    low: Floats
    high: Floats
    jacobian: Floats
    hessian: Floats
    multipliers: Floats
    penalties: Floats
    moved: Floats
    before: Floats
    numbers: Floats
    counts: Integers
    times: Integers  # (questions,): how often each was worked on
    answers: Floats  # (questions,): f of the answer when it was last worked on
    prices: Floats  # (questions, constraints): of its answer, or UNKNOWN
    tried: Floats  # (questions,): f of the elite that was last tried because of its price
    rate: Floats  # (1,): the share of the last descents that made an answer better
    worth: Floats  # (KINDS,): what descents of a kind gained, per evaluation
    current: Integers  # QUESTION to BEGAN

    @property
    def descent(self) -> Descent:
        """The descent alone."""
        return Descent._make(self[: len(Descent._fields)])


def new_questions(n: int, constraints: int, questions: int) -> QuestionMemory:
    """Nothing was asked yet."""
    return QuestionMemory(
        *new_descent(n, constraints), np.zeros(questions, dtype=np.int64), np.full(questions, np.inf),
        np.full((questions, constraints), UNKNOWN), np.full(questions, np.inf), np.ones(1), np.ones(KINDS),
        np.array([-1, 0, 0]),
    )  # fmt: skip


class Asking(Protocol):
    """What a search must have to ask questions."""

    state: State
    map: MapArrays
    kernel: Any
    slopes: Any  # the compiled exact derivatives, or the kernel where there are none
    cost: int  # what a Jacobian of them counts as, in evaluations, or 0
    work: Any
    quadratic: Quadratic
    budget: int
    asked: Floats  # (questions, constraints): their tolerances

    @property
    def evaluations(self) -> int:
        """How many solutions have been evaluated."""


class Questioner:
    """Works on the questions of a search, one descent at a time; all that it remembers is in the arrays of `memory`."""

    def __init__(self, search: Asking, memory: QuestionMemory, made_by: int) -> None:
        self.search, self.memory, self.made_by = search, memory, made_by
        self.descent = memory.descent
        self.kinds = [FROM_ELITE, FROM_ANYWHERE, FROM_KICK, *([FROM_GRID] if len(search.map.steps) else [])]

    def work(self, until: int) -> None:
        """Descents up to evaluation `until`; the last step may go beyond it."""
        while self.search.evaluations < min(until, self.search.budget):
            self.one(until)

    def one(self, until: int) -> None:
        """A descent, begun or gone on with, to its end or up to evaluation `until`."""
        search = self.search
        if search.evaluations < min(until, search.budget):
            if self.idle:
                self.start()
            pursue(
                search.kernel, search.slopes, search.state, search.map, self.descent, search.quadratic, search.work,
                search.budget, until, self.made_by,
            )  # fmt: skip
            if self.idle:
                self.settle()

    @property
    def idle(self) -> bool:
        """Whether no descent is under way."""
        return bool(self.descent.counts[ACTIVE] == 0)

    @property
    def eagerness(self) -> float:
        """How much of its part of the budget this uses: more while questions are unsolved, less when nothing helps."""
        if (self.memory.times == 0).any():
            return FIRST_PASS
        return float(np.clip(self.memory.rate[0] / BUSY, LEAST_EAGER, 1.0))

    def start(self) -> None:
        """Choose a question and where to begin: a likely wrong answer, an unsolved question, or a start elsewhere.

        While questions are unsolved, every third descent looks for other valleys all the same: the sooner one is
        found, the fewer questions are solved in a worse one.
        """
        memory = self.memory
        question, slot = self._likely_wrong()
        if question >= 0:
            memory.tried[question] = self.search.state.values[slot, 0]
            self._begin(question, FROM_PRICED, slot)
            return
        solved = int((memory.times > 0).sum())
        if solved == 0 or (solved < len(memory.times) and draw(self.search.state, 3) > 0):
            question = self._unsolved()
            if question >= 0:
                self._begin(question, FROM_ANSWER, self._answer(question))
                return
        self._begin_elsewhere(self._kind())

    def settle(self) -> None:
        """Remember what a descent came to."""
        memory, question, kind = self.memory, int(self.memory.current[QUESTION]), int(self.memory.current[KIND])
        old = float(memory.answers[question])
        slot = best_within(self.search.state, self.search.map, self.search.asked[question])
        new = float(self.search.state.values[slot, 0]) if slot >= 0 else np.inf
        if self.descent.counts[INSIDE_AT_END] and self.descent.values[0] <= new + ACCURACY * abs(new):
            memory.prices[question] = np.abs(self.descent.multipliers)
        elif new < old:
            memory.prices[question] = UNKNOWN
        gained = (
            1.0
            if old == np.inf and new < np.inf
            else (old - new) / (abs(old) + abs(new) + 1e-300)
            if new < old
            else 0.0
        )
        spent = max(self.search.evaluations - int(memory.current[BEGAN]), 1)
        memory.worth[kind] += LEARNING * (min(100.0 * gained, 1.0) * 100.0 / spent - memory.worth[kind])
        memory.rate[0] += RATE * (float(gained > LIKELY) - memory.rate[0])
        memory.answers[question] = new
        memory.times[question] += 1

    def _begin(self, question: int, kind: int, slot: int) -> None:
        search = self.search
        self.memory.current[:] = question, kind, search.evaluations
        keep = bool(kind == FROM_ANSWER and np.array_equal(search.state.x[slot], self.descent.x))
        known = np.inf if kind == FROM_ANSWER else float(self.memory.answers[question])
        begin_at(
            search.state, search.map, self.descent, slot, search.asked[question], ACCURACY, ITERATIONS, search.cost,
            known, keep,
        )  # fmt: skip

    def _begin_elsewhere(self, kind: int) -> None:
        search, memory = self.search, self.memory
        solved = np.flatnonzero(memory.times > 0)
        question = int(solved[min(int(draw_part(search.state) ** FRONT * len(solved)), len(solved) - 1)])
        if kind == FROM_ELITE:
            self._begin(question, kind, 1 + draw(search.state, int(search.state.counters[OCCUPIED])))
            return
        memory.current[:] = question, kind, search.evaluations
        begin_elsewhere(
            search.kernel, search.state, search.map, self.descent, search.work, self._answer(question),
            search.asked[question], ACCURACY, ITERATIONS, search.cost, float(memory.answers[question]), MANNERS[kind],
            search.budget, self.made_by,
        )  # fmt: skip

    def _answer(self, question: int) -> int:
        """The slot of the answer, or of the solution that is nearest to one."""
        search = self.search
        slot = best_within(search.state, search.map, search.asked[question])
        if slot >= 0:
            return int(slot)
        sizes = np.zeros((1, search.asked.shape[1]))
        return int(least_beyond(search.state, search.map, search.asked[question], sizes))

    def _kind(self) -> int:
        """Where to begin next, by what such starts have gained."""
        worth = np.maximum(self.memory.worth[self.kinds], LEAST_WORTH)
        drawn = draw_part(self.search.state) * worth.sum()
        return self.kinds[min(int(np.searchsorted(np.cumsum(worth), drawn)), len(self.kinds) - 1)]

    def _unsolved(self) -> int:
        """The first question that was never solved; those that a stricter one answers are settled on the way."""
        memory = self.memory
        for question in np.flatnonzero(memory.times == 0):
            slot = best_within(self.search.state, self.search.map, self.search.asked[question])
            if slot < 0 or not self._is_covered(int(question), int(slot)):
                return int(question)
        return -1

    def _is_covered(self, question: int, slot: int) -> bool:
        """Whether the answer solves a stricter question, whose prices say that what is relaxed buys nothing."""
        memory, f = self.memory, float(self.search.state.values[slot, 0])
        same = np.flatnonzero((memory.answers == f) & (memory.times > 0))
        if not len(same):
            return False
        looser = self.search.asked[question] - self.search.asked[same]
        free = (looser >= 0.0).all(axis=1) & ((looser == 0.0) | (memory.prices[same] == 0.0)).all(axis=1)
        if not free.any():
            return False
        memory.times[question], memory.answers[question] = 1, f
        memory.prices[question] = memory.prices[same[np.argmax(free)]]
        return True

    def _likely_wrong(self) -> tuple[int, int]:
        """Of some questions the one for which an elite promises most, and that elite's slot; -1 where none does."""
        search, memory = self.search, self.memory
        chosen, start, most = -1, -1, LIKELY
        count = len(search.asked)
        for _ in range(min(DRAWN, count)):
            question = draw(search.state, count)
            if (memory.prices[question, :1] == UNKNOWN).any():
                continue
            f = memory.answers[question]
            if not np.isfinite(f):
                continue
            slot, total = best_at_prices(search.state, search.map, search.asked[question], memory.prices[question])
            promise = (f - total) / (abs(f) + 1e-300)
            if slot > 0 and promise > most and search.state.values[slot, 0] != memory.tried[question]:
                chosen, start, most = int(question), int(slot), promise
        return chosen, start


def questions_in_turn(search: Directed, until: int, made_by: int) -> None:
    """A turn: descent after descent, each at the tolerances of a question."""
    questioner = Questioner(search, search.part("questions"), made_by)
    questioner.work(until)
    search.set_eagerness("questions", questioner.eagerness)
