"""Whole batches in the process that searches, for a function that takes many solutions at once.

The candidates of a batch are all made from what was known before it. What costs time for each of them is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mapelites.core.problem import Array
from mapelites.evaluation.answer import Answer, NoLog
from mapelites.evaluation.here import evaluate_batch
from mapelites.search.directed import credit
from mapelites.search.directed.memory import Integers
from mapelites.search.parallel.asked import deal_out, tell_rows
from mapelites.search.parallel.method import MEMORY, ParallelMethod
from mapelites.search.parallel.modelled import remember_rows
from mapelites.search.parallel.pipeline import Candidate
from mapelites.search.state import OCCUPIED, grown


class BatchMethod(ParallelMethod):
    """The emitters of the search for slow functions, a batch at a time."""

    def advance(self, until: int) -> None:
        """Search up to evaluation `until`, or to the end of the batch that goes beyond it."""
        while self._told < until:
            size = min(self.settings.batch, self.settings.evaluations - self._told)
            x, operators, sources = self._make_batch(size)
            values = self._answered(x, operators)
            self._make_room(size)
            tell_rows(
                self.state, self.map, np.zeros(1), x, values, operators, sources, self._credit, self._spent, MEMORY
            )
            remember_rows(self.nearby, x, values)

    def _make_batch(self, size: int) -> tuple[Array, Integers, Integers]:
        """Candidates, the operators that made them, and their emitters."""
        x, operators = np.empty((size, self.problem.dimension)), np.zeros(size, dtype=np.int64)
        begun = 0
        while self._starts and begun < size:
            x[begun] = self._starts.popleft()
            begun += 1
        counts = self._counts(size - begun)
        sources = np.r_[np.zeros(begun, dtype=np.int64), np.repeat(np.arange(len(counts)), counts)]
        for emitter in np.flatnonzero(counts):
            rows = slice(begun, begun + int(counts[emitter]))
            operators[rows] = self._made_rows(int(emitter), x[rows])
            begun = rows.stop
        return self.problem.rounded(x), operators, sources

    def _counts(self, size: int) -> Integers:
        """How many of so many candidates each emitter makes."""
        counts = np.zeros(len(self.emitters), dtype=np.int64)
        if self._told < self.numbers.initial or self.state.counters[OCCUPIED] == 0:
            counts[0] = size
        else:
            counts[-1] = size
            deal_out(self._base, credit.shares(self._base, self._credit), self._passes, counts)
        return counts

    def _answered(self, x: Array, operators: Integers) -> Array:
        """f, g and h of each candidate: what the log has, and the rest evaluated, by one call where that goes well."""
        numbers, log = range(self._told + 1, self._told + 1 + len(x)), self.outside.log
        if isinstance(log, NoLog):
            return self._evaluated(x, numbers, operators)
        found = [log.find(number, each) for number, each in zip(numbers, x, strict=True)]
        new = [row for row, answer in enumerate(found) if answer is None]
        values = np.empty((len(x), 1 + len(self.problem.constraints)))
        for row, answer in enumerate(found):
            if answer is not None:
                values[row] = answer.values
                self.note_failure(answer)
        if new:
            values[new] = self._evaluated(x[new], [numbers[row] for row in new], operators[new])
        return values

    def _evaluated(self, x: Array, numbers: Sequence[int], operators: Integers) -> Array:
        """Evaluated now, counted where it failed, and kept by the log."""
        values, wrong = evaluate_batch(self.problem, x)
        for row, answer in wrong.items():
            self.note_failure(answer)
            self._note_end(Candidate(numbers[row], x[row], int(operators[row]), 0), answer)
        if not isinstance(self.outside.log, NoLog):
            for row, number in enumerate(numbers):
                self.outside.log.add(number, x[row], int(operators[row]), wrong.get(row, Answer(values[row])))
        return values

    def _make_room(self, size: int) -> None:
        needed = int(self.state.counters[OCCUPIED]) + size + 1
        while len(self.state.tags) <= min(needed, len(self.state.slot_of)):
            self.state = grown(self.state, self.map.grid)
