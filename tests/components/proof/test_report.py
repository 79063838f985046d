"""What is proven stands in the report of a run, in a table to take away, and on the map."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np

from components.proof.report import proofs_csv, proven_part
from mapelites import Archive, Tolerances
from mapelites.core.archive import Elites
from mapelites.core.nested_map.fold import Fold
from mapelites.problems import get
from mapelites.proof.cells import EmptyCells
from mapelites.proof.proof import Proof
from mapelites.proof.proofs import Proofs
from mapelites.snapshot.findings import Findings

PROBLEM = get("three-bar-truss")
LEVELS = Tolerances.same(PROBLEM, (0, 0.05))
PROOFS = Proofs((
    Proof((0.05, 0.0, 0.0), "proven", 257.0, 257.1, (0.7, 0.4), (1e-7, 1e-7, 1e-7), 0.1, 3),
    Proof((0.0, 0.0, 0.0), "infeasible", None, None, None, (1e-7, 1e-7, 1e-7), 0.1, 3),
))  # fmt: skip
EMPTY = EmptyCells(LEVELS, (((1, 0, 0), (2, 2, 2)),), (), (0.0,) * 3, 2, 7)
FOUND = replace(Findings.none(PROBLEM), proofs=PROOFS, empty=(EMPTY,))


def archive() -> Archive:
    x = np.array([[0.9, 0.9], [0.2, 0.2]])
    values = PROBLEM.evaluate(x)
    made = np.array(["paper", "paper"])
    found = Elites(x, values.f, values.g, values.h, np.array([1, 2]), made)
    return Archive(PROBLEM, LEVELS, found, proven_empty={LEVELS: EMPTY.as_blocks()})


def test_the_report_tells_what_is_proven_and_what_it_holds_for() -> None:
    nobody = Archive(PROBLEM, LEVELS, Elites.empty(PROBLEM))
    said = str(proven_part(FOUND, nobody, PROBLEM))
    assert "What is proven" in said
    assert "the limits as they are" in said
    assert "No solution can exist within these tolerances: proven." in said
    assert "Proven: 257.10, nobody below 257.00 (0.04 %)." in said
    assert "cells that can exist are filled; 18 of 27 are proven empty." in said
    assert "Proven for limits wider by the solver&#39;s tolerance" in said
    assert proven_part(Findings.none(PROBLEM), nobody, PROBLEM) == []
    # A design that was found later shows that the solver was wrong.
    assert "No solution can exist" not in str(proven_part(FOUND, archive(), PROBLEM))


def test_proofs_are_a_table_with_every_number_in_full() -> None:
    first, second = csv.DictReader(io.StringIO(proofs_csv(FOUND, PROBLEM)))
    assert (first["tolerance_first"], first["status"], float(first["bound"]), float(first["A1"])) == (
        "0.05", "proven", 257.0, 0.7,
    )  # fmt: skip
    assert (second["status"], second["bound"], second["gap"]) == ("infeasible", "", "")


def test_the_map_and_its_coverage_count_cells_proven_empty_as_impossible() -> None:
    shown = archive()
    occupied = set(shown.elites.cell.tolist())
    assert shown.statistics.possible == 9 + sum(cell >= 9 for cell in occupied)
    assert shown.rebin(Tolerances.same(PROBLEM, (0, 0.1))).statistics.possible == 27
    assert shown.rebin(LEVELS).statistics.possible == shown.statistics.possible
    fold = Fold.of(LEVELS)
    assert int(fold.impossible(shown).sum()) == 27 - shown.statistics.possible
    assert not fold.impossible(Archive(PROBLEM, LEVELS, shown.everything())).any()
