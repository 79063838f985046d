"""Variables that take only some values: what is evaluated is what is stored."""

from functools import cache

import numpy as np
import pytest
from numba import njit

from mapelites import Constraint, Problem, illuminate, problem
from mapelites.core.kernels import kernel
from mapelites.problems.formulas import problem_of

LIMITS = (Constraint("g1", "inequality"), Constraint("h1", "equality"))
FORMULAS = """problem Whole
variable n from -4 to 7 integer
variable x from -2 to 2
minimise (n - 2.7)^2 + x
subject to n*x <= 1
           n + 3*x = 2"""


def plain(x):
    return (x[0] - 2.7) ** 2 + x[1], [x[0] * x[1] - 1.0], [x[0] + 3.0 * x[1] - 2.0]


@kernel
def compiled(x, data, out):
    out[0] = (x[0] - 2.7) ** 2 + x[1]
    out[1] = x[0] * x[1] - 1.0
    out[2] = x[0] + 3.0 * x[1] - 2.0


@cache
def decorated():
    return problem({"n": (-4, 7), "x": (-2, 2)}, inequalities=["g1"], equalities=["h1"], integers=["n"])(njit(plain))


def made_of(function):
    return Problem("whole", [-4.0, -2.0], [7.0, 2.0], LIMITS, function, steps=[1.0, 0.0])


PROBLEMS = {
    "a kernel": lambda: made_of(compiled),
    "a plain function": lambda: made_of(plain),
    "a function of numba": decorated,
    "formulas": lambda: problem_of(FORMULAS),
}


@pytest.mark.parametrize("search", ["paper-1", "paper-3", "directed"])
@pytest.mark.parametrize("kind", PROBLEMS)
def test_every_elite_is_on_the_grid_and_re_evaluates_to_its_stored_numbers(kind, search):
    whole = PROBLEMS[kind]()
    elites = illuminate(whole, search=search, evaluations=3_000, sigma=0.5).elites
    again = whole.evaluate(elites.x)
    assert np.array_equal(elites.x[:, 0], np.round(elites.x[:, 0]))
    for name in ("f", "g", "h"):
        assert np.array_equal(getattr(again, name), getattr(elites, name))


@pytest.mark.parametrize("kind", ["a kernel", "a function of numba"])
def test_a_compiled_function_finds_what_the_same_one_in_plain_python_finds(kind):
    maps = [
        illuminate(PROBLEMS[each](), search="paper-3", evaluations=3_000).elites for each in (kind, "a plain function")
    ]
    assert np.array_equal(maps[0].x, maps[1].x)
    assert np.array_equal(maps[0].f, maps[1].f)
