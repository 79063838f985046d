"""Each function of the language means to the solver what it means to us, or is refused in words."""

from __future__ import annotations

import numpy as np
import pytest

from mapelites.problems.formulas import problem_of
from mapelites.problems.formulas.functions import FUNCTIONS
from mapelites.proof.process import ask_solver
from mapelites.proof.prover import document_of, prove
from mapelites.proof.region import Aim, Effort, Region, Sizes
from mapelites.proof.solved import Solved
from mapelites.proof.terms import UnprovableError

NEAR = 1e-4
PLACES = (0.3, 0.62)
EFFORT = Effort(seconds=10, nodes=50, gap=1e-6)
FORMULAS = {name: f"{name}(x)" for name, function in FUNCTIONS.items() if function.arguments == 1}
FORMULAS |= {name: f"{name}(x, 0.45)" for name, function in FUNCTIONS.items() if function.arguments != 1}
FORMULAS |= {
    "numbers": "2*x - 3/7 + (-x)", "quotient": "2/(3*x - 0.2) - x/4", "power": "x^3 - x^-1.5 + x^0 + 2^x",
    "constants": "pi*x - e + sin(pi/7)", "let": "t^2 - t", "nested": "-(-(x - (1 - x)))", "of a sum": "x/(x^2 + x)",
}  # fmt: skip


def one(formula: str, low: float, high: float, comparison: str = "<=", further: str = "") -> Solved:
    """The least raw value of one constraint between two places."""
    text = f"""
variable x from {low!r} to {high!r} {further}
let t = 3*x - 1
minimise x
subject to
    c: {formula} {comparison} 0.25
"""
    problem = problem_of(text)
    assert problem.evaluate([[low]]).g.shape == (1, 1)
    region, sizes = Region.up_to(np.array([np.inf])), Sizes(1.0, (1.0,))
    return ask_solver(problem, document_of(problem), region, Aim("sum", coefficients=(1.0,)), sizes, EFFORT)


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_has_the_same_value_for_the_solver_and_for_us(name: str) -> None:
    for place in PLACES:
        text = f"variable x from 0 to 1\nlet t = 3*x - 1\nminimise x\nsubject to\nc: {FORMULAS[name]} <= 0.25"
        ours = float(problem_of(text).evaluate([[place]]).g[0, 0])
        least = one(FORMULAS[name], place - NEAR, place + NEAR).bound
        most = one(FORMULAS[name], place - NEAR, place + NEAR, ">=").bound
        assert least is not None
        assert most is not None
        assert least <= ours <= -most
        assert -most - least < 0.02


def test_a_step_and_a_whole_number_take_only_their_values() -> None:
    # The least of (x - 0.6)^2 on the grid 0, 0.4, 0.8 is 0.04; without the grid it would be 0.
    assert one("(x - 0.6)^2", 0.0, 1.0, further="step 0.4").bound == pytest.approx(0.04 - 0.25, abs=1e-4)
    assert one("(x - 1.4)^2", 0.0, 3.0, further="integer").bound == pytest.approx(0.16 - 0.25, abs=1e-4)
    assert one("(x - 7.1)^2", 1.0, 6.5, further="step 3").bound == pytest.approx(3.1**2 - 0.25, abs=1e-4)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("tan(4*x)", "cannot be proven, because of tan in `c`"),
        ("sinh(90*x)", "cannot be proven, because of sinh in `c`"),
        ("(x - 0.5)^x", "cannot be proven, because of a power whose exponent varies and whose base may be 0 or less in "
         "`c`"),
        ("floor(1/x)", "cannot be proven, because of floor in `c`"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_exactly_is_refused_with_its_reason_and_place(formula: str, message: str) -> None:
    with pytest.raises(UnprovableError) as refused:
        one(formula, 0.0, 1.0)
    assert str(refused.value) == message


def test_a_refusal_inside_a_definition_names_the_definition() -> None:
    text = "variable x from 0 to 3\nlet tau = 1 + tan(x)\nminimise x\nsubject to\nc: 2*tau <= 4"
    with pytest.raises(UnprovableError, match=r"^cannot be proven, because of tan in `tau`$"):
        prove(problem_of(text), {})


def test_what_jumps_at_a_whole_value_is_refused() -> None:
    # At k = 0 our value is min(inf, 5) = 5, which the solver would leave out.
    text = "variable k from 0 to 3 integer\nminimise min(1/k, 5) + k\nsubject to\nc: k <= 2"
    message = "^cannot be proven, because of what may be infinite for some whole values in the objective$"
    with pytest.raises(UnprovableError, match=message):
        prove(problem_of(text), {})
