"""What is read of a constraint's limit, sense, unit and meaning, in formulas and in Python files."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from mapelites import problem as declared
from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.core.terms import named_limit
from mapelites.core.tolerances import PAPER_LEVELS, Tolerances
from mapelites.problems import get, own_problems
from mapelites.problems.formulas import FormulaError, problem_of
from mapelites.problems.own.estimates import estimated_sizes
from mapelites.problems.own.files import describe_problem, problem_from_description
from mapelites.problems.suites.gallery import NAMES


def typed(*constraints: str, objective: str = "minimise a + b") -> Problem:
    lines = ["variable a from 1 to 9", "variable b from 1 to 9", "let P = 2*3", "let Q = a*b", "let S = a - P"]
    return problem_of("\n".join([*lines, objective, "subject to", *constraints]))


@pytest.mark.parametrize(
    ("text", "limit", "sense", "value"),  # the value at a = 2, b = 5
    [
        ("Q <= 7", 7, "<=", 10), ("7 >= Q", 7, "<=", 10), ("Q >= 7", 7, ">=", 10), ("7 <= Q", 7, ">=", 10),
        ("P <= Q", 6, ">=", 10), ("Q <= P", 6, "<=", 10), ("Q <= -P", -6, "<=", 10), ("Q <= 2*P + 1", 13, "<=", 10),
        ("Q = 7", 7, "=", 10), ("7 = Q", 7, "=", 10), ("P = Q", 6, "=", 10),
        ("1 - Q <= 0", 1, ">=", 10), ("Q - 1 <= 0", 1, "<=", 10), ("0 >= Q - 1", 1, "<=", 10),
        ("1 - Q >= 0", 1, "<=", 10), ("-Q + 1 <= 0", 1, ">=", 10), ("-2*Q + P <= 0", 6, ">=", 20),
        ("1 - Q = 0", 1, "=", 10), ("0 = 1 - Q", 1, "=", 10), ("0 = Q - 1", 1, "=", 10), ("S <= 0", 6, "<=", 2),
        ("Q/9 - 1 <= 0", 1, "<=", 10 / 9), ("2*(Q - 3) <= 0", 6, "<=", 20), ("-(Q - 3) <= 0", 3, ">=", 10),
        ("(Q - 3)/P <= 0", 0.5, "<=", 10 / 6), ("-2*S >= 0", 12, "<=", 4),
    ],
)  # fmt: skip
def test_the_constant_side_of_a_constraint_is_its_limit(text, limit, sense, value):
    problem = typed(f"c: {text}")
    (constraint,) = problem.constraints
    raw = problem.values([[2.0, 5.0]])[0, 1]
    assert (constraint.limit, constraint.sense, constraint.scale) == (limit, sense, None)
    assert constraint.value(raw) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "scale"),
    [("a <= b", 3.0), ("a + 1 <= b", 3.0), ("2*a - b <= 0", 3.0), ("a - b - 1 <= 0", 3.0), ("Q <= 3*b", 9.0),
     ("a = b", 3.0), ("a - b = 0", 3.0)],
)  # fmt: skip
def test_sides_that_both_vary_have_the_typical_size_of_them_near_good_solutions(text, scale):
    problem = typed(f"c: {text}", "enough: b >= 3")
    (constraint,) = (each for each in problem.constraints if each.name == "c")
    assert constraint.reference == constraint.scale == pytest.approx(scale, rel=0.5)
    assert not constraint.limit
    assert typed(f"c: {text}", "enough: b >= 3").scales == problem.scales


def test_a_scale_is_never_what_only_the_accuracy_of_the_search_keeps_from_0():
    (product,) = typed("c: a*(2 - b) <= 0").constraints  # held with equality, but a and 2 a stand against each other
    assert (product.scale, product.estimated) == (pytest.approx(2.0, rel=0.5), False)
    (swing,) = typed("c: sin(3 - b) <= 0").constraints
    assert swing.estimated
    assert 1.0 < swing.scale < 30.0
    assert named_limit(swing).startswith("c (estimated size ")


def test_units_and_meanings_stand_behind_a_constraint_and_the_objective_has_a_name():
    problem = typed('c: Q <= 7 [in²] "the area"', "d: a <= b", objective="minimise total cost [$]: a + b")
    first, second = problem.constraints
    assert (first.unit, first.meaning, second.unit, second.meaning) == ("in²", "the area", "", "")
    assert (problem.objective, problem.objective_unit, problem.maximise) == ("total cost", "$", False)
    assert typed("Q <= 7", objective="minimise cost: a").objective == "cost"
    other = typed("Q <= 7", objective="maximise a + b")
    assert (other.objective, other.objective_unit, other.maximise, other.shown_objective(-3.0)) == ("f", "", True, 3.0)
    assert typed("Q <= 7", objective="minimise a").objective == "f"


@pytest.mark.parametrize(
    ("objective", "said"),
    [("minimise [$]: a", "the objective needs a name"), ("minimise cost [$] a", "after the unit of the objective"),
     (f"minimise {'c' * 41}: a", "the name of the objective must have at most 40")],
)  # fmt: skip
def test_an_objective_that_is_named_wrongly_is_refused_in_words(objective, said):
    with pytest.raises(FormulaError, match=said):
        typed("Q <= 7", objective=objective)


@given(st.floats(0.01, 1e6), st.sampled_from(["<=", ">="]), st.booleans(), st.floats(1, 9), st.floats(1, 9))
def test_a_limit_read_from_either_side_gives_back_the_value_that_was_typed(limit, sense, turned, a, b):
    other = {"<=": ">=", ">=": "<="}[sense]
    text = f"{limit!r} {other} a*b" if turned else f"a*b {sense} {limit!r}"
    problem = typed(text)
    (constraint,) = problem.constraints
    assert (constraint.limit, constraint.sense) == (limit, sense)
    assert constraint.value(problem.values([[a, b]])[0, 1]) == pytest.approx(a * b, rel=1e-9, abs=1e-9 * limit)


def test_every_constraint_of_the_gallery_has_a_reference_a_meaning_and_default_levels_in_per_cent():
    for name in NAMES:
        problem = get(name)
        assert problem.objective != "f"
        for constraint, levels in zip(problem.constraints, Tolerances.default(problem).levels, strict=True):
            assert constraint.meaning, (name, constraint.name)
            assert np.allclose(levels, np.array([0, 0.01, 0.02, 0.05, 0.1]) * constraint.reference)
    beam = {each.name: each for each in get("welded-beam").constraints}
    assert (beam["shear"].limit, beam["shear"].sense, beam["shear"].unit) == (13600.0, "<=", "psi")
    assert (beam["buckling"].limit, beam["buckling"].sense, beam["buckling"].unit) == (6000.0, ">=", "lb")
    assert (beam["fit"].limit, beam["fit"].scale, beam["fit"].unit) == (None, pytest.approx(0.2, rel=0.1), "in")
    assert get("reactor-network").maximise


BOUNDS = {"a": (0.0, 9.0), "b": (0.0, 9.0)}


def two_stresses(x):
    return x[0] + x[1], (x[0] * 100, x[1], x[0] - 1), (x[0] * x[1],)


@pytest.mark.parametrize("function", [two_stresses, njit(two_stresses)])
def test_a_python_function_returns_the_stress_itself_where_a_limit_is_declared(function):
    made = declared(
        bounds=BOUNDS, inequalities=["stress <= 500 psi", "height >= 2.5 in", "plain"], equalities=["volume = 12 l"],
        meanings={"stress": "in the weld", "a": "width"}, objective="cost [$]", maximise=True,
    )(function)  # fmt: skip
    assert made.values([[6.0, 2.0]]).tolist() == [[-8.0, 100.0, 0.5, 5.0, 0.0]]
    stress, height, plain, volume = made.constraints
    assert (stress.name, stress.limit, stress.sense, stress.unit) == ("stress", 500.0, "<=", "psi")
    assert (height.value(0.5), volume.value(0.0), plain.limit, stress.meaning) == (2.0, 12.0, None, "in the weld")
    assert (made.objective, made.objective_unit, made.maximise) == ("cost", "$", True)
    told = problem_from_description(describe_problem(made, "beam.py", "0", {}))
    assert (told.constraints, told.objective, told.maximise) == (made.constraints, "cost", True)


def test_a_batch_function_and_the_old_form_are_read_as_before():
    def batch(x):
        return x[:, 0] + x[:, 1], [x[:, 0] * 100], []

    assert declared(bounds=BOUNDS, inequalities=["stress <= 500"])(batch).values([[6.0, 2.0]]).tolist() == [
        [8.0, 100.0]
    ]
    (stress,) = declared(bounds=BOUNDS, inequalities=["stress <= 13,600 psi"])(batch).constraints
    assert (stress.limit, stress.unit) == (13600.0, "psi")
    (rate,) = declared(bounds=BOUNDS, inequalities=["rate >= 2 1/s"])(batch).constraints
    assert (rate.limit, rate.sense, rate.unit) == (2.0, ">=", "1/s")
    assert declared(bounds=BOUNDS, inequalities=["stress"])(batch).values([[6.0, 2.0]]).tolist() == [[8.0, 600.0]]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"inequalities": ["stress <= capacity"]}, "a limit is a number and its unit behind a name"),
        ({"inequalities": ["stress <= 1,2 psi"]}, "a limit is a number and its unit behind a name"),
        ({"inequalities": ["stress <= 2*5 psi"]}, "a limit is a number and its unit behind a name"),
        ({"inequalities": ["ratio <= 3/4"]}, "a limit is a number and its unit behind a name"),
        ({"inequalities": ["stress <= 1_000"]}, "a limit is a number and its unit behind a name"),
        ({"inequalities": ["stress < 500 psi"]}, "'stress < 500 psi': write <= or >= between a name and its limit"),
        ({"inequalities": ["stress = 5"]}, "an inequality is written with <= or >="),
        ({"equalities": ["volume <= 5 l"]}, "an equality is written with ="),
        ({"inequalities": ["stress"], "objective": "cost ["}, "objective must be a name and its unit"),
        ({"inequalities": ["stress"], "meanings": {"strain": "x"}}, "the variables and constraints are a, b, stress"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused_in_words(given, said):
    with pytest.raises(InputError, match=said):
        declared(bounds=BOUNDS, **given)


BEAM = """import time
from mapelites import problem


