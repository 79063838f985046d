"""Questions asked of an archive: the best solution within any tolerances, and the whole lattice at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapelites import Constraint, InputError, Problem, Tolerances
from mapelites.core.archive import Archive, Elites
from mapelites.core.lattice import Lattice

CONSTRAINTS = (Constraint("g1", "inequality"), Constraint("g2", "inequality"), Constraint("h1", "equality"))
PROBLEM = Problem("plain", [-9.0] * 4, [9.0] * 4, CONSTRAINTS, lambda x: (x[0], [x[1], x[2]], [x[3]]))
LEVELS = Tolerances(("g1", "g2", "h1"), ((0, 1, 2), (0, 0.5), (0, 1)))
VALUES = st.sampled_from([-1.0, 0.0, 5e-5, 0.3, 0.5, 1.0, 1.5, 2.0, 4.0])


def archive_of(rows):
    points = np.array(rows, dtype=float).reshape(-1, 4)
    values = PROBLEM.evaluate(points)
    count = len(points)
    found = Elites(points, values.f, values.g, values.h, np.arange(1, count + 1), np.full(count, "line"))
    return Archive(PROBLEM, LEVELS, found)


def best_by_looking_at_all(archive, tolerances):
    found = archive.everything()
    inside = [f for f, v in zip(found.f, found.violations, strict=True) if (v <= tolerances).all()]
    return min(inside, default=np.inf)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES, VALUES, VALUES), max_size=12))
def test_every_answer_of_the_lattice_is_the_best_of_all_solutions_within_its_tolerances(rows):
    archive = archive_of(rows)
    answers = archive.answers()
    places = answers.lattice.all()
    tolerances = answers.lattice.tolerances_of(places)
    expected = [best_by_looking_at_all(archive, each) for each in tolerances]
    assert answers.f(places).tolist() == expected
    assert [np.inf if (a := archive.answer(each)) is None else a.f for each in tolerances] == expected


def test_an_equality_is_asked_for_what_counts_as_satisfied_and_never_for_less():
    archive = archive_of([[3.0, 0.0, 0.0, 5e-5], [1.0, 0.0, 0.0, 0.4]])
    assert archive.answers().lattice.tolerances[2] == (1e-4, 1.0)
    assert archive.answer({}).f == 3.0
    assert archive.answer({"h1": 0.4}).f == 1.0
    assert archive.answer([0, 0, 0]).f == 3.0


def test_no_answer_is_none():
    assert archive_of([[3.0, 1.5, 0.0, 0.0]]).answer({"g1": 1.0}) is None


def test_a_lattice_that_is_too_large_to_list_still_answers_the_questions_asked():
    lattice = Lattice.of([f"g{i}" for i in range(40)], [(0.0, 1.0, 2.0)] * 40, 0.0)
    assert lattice.size == 3**40
    assert len(lattice.singles()) == 80
    assert len(lattice.pairs()) == 780 * 4
    assert lattice.alike().tolist() == [[1] * 40, [2] * 40]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"g9": 1.0}, "answer: a constraint must be one of g1, g2, h1, but it was 'g9'"),
        ([0.0, 1.0], r"answer: there must be one tolerance for each of g1, g2, h1, but there were 2"),
        ([0.0, -1.0, 0.0], "answer: a tolerance must be a number from 0 on"),
        ([0.0, np.nan, 0.0], "answer: a tolerance must be a number from 0 on"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_words(asked, said):
    with pytest.raises(InputError, match=said):
        archive_of([[0.0] * 4]).answer(asked)


def test_places_beyond_the_lattice_are_refused():
    with pytest.raises(InputError, match="answers: a question has one place for each of g1, g2, h1"):
        archive_of([[0.0] * 4]).answers().f([[3, 0, 0]])
