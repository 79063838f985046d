"""The search for a function that takes long: many candidates on their way, told in the order in which they were made.

Candidate k is made from the archive that knows the answers up to candidate k - b, where b is how many may be on their
way. Which of them is answered first makes no difference, so the same seed gives the same map whatever the processes
do; and a search that is taken up again makes the same candidates again and finds their answers in the log.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mapelites.errors import InputError
from mapelites.problem import Array, Problem
from mapelites.search import asked, modelled, paper
from mapelites.search.directed import credit
from mapelites.search.directed.memory import new_work
from mapelites.search.settings import Settings
from mapelites.search.state import EVALUATIONS, OCCUPIED, Map, State, grown, has_room
from mapelites.slow.answer import FINE, KINDS, Answer, Outside
from mapelites.slow.cluster import Cluster
from mapelites.slow.crew import Crew

SHARES = {"paper": 0.1, "line": 0.2, "toward": 0.2, "repair": 0.1, "polish": 0.25, "aim": 0.15}
EMITTERS = tuple(SHARES)
OPERATORS = (*paper.OPERATORS, *EMITTERS[1:])
MODELLED = {"repair": modelled.REPAIR, "polish": modelled.POLISH, "aim": modelled.AIM}
TRIES = 10  # at a candidate that is not known yet
MEMORY = 0.02  # how much the last candidate counts


class Candidate(NamedTuple):
    """A solution on its way."""

    number: int
    x: Array
    operator: int
    emitter: int


class Slow:
    """The search at work on a state, with processes that evaluate for it."""

    operators = OPERATORS

    def __init__(self, problem: Problem, m: Map, settings: Settings, state: State, outside: Outside) -> None:
        self.problem, self.map, self.settings, self.state, self.outside = problem, m, settings, state, outside
        self._numbers = paper.numbers(settings)
        size = problem.dimension, len(problem.constraints)
        self._nearby, self._work = modelled.new_nearby(*size), new_work(*size)
        self._base = _base(settings)
        self._passes, self._credit = np.zeros(len(EMITTERS)), np.zeros(len(EMITTERS))
        self._spent = np.zeros(len(EMITTERS), dtype=np.int64)
        self._failed = np.zeros(len(KINDS), dtype=np.int64)
        self._words: dict[str, str] = {}
        self._pending: deque[Candidate] = deque()
        self._answers: dict[int, Answer] = {}
        self._handed_out: set[int] = set()
        self._crew: Crew | None = None
        self._cluster: Cluster | None = None

    @property
    def spent(self) -> dict[str, int]:
        """The evaluations of each emitter."""
        return {name: int(count) for name, count in zip(EMITTERS, self._spent, strict=True)}

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
        """The candidates on their way, and what was learned and counted."""
        n = self.problem.dimension
        return {
            "slow_x": np.array([each.x for each in self._pending]).reshape(-1, n),
            "slow_made_by": np.array([each[2:] for each in self._pending], dtype=np.int64).reshape(-1, 2),
            "slow_passes": self._passes.copy(),
            "slow_credit": self._credit.copy(),
            "slow_spent": self._spent.copy(),
            "slow_failed": self._failed.copy(),
            "slow_near_x": self._nearby.x.copy(),
            "slow_near_values": self._nearby.values.copy(),
            "slow_near_count": self._nearby.known.copy(),
            "slow_words": np.frombuffer(json.dumps(self._words).encode(), dtype=np.uint8).copy(),
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
                             ("failed", self._failed), ("near_x", self._nearby.x),
                             ("near_values", self._nearby.values), ("near_count", self._nearby.known)):  # fmt: skip
            target[...] = arrays[f"slow_{name}"]
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
        most = min(self.settings.on_the_way, self.settings.evaluations - self._told)
        while len(self._pending) < most:
            self._pending.append(self._candidate(self._told + len(self._pending) + 1))
        for each in self._pending:
            if each.number not in self._answers and each.number not in self._handed_out:
                answer = self.outside.log.find(each.number, each.x)
                if answer is not None:
                    self._answers[each.number] = answer
                else:
                    self._handed_out.add(each.number)
                    self._at_work.submit(each.number, each.x)

    @property
    def _at_work(self) -> Crew:
        if self._crew is None:
            settings = self.settings
            numbers = settings.workers, settings.time_limit, settings.retries
            if settings.scheduler:
                self._cluster = Cluster(settings.scheduler)
                self._crew = Crew(self.problem, *numbers, hire=self._cluster.hire)
            else:
                self._crew = Crew(self.problem, *numbers)
        return self._crew

    def _candidate(self, number: int) -> Candidate:
        """The next candidate: no elite and none that is on its way, if that can be avoided."""
        emitter = 0
        if self._told >= self._numbers.initial and self.state.counters[OCCUPIED] > 0:
            emitter = credit.next_emitter(self._base, self._passes)
            self._passes[emitter] += 1.0 / credit.shares(self._base, self._credit)[emitter]
        for _ in range(TRIES):
            x, operator = self._made_by(emitter)
            x = self.problem.rounded(x[None])[0]
            if not self._is_known(x):
                break
        return Candidate(number, x, operator, emitter)

    def _made_by(self, emitter: int) -> tuple[Array, int]:
        x = np.empty(self.problem.dimension)
        name, by = EMITTERS[emitter], len(paper.OPERATORS) - 1 + emitter
        if name == "paper":
            by = int(paper._propose(self.state, self.map, self._numbers, x))
        elif name in MODELLED:
            modelled.modelled(self.state, self.map, self._nearby, self._work, MODELLED[name], x)
        else:
            {"line": asked.between, "toward": asked.toward}[name](self.state, self.map, x)
        return x, by

    def _is_known(self, x: Array) -> bool:
        elites = self.state.x[: 1 + self.state.counters[OCCUPIED]]
        return bool((elites == x).all(axis=1).any()) or any(np.array_equal(each.x, x) for each in self._pending)

    def _collect(self, seconds: float | None, *, hand_out: bool = True) -> None:
        by_number = {each.number: each for each in self._pending}
        for number, answer in self._at_work.collect(seconds, hand_out=hand_out):
            candidate = by_number[number]
            self.outside.log.add(number, candidate.x, candidate.operator, answer)
            self._handed_out.discard(number)
            self._answers[number] = answer
        if hand_out:
            self._at_work.hand_out()

    def _tell(self) -> None:
        """Lines 8 to 12 of Algorithm 1 for the oldest candidate."""
        if not has_room(self.state):
            self.state = grown(self.state, self.map.grid)
        candidate = self._pending.popleft()
        answer = self._answers.pop(candidate.number)
        gain = np.zeros(1)
        asked.tell(self.state, self.map, gain, candidate.x, answer.values, candidate.operator)
        self._credit[candidate.emitter] += MEMORY * (float(gain[0]) - self._credit[candidate.emitter])
        self._spent[candidate.emitter] += 1
        if np.isfinite(answer.values).all():
            modelled.remember(self._nearby, candidate.x, answer.values)
        if answer.status != FINE:
            self._failed[answer.status] += 1
            if answer.words:  # one from the log has none
                self._words[KINDS[answer.status]] = answer.words


def _base(settings: Settings) -> Array:
    """The part of each emitter before anything is known of their success."""
    used = {"paper"}
    if settings.search == "directed":
        moves = {"slow": "toward", "fast": "toward"}  # both are differential evolution
        used = {moves.get(name, name) for name in settings.emitters} & set(EMITTERS) or used
    base = np.array([SHARES[name] if name in used else 0.0 for name in EMITTERS])
    return np.asarray(base / base.sum())
