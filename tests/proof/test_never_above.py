"""A bound is never above a solution that exists, whatever the formulas are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mapelites.core.archive import Elites
from mapelites.core.problem import Problem
from mapelites.problems.formulas import FormulaError, problem_of
from mapelites.proof.process import ask_solver
from mapelites.proof.prover import Prover, document_of, prove
from mapelites.proof.region import Aim, Effort, Region
from mapelites.proof.solved import Solved
from mapelites.proof.terms import UnprovableError
from tests.proof.random_formulas import texts

EFFORT = Effort(seconds=10, nodes=30, gap=1e-3)
SAMPLES = 20_000


def sampled(problem: Problem, samples: int = SAMPLES) -> tuple[np.ndarray, np.ndarray]:
    """Values of f and violations at random points, those with a number everywhere."""
    x = np.random.default_rng(7).uniform(problem.lower, problem.upper, (samples, problem.dimension))
    values = problem.evaluate(x)
    finite = np.isfinite(np.column_stack([values.f, values.g, values.h])).all(axis=1)
    return values.f[finite], values.violations[finite]


def solved(problem: Problem, region: Region) -> Solved:
    prover = Prover(problem)
    return ask_solver(problem, document_of(problem), region, Aim(), prover.sizes, EFFORT)


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(text=texts(), tolerance=st.sampled_from((0.0, 0.3)))
def test_no_random_point_within_the_tolerances_is_below_the_bound(text: str, tolerance: float) -> None:
    try:
        problem = problem_of(text)
        found = solved(problem, Region.up_to(np.full(2, tolerance)))
    except (FormulaError, UnprovableError):
        return
    f, violations = sampled(problem)
    inside = f[(violations <= tolerance).all(axis=1)]
    assert not (found.infeasible and inside.size)
    if found.bound is not None and inside.size:
        assert found.bound <= inside.min()


# Each formula with its variables' bounds: where it is small is found by looking everywhere.
TWO_VARIABLES = {
    "arithmetic": "(x - 1)^2*y/3 - 2*x*y + x/(y + 3) - 1/x",
    "roots": "sqrt(x + y) - 2*sqrt(x)*y + (x + 0.1)^1.5",
    "powers": "x^y - y^x + 2^(x - y) - x^-2",
    "exponentials": "exp(x - y)/3 - log(x)*log10(y + 1) - ln(y + 2)",
    "waves": "sin(3*x)*cos(2*y) + tan(x/3 - y/4)",
    "inverse waves": "asin(x/3)*acos(y/3) - atan(2*x - 3*y) + atan2(y - 1, x - 2)",
    "hyperbolic": "sinh(x - 2) - cosh(y - 1.5) - 3*tanh(x*y - 2)",
    "corners": "abs(x - 1.3) - max(x, y, 1.6) + 2*min(x, 2*y, 1.2) - max(x, 5)",
    "steps": "floor(2*x)*0.7 - ceil(3*y) + sign(x - y - 0.5) + x*y/9 + sign(x + 9)",
}


def text_of(objective: str, word: str = "minimise", y: str = "") -> str:
    return f"""
variable x from 0.55 to 2.9
variable y from 0.4 to 2.9 {y}
{word} {objective}
subject to
    sum: x + y <= 4
    ring: (x - 2)^2 + (y - 2)^2 >= 0.3
