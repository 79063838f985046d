"""Levels to bins to cells."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapelites import Constraint, InputError, Problem, Tolerances
from mapelites.core.problem import Relation
from mapelites.problems import get

levels = st.lists(st.floats(1e-300, 1e300), min_size=0, max_size=39, unique=True).map(sorted)
violation = st.floats(0, allow_nan=False, allow_infinity=False)


def one(*values):
    return Tolerances(("g1",), (values,))


def test_the_papers_levels_make_its_five_bins():
    tolerances = Tolerances.default(get("C01", 10))
    assert tolerances.levels[0] == (0.0, 1e-4, 1e-2, 1.0)
    assert tolerances.labels(0) == ("{0}", "(0, 1e-4]", "(1e-4, 0.01]", "(0.01, 1]", "(1, ∞)")
    assert tolerances.shape == (5, 5)
    assert tolerances.cells == 25


@pytest.mark.parametrize(
    ("constraints", "levels"),
    [(27, (0.0, 1e-4, 1e-2, 1.0)), (28, (0.0, 1e-4, 1.0)), (31, (0.0, 1e-4, 1.0)), (32, (0.0, 1e-4)),
     (39, (0.0, 1e-4)), (40, (0.0,)), (62, (0.0,))],
)  # fmt: skip
def test_the_more_constraints_the_fewer_of_the_papers_levels_until_the_cells_can_be_numbered(constraints, levels):
    names = tuple(Constraint(f"g{i}", "inequality") for i in range(constraints))
    problem = Problem("many", [0.0], [1.0], names, abs)
    assert Tolerances.default(problem).levels == (levels,) * constraints
    assert Tolerances.of(problem, {"g3": [0]}).levels[:4] == (levels, levels, levels, (0.0,))


def test_more_constraints_than_any_problem_may_have_are_refused():
    names = tuple(Constraint(f"g{i}", "inequality") for i in range(1_001))
    with pytest.raises(InputError, match=r"^many: there can be at most 1,000 constraints, but there were 1,001$"):
        Problem("many", [0.0], [1.0], names, abs)


def test_a_violation_equal_to_a_level_falls_in_the_lower_bin():
    bins = one(0, 1e-4, 1e-2, 1).bins([[0.0], [5e-324], [1e-4], [np.nextafter(1e-4, 1)], [1.0], [1.5]])
    assert bins[:, 0].tolist() == [0, 1, 1, 2, 3, 4]


@given(levels, violation)
def test_the_bin_is_the_number_of_levels_below_the_violation(values, amount):
    tolerances = one(0.0, *values)
    assert tolerances.bins([[amount]])[0, 0] == sum(level < amount for level in tolerances.levels[0])


@given(st.lists(levels.filter(lambda each: len(each) < 8), min_size=1, max_size=4), st.data())
def test_cell_and_bins_are_inverse(many, data):
    tolerances = Tolerances(tuple(f"g{i}" for i in range(len(many))), tuple(tuple(each) for each in many))
    cells = data.draw(st.lists(st.integers(0, tolerances.cells - 1), min_size=1))
    assert tolerances.cell(tolerances.bins_of(cells)).tolist() == cells


def test_level_zero_is_always_there():
    assert one(0.5, 2).levels == ((0.0, 0.5, 2.0),)
    assert one().levels == ((0.0,),)
    assert str(one(-0.0, 1).levels[0][0]) == "0.0"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((0, -1), r"^g1: a level must not be negative, but one was -1$"),
        ((0, float("nan")), r"^g1: a level must be a finite number, but one was nan$"),
        ((0, float("inf")), r"^g1: a level must be a finite number, but one was inf$"),
        ((0, "x"), r"^g1: a level must be a number, but one was 'x'$"),
        ((0, True), r"^g1: a level must be a number, but one was True$"),
        ((0, 1, 1), r"^g1: level 1 is there twice$"),
        ((0, 0), r"^g1: level 0 is there twice$"),
        ((0, 2, 1), r"^g1: levels must ascend, but 2 comes before 1$"),
        (tuple(range(41)), r"^g1: at most 40 levels are possible, but there were 41$"),
        (tuple(range(1, 41)), r"^g1: at most 40 .*, but there were 40 and the level 0, which is always there$"),
    ],
)
def test_a_bad_level_is_refused_with_its_constraint_and_number(values, words):
    with pytest.raises(InputError, match=words):
        one(*values)


def test_a_map_with_too_many_cells_is_refused():
    names = tuple(f"g{i + 1}" for i in range(12))
    with pytest.raises(
        InputError, match=r"g11, g12 make 22,563,490,300,366,186,081 cells, but a map has at most 9,223"
    ):
        Tolerances(names, (tuple(range(40)),) * 12)


def test_levels_for_a_constraint_that_does_not_exist_are_refused():
    with pytest.raises(InputError, match=r"tolerances: C01 has constraints g1, g2, but not 'h9'"):
        Tolerances.of(get("C01", 10), {"h9": (0, 1)})


@pytest.mark.parametrize(
    ("name", "possible", "cells"),
    [("C16", 125, 625), ("C18", 9, 25), ("C02", 45, 125), ("C14", 45, 125), ("C15", 45, 125), ("C17", 125, 125)],
)
def test_cells_that_cannot_exist_are_known(name, possible, cells):
    problem = get(name, 10)
    mask = Tolerances.default(problem).possible(problem)
    assert (int(mask.sum()), mask.size) == (possible, cells)


@pytest.mark.parametrize("name", ["C02", "C14", "C15", "C16", "C18"])
@given(values=st.lists(levels.filter(lambda each: len(each) < 6), min_size=4, max_size=4), seed=st.integers(0, 9))
def test_no_solution_lies_in_a_cell_called_impossible(name, values, seed):
    problem = get(name, 10)
    m = len(problem.constraints)
    tolerances = Tolerances(tuple(c.name for c in problem.constraints), tuple(tuple(v) for v in values[:m]))
    x = np.random.default_rng(seed).uniform(problem.lower, problem.upper, (200, 10))
    bins = tolerances.bins(problem.evaluate(x).violations)
    assert tolerances.possible(problem)[tuple(bins.T)].all()


def related(kinds, total):
    """A problem of one variable, the value of the first constraint; both always add up to the total."""
    g = [Constraint(f"c{i}", kind) for i, kind in enumerate(kinds)]
    m = kinds.count("inequality")

    def function(x):
        values = [x[0], total - x[0]]
        return 0.0, values[:m], values[m:]

    return Problem("related", [-1e300], [1e300], tuple(g), function, relations=(Relation("c0", "c1", total),))


@given(
    kinds=st.sampled_from([("inequality",) * 2, ("equality",) * 2, ("inequality", "equality")]),
    total=st.sampled_from([0.0, 1.0, -20.0, 1e17, -3e-16]),
    values=st.lists(levels.filter(lambda each: len(each) < 6), min_size=2, max_size=2),
    points=st.lists(st.floats(-1e300, 1e300), min_size=1),
)
def test_no_pair_of_values_that_add_up_lies_in_a_cell_called_impossible(kinds, total, values, points):
    problem = related(kinds, total)
    tolerances = Tolerances(("c0", "c1"), tuple(map(tuple, values)))
    for x in (*points, *values[0], *(-level for level in values[0])):
        if Fraction(x) + Fraction(total - x) == Fraction(total):  # nothing was rounded
            bins = tolerances.bins(problem.evaluate([[x]]).violations)
            assert tolerances.can_exist(problem, bins).all()
            assert tolerances.possible(problem)[tuple(bins.T)].all()


def test_a_level_of_any_size_leaves_the_cells_beyond_it_possible():
    problem = related(("equality", "equality"), 1.0)
    far = Tolerances(("c0", "c1"), ((0.0, 1e17), (0.0, 1e17)))
    bins = far.bins(problem.evaluate([[2e17], [-2e17], [3.0], [0.0], [1.0]]).violations)
    assert bins.tolist() == [[2, 2], [2, 2], [1, 1], [0, 1], [1, 0]]
    assert far.possible(problem)[tuple(bins.T)].all()
    assert not far.possible(problem)[0, 0]


def test_two_constraints_that_mirror_each_other_have_a_mask_that_does_too():
    problem = get("C14", 10)
    mask = Tolerances.same(problem, (0.0, 2e-15)).possible(problem)
    assert np.array_equal(mask, np.swapaxes(mask, 0, 1))
    assert int(mask[..., 0].sum()) == 5


@given(st.floats(1e-300, 1e300))
def test_a_level_is_written_so_that_it_reads_back_as_itself(level):
    text = one(0, level).labels(0)[1]
    assert float(text.removeprefix("(0, ").removesuffix("]")) == level
