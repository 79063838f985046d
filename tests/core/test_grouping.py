"""Constraints that share an axis of the map: the largest violation counts, and the search sees every one."""

from __future__ import annotations

import numpy as np
import pytest

from mapelites import InputError, Tolerances, illuminate
from mapelites.core.grouping import grouping
from mapelites.core.problem import Constraint, Problem
from mapelites.core.settings import Settings
from mapelites.problems import get
from mapelites.problems.suites import cec2020
from mapelites.snapshot.spec import RunSpec


def sums(x):
    return x.sum(), [x[0] - x[1], x[1] - 0.5], [x[0] - 0.2, x[2] - x[0]]


KINDS = ("inequality", "inequality", "equality", "equality")
SUMS = Problem(
    "sums", np.zeros(3), np.ones(3),
    tuple(Constraint(name, kind) for name, kind in zip(("g1", "g2", "h1", "h2"), KINDS, strict=True)), sums,
)  # fmt: skip


def test_the_largest_violation_of_a_group_is_what_counts():
    tolerances = Tolerances.of(SUMS, {}, groups={"all": ["h1", "h2"]})
    assert tolerances.names == ("g1", "g2", "all")
    assert tolerances.shape == (5, 5, 5)
    violations = np.array([[0.0, 0.0, 5e-5, 0.5], [0.0, 2.0, 0.0, 0.0]])
    assert tolerances.bins(violations).tolist() == [[0, 0, 3], [0, 4, 0]]


@pytest.mark.parametrize("search", ["paper-3", "directed"])
@pytest.mark.parametrize("archive", [None, "centroids"])
def test_elites_hold_every_constraint_and_lie_in_their_cells(search, archive):
    tolerances = Tolerances.of(SUMS, {}, groups={"both": ["g1", "g2"], "all": ["h1", "h2"]})
    found = illuminate(SUMS, tolerances, search=search, evaluations=3_000, archive=archive)
    assert found.tolerances.cells == 25
    assert found.elites.g.shape[1] == found.elites.h.shape[1] == 2
    values = SUMS.evaluate(found.elites.x)
    assert np.array_equal(values.h, found.elites.h)
    assert np.array_equal(tolerances.cell(tolerances.bins(values.violations)), found.elites.cell)
    answer = found.answer({"g1": 1.0, "h1": 0.5, "h2": 1.0})
    assert (answer.violations <= [1.0, 0.0, 0.5, 1.0]).all()


def test_a_map_by_axis_has_the_same_cells_and_one_constraint_for_each_axis():
    tolerances = Tolerances.of(SUMS, {}, groups={"all": ["h1", "h2"]})
    found = illuminate(SUMS, tolerances, evaluations=2_000)
    shown = found.by_axis
    assert [each.name for each in shown.problem.constraints] == ["g1", "g2", "all"]
    assert np.array_equal(shown.elites.cell, found.elites.cell)
    assert np.array_equal(np.abs(shown.elites.h[:, 0]), np.abs(found.elites.h).max(axis=1))
    assert np.array_equal(shown.problem.evaluate(shown.elites.x).h, shown.elites.h)
    assert found.rebin(tolerances).by_axis.statistics == shown.statistics


def test_a_problem_with_more_constraints_than_axes_has_the_groups_it_knows():
    names, places = grouping(get("RC36"))
    assert names == ("real currents", "imaginary currents", "active powers", "reactive powers")
    assert [len(each) for each in places] == [37] * 4
    plain = grouping(get("RC34"), {})
    assert (len(plain.names), plain.places) == (108, ())
    with pytest.raises(InputError, match=r"levels of g1, g2, .* make .* cells, but a map has at most"):
        Tolerances.of(get("RC44"), {"g1": [0.0]}, groups={})


def test_of_a_problem_that_knows_no_groups_each_kind_is_one():
    many = Problem("many", [0.0], [1.0], tuple(Constraint(f"g{i}", "inequality") for i in range(70)), sums)
    assert grouping(many).names == ("inequalities",)


def test_a_group_of_what_is_not_there_or_twice_or_of_two_kinds_is_refused():
    with pytest.raises(InputError, match=r"^group all: a constraint must be one of g1, g2, h1, h2, but it was 'h3'"):
        grouping(SUMS, {"all": ["h3"]})
    with pytest.raises(InputError, match=r"^group two: h1 is in the group one already$"):
        grouping(SUMS, {"one": ["h1"], "two": ["h1", "h2"]})
    with pytest.raises(InputError, match=r"^group all: inequalities and equalities cannot be in one group$"):
        grouping(SUMS, {"all": ["g1", "h1"]})


def test_a_run_keeps_its_groups():
    problem = get("RC41")
    tolerances = Tolerances.default(problem)
    spec = RunSpec.of(problem, tolerances, Settings.of("directed", problem.dimension))
    assert RunSpec.from_table(spec.as_table()).tolerances == tolerances


def test_every_problem_of_the_competition_has_a_map():
    for name in cec2020.NAMES:
        tolerances = Tolerances.default(get(name))
        tolerances.check_for(get(name))
        assert len(tolerances.names) <= 62


@pytest.mark.parametrize("search", ["paper-3", "directed", "surrogate"])
def test_a_problem_without_constraints_has_a_map_of_one_cell(search):
    problem = get("RC31")
    found = illuminate(problem, search=search, evaluations=2_000)
    assert found.tolerances.cells == len(found) == 1
    assert found.best(feasible=True).f < 1e-4
    assert found.statistics.coverage == 1.0
