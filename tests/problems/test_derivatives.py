"""Exact derivatives of typed formulas, beside finite differences."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mapelites import InputError
from mapelites.problems import get
from mapelites.problems.formulas import problem_of
from mapelites.problems.suites import gallery

SMOOTH = ("sqrt", "exp", "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "abs")
LEAF = st.one_of(st.sampled_from(["x", "y", "z"]), st.floats(0.1, 3.0).map(lambda v: f"{v:.3f}"))
TREE = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(SMOOTH), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(st.sampled_from(["min", "max", "atan2"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
        st.tuples(inner, st.sampled_from(["2", "3", "0.5", "-1", "x"])).map(lambda t: f"({t[0]})^({t[1]})"),
        inner.map(lambda t: f"(-{t})"),
    ),
    max_leaves=8,
)
LOWER, UPPER = 0.2, 1.9


def problem_with(formula):
    bounds = "\n".join(f"variable {name} from {LOWER} to {UPPER}" for name in "xyz")
    return problem_of(f"{bounds}\nminimise {formula}\nsubject to x + y <= 1")


def by_differences(problem, x, before, after):
    columns = []
    for j in range(len(x)):
        up, down = x.copy(), x.copy()
        up[j], down[j] = up[j] + after, down[j] - before
        columns.append((problem.values(up[None])[0] - problem.values(down[None])[0]) / (before + after))
    return np.array(columns).T


@settings(max_examples=150, deadline=None)
@given(TREE, st.lists(st.floats(LOWER + 0.1, UPPER - 0.1), min_size=3, max_size=3))
def test_the_gradient_of_any_formula_is_what_differences_say(formula, point):
    problem, x = problem_with(formula), np.array(point)
    both = by_differences(problem, x, 1e-6, 1e-6)
    sides = by_differences(problem, x, 0.0, 2e-6), by_differences(problem, x, 2e-6, 0.0)
    # Where the differences do not agree there is a kink, a pole or rounding nearby, and nothing to compare with.
    assume(np.isfinite(both).all() and np.abs(both).max() < 1e5)
    assume(np.allclose(*sides, rtol=1e-2, atol=1e-2) and np.allclose(both, sum(sides) / 2, rtol=1e-5, atol=1e-5))
    value = abs(problem.values(x[None])[0, 0])
    assert np.allclose(problem.gradients(x), both, rtol=1e-3, atol=1e-3 + 1e-8 * value)


@pytest.mark.parametrize("name", gallery.NAMES)
def test_the_gradients_of_a_design_are_what_differences_say(name):
    problem = get(name)
    middle = problem.lower + 0.4 * (problem.upper - problem.lower)
    point, free, width = problem.rounded(middle[None])[0], problem.steps == 0.0, problem.upper - problem.lower
    columns = []
    for j in np.flatnonzero(free):
        up, down = point.copy(), point.copy()
        up[j], down[j] = up[j] + 1e-6 * width[j], down[j] - 1e-6 * width[j]
        columns.append((problem.values(up[None])[0] - problem.values(down[None])[0]) / 2e-6)
    differences = np.array(columns).T
    exact = problem.gradients(middle)[:, free] * width[free]
    size = np.abs(problem.values(point[None])[0])[:, None]
    assert (np.abs(exact - differences) <= 1e-6 * np.abs(differences) + 1e-6 * size + 1e-7).all()


@pytest.mark.parametrize(
    ("formula", "point", "expected"),
    [
        ("abs(x - 1)", [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]),
        ("abs(x - 1)", [0.5, 1.0, 1.0], [-1.0, 0.0, 0.0]),
        ("max(x, 2*y)", [1.0, 1.0, 1.0], [0.0, 2.0, 0.0]),
        ("min(x, y)", [1.0, 1.0, 1.0], [1.0, 0.0, 0.0]),
        ("floor(x) + sign(y) + ceil(z)", [0.5, 0.7, 0.3], [0.0, 0.0, 0.0]),
        ("x^3 + y^0.5", [1.0, 1.0, 1.0], [3.0, 0.5, 0.0]),
        ("2^x", [1.0, 1.0, 1.0], [2.0 * math.log(2.0), 0.0, 0.0]),
        ("(x - 1)^2", [0.5, 1.0, 1.0], [-1.0, 0.0, 0.0]),
    ],
)
def test_kinks_jumps_and_powers_have_the_derivative_of_one_side(formula, point, expected):
    assert problem_with(formula).gradients(point)[0] == pytest.approx(expected)


def test_where_there_is_no_derivative_it_is_not_finite_and_the_others_are_untouched():
    gradient = problem_with("sqrt(x - 1) + y").gradients([1.0, 1.0, 1.0])[0]
    assert not np.isfinite(gradient[0])
    assert gradient[1:].tolist() == [1.0, 0.0]


def test_a_problem_without_formulas_has_no_exact_gradients():
    with pytest.raises(InputError, match="C01: exact gradients need typed formulas, but it has none"):
        get("C01", 10).gradients(np.ones(10))
