"""What is proven of the gallery, how a proof reads, and what happens to a solver that does not behave."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
import pytest

from mapelites.core.errors import InputError
from mapelites.problems import get
from mapelites.problems.formulas import problem_of
from mapelites.problems.suites.gallery import NAMES
from mapelites.proof import process
from mapelites.proof.proof import Proof
from mapelites.proof.prover import Prover, document_of, prove
from mapelites.proof.region import Aim, Effort, Region

QUICK = [name for name in NAMES if name != "tension-spring"]


@pytest.mark.parametrize("name", QUICK)
def test_a_design_of_the_gallery_is_proven_and_agrees_with_what_was_published(name: str) -> None:
    problem = get(name)
    proof = prove(problem, {}, seconds=20)
    assert proof.status == "proven"
    assert proof.bound is not None
    assert proof.gap is not None
    assert proof.x is not None
    assert proof.gap <= 1e-4
    values = problem.evaluate([proof.x])
    assert float(values.f[0]) == proof.f
    assert problem.feasible(values.violations)[0]
    # Published without any tolerance on equalities, or rounded in its last digit.
    slack = 2e-5 * abs(problem.best_known or 0.0)
    assert proof.bound <= (problem.best_known or 0.0) + slack


def test_a_wider_tolerance_is_proven_with_a_lower_bound() -> None:
    problem = get("welded-beam")
    exact, wider = prove(problem, {}), prove(problem, {"shear": 1360.0})
    assert exact.bound is not None
    assert wider.bound is not None
    assert wider.f is not None
    assert wider.bound < wider.f < exact.bound < 1.7249
    assert wider.f == pytest.approx(1.67215, abs=5e-5)  # 10 % more shear


@pytest.mark.parametrize("name", ["RC01", "RC02"])
def test_equalities_of_huge_sides_are_met_by_a_solution_that_we_evaluate(name: str) -> None:
    # Sides of some 1e6 must be equal to 1e-4, and more limits are all but reached than there are variables.
    problem = get(name)
    proof = prove(problem, {}, gap=1e-3)
    assert proof.status == "proven"
    assert proof.f == pytest.approx(problem.best_known, rel=1e-3)
    assert problem.feasible(problem.evaluate([proof.x]).violations)[0]


def test_tolerances_that_no_solution_meets_are_proven_infeasible() -> None:
    text = "variable x from 0 to 4\nminimise x\nsubject to\nlow: x <= 1\nhigh: x >= 2"
    problem = problem_of(text)
    assert prove(problem, {"low": 0.4, "high": 0.5}).status == "infeasible"
    assert prove(problem, [0.4, 0.7]).status == "proven"


def test_f_is_told_to_the_solver_in_its_own_size() -> None:
    # The typical f of the vessel is 15 times its best, and its first design 50 times: told so, bounds were wrong.
    problem = get("pressure-vessel")
    wider = 0.05 * (problem.constraints[2].reference or 0.0)
    proof = prove(problem, {problem.constraints[2].name: wider}, gap=1e-3)
    assert proof.status == "proven"
    assert proof.f == pytest.approx(5787.6, abs=0.1)


def test_nobody_under_the_cutoff_is_a_bound_and_not_infeasible() -> None:
    problem = get("three-bar-truss")
    region, effort = Region.up_to(problem.feasible_up_to), Effort(10)
    below = process.ask_solver(problem, document_of(problem), region, Aim(cutoff=200.0), Prover(problem).sizes, effort)
    assert not below.infeasible
    assert below.bound is not None
    assert 199.99 < below.bound < 200.0  # the best is 263.9
    above = process.ask_solver(problem, document_of(problem), region, Aim(cutoff=300.0), Prover(problem).sizes, effort)
    assert above.bound == pytest.approx(263.8958, abs=0.05)


def test_the_same_seed_and_number_of_nodes_prove_the_same() -> None:
    found = [prove(get("three-bar-truss"), {}, seconds=60, nodes=20, gap=1e-9, seed=5) for _ in range(2)]
    assert found[0].bound == found[1].bound
    assert (found[0].x, found[0].nodes) == (found[1].x, found[1].nodes)


@pytest.mark.parametrize(
    ("tolerances", "message"),
    [
        ({"nobody": 1.0}, "prove: a constraint must be one of "),
        ([1.0], "prove: there must be one tolerance for each of first, second, third, but there were 1"),
        ([-1.0, 0, 0], "prove: a tolerance must be a number from 0 on, but they were [-1.0, 0.0, 0.0]"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(tolerances: object, message: str) -> None:
    with pytest.raises(InputError) as refused:
        prove(get("three-bar-truss"), tolerances)  # type: ignore[arg-type]
    assert str(refused.value).startswith(message)


def test_a_problem_that_is_no_formulas_is_refused_in_words() -> None:
    with pytest.raises(InputError, match=r"^C01 10D cannot be proven, because it is not written as formulas$"):
        prove(get("C01", 10), {})


def test_a_solver_that_hangs_costs_its_question_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mapelites.proof.solver.solve", lambda *given: time.sleep(600))
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.1)
    proof = prove(get("three-bar-truss"), {}, seconds=0.1)
    assert (proof.status, proof.bound) == ("gave up", None)
    assert proof.reason == "the solver did not stop in its time and was ended"


def test_a_solver_that_dies_costs_its_question_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mapelites.proof.solver.solve", lambda *given: os.kill(os.getpid(), signal.SIGKILL))
    proof = prove(get("three-bar-truss"), {})
    assert (proof.status, proof.reason) == ("gave up", "the solver died (SIGKILL)")


def test_without_the_solver_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "available", lambda: False)
    with pytest.raises(InputError, match=r"^proofs need the package pyscipopt, which is not installed: pip install "):
        prove(get("three-bar-truss"), {})


def test_a_proof_is_read_back_as_it_was() -> None:
    proof = Proof((0.5, np.inf), "proven", 1.6, 1.7, (0.1, 0.2), (1e-7, 1e-7), 0.5, 12, "")
    assert Proof.from_value(proof.as_value()) == proof
    assert proof.gap == pytest.approx(0.1 / 1.7)
    assert proof.covers(np.array([0.5, 9.0]))
    assert not proof.covers(np.array([0.6, 0.0]))
    with pytest.raises(InputError, match="the status of a proof must be one of proven, bound, infeasible, gave up"):
        Proof((0.5,), "sure", 1.6, 1.7, None, (1e-7,), 0.5, 12)  # type: ignore[arg-type]
