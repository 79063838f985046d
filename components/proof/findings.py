"""What jobs found of a run, read once for all browsers, and what follows for a question that somebody looks at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from components.page_state.state import PageState, slider_tolerances
from components.page_state.view import Maps, ShownMap
from components.shared.recent import RecentValues
from mapelites.core.archive import Archive
from mapelites.core.problem import Array
from mapelites.proof.words import coverage_sentence, is_proven, with_bound
from mapelites.runs import Run, Store
from mapelites.snapshot.findings import Findings

KEPT = 16


class FindingsReader:
    """The findings of the runs that were looked at last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept = RecentValues[tuple[str, int], Findings](KEPT)
        self._troubles = RecentValues[tuple[str, int], str](KEPT)

    def of(self, run: Run) -> Findings:
        """The findings of a run as it is."""
        return self._kept.remember((run.id, run.findings), lambda: self._read(run))

    def _read(self, run: Run) -> Findings:
        return self._store.jobs.findings(run.id).by_axis(run.request.tolerances)

    def trouble(self, run: Run) -> str:
        """Why the findings cannot be used, in words; nothing where they can."""
        return self._troubles.remember((run.id, run.findings), lambda: self._store.jobs.trouble(run.id) or "")

    def proven(self, run: Run) -> Callable[[Array, float], bool]:
        """Tells of an answer within tolerances whether nobody can be better by more than a little."""
        proofs = self.of(run).proofs
        return lambda tolerances, f: is_proven(proofs, tolerances, f)


def question_at(state: PageState, shown: ShownMap) -> Array:
    """The tolerances at which the sliders stand; a hard constraint stays satisfied."""
    satisfied = shown.run.request.problem_by_axis().feasible_up_to
    is_hard = np.isin(shown.tolerances.names, [*shown.tolerances.hard, *state.asked.hard])
    found: Array = np.where(is_hard, satisfied, slider_tolerances(state, shown))
    return found


def proof_sentences(reader: FindingsReader, maps: Maps, state: PageState, shown: ShownMap) -> list[str]:
    """Sentences of what is proven of the question at hand and of the map, the most important first."""
    found, archive, trouble = reader.of(shown.run), maps.archive(shown), reader.trouble(shown.run)
    return [
        *([f"{trouble}."] if trouble else []),
        *_of_question(found, archive, question_at(state, shown)),
        *_of_map(found, archive, shown),
    ]


def _of_question(found: Findings, archive: Archive, question: Array) -> list[str]:
    answer = archive.answer(np.where(np.isfinite(question), question, np.inf))
    if found.proofs.infeasible(question) and answer is None:
        return ["No solution can exist where the sliders stand: proven."]
    if answer is None:
        return []
    said = with_bound(archive.problem, answer.f, found.proofs, question)
    return [f"Where the sliders stand: {said}."] if said else []


def _of_map(found: Findings, archive: Archive, shown: ShownMap) -> list[str]:
    said: list[str] = []
    for each in found.empty:
        if each.tolerances == shown.tolerances:
            said.append(coverage_sentence(each))
    words: list[Any] = [each.words for each in found.relations]
    return [*said, f"For every design: {'; '.join(words)}."] if words else said
