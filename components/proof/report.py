"""What is proven of a run, as a part of its report and as a table to take away."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
from markupsafe import Markup

from components.shared.report_parts import report_table
from mapelites.core.archive import Archive
from mapelites.core.levels import short
from mapelites.core.problem import Problem
from mapelites.proof.conflicts import why_not_sentence
from mapelites.proof.proof import Proof
from mapelites.proof.words import coverage_sentence, margin_sentence, percent, proof_sentence
from mapelites.snapshot.findings import Findings

MOST_ROWS = 12


def proven_part(findings: Findings, archive: Archive, whole: Problem) -> list[Markup]:
    """The section of the report, of a map by its axes and the problem with every constraint; or nothing."""
    problem, proofs = archive.problem, [_with_best(each, archive) for each in findings.proofs.each]
    levels = archive.tolerances
    said = [coverage_sentence(each) for each in findings.empty if replace(each.tolerances, places=()) == levels]
    said += [why_not_sentence(whole, each) for each in findings.why_not if each.feasible is False]
    said += [f"For every design: {each.words}." for each in findings.relations]
    if not proofs and not said:
        return []
    shown = sorted((each for each in proofs if each.status != "gave up"), key=lambda each: sum(_wider(problem, each)))
    rows = [[question_in_words(problem, each), proof_sentence(problem, each)] for each in shown[:MOST_ROWS]]
    parts = [Markup("<h2>What is proven</h2>"), *(Markup("<p>{}</p>").format(each) for each in said)]
    if rows:
        parts.append(report_table(("tolerances", "what is proven"), rows))
        parts.append(Markup("<p class='quiet'>{}</p>").format(margin_sentence(problem, shown[0])))
    if len(shown) > len(rows):
        parts.append(Markup("<p class='quiet'>And {} more questions.</p>").format(len(shown) - len(rows)))
    return parts


def _with_best(proof: Proof, archive: Archive) -> Proof:
    """A proof, unless a design that was found later shows that it is wrong."""
    best = archive.answer(np.array(proof.tolerances))
    wrong = best is not None and proof.is_refuted_by(best.f)
    return proof.refuted(best.f, tuple(best.x)) if best is not None and wrong else proof


def proofs_csv(findings: Findings, problem: Problem) -> str:
    """Every question that was proven: its tolerances, the bound, the best known, the gap, and how it ended."""
    names = [f"tolerance_{each.name}" for each in problem.constraints]
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow([*names, "status", "bound", "f", "gap", "seconds", "nodes", *problem.variables])
    for each in findings.proofs.each:
        x = [repr(value) for value in each.x] if each.x is not None else [""] * problem.dimension
        numbers = ["" if value is None else repr(value) for value in (each.bound, each.f, each.gap)]
        tolerances = [repr(value) for value in each.tolerances]
        writer.writerow([*tolerances, each.status, *numbers, f"{each.seconds:.3f}", each.nodes, *x])
    return file.getvalue()


def question_in_words(problem: Problem, proof: Proof) -> str:
    """The question of a proof: which limits are wider, by how much, in its unit and in per cent."""
    parts = []
    for each, tolerance, wider in zip(problem.constraints, proof.tolerances, _wider(problem, proof), strict=True):
        if wider:
            share = f" ({percent(tolerance / each.reference)})" if each.reference and np.isfinite(tolerance) else ""
            parts.append(f"{each.name} +{short(tolerance)} {each.unit}".rstrip() + share)
    return ", ".join(parts) or "the limits as they are"


def _wider(problem: Problem, proof: Proof) -> list[bool]:
    return [t > satisfied for t, satisfied in zip(proof.tolerances, problem.feasible_up_to, strict=True)]
