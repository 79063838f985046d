"""Which questions there are to prove, and proving many of them: each answer helps with the next."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from mapelites.core.problem import Array, Problem
from mapelites.core.tolerances import Tolerances
from mapelites.proof.proof import Proof
from mapelites.proof.proofs import Proofs
from mapelites.proof.prover import Prover, within_gap
from mapelites.proof.region import Effort, Region

MOST_QUESTIONS = 20_000
LEAST_SECONDS = 0.2


@dataclass(frozen=True)
class Progress:
    """How far a row of questions is: how many are decided, of how many, and what was proven last."""

    done: int
    total: int
    seconds_left: float
    newest: Proof | None = None


def price_questions(problem: Problem, tolerances: Tolerances) -> list[Array]:
    """The limits as they are, each constraint alone at its levels, and each pair at the last ones."""
    satisfied, allowance = tolerances.largest(problem.feasible_up_to[None])[0], tolerances.allowance
    found = [satisfied.copy()]
    for i in tolerances.negotiable:
        for level in tolerances.levels[i][1:]:
            found.append(_with(satisfied, {i: level}))
    for i, j in combinations(tolerances.negotiable, 2):
        found.append(_with(satisfied, {i: allowance[i], j: allowance[j]}))
    return _distinct(map(tolerances.by_constraint, found))


def lattice_questions(problem: Problem, tolerances: Tolerances) -> list[Array]:
    """Every combination of levels, at most `MOST_QUESTIONS` of them, the widest first."""
    satisfied = tolerances.largest(problem.feasible_up_to[None])[0]
    levels = [
        tuple(reversed(each)) if name not in tolerances.hard else (float(satisfied[i]),)
        for i, (name, each) in enumerate(zip(tolerances.names, tolerances.levels, strict=True))
    ]
    questions: Iterator[tuple[float, ...]] = product(*levels)
    rows = [np.maximum(row, satisfied) for row, _ in zip(questions, range(MOST_QUESTIONS), strict=False)]
    return _distinct(map(tolerances.by_constraint, rows))


def prove_all(
    prover: Prover,
    questions: Iterable[Array],
    effort: Effort,
    *,
    seconds: float,
    before: Proofs | None = None,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Proofs:
    """Prove questions one after the other, in so many seconds together and as many for each as `effort` says.

    The widest come first: a bound holds for all that are narrower, and where the best of a wide question meets a
    narrower one's tolerances too, that one is proven with it. Whoever needs no solver is not asked again.
    """
    proofs = without_refuted(prover, before or Proofs())
    waiting = widest_first(questions)
    started = time.monotonic()
    for done, question in enumerate(waiting):
        left = seconds - (time.monotonic() - started)
        newest = None
        if is_decided(prover, proofs, question, effort.gap):
            pass
        elif left < LEAST_SECONDS or prover.cancelled():
            break
        else:
            newest = within_gap(prover.prove(question, replace(effort, seconds=min(left, effort.seconds))), effort.gap)
            if prover.cancelled():
                break
            proofs = proofs.and_([newest])
        report(Progress(done + 1, len(waiting), max(0.0, left), newest))
    return settled(prover, proofs, effort.gap)


def is_decided(prover: Prover, proofs: Proofs, question: Array, gap: float) -> bool:
    """Whether what is known decides a question: nobody can meet it, or the best known is within the gap."""
    if proofs.infeasible(question):
        return True
    best = prover.best(Region.up_to(question))
    reached = None if best is None else proofs.gap(question, best[0])
    return reached is not None and reached <= gap


def without_refuted(prover: Prover, proofs: Proofs) -> Proofs:
    """The proofs, those that a solution refutes that is known by now with nothing proven."""
    refuted = []
    for proof in proofs.each:
        best = prover.best(Region.up_to(np.array(proof.tolerances)))
        if best is not None and proof.is_refuted_by(best[0]):
            refuted.append(proof.refuted(best[0], tuple(map(float, best[1]))))
    return proofs.and_(refuted)


def settled(prover: Prover, proofs: Proofs, gap: float) -> Proofs:
    """The proofs with the best solutions that are known by now, some of which were found later."""
    better = []
    for proof in proofs.each:
        best = prover.best(Region.up_to(np.array(proof.tolerances)))
        if best is not None and (proof.f is None or best[0] < proof.f):
            x = tuple(map(float, best[1]))
            newer = proof.refuted(best[0], x) if proof.is_refuted_by(best[0]) else replace(proof, f=best[0], x=x)
            better.append(within_gap(newer, gap))
    return proofs.and_(better)


def widest_first(questions: Iterable[Array]) -> list[Array]:
    """Questions so that none comes after one that is narrower in every constraint."""
    rows = _distinct(questions)
    if not rows:
        return []
    table = np.array(rows)
    ranks = np.array([np.unique(column, return_inverse=True)[1] for column in table.T]).sum(axis=0)
    return [rows[row] for row in np.argsort(-ranks, kind="stable")]


def _with(satisfied: Array, wider: dict[int, float]) -> Array:
    found = satisfied.copy()
    for i, level in wider.items():
        found[i] = max(found[i], level)
    return found


def _distinct(questions: Iterable[Array]) -> list[Array]:
    return [np.array(row) for row in dict.fromkeys(tuple(map(float, each)) for each in questions)]
