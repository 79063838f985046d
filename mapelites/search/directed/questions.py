"""Questions as the unit of search: solve the best objective at exactly the tolerances that somebody may ask for.

It goes in three stages. First the strictest question is solved by local descents (`sequential.py`) from several starts,
until some in a row find nothing better. Then each question of the list is solved once, from the best solution known
within its tolerances, unless that solves a stricter question whose multipliers say that what is relaxed buys nothing.
Up to here, and while descents go on to find something soon, all of the budget's beginning is spent on questions.

After that it goes where answers are likely wrong: to a question for which some elite, brought back within its
tolerances at the prices of its answer, would be better than that answer; and to starts elsewhere, by what such starts
have found: other elites, any point, the answer after a kick, its neighbours on the grid of the steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from mapelites.search.directed.cells import begin_in_cell
from mapelites.search.directed.memory import Floats, Integers
from mapelites.search.directed.quadratic import Quadratic
from mapelites.search.directed.sequential import (
    ACTIVE,
    CURVATURE,
    GRADIENTS,
    INSIDE_AT_END,
    NOTHING,
    Descent,
    new_descent,
    pursue,
)
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

FROM_ANSWER, FROM_PRICED, FROM_ELITE, FROM_ANYWHERE, FROM_KICK, FROM_GRID, FROM_NEIGHBOUR, AGAIN, FOR_CELL = range(9)
KINDS = 9
MANNERS = {FROM_ANYWHERE: ANYWHERE, FROM_KICK: KICK, FROM_GRID: STEP}
QUESTION, KIND, BEGAN, STAGE, FRUITLESS, KEPT = range(6)  # places in `current`
STRICTEST, EACH, LATER = range(3)  # stages
BEGINNING, LEAST_BEGINNING = 0.05, 10_000  # how much of the budget, and at least how many evaluations
STRICTEST_PART = 0.3  # of the beginning, at most
PATIENCE, SAME = 12, 3  # fruitless starts in a row at the strictest question; one to the same answer counts for more
GRID_PATIENCE = 2  # fruitless neighbours on the grid, where a question is solved the first time
ACCURACY = 1e-7  # relative to f
ITERATIONS = 60
DRAWN = 12  # questions among which the likeliest wrong answer is looked for
UNKNOWN = -1.0  # instead of a price
LIKELY = 1e-4  # of f: how much better an elite must promise to be
LEARNING = 0.1  # how much the last descent of a kind counts
LEAST_WORTH = 0.02
RATE = 0.03  # how much the last descent counts in the share of those that made an answer better
FIRST_RATE = 0.2  # of that share, once each question was solved
BUSY = 0.05  # from this share on, all of the part of the budget is used
LEAST_EAGER = 0.15
CELL_WORTH = 0.2  # of what a better answer is worth: as much better an elite of any cell
CELL_ITERATIONS = 20
CELL_EAGER, MOST_FOR_CELLS = 5.0, 0.5  # times their worth is the least eagerness, up to so much
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
    current: Integers  # QUESTION to KEPT, whether the descent in progress kept what was learned before
    challengers: Integers  # (questions,): the slot of a neighbour's new answer, another valley perhaps, or -1
    gain: Floats  # (1,): of the present turn when the descent in progress began
    unsure: Integers  # (questions,): 1 where the answer rests on curvature that was learned at another question

    @property
    def descent(self) -> Descent:
        """The descent alone."""
        return Descent._make(self[: len(Descent._fields)])


def new_questions(n: int, constraints: int, questions: int) -> QuestionMemory:
    """Nothing was asked yet."""
    return QuestionMemory(
        *new_descent(n, constraints), np.zeros(questions, dtype=np.int64), np.full(questions, np.inf),
        np.full((questions, constraints), UNKNOWN), np.full(questions, np.inf), np.ones(1), np.ones(KINDS),
        np.array([-1, 0, 0, STRICTEST, 0, 0]), np.full(questions, -1),
        np.zeros(1), np.zeros(questions, dtype=np.int64),
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

    def __init__(self, search: Asking, memory: QuestionMemory, made_by: int, tries: Integers | None = None) -> None:
        """`tries` counts by slot how often an elite was worked on; without it there is no work on other cells."""
        self.search, self.memory, self.made_by, self.tries = search, memory, made_by, tries
        self.descent = memory.descent
        self.has_steps = len(search.map.steps) > 0
        grid, cells = [FROM_GRID] if self.has_steps else [], [] if tries is None else [FOR_CELL]
        self.kinds = [AGAIN, FROM_PRICED, FROM_NEIGHBOUR, FROM_ELITE, FROM_ANYWHERE, FROM_KICK, *grid, *cells]
        self.beginning = min(search.budget, max(BEGINNING * search.budget, LEAST_BEGINNING))
        self.strictest = int(np.argmin(search.asked.sum(axis=1)))

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
        """How much of its part of the budget this uses: all turns in the beginning, less when nothing helps.

        Where not even one question has an answer after several starts, populations are better at finding one.
        """
        memory, stage = self.memory, self.memory.current[STAGE]
        found, helps = np.isfinite(memory.answers).any(), float(memory.rate[0]) > BUSY
        if self.search.evaluations < self.beginning and (stage == STRICTEST or (found and (stage == EACH or helps))):
            return np.inf
        if (memory.times == 0).any():
            return FIRST_PASS
        for_cells = min(CELL_EAGER * float(memory.worth[FOR_CELL]), MOST_FOR_CELLS) if self.tries is not None else 0.0
        return float(np.clip(memory.rate[0] / BUSY, max(LEAST_EAGER, for_cells), 1.0))

    def start(self) -> None:
        """Choose a question and where to begin."""
        stage, current = self.memory.current[STAGE], self.memory.current
        if current[KEPT] and not self.descent.counts[INSIDE_AT_END]:  # what was kept may have been in the way
            question = int(current[QUESTION])
            self._begin(question, FROM_ANSWER, self._answer(question), NOTHING)
        elif stage == STRICTEST:
            self._start_strictest()
        elif stage == LATER or not self._start_unsolved():
            self._start_later()

    def _start_strictest(self) -> None:
        """The strictest question: from the best that is known, then from other starts in turn."""
        memory, question = self.memory, self.strictest
        times = int(memory.times[question])
        if times == 0:
            self._begin(question, FROM_ANSWER, self._answer(question))
        else:
            kinds = [FROM_ANYWHERE, FROM_ELITE, *([FROM_GRID] if self.has_steps else [])]
            self._begin_elsewhere(kinds[times % len(kinds)], question)

    def _start_unsolved(self) -> bool:
        """A question that was never solved; the neighbours on the grid of the last one's answer come first."""
        memory, last = self.memory, int(self.memory.current[QUESTION])
        if self.has_steps and memory.current[FRUITLESS] < GRID_PATIENCE and np.isfinite(memory.answers[last]):
            self._begin_elsewhere(FROM_GRID, last)
            return True
        question = self._unsolved(last)
        if question >= 0:
            memory.current[FRUITLESS] = 0
            self._begin(question, FROM_ANSWER, self._answer(question))
        return question >= 0

    def _start_later(self) -> None:
        """An unsolved question, or a start elsewhere, by what such starts have gained.

        While questions are unsolved, every third descent looks for other valleys all the same: the sooner one is
        found, the fewer questions are solved in a worse one.
        """
        memory = self.memory
        solved = np.flatnonzero(memory.times > 0)
        if len(solved) == 0 or (len(solved) < len(memory.times) and draw(self.search.state, 3) > 0):
            question = self._unsolved(int(memory.current[QUESTION]))
            if question >= 0:
                self._begin(question, FROM_ANSWER, self._answer(question))
                return
        kind = self._kind(self.kinds)
        if kind == FOR_CELL and self.tries is not None:
            self._begin_for_cell(self.tries)
            return
        if kind == FROM_PRICED:
            question, slot = self._likely_wrong()
            if question >= 0:
                memory.tried[question] = self.search.state.values[slot, 0]
                self._begin(question, kind, slot)
                return
        unsure = np.flatnonzero(memory.unsure)
        if kind == AGAIN and len(unsure):
            self._begin(int(unsure[0]), kind, self._answer(int(unsure[0])), NOTHING)
            return
        challenged = np.flatnonzero(memory.challengers >= 0)
        if kind == FROM_NEIGHBOUR and len(challenged):
            question = int(challenged[draw(self.search.state, len(challenged))])
            self._begin(question, kind, int(memory.challengers[question]))
            memory.challengers[question] = -1
            return
        place = int(draw_part(self.search.state) ** FRONT * len(solved))
        others = [each for each in self.kinds if each not in (AGAIN, FROM_PRICED, FROM_NEIGHBOUR, FOR_CELL)]
        kind = kind if kind in others else self._kind(others)
        self._begin_elsewhere(kind, int(solved[min(place, len(solved) - 1)]))

    def settle(self) -> None:
        """Remember what a descent came to."""
        memory, question, kind = self.memory, int(self.memory.current[QUESTION]), int(self.memory.current[KIND])
        if kind == FOR_CELL:
            now = float(self.search.work.gain[0])
            before = float(memory.gain[0]) if now >= memory.gain[0] else 0.0  # another turn has begun
            self._learn_worth(kind, CELL_WORTH * (now - before))
            return
        old, here = float(memory.answers[question]), float(self.descent.values[0])
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
        self._learn_worth(kind, min(100.0 * gained, 1.0))
        memory.rate[0] += RATE * (float(gained > LIKELY) - memory.rate[0])
        memory.answers[question] = new
        memory.times[question] += 1
        memory.unsure[question] = memory.current[KEPT] != NOTHING
        if gained > LIKELY and old < np.inf:
            self._tell_others(question, slot)
        same = bool(self.descent.counts[INSIDE_AT_END]) and abs(here - new) <= LIKELY * abs(new)
        self._go_on(gained > LIKELY, SAME if same else 1)

    def _tell_others(self, question: int, slot: int) -> None:
        """A new valley perhaps: looser questions with worse answers are unsolved again, neighbours may try it too."""
        memory, asked = self.memory, self.search.asked
        new, answers = memory.answers[question], memory.answers
        worse = answers > new + LIKELY * abs(new)
        memory.times[worse & (asked >= asked[question]).all(axis=1)] = 0
        prices = np.maximum(memory.prices[question], 0.0)
        promised = new - (asked - asked[question]) @ prices
        beside = (asked != asked[question]).sum(axis=1) == 1
        promising = promised < answers - LIKELY * np.where(np.isfinite(answers), np.abs(answers), 0.0)
        memory.challengers[beside & promising & (memory.times > 0)] = slot

    def _learn_worth(self, kind: int, gained: float) -> None:
        spent = max(self.search.evaluations - int(self.memory.current[BEGAN]), 1)
        self.memory.worth[kind] += LEARNING * (min(gained, 1.0) * 100.0 / spent - self.memory.worth[kind])

    def _go_on(self, better: bool, weight: int) -> None:
        """To the next stage, where this one is over."""
        memory, current, evaluations = self.memory, self.memory.current, self.search.evaluations
        current[FRUITLESS] = 0 if better else current[FRUITLESS] + weight
        if current[STAGE] == STRICTEST:
            if current[FRUITLESS] >= PATIENCE or evaluations > STRICTEST_PART * self.beginning:
                current[[STAGE, FRUITLESS]] = EACH, 0
        elif current[STAGE] == EACH and (evaluations > self.beginning or (memory.times > 0).all()):
            current[STAGE] = LATER
            memory.rate[0] = min(float(memory.rate[0]), FIRST_RATE)

    def _begin(self, question: int, kind: int, slot: int, keep: int = CURVATURE) -> None:
        search, descent, current = self.search, self.descent, self.memory.current
        if kind != FROM_ANSWER or current[STAGE] == STRICTEST:
            keep = NOTHING
        elif keep == CURVATURE and descent.counts[INSIDE_AT_END] and np.array_equal(search.state.x[slot], descent.x):
            keep = GRADIENTS
        current[[QUESTION, KIND, BEGAN, KEPT]] = question, kind, search.evaluations, keep
        known = np.inf if kind in (FROM_ANSWER, AGAIN) else float(self.memory.answers[question])
        begin_at(
            search.state, search.map, descent, slot, search.asked[question], ACCURACY, ITERATIONS, search.cost, known,
            keep, kind == FROM_ELITE or (kind == FROM_ANSWER and current[STAGE] == STRICTEST),
        )  # fmt: skip

    def _begin_for_cell(self, tries: Integers) -> None:
        search, current = self.search, self.memory.current
        current[[KIND, BEGAN, KEPT]] = FOR_CELL, search.evaluations, NOTHING
        self.memory.gain[0] = search.work.gain[0]
        begin_in_cell(
            search.state, search.map, self.descent, search.work, tries, ACCURACY, CELL_ITERATIONS, search.cost, np.inf
        )

    def _begin_elsewhere(self, kind: int, question: int) -> None:
        search, memory = self.search, self.memory
        if kind == FROM_ELITE:
            self._begin(question, kind, 1 + draw(search.state, int(search.state.counters[OCCUPIED])))
            return
        memory.current[[QUESTION, KIND, BEGAN, KEPT]] = question, kind, search.evaluations, NOTHING
        begin_elsewhere(
            search.kernel, search.state, search.map, self.descent, search.work, self._answer(question),
            search.asked[question], memory.prices[question], ACCURACY, ITERATIONS, search.cost,
            float(memory.answers[question]), MANNERS[kind], search.budget, self.made_by,
        )  # fmt: skip

    def _answer(self, question: int) -> int:
        """The slot of the answer, or of the solution that is nearest to one."""
        search = self.search
        slot = best_within(search.state, search.map, search.asked[question])
        if slot >= 0:
            return int(slot)
        sizes = np.zeros((1, search.asked.shape[1]))
        return int(least_beyond(search.state, search.map, search.asked[question], sizes))

    def _kind(self, kinds: list[int]) -> int:
        """Where to begin next, by what such starts have gained."""
        worth = np.maximum(self.memory.worth[kinds], LEAST_WORTH)
        drawn = draw_part(self.search.state) * worth.sum()
        return kinds[min(int(np.searchsorted(np.cumsum(worth), drawn)), len(kinds) - 1)]

    def _unsolved(self, last: int) -> int:
        """A question that was never solved, or -1; those that a stricter one answers are settled on the way.

        First comes one that relaxes the same constraints further than the last one: its answer is near.
        """
        asked, unsolved = self.search.asked, np.flatnonzero(self.memory.times == 0)
        relaxed = asked > asked[self.strictest]
        further = (relaxed[unsolved] == relaxed[last]).all(axis=1) & (asked[unsolved] >= asked[last]).all(axis=1)
        for question in np.concatenate([unsolved[further], unsolved[~further]]):
            slot = best_within(self.search.state, self.search.map, asked[question])
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
    questioner = Questioner(search, search.part("questions"), made_by, search.tries)
    questioner.work(until)
    search.set_eagerness("questions", questioner.eagerness)
