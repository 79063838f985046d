"""Which cells are proven empty, which questions follow from others, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mapelites.core.archive import Elites
from mapelites.core.problem import Problem
from mapelites.core.tolerances import Tolerances
from mapelites.problems import get
from mapelites.problems.formulas import problem_of
from mapelites.proof.cells import EmptyCells, find_empty
from mapelites.proof.lattice import is_decided, lattice_questions, price_questions, prove_all, without_refuted
from mapelites.proof.proof import CONTRADICTED, Proof, Status
from mapelites.proof.proofs import Proofs
from mapelites.proof.prover import Prover
from mapelites.proof.region import Effort
from mapelites.proof.words import bound_of, coverage_sentence, with_bound

EFFORT = Effort(seconds=10, gap=1e-3)
LENS = """
variable x from -2 to 2
variable y from -2 to 2
minimise x + y^2
subject to
    left: (x + 0.7)^2 + y^2 <= 1
    right: (x - 0.7)^2 + y^2 <= 1
    above: y >= 0.2
"""


def sampled(problem: Problem, points: int = 400) -> Elites:
    """Everything on a fine grid in two variables."""
    axes = [np.linspace(low, high, points) for low, high in zip(problem.lower, problem.upper, strict=True)]
    x = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    values = problem.evaluate(x)
    finite = np.isfinite(np.column_stack([values.f, values.g, values.h])).all(axis=1)
    zeros = np.zeros(len(x), dtype=np.int64)
    return Elites(x, values.f, values.g, values.h, zeros, np.full(len(x), "grid", dtype="U16")).rows(finite)


@pytest.mark.parametrize(
    ("problem", "levels"), [(problem_of(LENS), (0, 0.1, 0.5)), (get("three-bar-truss"), (0, 0.05))]
)
def test_in_two_variables_every_cell_is_occupied_or_proven_empty_and_none_wrongly(
    problem: Problem, levels: tuple[float, ...]
) -> None:
    tolerances = Tolerances.same(problem, levels)
    everything = sampled(problem)
    few = everything.rows(np.arange(0, len(everything), 997))  # what a short search may know
    prover = Prover(problem, few)
    empty = find_empty(prover, tolerances, EFFORT, seconds=60)
    assert empty.open == 0
    assert empty.occupied + empty.cells == tolerances.cells
    assert empty.possible == empty.occupied
    assert not empty.holds(tolerances.bins(everything.violations)).any()
    assert len(prover.found) > 0  # the solver fills cells on the way
    assert coverage_sentence(empty).startswith(f"{empty.occupied} of the {empty.occupied} cells that can exist are ")


def test_a_hard_constraint_has_no_cells_where_it_is_broken() -> None:
    problem = problem_of(LENS)
    tolerances = Tolerances.of(problem, {"left": [0.5], "right": [0.5]}, hard=("above",))
    empty = find_empty(Prover(problem), tolerances, EFFORT, seconds=60)
    assert (empty.tolerances.cells, empty.open) == (9, 0)
    everything = sampled(problem)
    inside = everything.violations[everything.violations[:, 2] <= 0]
    assert empty.occupied == len(np.unique(tolerances.bins(inside), axis=0))


def test_no_time_leaves_cells_open_and_says_so() -> None:
    problem = problem_of(LENS)
    empty = find_empty(Prover(problem), Tolerances.same(problem, (0, 0.1)), EFFORT, seconds=0)
    assert (empty.cells, empty.open) == (0, 27)
    assert coverage_sentence(empty) == "0 of at most 27 cells that can exist are filled; 0 of 27 are proven empty."


def test_a_whole_lattice_is_proven_with_few_questions_to_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(LENS)
    tolerances = Tolerances.same(problem, (0, 0.1, 0.2, 0.5))
    prover, calls = Prover(problem), []
    ask = prover.ask
    monkeypatch.setattr(prover, "ask", lambda *given: calls.append(1) or ask(*given))
    questions = lattice_questions(problem, tolerances)
    proofs = prove_all(prover, questions, EFFORT, seconds=60)
    everything = sampled(problem)
    assert len(questions) == 64
    assert len(calls) < 64
    for question in questions:
        assert is_decided(prover, proofs, question, EFFORT.gap)
        best = everything.f[(everything.violations <= question).all(axis=1)].min()
        bound = proofs.bound(question)
        assert bound is not None
        assert bound <= best <= bound + 0.02 * max(1.0, abs(bound))


def test_the_price_table_asks_for_each_constraint_and_each_pair() -> None:
    problem = problem_of(LENS)
    tolerances = Tolerances.of(problem, {"left": [0.1, 0.5], "right": [0.5]}, hard=("above",))
    rows = {tuple(each) for each in price_questions(problem, tolerances)}
    assert rows == {(0, 0, 0), (0.1, 0, 0), (0.5, 0, 0), (0, 0.5, 0), (0.5, 0.5, 0)}


def test_what_holds_for_a_wide_question_holds_for_a_narrow_one_and_not_the_other_way() -> None:
    wide = Proof((1.0, 1.0), "proven", 1.6, 1.7, None, (0.0, 0.0), 0.1, 1)
    narrow = Proof((0.0, 1.0), "infeasible", None, None, None, (0.0, 0.0), 0.1, 1)
    proofs = Proofs((wide, narrow))
    assert proofs.bound(np.array([0.5, 0.5])) == 1.6
    assert proofs.bound(np.array([1.5, 0.5])) is None
    assert proofs.infeasible(np.array([0.0, 0.0]))
    assert not proofs.infeasible(np.array([0.5, 0.5]))
    assert proofs.gap(np.array([0.5, 0.5]), 2.0) == pytest.approx(0.2)
    assert len(proofs.and_([wide])) == 2


def asked(status: Status, bound: float | None, f: float | None, reason: str = "") -> Proof:
    return Proof((1.0,), status, bound, f, None if f is None else (f,), (0.0,), 0.1, 1, reason)


def test_of_two_proofs_of_one_question_the_best_of_both_holds_unless_they_disagree() -> None:
    good = asked("proven", 1.6, 1.6)
    for later in (asked("gave up", None, None, "the solver died"), asked("bound", 1.2, 1.6), asked("bound", 1.2, None)):
        assert Proofs((good,)).and_([later]).each == (good,)
        assert Proofs((later,)).and_([good]).each == (good,)
    assert Proofs((asked("bound", 1.5, 1.9),)).and_([asked("bound", 1.2, 1.7)]).each == (asked("bound", 1.5, 1.7),)
    nobody = asked("infeasible", None, None)
    assert Proofs((nobody,)).and_([asked("bound", 1.2, None)]).each == (nobody,)
    for one, other in ((nobody, good), (good, nobody), (good, asked("bound", 1.2, 1.5))):
        (both,) = Proofs((one,)).and_([other]).each
        assert (both.status, both.bound, both.reason) == ("gave up", None, CONTRADICTED)
        assert Proofs((both,)).and_([asked("bound", 1.2, 1.5)]).bound(np.array([0.0])) == 1.2


def test_a_solution_that_is_found_later_refutes_what_was_proven() -> None:
    proofs = Proofs((asked("proven", 1.6, 1.6), replace(asked("bound", 1.1, 1.6), tolerances=(2.0,))))
    at = np.array([1.0])
    assert (proofs.bound(at), proofs.bound(at, f=1.5)) == (1.6, 1.1)
    assert proofs.gap(at, 1.5) == pytest.approx(0.4 / 1.5)
    problem = problem_of("variable x from 0 to 9\nminimise x\nsubject to\nleast: x >= 2")
    prover = Prover(problem)
    prover.add(np.array([1.5]))
    (wrong, right) = without_refuted(prover, proofs).each
    assert (wrong.status, wrong.f, wrong.reason, right.bound) == ("gave up", 1.5, CONTRADICTED, 1.1)


def test_constraints_that_share_an_axis_are_asked_together_and_told_together() -> None:
    problem = problem_of(LENS)
    tolerances = Tolerances.of(problem, {"sides": [0.1, 0.5], "above": [0.2]}, groups={"sides": ["left", "right"]})
    rows = {tuple(each) for each in price_questions(problem, tolerances)}
    sides = tolerances.names.index("sides")
    assert {(row[0], row[1]) for row in rows} == {(0, 0), (0.1, 0.1), (0.5, 0.5)}
    prover = Prover(problem)
    proofs = prove_all(prover, rows, EFFORT, seconds=60)
    by_axis = proofs.by_axis(tolerances)
    asked_by_axis = np.zeros(2)
    asked_by_axis[sides] = 0.5
    assert by_axis.bound(asked_by_axis) == proofs.bound(tolerances.by_constraint(asked_by_axis))
    cells = find_empty(prover, tolerances, EFFORT, seconds=60)
    bins = np.unique(tolerances.bins(sampled(problem).violations), axis=0)
    assert not cells.holds(bins).any()
    assert cells.open + cells.cells + cells.occupied == tolerances.cells
    assert cells.occupied >= len(bins)
    assert EmptyCells.from_value(cells.as_value()) == cells


def test_an_answer_is_told_with_its_bound() -> None:
    problem = get("welded-beam")
    proofs = Proofs((Proof((1360.0,) * 7, "bound", 1.67221, None, None, (0.0,) * 7, 0.1, 1),))
    assert with_bound(problem, 1.67301, proofs, np.zeros(7)) == "1.6730, nobody below 1.6722 (0.05 %)"
    assert with_bound(problem, 1.67301, Proofs(), np.zeros(7)) == ""
    assert bound_of(problem, 1.67301, proofs, np.zeros(7)) == "nobody below 1.6722 (0.05 %)"
    assert bound_of(problem, None, proofs, np.zeros(7)) == ""
    nobody = Proofs((Proof((0.0,) * 7, "infeasible", None, None, None, (0.0,) * 7, 0.1, 1),))
    assert bound_of(problem, None, nobody, np.zeros(7)) == "no solution can exist"
