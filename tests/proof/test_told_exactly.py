"""What the solver is told has, at every point, the value that we compute; and its answers mean what was asked."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mapelites.problems.formulas import problem_of
from mapelites.proof.prover import document_of
from mapelites.proof.region import Aim, Effort, Region, Sizes, typical_sizes
from mapelites.proof.solved import Solved
from mapelites.proof.terms import UnprovableError

pytest.importorskip("pyscipopt")
from mapelites.proof.solver import SAFETY, solve
from mapelites.proof.translation import translate

NEAR = 1e-6
EFFORT = Effort(seconds=20, gap=1e-6)

# Each formula with the bounds of x and of y, and where they are looked at.
HERE, POSITIVE = ("from 0 to 1", "from -2 to 3"), ("from 0.2 to 2", "from 0.5 to 3")
WIDE, WHOLE = ("from -3 to 4", "from -5 to 2"), ("from -3 to 4 integer", "from 0 to 3 step 0.4")
FORMULAS = {
    "a sum": ("2*x - 3*y + 0.5 - x/4", HERE), "a product": ("x*y*3 - (x + 1)*(y - 2)", HERE),
    "a quotient": ("(x + 2)/(y + 4) - 1/(x + 1) + y/3", HERE), "a quotient of sums": ("2/(x^2 + x + 0.1)", HERE),
    "a quotient of a sum below 0": ("y/(x - 2.5)", HERE),
    "a let": ("t*u - t^2 + 2/u", POSITIVE), "signs": ("-(-(x - (1 - y))) - -x", HERE),
    "powers": ("x^2 + y^3 - x^4*y + y^5", WIDE), "broken powers": ("x^1.5 + y^-0.5 - x^-2 + x^0.25", POSITIVE),
    "powers of 0 and 1": ("x^0 + y^1 + 1^x + 2^0", HERE), "varying powers": ("x^y + 2^(x - y) + 0.3^x", POSITIVE),
    "a power whose base may be 0": ("x^(y + 3)", HERE),
    "roots": ("sqrt(x + y) - 2*sqrt(x*y)", POSITIVE), "logarithms": ("log(x) - ln(y)*2 + log10(x + y)", POSITIVE),
    "exponentials": ("exp(x - y) - exp(-2*x)", HERE), "waves": ("sin(3*x)*cos(y) - tan(x/3)", WIDE),
    "tangents beside": ("tan(x + 1.8)", HERE), "arcs": ("asin(x)*2 - acos(y/4) + atan(3*y)", HERE),
    "arcs of less": ("acos(x/5) + asin(y/6) + atan(x)", WIDE),
    "angles": ("atan2(y, x) + atan2(x, 2) - atan2(-1, y - 4)", WIDE),
    "hyperbolic": ("sinh(x) - cosh(y)*2 + tanh(x - y)", WIDE),
    "distances": ("abs(x - y) - 2*abs(x) + abs(y - 9)", WIDE),
    "smaller": ("min(x, y) - 2*min(y, x, 1)", WIDE), "larger": ("max(x, y) - 2*max(y, x, 1)", WIDE),
    "smaller for sure": ("min(x, 7) + min(9, y) - min(x, -7)", WIDE),
    "larger for sure": ("max(x, -7) + max(-9, y) - max(x, 7)", WIDE),
    "rounding": ("floor(2*x + 0.31) - ceil(y*1.7 - 0.2)*3", WIDE),
    "signs of values": ("sign(x - 0.55) + 3*sign(y) + sign(x + 9) - 5*sign(x - 9)", WIDE),
    "constants": ("pi*x - e*y + sin(pi/7) + log10(1000)", HERE),
    "whole numbers": ("x*y - x^2 + 2^x + 1/(y + 1)", WHOLE),
    "small numbers": ("2e-9*x - 3e-11*y", HERE), "large numbers": ("3e8*x^2 - 5e9*y", HERE),
}  # fmt: skip
PLACES = ((0.3, 0.6), (0.62, 2.0), (0.9, 1.2))
FAR = ("from 2e-12 to 5e-11", "from 1e7 to 4e9")
FAR_PLACES = ((3e-12, 2e7), (4e-11, 3.3e9))
FAR_FORMULAS = {
    "a product of far numbers": "x*y", "a quotient of far numbers": "1/(x*y) + 2", "a sum in one size": "x*3e19 - y",
    "a root of far numbers": "sqrt(y) - 1e8*sqrt(x)", "powers of far numbers": "y^2*1e-18 + 1e-12/x + (y/1e9)^0.5",
    "logarithms of far numbers": "log(x) + log10(y)", "a distance of far numbers": "abs(1e9 - y)/1e7",
    "smaller of far numbers": "min(1e20*x, y)/1e8", "larger of far numbers": "max(2e9, y) - max(1e20*x, y)",
    "a wave of far numbers": "sin(y/1e9) + exp(-x*1e11) + (y/1e8)^(x*1e11)",
}  # fmt: skip


def ours_and_theirs(formula: str, x: str, y: str, place: tuple[float, float]) -> tuple[float, float, float]:
    """Our value at a place, and the least and the most that the solver has there."""
    lines = (f"variable x {x}", f"variable y {y}", "let t = 3*x - 1", "let u = y + 2", "minimise x", "subject to")
    problem = problem_of("\n".join((*lines, f"    c: {formula} <= 0.25")))
    at = problem.rounded([place])[0]
    ours, ends = float(problem.evaluate(at[None]).g[0, 0]), []
    for sign in (1.0, -1.0):
        told = translate(problem, document_of(problem))
        for (variable, offset, factor), value in zip(told.variables, at, strict=True):
            told.model.addCons(variable == (value - offset) / factor)
        z = told.model.addVar(lb=None)
        told.model.addCons(z - sign * told.constraints[0].in_size(abs(ours)) >= 0.0)
        told.model.setObjective(z)
        told.model.optimize()
        ends.append(sign * told.model.getObjVal() * abs(ours))
    return ours, ends[0], ends[1]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_has_the_value_that_we_compute(name: str) -> None:
    formula, bounds = FORMULAS[name]
    for place in PLACES:
        ours, least, most = ours_and_theirs(formula, *bounds, place)
        assert least == pytest.approx(ours, rel=NEAR, abs=NEAR)
        assert most == pytest.approx(ours, rel=NEAR, abs=NEAR)


@pytest.mark.parametrize("name", FAR_FORMULAS)
def test_a_formula_of_tiny_and_huge_numbers_has_the_value_that_we_compute(name: str) -> None:
    for place in FAR_PLACES:
        ours, least, most = ours_and_theirs(FAR_FORMULAS[name], *FAR, place)
        assert least == pytest.approx(ours, rel=NEAR)
        assert most == pytest.approx(ours, rel=NEAR)


@pytest.mark.parametrize("name", [*FORMULAS, *FAR_FORMULAS])
def test_the_interval_of_a_formula_holds_its_values_and_no_more_than_need_be(name: str) -> None:
    formula, (x, y) = (FAR_FORMULAS[name], FAR) if name in FAR_FORMULAS else FORMULAS[name]
    lines = (f"variable x {x}", f"variable y {y}", "let t = 3*x - 1", "let u = y + 2", "minimise x", "subject to")
    problem = problem_of("\n".join((*lines, f"    c: {formula} <= 0")))
    points = np.random.default_rng(3).uniform(problem.lower, problem.upper, (2000, 2))
    g = problem.evaluate(problem.rounded(points)).g[:, 0]
    term = translate(problem, document_of(problem)).constraints[0]
    assert term.interval.low <= np.nanmin(g)
    assert np.nanmax(g) <= term.interval.high
    assert term.stepped == ("integer" in x or name in ("rounding", "signs of values"))
    if term.interval.bounded:
        assert term.interval.high - term.interval.low <= 8 * (np.nanmax(g) - np.nanmin(g))


@pytest.mark.parametrize(
    ("formula", "bounds", "reason"),
    [
        ("tan(4*x)", HERE, "tan in `c`"),
        ("sinh(41*x)", HERE, "sinh in `c`"),
        ("cosh(41*x)", HERE, "cosh in `c`"),
        ("tanh(21*x)", HERE, "tanh in `c`"),
        ("exp(41*x)", HERE, "exp in `c`"),
        ("floor(1/x)", HERE, "floor in `c`"),
        ("ceil(1/x)", HERE, "ceil in `c`"),
        ("sign(1/y)", HERE, "sign in `c`"),
        ("atan2(1/x, y)", HERE, "atan2 in `c`"),
        ("atan2(y, 1/x)", HERE, "atan2 in `c`"),
        ("y^x", HERE, "a power whose exponent varies and whose base may be 0 or less in `c`"),
        ("floor(x*3)^(y + 3)", HERE, "a power whose exponent varies and whose base may be 0 or less in `c`"),
        ("x^y", HERE, "a power whose exponent varies and whose base may be 0 or less in `c`"),
        ("min(1/x, 5)", WHOLE, "what may be infinite for some whole values in `c`"),
        ("1/(1/x + 2)", WHOLE, "what may be infinite for some whole values in `c`"),
        ("(1/x)^-2", WHOLE, "what may be infinite for some whole values in `c`"),
        ("2^(1/x)", WHOLE, "what may be infinite for some whole values in `c`"),
        ("min(1/sign(x), 5)", WIDE, "what may be infinite for some whole values in `c`"),
        ("min(1/ceil(x), 5)", WIDE, "what may be infinite for some whole values in `c`"),
        ("1/(1 + (x + 1e5)^4)", HERE, "values that may be above 1e+19 in `c`"),
        ("1 - (x + 1e5)^4", HERE, "values that may be above 1e+19 in `c`"),
        ("(x + 1e5)^4 + (y + 1e5)^4", HERE, "values that may be above 1e+19 in `c`"),
        ("-2*(x + 1e5)^4", HERE, "values that may be above 1e+19 in `c`"),
        ("sqrt((x + 1e5)^4)", HERE, "values that may be above 1e+19 in `c`"),
        ("y*(x + 1e5)^4", HERE, "values that may be above 1e+19 in `c`"),
        ("(x + 2)^999 - (x + 2)^998", HERE, "values that may be above 1e+19 in `c`"),
    ],
)
def test_what_the_solver_cannot_be_told_is_refused(formula: str, bounds: tuple[str, str], reason: str) -> None:
    x, y = bounds
    problem = problem_of(f"variable x {x}\nvariable y {y}\nminimise x\nsubject to\n    c: {formula} <= 0.25")
    with pytest.raises(UnprovableError) as refused:
        translate(problem, document_of(problem))
    assert str(refused.value) == f"cannot be proven, because of {reason}"


@pytest.mark.parametrize(
    "formula", ["tan(0.7*x)", "sinh(39*x)", "cosh(39*x)", "tanh(19*x)", "exp(39*x)", "x^(y + 2.1)",
                "2*(x + 1e5)^4/3 + y", "1/x", "log(x)", "1/(1/x + 1/(y + 3))", "x^-2 + y", "floor(x + 1e6)"],
)  # fmt: skip
def test_what_the_solver_can_be_told_is_not_refused(formula: str) -> None:
    text = f"variable x from 0 to 1\nvariable y from -2 to 3\nminimise x\nsubject to\n    c: {formula} <= 0.25"
    problem = problem_of(text)
    told = translate(problem, document_of(problem)).constraints[0]
    assert told.huge == (formula == "2*(x + 1e5)^4/3 + y")


LINE = """
variable x from -10 to 10
variable y from -4 to 6
minimise 3*x + 1
subject to
    low: x >= 2
    total: x + 2*y = 4
