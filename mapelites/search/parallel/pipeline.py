"""Candidates on their way to whoever evaluates, told in the order in which they were made.

Candidate k is made from what is known of the candidates up to k - b, where b is how many may be on their way. Which of
them is answered first makes no difference, so the same seed gives the same map whatever the processes do; and a search
that is taken up again makes the same candidates again and finds their answers in the log.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mapelites.core.problem import Array, Problem
from mapelites.core.settings import Settings
from mapelites.evaluation.answer import FINE, KINDS, Answer, RunServices
from mapelites.evaluation.cluster import RemoteWorkers
from mapelites.evaluation.here import HereEvaluator
from mapelites.evaluation.known import KnownPoints
from mapelites.evaluation.pool import WorkerPool
from mapelites.evaluation.queue import KEPT, KEPT_FAILURES, LONGEST, UNDER_WAY, WAITING, QueueEntry
from mapelites.problems.own.files import answer_known
from mapelites.search.outlook import Outlook
from mapelites.search.parallel import asked
from mapelites.search.state import EVALUATIONS, MapArrays, State, grown, has_room


class Candidate(NamedTuple):
    """A solution on its way; `source` says to whoever made it where it came from."""

    number: int
    x: Array
    operator: int
    source: int


class Pipeline(ABC):
    """A search at work on a state, with others that evaluate for it."""

    operators: tuple[str, ...]

    def __init__(self, problem: Problem, m: MapArrays, settings: Settings, state: State, outside: RunServices) -> None:
        self.problem, self.map, self.settings, self.state, self.outside = problem, m, settings, state, outside
        self._failed = np.zeros(len(KINDS), dtype=np.int64)
        self._tried = answer_known(problem)
        self._words: dict[str, str] = {}
        self._pending: deque[Candidate] = deque()
        self._starts: deque[Array] = deque()
        self._answers: dict[int, Answer] = {}
        self._handed_out: set[int] = set()
        self._ended = deque[QueueEntry](maxlen=KEPT)
        self._ended_badly = deque[QueueEntry](maxlen=KEPT_FAILURES)
        self._crew: WorkerPool | HereEvaluator | None = None
        self._cluster: RemoteWorkers | None = None

    @abstractmethod
    def make_candidate(self, number: int) -> Candidate:
        """The next candidate, from what is known by now."""

    @abstractmethod
    def learn_known(self, x: Array, values: Array) -> None:
        """Take in a solution that somebody evaluated before."""

    @abstractmethod
    def learn(self, candidate: Candidate, answer: Answer, gain: float) -> None:
        """Take in what became of the oldest candidate, and what it did to the map."""

    @property
    def on_the_way(self) -> int:
        """How many candidates may be made before the first of them is answered."""
        return self.settings.on_the_way

    @property
    def failures(self) -> dict[str, tuple[int, str]]:
        """How many evaluations came to nothing, by kind, and what was said of the last one."""
        counts = zip(KINDS, self._failed, strict=True)
        return {kind: (int(count), self._words.get(kind, "")) for kind, count in counts if count}

    def advance(self, until: int) -> None:
        """Tell the answers up to evaluation `until`, or as many as come before patience ends."""
        patience = self.outside.patience
        ends = None if patience is None else time.monotonic() + patience
        while self._told < until:
            self._make_candidates()
            if self._pending[0].number in self._answers:
                self._tell()
            elif ends is not None and time.monotonic() >= ends:
                return
            else:
                self._collect(None if ends is None else max(0.0, ends - time.monotonic()))

    @property
    def under_way(self) -> int:
        """How many evaluations are being done at this moment."""
        return 0 if self._crew is None else self._crew.at_work

    def queue(self) -> tuple[QueueEntry, ...]:
        """What is under way and what waits, in the order of their numbers, and what ended lately, the last first."""
        begun = {} if self._crew is None else {each.number: each for each in self._crew.details()}
        found = []
        for each in self._pending:
            if each.number not in self._answers:
                entry = QueueEntry(each.number, self.operators[each.operator], WAITING)
                if at_work := begun.get(each.number):
                    again = f"try {at_work.tries}" if at_work.tries > 1 else ""
                    entry = replace(entry, state=UNDER_WAY, started=at_work.started, where=at_work.where, words=again)
                found.append(entry)
        ended = {each.number: each for each in (*self._ended_badly, *self._ended)}
        return (*found, *(ended[number] for number in sorted(ended, reverse=True)))

    def outlook(self) -> Outlook | None:
        """What models expect; a search without models has none."""
        return None

    def take_known(self, known: KnownPoints) -> None:
        """Take in what was evaluated before the search."""
        for x, values in zip(known.x, known.values, strict=True):
            self.learn_known(x, values)

    def start_from(self, designs: Array) -> None:
        """Have these solutions evaluated first."""
        self._starts = deque(designs)

    def settle(self, seconds: float) -> None:
        """Make nothing new, and wait so long for what is being evaluated: its answers go to the log."""
        until = time.monotonic() + seconds
        while self._crew is not None and self._crew.at_work and time.monotonic() < until:
            self._collect(until - time.monotonic(), hand_out=False)

    def close(self) -> None:
        """End the processes; the search can go on, with new ones."""
        for each in (self._crew, self._cluster):
            if each is not None:
                each.close()
        self._crew = self._cluster = None
        self._handed_out.clear()

    def memory(self) -> dict[str, NDArray[Any]]:
        """The candidates on their way, and the failures."""
        n = self.problem.dimension
        return {
            "slow_x": np.array([each.x for each in self._pending]).reshape(-1, n),
            "slow_made_by": np.array([each[2:] for each in self._pending], dtype=np.int64).reshape(-1, 2),
            "slow_starts": np.array(self._starts).reshape(-1, n),
            "slow_failed": self._failed.copy(),
            "slow_words": np.frombuffer(json.dumps(self._words).encode(), dtype=np.uint8).copy(),
        }

    def remember(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `memory` gave."""
        self._starts = deque(arrays["slow_starts"]) if "slow_starts" in arrays else deque()
        self._failed[...] = arrays["slow_failed"]
        self._words = dict(json.loads(arrays["slow_words"].tobytes()))
        pairs = zip(arrays["slow_x"], arrays["slow_made_by"], strict=True)
        self._pending = deque(
            Candidate(self._told + 1 + place, x.copy(), int(by[0]), int(by[1])) for place, (x, by) in enumerate(pairs)
        )

    @property
    def _told(self) -> int:
        return int(self.state.counters[EVALUATIONS])

    def _make_candidates(self) -> None:
        """As many as may be on their way, each known to the log or handed out."""
        most = min(self.on_the_way, self.settings.evaluations - self._told)
        while len(self._pending) < most:
            self._pending.append(self.make_candidate(self._told + len(self._pending) + 1))
        for each in self._pending:
            if each.number not in self._answers and each.number not in self._handed_out:
                answer = self.outside.log.find(each.number, each.x) or self._answer_of_trial(each)
                if answer is not None:
                    self._answers[each.number] = answer
                else:
                    self._handed_out.add(each.number)
                    self._at_work.submit(each.number, each.x)

    def _answer_of_trial(self, candidate: Candidate) -> Answer | None:
        """What this candidate was answered when the file of its problem was looked at, which is kept from now on."""
        if self._tried is None or not np.array_equal(candidate.x, self._tried[0]):
            return None
        answer = Answer(self._tried[1].copy())
        self.outside.log.add(candidate.number, candidate.x, candidate.operator, answer)
        return answer

    @property
    def _at_work(self) -> WorkerPool | HereEvaluator:
        if self._crew is None:
            settings = self.settings
            numbers = settings.workers, settings.time_limit, settings.retries
            if not settings.workers or self.problem.compiled:
                self._crew = HereEvaluator(self.problem)
            elif settings.scheduler:
                self._cluster = RemoteWorkers(settings.scheduler)
                self._crew = WorkerPool(self.problem, *numbers, hire=self._cluster.hire)
            else:
                self._crew = WorkerPool(self.problem, *numbers)
        return self._crew

    def _collect(self, seconds: float | None, *, hand_out: bool = True) -> None:
        by_number = {each.number: each for each in self._pending}
        for number, answer in self._at_work.collect(seconds, hand_out=hand_out):
            candidate = by_number[number]
            self.outside.log.add(number, candidate.x, candidate.operator, answer)
            self._handed_out.discard(number)
            self._answers[number] = answer
            self._note_end(candidate, answer)
        if hand_out:
            self._at_work.hand_out()

    def _note_end(self, candidate: Candidate, answer: Answer) -> None:
        purpose, words = self.operators[candidate.operator], answer.words[:LONGEST]
        started = time.time() - answer.seconds
        entry = QueueEntry(
            candidate.number, purpose, KINDS[answer.status], started, answer.seconds, answer.where, words
        )
        (self._ended if answer.status == FINE else self._ended_badly).append(entry)

    def _tell(self) -> None:
        """Lines 8 to 12 of Algorithm 1 for the oldest candidate."""
        if not has_room(self.state):
            self.state = grown(self.state, self.map.grid)
        candidate = self._pending.popleft()
        answer = self._answers.pop(candidate.number)
        gain = np.zeros(1)
        asked.tell(self.state, self.map, gain, candidate.x, answer.values, candidate.operator)
        self.note_failure(answer)
        self.learn(candidate, answer, float(gain[0]))

    def note_failure(self, answer: Answer) -> None:
        """Count an answer that did not go well, and keep its words."""
        if answer.status != FINE:
            self._failed[answer.status] += 1
            if answer.words:  # one from the log has none
                self._words[KINDS[answer.status]] = answer.words