@problem(bounds={"b": (0.1, 2), "t": (0.1, 10)}, inequalities=["bending", "deflection <= 0.25 in"])
def beam(x):
    WAIT
    return x[0] * x[1], [504000 / (x[0] * x[1] ** 2) - 30000, 2.1952 / (x[1] ** 3 * x[0])], []
"""


def test_the_size_of_what_a_python_file_compares_is_estimated_and_told_as_an_estimate(tmp_path):
    for name, wait in (("quick", "pass"), ("slow", "time.sleep(0.002)")):
        (tmp_path / f"{name}.py").write_text(BEAM.replace("WAIT", wait).replace("beam", name))
    own_problems.watch([tmp_path])
    try:
        problem = get("quick")
        bending, deflection = problem.constraints
        assert bending.estimated
        assert 15000 < bending.scale < 60000
        assert named_limit(bending) == f"bending (estimated size {bending.scale:,.0f})"
        assert (deflection.limit, deflection.scale, deflection.estimated) == (0.25, None, False)
        assert own_problems.loaded(problem).constraints == problem.constraints
        assert Tolerances.default(problem).levels[0][-1] == pytest.approx(bending.scale / 10)
        slow = get("slow")
        assert [each.scale for each in slow.constraints] == [None, None]
        assert Tolerances.default(slow).levels[0] == PAPER_LEVELS
    finally:
        own_problems.watch([])


def test_estimated_sizes_are_near_the_limits_where_these_are_known():
    ratios = []
    for name in NAMES:
        problem = get(name)
        plain = replace(
            problem, constraints=tuple(replace(each, limit=None, sense="", scale=None) for each in problem.constraints)
        )
        found = estimated_sizes(plain)
        ratios += [found[each.name] / each.reference for each in problem.constraints if each.name in found]
    apart = np.abs(np.log2(ratios))
    assert len(ratios) >= 55
    assert (apart <= 1).mean() >= 0.5
    assert (apart <= 2).mean() >= 0.8


def test_a_description_of_version_0_1_is_read_without_limits():
    made = declared(bounds=BOUNDS, inequalities=["stress"])(lambda x: (x[0], [x[1]], []))
    text = describe_problem(made, "beam.py", "0", {})
    old = text.replace('"limits": [[null, "", "", ""]], ', "").replace('"objective": ["f", "", false], ', "")
    assert "limits" not in old
    assert "objective" not in old
    assert problem_from_description(old).constraints == made.constraints