"""


def on_grid(problem: Problem, tolerances: np.ndarray, points: int = 700) -> float:
    """The least f within tolerances, by looking everywhere in two variables."""
    axes = [np.linspace(low, high, points) for low, high in zip(problem.lower, problem.upper, strict=True)]
    values = problem.evaluate(np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2))
    return float(values.f[(values.violations <= tolerances).all(axis=1)].min())


@pytest.mark.parametrize("word", ["minimise", "maximise"])
@pytest.mark.parametrize("name", TWO_VARIABLES)
def test_in_two_variables_the_bound_is_where_looking_everywhere_finds_the_best(name: str, word: str) -> None:
    problem = problem_of(text_of(TWO_VARIABLES[name], word, y="step 0.25" if name == "arithmetic" else ""))
    tolerances = np.array([0.2, 0.05])
    best = on_grid(problem, tolerances)
    found = ask_solver(
        problem,
        document_of(problem),
        Region.up_to(tolerances),
        Aim(),
        Prover(problem).sizes,
        Effort(seconds=20, nodes=3000, gap=1e-3),
    )
    assert found.bound is not None
    assert found.bound <= best
    assert found.bound > best - (0.03 + 0.02 * abs(best))


def test_a_bound_above_a_solution_that_exists_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(text_of(TWO_VARIABLES["arithmetic"]))
    wrong = Solved(bound=1e3, infeasible=False, points=(), value=None, nodes=1, seconds=0.0)
    monkeypatch.setattr("mapelites.proof.prover.ask_solver", lambda *given: wrong)
    values = problem.evaluate([[1.0, 1.0]])
    known = Elites(
        np.array([[1.0, 1.0]]), values.f, values.g, values.h, np.zeros(1, dtype=np.int64), np.array(["paper"])
    )
    proof = Prover(problem, known).prove({}, EFFORT)
    assert (proof.status, proof.bound) == ("gave up", None)
    assert proof.reason == "the solver's bound was above a solution that exists, so it is not to be relied on here"


# Of each the solver once said that nobody can be better than something far worse.
ONCE_WRONG = {
    "a pole at the end of a variable": ("x from -5 to 5; y from 0 to 5", "minimise x", "1/y >= -5", -5.0),
    "a logarithm of what may be 0": ("x from -5 to 5; y from 0 to 5", "minimise x", "log(y) <= 5", -5.0),
    "a logarithm of less": ("x from -5 to 5; y from -5 to 5 integer", "minimise x", "log(y) <= 5", -5.0),
    "a root of what ends at 0": ("y from -1 to 0", "minimise sqrt(40*y) + 6.9", "y <= 1", 6.9),
    "the smaller of what has a pole": ("z from 0 to 5", "maximise min(1/(z - 1), 3)", "z <= 6", -3.0),
    "the larger of what has a pole": ("z from 0 to 5", "minimise max(1/(1 - z), -3)", "z <= 6", -3.0),
    "variables near 0": ("c from 1e-13 to 1e-11; r from 1e3 to 1e6", "maximise 1e-9/(r*c)", "r*c <= 1e-6", -10.0),
    "a logarithm next to 0": ("s from 0 to 1", "minimise log(s + 1e-12)", "s <= 1", -27.63102),
    "a small coefficient": ("s from 0 to 1e9", "maximise s*4.8e-12", "s <= 2e9", -4.8e-3),
    "a moment of inertia in metres": ("h from 0.01 to 0.1", "minimise 1e-9/(h^4/12)", "h^4/12 <= 2e-6", 5e-4),
    "a power that is above infinity": ("x from 0 to 100", "minimise (x - 1)^12 - 12*x", "x >= 1.5", -23.0),
    "a quotient of what has a pole": (
        "x from -1.97 to -0.33", "minimise x", "(1/x)/(1/x + 1.05) - x <= -46.4", -0.972485,
    ),
    "an angle of what is far apart": (
        "w from 0 to 3e8; s from 0.01 to 0.9", "minimise s", "atan2(w, s - 0.4) <= 1.5708", 0.01
    ),
    "a power that is large": ("v from 3e6 to 5e6", "minimise v", "(v + 5e4)^(v/5e6) >= 1e6", 4505495.1782),
    "a jump of what is divided by": ("x from 0.3 to 2.5", "minimise 3 - min(4, 1/floor(x + 0.5))", "x <= 3", None),
    "a step beyond infinity": ("x from 0.5 to 2", "minimise x + 1e30/(1 + ((x + 1)^80)^2)", "x <= 3", None),
}  # fmt: skip
REFUSED = {
    "a jump of what is divided by": "because of what may be infinite for some whole values in the objective",
    "a step beyond infinity": r"because of values that may be above 1e\+19 in the objective",
}


@pytest.mark.parametrize("name", ONCE_WRONG)
def test_a_bound_is_right_where_it_once_was_not(name: str) -> None:
    variables, objective, constraint, best = ONCE_WRONG[name]
    lines = [f"variable {each}" for each in variables.split("; ")]
    text = "\n".join([*lines, objective, "subject to", f"limit: {constraint}"])
    if best is None:
        with pytest.raises(UnprovableError, match=REFUSED[name]):
            prove(problem_of(text), {})
        return
    found = prove(problem_of(text), {}, gap=1e-3, nodes=100)
    assert found.bound is not None, found.reason
    assert best - 2e-3 * max(abs(best), 1e-12) - 1e-4 * (abs(best) > 1) < found.bound <= best
