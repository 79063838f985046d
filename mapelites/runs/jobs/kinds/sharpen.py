"""Sharper answers: questions solved at exactly their tolerances, from the best that is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mapelites.core.archive import Elites
from mapelites.core.errors import unknown
from mapelites.core.format import amount
from mapelites.core.problem import Array, Problem
from mapelites.problems import own_problems
from mapelites.proof.lattice import lattice_questions, price_questions, widest_first
from mapelites.proof.proofs import Proofs
from mapelites.runs.jobs.job import number_within
from mapelites.runs.jobs.kind import JobContext, JobKind, completed_levels
from mapelites.runs.record import Record
from mapelites.search.sharpen import OPERATOR_NAME, STARTS, Sharpening
from mapelites.snapshot.findings import Findings

WHAT = ("question", "prices", "lattice")
EVALUATIONS = 2_000  # for one question
MOST_EVALUATIONS = 1e7
MOST_SECONDS = 86_400.0
PIECE = 200  # evaluations between two looks at whether to stop
CLOSED = 1e-6  # a gap to what is proven within which nothing is left to find
BETTER = 1e-9


def check(request: Mapping[str, Any], record: Record) -> dict[str, Any]:
    """A request, completed; an `InputError` where it makes no sense."""
    what = request.get("what", "question")
    if what not in WHAT:
        raise unknown("job: what is to be sharpened", what, WHAT)
    return {
        **completed_levels(request, record),
        "what": what,
        "seconds": number_within(request, "seconds", 60.0, 0.1, MOST_SECONDS),
        "evaluations": int(number_within(request, "evaluations", EVALUATIONS, 1, MOST_EVALUATIONS)),
    }


def work(context: JobContext) -> str:
    """Sharpen what is asked for; what came of it in a sentence."""
    problem = own_problems.loaded(context.problem)
    known, better = context.archive().everything(), 0
    questions = _questions(context)
    evaluations = 0
    for done, question in enumerate(questions):
        context.raise_if_stopping()
        if context.seconds_left <= 0:
            questions = questions[:done]
            break
        context.report_progress(
            done, len(questions), f"{done:,} of {len(questions):,} questions, {better:,} answered better"
        )
        before = _best(known, question)
        if not _is_closed(context.findings.proofs, question, before):
            found, spent = _sharpened(context, problem, question, known)
            evaluations += spent
            known = known.and_(found)
            better += _best(known, question) < before - BETTER * max(1.0, abs(before) if np.isfinite(before) else 1.0)
            context.keep_found(Findings(found, {OPERATOR_NAME: spent}))
    return _said(context, questions, known, better, evaluations)


def _questions(context: JobContext) -> list[Array]:
    what = context.job.request["what"]
    if what == "question":
        return [context.question]
    make = price_questions if what == "prices" else lattice_questions
    return list(reversed(widest_first(make(context.problem, context.tolerances))))  # the answer of one starts the next


def _sharpened(context: JobContext, problem: Problem, question: Array, known: Elites) -> tuple[Elites, int]:
    """What a sharpening finds that is better than what is known, and its evaluations."""
    beyond = np.maximum(known.violations - question, 0.0).max(axis=1, initial=0.0)
    starts = known.x[np.lexsort((known.f, beyond))[:STARTS]]
    sharpening = Sharpening(problem, question, starts, int(context.job.request["evaluations"]))
    while not sharpening.done and not context.should_stop() and context.seconds_left > 0:
        sharpening.advance(PIECE)
    found = sharpening.elites()
    inside = np.flatnonzero((found.violations <= question).all(axis=1) & (found.f < _best(known, question)))
    best = inside[np.argsort(found.f[inside])[:1]]
    return found.rows(best), sharpening.evaluations


def _best(known: Elites, question: Array) -> float:
    inside = (known.violations <= question).all(axis=1)
    return float(known.f[inside].min()) if inside.any() else float("inf")


def _is_closed(proofs: Proofs, question: Array, f: float) -> bool:
    """Whether it is proven that nothing is left to find."""
    if proofs.infeasible(question):
        return True
    gap = proofs.gap(question, f) if np.isfinite(f) else None
    return gap is not None and gap <= CLOSED


def _said(context: JobContext, questions: list[Array], known: Elites, better: int, evaluations: int) -> str:
    spent = f"{evaluations:,} evaluations"
    if context.job.request["what"] == "question":
        best = _best(known, questions[0]) if questions else float("inf")
        if not np.isfinite(best):
            return f"No solution within these tolerances was found, with {spent}."
        shown = -best if context.problem.maximise else best
        return f"{'Better' if better else 'Not better'}: {amount(shown, 6)}, with {spent}."
    return f"{better:,} of {len(questions):,} questions are answered better, with {spent}."


JOB = JobKind(name="sharpen", order=10, title="Sharpen", check=check, work=work)
