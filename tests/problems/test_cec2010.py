"""The 18 problems against values computed by the competition's own code."""

from pathlib import Path

import numpy as np
import pytest

from mapelites import InputError, illuminate
from mapelites.problems import dimensions, get
from mapelites.problems.suites import cec2010

REFERENCE = Path(__file__).parents[1] / "data" / "cec2010_reference_points.npz"
INSTANCES = [(name, n) for n in (10, 30) for name in cec2010.NAMES]

CONSTRAINTS = {
    "C01": (2, 0), "C02": (2, 1), "C03": (0, 1), "C04": (0, 4), "C05": (0, 2), "C06": (0, 2),
    "C07": (1, 0), "C08": (1, 0), "C09": (0, 1), "C10": (0, 1), "C11": (0, 1), "C12": (1, 1),
    "C13": (3, 0), "C14": (3, 0), "C15": (3, 0), "C16": (2, 2), "C17": (2, 1), "C18": (1, 1),
}  # fmt: skip
BOUNDS = {
    "C01": (0, 10), "C02": (-5.12, 5.12), "C03": (-1000, 1000), "C04": (-50, 50), "C05": (-600, 600),
    "C06": (-600, 600), "C07": (-140, 140), "C08": (-140, 140), "C09": (-500, 500), "C10": (-500, 500),
    "C11": (-100, 100), "C12": (-1000, 1000), "C13": (-500, 500), "C14": (-1000, 1000),
    "C15": (-1000, 1000), "C16": (-10, 10), "C17": (-10, 10), "C18": (-50, 50),
}  # fmt: skip


@pytest.fixture(scope="module")
def reference():
    with np.load(REFERENCE) as file:
        return dict(file)


@pytest.mark.parametrize(("name", "n"), INSTANCES)
def test_every_value_matches_the_reference(name, n, reference):
    values = get(name, n).evaluate(reference[f"{name}_{n}D_x"])
    for part in "fgh":
        expected, actual = reference[f"{name}_{n}D_{part}"], getattr(values, part)
        assert actual.shape == expected.shape
        scale = np.maximum(1.0, np.abs(expected))
        assert np.all(np.abs(actual - expected) <= 1e-9 * scale)


@pytest.mark.parametrize("name", cec2010.NAMES)
def test_bounds_and_constraints_are_those_of_the_definition(name):
    problem = get(name, 10)
    assert (problem.inequalities, problem.equalities) == CONSTRAINTS[name]
    assert set(problem.lower) == {BOUNDS[name][0]}
    assert set(problem.upper) == {BOUNDS[name][1]}
    m, p = CONSTRAINTS[name]
    expected = [f"g{i + 1}" for i in range(m)] + [f"h{i + 1}" for i in range(p)]
    assert [constraint.name for constraint in problem.constraints] == expected
    assert all(constraint.formula for constraint in problem.constraints)
    assert problem.formula
    assert problem.difficulty


@pytest.mark.parametrize("name", ["C07", "C08", "C09", "C10", "C14", "C15", "C16", "C17", "C18"])
@pytest.mark.parametrize("n", [10, 30])
def test_the_shift_itself_is_feasible_and_optimal_where_that_is_proven(name, n):
    problem = get(name, n)
    at_shift = problem.evaluate([problem.data[:n]])
    assert at_shift.f[0] == pytest.approx(problem.best_known, abs=1e-12)
    assert problem.feasible(at_shift.violations)[0]


@pytest.mark.parametrize("name", ["C02", "C14", "C15", "C16", "C18"])
@pytest.mark.parametrize("n", [10, 30])
def test_related_constraints_add_up_to_their_total(name, n):
    problem = get(name, n)
    x = np.random.default_rng(1).uniform(problem.lower, problem.upper, (50, n))
    values = dict(zip([c.name for c in problem.constraints], problem.values(x)[:, 1:].T, strict=True))
    for relation in problem.relations:
        total = values[relation.first] + values[relation.second]
        np.testing.assert_allclose(total, relation.total, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize(("name", "n"), [("C01", 2), ("C17", 7), ("C04", 4), ("C16", 29)])
def test_other_dimensions_use_the_first_entries_of_the_shift(name, n):
    assert get(name, n).dimension == n
    assert np.array_equal(get(name, n).data, get(name, 30).data[:n])


@pytest.mark.parametrize("name", [name for name in cec2010.NAMES if dimensions(name) != (10, 30)])
@pytest.mark.parametrize("search", ["paper-3", "directed"])
def test_one_variable_is_enough_where_there_is_no_rotation(name, search):
    problem = get(name, 1)
    elites = illuminate(problem, search=search, evaluations=1_000).elites
    assert len(elites) > 0
    assert np.array_equal(problem.evaluate(elites.x).f, elites.f)


def test_the_halves_of_c04_may_have_one_variable_or_none():
    z = np.array([0.5, -2.0, 3.0])
    h = [get("C04", n).evaluate([get("C04", n).data + z[:n]]).h[0] for n in (1, 2, 3)]
    np.testing.assert_allclose([each[1] for each in h], [0.0, 0.0, 0.0])
    np.testing.assert_allclose([each[2] for each in h], [0.0, 0.0, (z[1] ** 2 - z[2]) ** 2])
    np.testing.assert_allclose([each[3] for each in h], np.cumsum(z))


def test_a_dimension_may_be_a_whole_number_of_any_type():
    assert get("C16", 10.0).dimension == get("C06", np.int64(10)).dimension == 10
    for wrong in (10.5, "10"):
        with pytest.raises(InputError, match=f"^C16: the dimension must be 1 to 30, but it was {wrong!r}$"):
            get("C16", wrong)


def test_an_impossible_dimension_is_refused_with_what_is_possible():
    with pytest.raises(InputError, match=r"^C06: the dimension must be 10 or 30, but it was 12$"):
        get("C06", 12)
    with pytest.raises(InputError, match=r"^C01: the dimension must be 1 to 30, but it was 31$"):
        get("C01", 31)
    with pytest.raises(InputError, match=r"^the problem must be one of C01, .*, C18, .*, but it was 'C19'$"):
        get("C19", 10)
    assert dimensions("C15") == (10, 30)
