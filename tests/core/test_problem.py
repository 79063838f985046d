"""What a person may write as a problem, and what is refused."""

import numpy as np
import pytest

from mapelites import Archive, Constraint, InputError, Problem, Tolerances
from mapelites.core.archive import Elites
from mapelites.core.kernels import kernel
from mapelites.core.problem import Relation
from mapelites.problems import get
from mapelites.snapshot.exports import elite_record

G, H = Constraint("g1", "inequality"), Constraint("h1", "equality")


def plain(x):
    return x[0] ** 2, [x[0] - 1.0], [x[1]]


@kernel
def compiled(x, data, out):
    out[0] = x[0] ** 2
    out[1] = x[0] - 1.0
    out[2] = x[1]


@pytest.mark.parametrize("function", [plain, compiled])
def test_a_plain_and_a_compiled_function_evaluate_alike(function):
    problem = Problem("p", [-2.0, -2.0], [2.0, 2.0], (G, H), function)
    result = problem.evaluate([[1.5, -0.5], [0.5, 1e-5]])
    assert result.f.tolist() == [2.25, 0.25]
    assert result.g.tolist() == [[0.5], [-0.5]]
    assert result.h.tolist() == [[-0.5], [1e-5]]
    assert result.violations.tolist() == [[0.5, 0.5], [0.0, 1e-5]]
    assert problem.feasible(result.violations).tolist() == [False, True]


def test_an_equality_is_feasible_up_to_and_with_the_tolerance():
    problem = get("C03", 10)
    assert problem.feasible(np.array([[1e-4], [np.nextafter(1e-4, 1)]])).tolist() == [True, False]


@pytest.mark.parametrize(
    ("lower", "upper", "constraints", "words"),
    [
        ([0.0], [1.0, 2.0], (G,), r"p: lower and upper must be two vectors of one length"),
        ([0.0, 1.0], [1.0, 1.0], (G,), r"p: the bounds of x2 must be finite and ascending, but they were \[1, 1\]"),
        ([0.0], [np.inf], (G,), r"p: the bounds of x1 must be finite and ascending"),
        ([0.0], [1.0], (), r"p: a problem needs at least one constraint to map, but it has none"),
        ([0.0], [1.0], (H, G), r"p: inequalities must come before equalities"),
    ],
)
def test_a_problem_that_makes_no_sense_is_refused(lower, upper, constraints, words):
    with pytest.raises(InputError, match=words):
        Problem("p", lower, upper, constraints, plain)


@pytest.mark.parametrize("names", [("a", "a"), ("", "b"), ("a=1", "b"), ("a,b", "c"), ("x" * 41, "b"), (" a", "b")])
def test_names_that_cannot_be_told_apart_or_spelled_are_refused(names):
    constraints = tuple(Constraint(name, "inequality") for name in names)
    with pytest.raises(InputError, match="p: the names of constraints must differ"):
        Problem("p", [0.0], [1.0], constraints, plain)
    with pytest.raises(InputError, match="p: the names of variables must differ"):
        Problem("p", [0.0, 0.0], [1.0, 1.0], (G,), plain, variables=names)


def test_columns_of_a_table_keep_apart_what_has_the_same_name():
    def bowl(x):
        return x[0] ** 2, [1.0 - x[0], x[0] - 2.0], []

    limits = (Constraint("f", "inequality"), Constraint("depth", "inequality"))
    problem = Problem("p", [0.0], [3.0], limits, bowl, variables=("depth",))
    archive = Archive(problem, Tolerances.default(problem), Elites.empty(problem)).add([[1.5]], 1, "test")
    record = elite_record(archive, next(iter(archive)))
    assert (record["f"], record["constraint_f"], record["depth"], record["variable_depth"]) == (2.25, -0.5, -0.5, 1.5)


def test_x_of_the_wrong_shape_is_refused():
    with pytest.raises(InputError, match=r"C01: x must have shape \(batch, 10\), but it was \(3, 9\)"):
        get("C01", 10).evaluate(np.zeros((3, 9)))


NUMBERS = r"p: the function must return one f, 1 inequalities and 0 equalities, but it returned "
PARTS = r"p: the function must return f, the list of g and the list of h, all of them numbers, but it returned "


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ((0.0, [1.0, 2.0], []), NUMBERS + "1, 2 and 0"),
        (([0.0, 1.0], [1.0], []), NUMBERS + "2, 1 and 0"),
        ((0.0, [1.0], [2.0]), NUMBERS + "1, 1 and 1"),
        (0.5, PARTS + r"0\.5"),
        ((0.0, [1.0]), PARTS + r"\(0\.0, \[1\.0\]\)"),
        ((0.0, ["much"], []), PARTS + r"\(0\.0, \['much'\], \[\]\)"),
        (np.zeros((40, 40)), PARTS + r"array\(\[\[0\., 0\., 0\."),
    ],
)
def test_a_function_that_returns_something_else_is_told_what_is_expected_and_what_came(returned, words):
    problem = Problem("p", [0.0], [1.0], (G,), lambda x: returned)
    with pytest.raises(InputError, match=words) as refused:
        problem.evaluate([[0.5]])
    assert "\n" not in str(refused.value)


def test_a_function_of_a_batch_that_returns_another_shape_is_told_so():
    class Batch:
        def rows(self, points):
            return points[:, :1]

    problem = Problem("p", [0.0], [1.0], (G,), Batch())
    with pytest.raises(InputError, match=r"p: `rows` must return an array of shape \(3, 2\), but it was \(3, 1\)"):
        problem.evaluate(np.zeros((3, 1)))


def test_a_constraint_of_no_known_kind_is_refused():
    words = "p: the kind of g1 must be inequality or equality, but it was 'ineq'"
    with pytest.raises(InputError, match=words):
        Problem("p", [0.0], [1.0], (Constraint("g1", "ineq"),), plain)


@pytest.mark.parametrize("pair", [("g1", "h2"), ("h2", "g1"), ("g1", "g1")])
def test_a_relation_that_is_not_between_two_constraints_is_refused(pair):
    words = f"p: a relation must be between two of g1, h1, but one was between '{pair[0]}' and '{pair[1]}'"
    with pytest.raises(InputError, match=words):
        Problem("p", [0.0], [1.0], (G, H), plain, relations=(Relation(*pair, 0.0),))


def test_a_relation_whose_total_is_no_number_is_refused():
    with pytest.raises(InputError, match="p: what g1 and h1 add up to must be a finite number, but it was nan"):
        Problem("p", [0.0], [1.0], (G, H), plain, relations=(Relation("g1", "h1", np.nan),))


def test_evaluating_changes_neither_the_points_nor_the_problem():
    problem = get("C06", 10)
    x = np.random.default_rng(0).uniform(problem.lower, problem.upper, (5, 10))
    kept, data = x.copy(), problem.data.copy()
    x.flags.writeable = False
    problem.evaluate(x)
    assert np.array_equal(x, kept)
    assert np.array_equal(problem.data, data)
    with pytest.raises(ValueError, match="read-only"):
        problem.lower[0] = 1.0
