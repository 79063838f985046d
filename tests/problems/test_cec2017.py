"""The 28 problems in four dimensions against values computed by the organisers' own code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mapelites import InputError
from mapelites.problems import dimensions, get
from mapelites.problems.suites import cec2017
from tests.problems.test_cec2020 import as_written

REFERENCE = Path(__file__).parents[1] / "data" / "cec2017_reference_points.npz"
ACCURACY = {"2017-C19": 1e-8, "2017-C28": 1e-8}  # 2 sin(z^3) loses digits where z is large


@pytest.fixture(scope="module")
def reference():
    with np.load(REFERENCE) as file:
        return dict(file)


@pytest.mark.parametrize("n", cec2017.DIMENSIONS)
@pytest.mark.parametrize("name", cec2017.NAMES)
def test_every_value_is_the_organisers(name, n, reference):
    key = f"{name.removeprefix('2017-')}_{n}D"
    x = reference[f"{key}_x"]
    found = as_written(get(name, n), x)
    expected = np.concatenate([reference[f"{key}_{part}"].reshape(len(x), -1) for part in "fgh"], axis=1)
    assert found.shape == expected.shape
    near = np.abs(found - expected) <= ACCURACY.get(name, 1e-9) * np.maximum(1.0, np.abs(expected))
    assert np.all(near | (found == expected))


@pytest.mark.parametrize("name", ["2017-C05", "2017-C08"])
def test_compiled_values_are_the_organisers_too(name, reference):
    key = f"{name.removeprefix('2017-')}_10D"
    found = get(name, 10).evaluate(reference[f"{key}_x"])
    for part in "fgh":
        np.testing.assert_allclose(getattr(found, part), reference[f"{key}_{part}"], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 6, 16, 25])
def test_the_shift_itself_is_a_proven_optimum(number):
    problem = get(f"2017-C{number:02}", 30)
    values = as_written(problem, problem.data[None, :30])[0]
    assert values[0] == pytest.approx(problem.best_known, abs=1e-9)
    assert (values[1 : 1 + problem.inequalities] <= 0).all()
    assert (np.abs(values[1 + problem.inequalities :]) <= 1e-4).all()


def test_problems_without_a_feasible_point_tell_the_least_violation():
    infeasible = [name for name in cec2017.NAMES if cec2017.least_violation(name, 10) is not None]
    assert infeasible == ["2017-C17", "2017-C19", "2017-C26", "2017-C28"]
    assert get("2017-C17", 30).best_known is None
    assert get("2017-C17", 30).best_known_note == "no point is feasible, the mean violation is at least 14.5"
    assert all(get(name, 50).best_known is not None for name in set(cec2017.NAMES) - set(infeasible))


@pytest.mark.parametrize("name", ["2017-C06", "2017-C07"])
def test_opposite_equalities_are_told(name):
    problem = get(name, 10)
    x = np.random.default_rng(1).uniform(problem.lower, problem.upper, (5, 10))
    names = [each.name for each in problem.constraints]
    for each in problem.relations:
        values = as_written(problem, x)[:, 1:]
        np.testing.assert_array_equal(values[:, names.index(each.first)], -values[:, names.index(each.second)])
    assert len(problem.relations) == 1


def test_a_dimension_that_the_competition_has_not_is_refused():
    assert dimensions("2017-C01") == (10, 30, 50, 100)
    assert get("2017-C07").dimension == 10
    with pytest.raises(InputError, match=r"^2017-C07: the dimension must be 10, 30, 50 or 100, but it was 20$"):
        get("2017-C07", 20)
