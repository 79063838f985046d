"""Problems in SciPy's vocabulary, and what is said of wrong ones."""

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint

from mapelites import InputError, illuminate
from mapelites.problems.own.scipy_form import scipy_problem

BOX = [(0, 1), (0, 2)]
ABOVE = {"type": "ineq", "fun": lambda x: x[0] - 0.5}


def total(x):
    return x[0] + x[1]


def test_every_kind_of_constraint_has_its_name_kind_and_sign():
    given = [
        NonlinearConstraint(lambda x: [x[0], x[1]], [0.25, 1.0], [0.75, 1.0]),
        LinearConstraint([[1, 1]], -np.inf, 2),
        ABOVE,
        {"type": "eq", "fun": lambda x: x[0] - x[1]},
    ]
    problem = scipy_problem(total, Bounds([0, 0], [1, 2]), given)
    assert [each.name for each in problem.constraints] == ["c1[1] low", "c1[1] high", "c2", "c3", "c1[2]", "c4"]
    assert problem([0.0, 2.0]) == (2.0, [0.25, -0.75, 0.0, 0.5], [1.0, -2.0])
    assert problem.upper.tolist() == [1, 2]


def test_a_function_is_searched_like_a_problem():
    result = illuminate(total, bounds=BOX, constraints=[ABOVE], evaluations=2_000, seed=1).result()
    assert result.success
    assert result.fun == pytest.approx(0.5, abs=0.05)
    assert result.nfev >= 2_000


@pytest.mark.parametrize(
    ("fun", "bounds", "constraints", "said"),
    [
        (3, BOX, [ABOVE], "fun must be a problem or a function of one solution, but it was 3"),
        (total, None, [ABOVE], "bounds must be a list of .*, but there were none"),
        (total, [1, 2], [ABOVE], r"bounds must be a list of .*, but they were \[1, 2\]"),
        (total, BOX, None, "constraints must be a list of at least one constraint to map, but it was None"),
        (total, BOX, [7], "constraints: c1 must be a NonlinearConstraint, .* but it was 7"),
        (total, BOX, [{"type": "less"}], "constraints: type of c1 must be 'ineq' or 'eq', but it was 'less'"),
        (total, BOX, [{"type": "eq"}], "constraints: fun of c1 must be a function, but it was None"),
        (total, BOX, [NonlinearConstraint(total, 2, 1)], "lb of c1 must be at most ub, but they were 2 and 1"),
    ],
)
def test_what_is_wrong_is_said(fun, bounds, constraints, said):
    with pytest.raises(InputError, match=said):
        scipy_problem(fun, bounds, constraints)
