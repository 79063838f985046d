"""Proofs on a run: of a question, the price table, the whole lattice and the cells; and why nothing is feasible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mapelites.core.archive import Elites
from mapelites.core.errors import unknown
from mapelites.core.problem import Array
from mapelites.proof.cells import EmptyCells, find_empty
from mapelites.proof.conflicts import WhyNot, why_not, why_not_sentence
from mapelites.proof.lattice import Progress, is_decided, lattice_questions, price_questions, prove_all
from mapelites.proof.process import MISSING, available
from mapelites.proof.proof import Proof
from mapelites.proof.proofs import Proofs
from mapelites.proof.prover import OPERATOR, Prover, check_provable
from mapelites.proof.region import Effort
from mapelites.proof.relations import FoundRelation, find_relations
from mapelites.proof.words import coverage_sentence, proof_sentence
from mapelites.runs.jobs.job import number_within
from mapelites.runs.jobs.kind import JobContext, JobKind, completed_levels
from mapelites.runs.record import Record
from mapelites.snapshot.findings import Findings

WHAT = ("question", "prices", "lattice", "cells", "why-not", "relations")
GAP = 1e-3
EACH_SECONDS = 10.0
MOST_SECONDS = 86_400.0


def check(request: Mapping[str, Any], record: Record) -> dict[str, Any]:
    """A request, completed; an `InputError` where it makes no sense, or where the problem cannot be proven."""
    what = request.get("what", "question")
    if what not in WHAT:
        raise unknown("job: what is to be proven", what, WHAT)
    check_provable(record.request.get_problem())
    seconds = number_within(request, "seconds", 20.0 if what == "question" else 60.0, 0.1, MOST_SECONDS)
    return {
        **completed_levels(request, record),
        "what": what,
        "seconds": seconds,
        "each": number_within(
            request, "each", min(seconds, 20.0 if what == "question" else EACH_SECONDS), 0.1, MOST_SECONDS
        ),
        "gap": number_within(request, "gap", GAP, 1e-6, 1.0),
    }


def work(context: JobContext) -> str:
    """Prove what is asked for; what came of it in a sentence."""
    return _Work(context).done()


class _Work:
    """One job of proofs: the prover, and what of its solutions is kept already."""

    def __init__(self, context: JobContext) -> None:
        self.context, self.request = context, context.job.request
        self.prover = Prover(context.problem, context.archive().everything(), context.should_stop)
        self._kept, self._counted = 0, 0

    @property
    def effort(self) -> Effort:
        """For one question, within what is left of the time."""
        seconds = max(0.1, min(float(self.request["each"]), self.context.seconds_left))
        return Effort(seconds, gap=float(self.request["gap"]))

    def done(self) -> str:
        """Do it."""
        actions = {
            "question": self.question, "prices": self.prices, "lattice": self.lattice, "cells": self.cells,
            "why-not": self.why_not, "relations": self.relations,
        }  # fmt: skip
        said = actions[self.request["what"]]()
        self.keep(at_once=True)
        return said

    def question(self) -> str:
        """The question at hand, and why not where nothing meets it."""
        question = self.context.question
        self.context.report_progress(0, 1, "proving the question")
        proofs = self._proved([question])
        proof = next((each for each in proofs.each if np.array_equal(each.tolerances, question)), None)
        if proofs.infeasible(question):
            return f"No solution can exist within these tolerances: proven. {self.why_not()}"
        if proof is None:  # it follows from proofs that were there
            covering = proofs.covering(question)
            proof = max(covering, key=lambda each: -np.inf if each.bound is None else each.bound)
        return proof_sentence(self.context.problem, proof)

    def prices(self) -> str:
        """The price table."""
        return self._row(price_questions(self.context.problem, self.context.tolerances), "questions of the price table")

    def lattice(self) -> str:
        """Every combination of levels."""
        return self._row(lattice_questions(self.context.problem, self.context.tolerances), "combinations of levels")

    def cells(self) -> str:
        """Which cells cannot exist, and which constraints are functions of each other, which is often why."""
        self.context.report_progress(0, 1, "looking for relations")
        relations = find_relations(self.prover, self.effort)
        self.keep(relations=relations)

        def report(decided: int, cells: int) -> None:
            self.context.report_progress(decided, cells, f"{decided:,} of {cells:,} cells are decided")
            self.keep()

        found = find_empty(
            self.prover, self.context.tolerances, self.effort, seconds=self.context.seconds_left, report=report
        )
        self.keep(empty=(found,), at_once=True)
        said = "; ".join(each.words for each in relations)
        return coverage_sentence(found) + (f" For every design: {said}." if said else "")

    def why_not(self) -> str:
        """Why nothing is within the tolerances of the question."""
        self.context.report_progress(0, 1, "finding what conflicts")
        found = why_not(self.prover, self.context.question, self.effort, seconds=self.context.seconds_left)
        self.keep(why_not=(found,), at_once=True)
        return why_not_sentence(self.context.problem, found)

    def relations(self) -> str:
        """Which constraints are functions of each other."""
        self.context.report_progress(0, 1, "looking for relations")
        found = find_relations(self.prover, self.effort)
        self.keep(relations=found, at_once=True)
        return "; ".join(each.words for each in found) or "No two constraints lie on a line."

    def _row(self, questions: list[Array], what: str) -> str:
        proofs = self._proved(questions, what)
        decided = [each for each in questions if is_decided(self.prover, proofs, each, self.effort.gap)]
        infeasible = sum(proofs.infeasible(each) for each in questions)
        but = f", {infeasible:,} of these infeasible" if infeasible else ""
        gap = float(self.request["gap"]) * 100
        return f"{len(decided):,} of {len(questions):,} {what} are proven within {gap:g} %{but}."

    def _proved(self, questions: list[Array], what: str = "questions") -> Proofs:
        def report(progress: Progress) -> None:
            if progress.newest is not None:
                self.keep(proofs=[progress.newest])
            self.context.report_progress(
                progress.done, progress.total, f"{progress.done:,} of {progress.total:,} {what}"
            )

        proofs = prove_all(
            self.prover, questions, self.effort, seconds=self.context.seconds_left, before=self.context.findings.proofs,
            report=report,
        )  # fmt: skip
        self.keep(proofs=proofs.each, at_once=True)
        return proofs

    def keep(
        self,
        proofs: tuple[Proof, ...] | list[Proof] = (),
        empty: tuple[EmptyCells, ...] = (),
        why_not: tuple[WhyNot, ...] = (),
        relations: tuple[FoundRelation, ...] = (),
        *,
        at_once: bool = False,
    ) -> None:
        """Hand over what was proven, with the solutions and evaluations since the last time."""
        new: Elites = self.prover.found.rows(np.arange(self._kept, len(self.prover.found)))
        counts = {OPERATOR: self.prover.evaluations - self._counted}
        self._kept, self._counted = len(self.prover.found), self.prover.evaluations
        evaluations = {name: count for name, count in counts.items() if count}
        found = Findings(new, evaluations, Proofs(tuple(proofs)), empty, why_not, relations)
        self.context.keep_found(found, at_once=at_once)


def _missing() -> str:
    return "" if available() else MISSING


JOB = JobKind(name="prove", order=20, title="Prove", check=check, work=work, missing=_missing)
