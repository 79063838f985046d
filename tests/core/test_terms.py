"""Constraints that know their limits, and tolerances that are typed in an engineer's terms."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapelites.core.archive import Archive, Elites
from mapelites.core.constraint import Constraint, Relation
from mapelites.core.errors import InputError
from mapelites.core.levels import percent_of, read_level
from mapelites.core.problem import Problem
from mapelites.core.settings import Settings
from mapelites.core.terms import covering_text, level_words, unit_words, violation_text
from mapelites.core.tolerances import Tolerances
from mapelites.problems import get
from mapelites.runs.filled import FilledCellCounter
from mapelites.search import Illumination
from mapelites.snapshot.spec import RunSpec

SHEAR = Constraint("shear", "inequality", limit=13600.0, sense="<=", unit="psi")
FIT = Constraint("fit", "inequality", unit="in", scale=0.2)
PLAIN = Constraint("plain", "inequality")
FLOW = Constraint("flow", "equality", limit=1.0, sense="=")


def beam() -> Problem:
    def function(x):
        return x.sum(), [1.0 - x[0], 0.5 - x[1], -x[0]], [x[0] - x[1]]

    return Problem("beam", [0.0, 0.0], [2.0, 2.0], (SHEAR, FIT, PLAIN, FLOW), function)


def test_the_engineers_number_is_counted_from_the_limit_in_the_constraints_sense():
    assert SHEAR.value(680.0) == 14280.0
    assert Constraint("buckling", "inequality", limit=6000.0, sense=">=").value(120.0) == 5880.0
    assert FLOW.value(-0.25) == 0.75
    assert (FIT.value(0.1), FIT.reference, PLAIN.reference) == (None, 0.2, None)
    assert Constraint("zero", "inequality", limit=0.0, sense="<=", scale=3.0).reference == 3.0
    assert Constraint("below", "inequality", limit=-5.0, sense="<=").reference == 5.0


@pytest.mark.parametrize(
    ("level", "number"),
    [("5%", 680.0), (" 5 % ", 680.0), ("680 psi", 680.0), ("680psi", 680.0), ("1,360 [psi]", 1360.0), ("680", 680.0),
     (680, 680.0), ("1e2 psi", 100.0), ("0%", 0.0), ("0.5e1%", 680.0)],
)  # fmt: skip
def test_a_level_is_a_number_in_the_constraints_unit_or_per_cent_of_its_limit(level, number):
    assert read_level(SHEAR, level) == number


@pytest.mark.parametrize(
    ("constraint", "level", "said"),
    [
        (SHEAR, "680 kPa", "shear: its unit is psi, but a level was typed as '680 kPa'"),
        (PLAIN, "5%", "plain: 5% cannot be worked out, because neither a limit nor a scale of plain is known: "
         "type the level as a number"),
        (PLAIN, "5 psi", "plain: a level must be a number, but one was '5 psi'; plain has no unit"),
        (SHEAR, "much", "shear: a level must be a number, but one was 'much'"),
        (SHEAR, "-5%", "shear: a level must be a finite number that is not negative, but one was -5%"),
        (SHEAR, True, "shear: a level must be a number, but one was True"),
    ],
)  # fmt: skip
def test_a_wrong_unit_or_a_per_cent_of_nothing_is_refused_in_words(constraint, level, said):
    with pytest.raises(InputError) as refused:
        read_level(constraint, level)
    assert str(refused.value) == said


@given(st.floats(0, 1e6), st.floats(1e-6, 1e9))
def test_a_per_cent_reads_back_as_that_part_of_the_limit(percent, limit):
    constraint = Constraint("c", "inequality", limit=limit)
    assert read_level(constraint, f"{percent!r}%") == pytest.approx(limit * percent / 100, rel=1e-11, abs=1e-300)
    assert percent_of(constraint, 100.0) == pytest.approx(limit, rel=1e-11)


@given(st.text(max_size=12))
def test_whatever_is_typed_is_a_level_or_is_refused_in_words(text):
    with suppress(InputError):
        assert isinstance(read_level(SHEAR, text), float)


def test_levels_of_a_problem_are_per_cent_of_limits_and_scales_by_default():
    found = Tolerances.default(beam())
    assert found.levels[0] == (0.0, 136.0, 272.0, 680.0, 1360.0)
    assert found.levels[1] == (0.0, 0.002, 0.004, 0.01, 0.02)
    assert found.levels[2] == (0.0, 1e-4, 1e-2, 1.0)
    assert found.levels[3] == (0.0, 0.01, 0.02, 0.05, 0.1)
    mixed = Tolerances.of(beam(), {"shear": ["1%", "680 psi", 1000], "plain": [0.5]})
    assert mixed.levels[0] == (0.0, 136.0, 680.0, 1000.0)
    assert mixed.levels[2] == (0.0, 0.5)
    with pytest.raises(InputError, match=r"^shear: its unit is psi, but a level was typed as '0.5 in'"):
        Tolerances.of(beam(), {"shear": ["0.5 in"]})


def test_a_per_cent_is_told_apart_from_a_unit_that_is_a_per_cent_too():
    purity = Constraint("purity", "inequality", limit=40.0, sense=">=", unit="%")
    share = Constraint("share", "inequality", unit="% t/h", scale=370.0)
    assert (read_level(purity, "5%"), read_level(purity, "2"), read_level(share, "37 % t/h")) == (2.0, 2.0, 37.0)
    assert violation_text(purity, 2.0) == "2 % (5 % of the limit)"
    assert covering_text(share, 37.0) == "37 % t/h (10 % of the size)"
    levels = Tolerances.of(Problem("p", [0.0], [1.0], (purity,), abs), {}).levels[0]
    assert (level_words(purity, levels), unit_words(purity, levels)) == (("0", "0.4", "0.8", "2", "4"), "%")


def test_the_competitions_problems_keep_the_papers_levels():
    assert Tolerances.default(get("C17", 10)).levels == ((0.0, 1e-4, 1e-2, 1.0),) * 3


def test_a_hard_constraint_has_one_bin_and_no_axis():
    found = Tolerances.of(beam(), {"plain": [1]}, hard=("flow", "shear"))
    assert found.hard == ("shear", "flow")
    assert found.shape == (1, 6, 3, 1)
    assert found.negotiable == (1, 2)
    assert found.allowance.tolist() == [0.0, 0.02, 1.0, 1e-4]
    assert found.labels(0) == ("satisfied",)
    assert found.bins([[9.0, 0.0, 0.0, 9.0]]).tolist() == [[0, 0, 0, 0]]
    with pytest.raises(InputError, match=r"^tolerances: a hard constraint .*'strength'"):
        Tolerances.of(beam(), {}, hard=("strength",))


def test_a_search_tells_apart_what_hard_constraints_and_equalities_are_satisfied_by():
    found = Tolerances.of(beam(), {"plain": [1]}, hard=("shear",))
    searched = found.searched(beam(), "directed")
    assert searched.hard == ()
    assert searched.levels == ((0.0,), found.levels[1], (0.0, 1.0), (0.0, 1e-4, 0.01, 0.02, 0.05, 0.1))
    assert found.searched(beam(), "paper-3").levels[3] == found.levels[3]
    same = Tolerances.default(get("C16", 10))
    assert same.searched(get("C16", 10), "directed") == same


def test_elites_satisfy_what_is_hard_and_everything_else_is_kept():
    found = Elites(
        np.zeros((3, 2)), np.array([1.0, 2.0, 3.0]), np.array([[9.0, 0, 0], [0, 0, 0], [0, 0, 5.0]]),
        np.array([[0.0], [1e-3], [5e-5]]), np.array([1, 2, 3]), np.array(["a", "b", "c"]),
    )  # fmt: skip
    everywhere = Archive(beam(), Tolerances.default(beam()), found)
    assert len(everywhere) == 3
    strict = everywhere.rebin(Tolerances.of(beam(), {}, hard=("shear", "flow")))
    assert strict.elites.f.tolist() == [3.0]
    assert strict.elite_rows.tolist() == [2]
    assert strict.everything().f.tolist() == [1.0, 2.0, 3.0]
    assert strict.rebin(everywhere.tolerances).elites.f.tolist() == everywhere.elites.f.tolist()


def test_the_best_within_the_allowances_breaks_nothing_by_more_than_the_last_levels():
    found = Elites(
        np.zeros((2, 2)), np.array([1.0, 2.0]), np.array([[1361.0, 0, 0], [1360.0, 0, 0]]), np.zeros((2, 1)),
        np.array([1, 2]), np.array(["a", "b"]),
    )  # fmt: skip
    archive = Archive(beam(), Tolerances.default(beam()), found)
    assert archive.best().f == 1.0
    assert archive.best_within_allowance().f == 2.0
    assert archive.within_allowance.tolist() == [
        archive.elites.f.tolist()[0] == 2.0,
        archive.elites.f.tolist()[1] == 2.0,
    ]
    assert archive.rebin(Tolerances.of(beam(), {"shear": [1]})).best_within_allowance() is None


def test_cells_that_relations_forbid_are_counted_with_hard_constraints_too():
    names = tuple(Constraint(f"h{i}", "equality") for i in (1, 2))
    problem = Problem(
        "pair", [0.0], [1.0], names, lambda x: (0.0, [], [x[0], -x[0]]), relations=(Relation("h1", "h2", 0.0),)
    )
    free = Tolerances.same(problem, [0, 1e-4, 1])
    assert free.possible_cells(problem) == 4
    hard = free.with_hard(problem, ["h2"])
    assert hard.possible(problem).tolist() == [[True], [True], [False], [False]]
    assert hard.can_exist(problem, hard.bins_of(np.arange(4))).tolist() == [True, True, False, False]


def test_constraints_that_depend_on_each_other_are_one_negotiable_thing():
    assert get("C16", 10).dependent == ((0,), (1,), (2, 3))
    assert beam().dependent == ((0,), (1,), (2,), (3,))


def test_a_description_of_a_run_keeps_hard_marks_scales_and_the_rule_of_its_grid():
    problem = beam()
    spec = RunSpec.of(problem, Tolerances.of(problem, {}, hard=("fit",)), Settings.of("directed", 2))
    table = spec.as_table()
    assert (table["hard"], table["scales"], table["grid"]) == (["fit"], {"fit": 0.2}, "finer")
    again = RunSpec.from_table(table)
    assert (again, again.scales) == (spec, spec.scales)
    for name in ("hard", "scales", "grid"):
        del table[name]
    old = RunSpec.from_table(table)
    assert (old.tolerances.hard, old.scales, old.grid) == ((), (), "levels")
    with pytest.raises(InputError, match=r"^the grid of a search"):
        RunSpec.from_table({**table, "grid": "wide"})


def test_a_search_goes_on_with_the_grid_that_it_was_begun_with():
    problem, settings = beam(), Settings.of("directed", 2, evaluations=400)
    tolerances = Tolerances.of(problem, {}, hard=("shear",))
    begun = Illumination(problem, tolerances, settings)
    begun.advance(200)
    assert begun.searched == tolerances.searched(problem, "directed")
    later = Illumination.restore(problem, tolerances, settings, begun.state(), grid=begun.grid)
    begun.advance(200)
    later.advance(200)
    assert later.archive().everything().f.tolist() == begun.archive().everything().f.tolist()
    assert (later.archive().elites.violations[:, 0] == 0).all()
    assert Illumination(problem, Tolerances.default(problem), settings, grid="levels").searched.levels[3][1] == 0.01


def test_the_cells_that_count_as_filled_are_those_of_the_map_that_is_shown():
    problem = beam()
    for hard in ((), ("shear", "flow")):
        tolerances = Tolerances.of(problem, {"plain": [0.5]}, hard=hard)
        search = Illumination(problem, tolerances, Settings.of("directed", 2, evaluations=1500))
        filled = FilledCellCounter(search)
        for _ in range(5):
            search.advance(300)
            assert filled.count() == len(search.archive())
        assert search.occupied > filled.count()