"""


def answer(region: Region, aim: Aim | None = None, text: str = LINE, sizes: Sizes | None = None) -> Solved:
    problem = problem_of(text)
    return solve(problem, document_of(problem), region, aim or Aim(), sizes or typical_sizes(problem), EFFORT)


def bound(region: Region, aim: Aim | None = None, text: str = LINE, sizes: Sizes | None = None) -> float:
    found = answer(region, aim, text, sizes)
    assert found.bound is not None
    return found.bound


ANY = -math.inf


def test_tolerances_widen_limits_by_as_much_as_they_say() -> None:
    assert bound(Region((ANY, ANY), (0.0, 0.0))) == pytest.approx(7.0, abs=1e-4)
    assert bound(Region((ANY, ANY), (0.5, 0.0))) == pytest.approx(5.5, abs=1e-4)
    # x = 4 - 2 y + h is least where y is 6: -8, and an equality gives way to both sides.
    assert bound(Region((ANY, ANY), (math.inf, 0.25))) == pytest.approx(-23.75, abs=1e-4)
    most = LINE.replace("minimise", "maximise").replace("x >= 2", "x <= 12")
    assert bound(Region((ANY, ANY), (0.0, 0.0)), text=most) == pytest.approx(-31.0, abs=1e-4)
    assert bound(Region((ANY, ANY), (math.inf, 0.25)), text=most.replace("-4 to", "-1 to")) == pytest.approx(
        -19.75, abs=1e-4
    )


def test_violations_can_be_asked_to_be_above_something() -> None:
    # low is broken by 1 to 3, total by more than 2.
    assert bound(Region((1.0, 2.0), (3.0, math.inf))) == pytest.approx(-2.0, abs=1e-4)
    assert answer(Region((12.5, ANY), (13.0, math.inf))).infeasible
    free = Region((ANY, 27.0), (math.inf, math.inf))  # x + 2 y is 4 - 27 or less, or 4 + 27 or more: never
    assert answer(free).infeasible
    assert bound(Region((ANY, 21.9), (math.inf, math.inf))) == pytest.approx(-29.0, abs=1e-3)
    assert bound(Region((ANY, 12.0), (0.0, math.inf))) == pytest.approx(13.0, abs=1e-3)  # x = 4 + 12 - 2*6


def test_what_depends_on_nothing_holds_or_not() -> None:
    text = "variable x from 1 to 2\nminimise x\nsubject to\n    a: x^0 + 2 <= 2.5\n    b: x <= 3"
    assert not answer(Region((ANY, ANY), (0.5, 0.0)), text=text).infeasible
    assert answer(Region((ANY, ANY), (0.4, 0.0)), text=text).infeasible
    assert not answer(Region((0.4, ANY), (math.inf, 0.0)), text=text).infeasible
    assert answer(Region((0.6, ANY), (math.inf, 0.0)), text=text).infeasible


def test_a_bound_is_taken_back_by_the_solvers_tolerance_and_in_the_size_of_f() -> None:
    sizes = Sizes(1000.0, (1.0, 1.0))
    found = bound(Region((ANY, ANY), (0.0, 0.0)), sizes=sizes)
    assert 7.0 - 3.1e-3 < found < 7.0 - 0.9 * SAFETY * 1000.0
    margins = bound(Region((ANY, ANY), (0.0, 0.0)), sizes=Sizes(7.0, (1e4, 1.0)))
    assert margins == pytest.approx(7.0 - 3.0 * 1e-7 * 1e4, abs=1e-3)


def test_a_cutoff_is_a_bound_where_nobody_is_under_it() -> None:
    region = Region((ANY, ANY), (0.0, 0.0))
    below = answer(region, Aim(cutoff=6.0))
    assert (below.infeasible, below.points) == (False, ())
    assert below.bound == pytest.approx(6.0, abs=1e-3)
    assert below.bound is not None
    assert below.bound < 6.0
    above = answer(region, Aim(cutoff=8.0))
    assert above.bound == pytest.approx(7.0, abs=1e-3)
    assert above.value == pytest.approx(7.0, abs=1e-3)
    assert above.points[0][0] == pytest.approx(2.0, abs=1e-4)


def test_the_least_relaxation_is_shared_out_by_weights() -> None:
    text = LINE.replace("x >= 2", "x >= 12")
    region = Region((ANY, ANY), (0.0, 30.0))
    assert bound(region, Aim("relaxation", weights=(1.0, 0.0)), text) == pytest.approx(2.0, abs=1e-4)
    assert bound(region, Aim("relaxation", weights=(4.0, 0.0)), text) == pytest.approx(0.5, abs=1e-4)
    tight = Region((ANY, ANY), (0.0, 0.0))
    text = text.replace("-4 to 6", "-1 to 6")  # x is 6 + |h| at most
    assert bound(tight, Aim("relaxation", weights=(1.0, 1.0)), text) == pytest.approx(3.0, abs=1e-4)
    assert bound(tight, Aim("relaxation", weights=(1.0, 2.0)), text) == pytest.approx(2.0, abs=1e-4)


def test_a_sum_of_constraints_is_made_small() -> None:
    anywhere = Region((ANY, ANY), (math.inf, math.inf))
    # low is 2 - x, total x + 2 y - 4.
    assert bound(anywhere, Aim("sum", coefficients=(1.0, 0.0))) == pytest.approx(-8.0, abs=1e-3)
    assert bound(anywhere, Aim("sum", coefficients=(1.0, 2.0))) == pytest.approx(-32.0, abs=1e-3)
    assert bound(anywhere, Aim("sum", coefficients=(-2.0, -1.0))) == pytest.approx(-22.0, abs=1e-3)


def test_feasibility_alone_is_asked_without_a_value() -> None:
    assert not answer(Region((ANY, ANY), (0.0, 0.0)), Aim("feasibility")).infeasible
    text = LINE.replace("x >= 2", "x >= 12")
    assert answer(Region((ANY, ANY), (1.9, math.inf)), Aim("feasibility"), text).infeasible
    assert not answer(Region((ANY, ANY), (2.0, math.inf)), Aim("feasibility"), text).infeasible


def test_whole_numbers_and_steps_take_only_their_values() -> None:
    def least(variable: str, objective: str) -> float:
        text = f"variable x {variable}\nminimise {objective}\nsubject to\n    c: x <= 99"
        return bound(Region((ANY,), (0.0,)), text=text)

    assert least("from 0 to 1 step 0.4", "(x - 0.6)^2") == pytest.approx(0.04, abs=1e-5)
    assert least("from 0 to 3 integer", "(x - 1.4)^2") == pytest.approx(0.16, abs=1e-5)
    assert least("from 1 to 6.5 step 3", "(x - 7.1)^2") == pytest.approx(3.1**2, abs=1e-4)
    assert least("from 1 to 7 step 3", "(x - 7.1)^2") == pytest.approx(0.01, abs=1e-5)
    assert least("from 0.5 to 4.5 step 1", "(x - 2)^2") == pytest.approx(0.25, abs=1e-5)
    assert least("from -5 to -2 integer", "(x + 0.3)^2") == pytest.approx(1.7**2, abs=1e-4)
    assert least("from -5 to -2 integer", "-(x + 0.3)^2") == pytest.approx(-(4.7**2), abs=1e-4)
    assert least("from 0 to 1 step 0.1", "-x") == pytest.approx(-1.0, abs=1e-5)
    assert least("from 1e-12 to 9e-12 step 2e-12", "1e24*(x - 4.6e-12)^2") == pytest.approx(0.16, abs=1e-5)
