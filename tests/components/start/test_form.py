"""What a form of texts asks for, and what is wrong with each of its fields."""

from __future__ import annotations

from typing import Any

import pytest

from components.start import form as start_form
from components.start.form import FULL_SPEED, WATCH, form_defaults, read_form
from mapelites.core.tolerances import Tolerances
from mapelites.problems import get
from tests.evaluation.black_boxes import disc, problem_of

C17 = form_defaults({"problem": "C17"})


def levels(problem: str = "C17", dimension: int = 10) -> dict[str, Any]:
    tolerances = Tolerances.default(get(problem, dimension))
    return {"names": list(tolerances.names), "levels": [list(each) for each in tolerances.levels]}


def test_the_form_opens_with_a_run_that_can_be_started() -> None:
    request, errors = read_form(form_defaults({}), levels("tin-can", 2), WATCH)
    assert errors == {}
    assert request is not None
    assert (request.problem, request.dimension, request.tolerances.cells) == ("tin-can", 2, 36)
    assert request.settings.search == start_form.default_search()
    assert (request.pace, request.watch) == (None, 10.0)


def test_full_speed_has_no_pace() -> None:
    request, _ = read_form(C17, levels(), FULL_SPEED)
    assert request is not None
    assert (request.pace, request.watch) == (None, None)


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("problem", "C99", "Choose a problem from the list"),
        ("problem", None, "Choose a problem from the list"),
        ("problem", ["C17"], "Choose a problem from the list"),
        ("dimension", "99", "C17: the dimension must be 1 to 30, but it was 99"),
        ("dimension", "ten", "The dimension must be a whole number, but it was 'ten'"),
        ("dimension", "", "The dimension must be a whole number, but it was ''"),
        ("dimension", "2.5", "The dimension must be a whole number, but it was '2.5'"),
        ("search", "magic", "Choose a search from the list"),
        ("search", {}, "Choose a search from the list"),
        ("evaluations", "0", "Evaluations must be from 1 to 1,000,000,000,000, but it was 0"),
        ("evaluations", "many", "Evaluations must be a whole number, but it was 'many'"),
        ("evaluations", "nan", "Evaluations must be a whole number, but it was nan"),
        ("initial", "300000", "Initial samples must be from 1 to 200,000, but it was 300,000"),
        ("seed", "-1", "Seed must be from 0 to 9,223,372,036,854,775,807, but it was -1"),
        ("sigma", "0", "Mutation step σ must be above 0 and at most 1,000,000, but it was 0"),
        ("mutation_probability", "1.5", "Mutation probability must be from 0 to 1, but it was 1.5"),
        ("crossover", "perhaps", "Crossover must be true or false, but it was 'perhaps'"),
        ("bounds", "elastic", "At the bounds must be one of toroidal, saturate, bounce, but it was 'elastic'"),
    ],
)
def test_a_wrong_field_is_told_in_words_and_the_others_are_not(field: str, text: Any, words: str) -> None:
    request, errors = read_form({**C17, "search": "paper-3", "evaluations": "200,000", field: text}, levels(), WATCH)
    assert request is None
    assert errors == {field: words}


def test_all_wrong_fields_are_told_at_once() -> None:
    _, errors = read_form({**C17, "evaluations": "no", "seed": "no", "dimension": "no"}, None, WATCH)
    assert sorted(errors) == ["dimension", "evaluations", "seed", "tolerances"]


def test_levels_of_another_problem_are_told() -> None:
    request, errors = read_form(form_defaults({"problem": "C16"}), levels("C17"), WATCH)
    assert request is None
    assert errors == {"tolerances": "The levels were for g1, g2, h1, not for C16 10D"}


def test_empty_advanced_fields_keep_what_the_search_has() -> None:
    request, _ = read_form({**C17, "search": "paper-2", "sigma": "", "crossover": ""}, levels(), WATCH)
    assert request is not None
    assert (request.settings.sigma, request.settings.crossover) == (0.5, False)


def test_advanced_fields_change_what_the_search_has() -> None:
    values = {
        **C17,
        "search": "paper-2",
        "sigma": "0.25",
        "crossover": "yes",
        "distinct_parents": "no",
    }
    request, _ = read_form(values, levels(), WATCH)
    assert request is not None
    settings = request.settings
    assert (settings.sigma, settings.crossover, settings.distinct_parents) == (0.25, True, False)


@pytest.mark.parametrize(("text", "value"), [("200,000", 200_000), (" 2e5 ", 2e5), ("", None), ("x1", "x1"), (7, 7)])
def test_numbers_may_be_written_as_people_write_them(text: Any, value: Any) -> None:
    assert start_form.number_or_text(text) == value


def test_a_link_may_name_the_problem_and_a_wrong_one_is_ignored() -> None:
    assert form_defaults({"problem": "C06", "dimension": "30"})["evaluations"] == "600,000"
    assert form_defaults({"problem": "C06", "dimension": "11"})["dimension"] == "10"
    assert form_defaults({"problem": "nonsense", "search": "nonsense"}) == form_defaults({})


def test_budget_and_initial_samples_follow_the_search_and_the_dimension() -> None:
    form = form_defaults({"search": "paper-3"})
    assert start_form.dependent_settings("paper-3", 30, form) == {"evaluations": "600,000"}
    assert start_form.dependent_settings("paper-3", 10, form) == {}
    assert start_form.dependent_settings("magic", 30, form) == {}
    typed = {"evaluations": "12,345", "initial": "77"}
    assert start_form.dependent_settings("paper-3", 30, typed) == {}
    assert start_form.dependent_settings("directed", 10, form) == {"initial": "200"}


def test_a_function_without_a_kernel_asks_for_workers_and_gets_a_budget_it_may_live_to_see_spent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = problem_of(disc)
    for name, stand_in in (("get", lambda *_: problem), ("names", lambda: (problem.name,))):
        monkeypatch.setattr(start_form, name, stand_in)
    monkeypatch.setattr(start_form, "preferred_dimension", lambda _: 3)
    values = form_defaults({"problem": problem.name})
    assert (values["search"], values["evaluations"], values["initial"]) == ("surrogate", "500", "8")
    assert int(values["workers"]) >= 1
    names = {"names": ["g1", "h1"], "levels": [[0, 1]] * 2}
    request, errors = read_form(
        {**values, "workers": "8", "time_limit": "1.5", "retries": "0", "evaluations": "6"}, names, FULL_SPEED
    )
    assert (errors, request is not None) == ({}, True)
    assert request is not None
    settings = request.settings
    assert (settings.workers, settings.time_limit, settings.retries) == (8, 1.5, 0)
    assert (settings.evaluations, settings.initial) == (6, 5)
    _, errors = read_form({**values, "workers": "many", "time_limit": "-1"}, names, FULL_SPEED)
    assert errors == {
        "workers": "Workers must be a whole number, but it was 'many'",
        "time_limit": "Time limit must be from 0 to 604,800, but it was -1",
    }


def test_a_problem_with_a_kernel_has_no_workers_whatever_stands_in_a_field_that_is_not_shown() -> None:
    request, errors = read_form({**C17, "workers": "many"}, levels(), FULL_SPEED)
    assert errors == {}
    assert request is not None
    assert request.settings.workers == 0


def test_the_budget_follows_to_a_problem_without_a_kernel_and_back() -> None:
    assert start_form.dependent_settings("directed", 3, {"evaluations": "200,000"}, compiled=False) == {
        "evaluations": "5,000"
    }
    assert start_form.dependent_settings("directed", 10, {"evaluations": "5,000"}) == {"evaluations": "200,000"}
    assert start_form.dependent_settings("directed", 10, {"evaluations": "1,234"}, compiled=False) == {}


def test_a_notice_names_three_wrong_fields_in_the_order_of_the_page_and_counts_the_rest() -> None:
    wrong = {**C17, "seed": "x", "initial": "0", "sigma": "-1", "dimension": "3.5"}
    _, errors = read_form(wrong, {"names": ["g1"], "levels": [["-1"]]}, WATCH)
    assert start_form.in_order(errors) == ["dimension", "tolerances", "initial", "seed", "sigma"]
    assert start_form.errors_in_words(errors) == [
        "The dimension must be a whole number, but it was '3.5'.",
        "Levels of g1: a level must not be negative, but one was -1.",
        "Initial samples must be from 1 to 200,000, but it was 0.",
        "And 2 more.",
    ]


def slow_form(monkeypatch: pytest.MonkeyPatch, **typed: str) -> tuple[Any, dict[str, str]]:
    """The form of a problem whose function has no kernel, with what somebody typed."""
    problem = problem_of(disc)
    monkeypatch.setattr(start_form, "get", lambda *_: problem)
    monkeypatch.setattr(start_form, "names", lambda: ("disc",))
    monkeypatch.setattr(start_form, "preferred_dimension", lambda _: 3)
    tolerances = Tolerances.default(problem)
    given = {"names": list(tolerances.names), "levels": [list(each) for each in tolerances.levels]}
    return read_form({**form_defaults({"problem": "disc"}), **typed}, given, FULL_SPEED)


def test_a_hundred_evaluations_and_a_design_to_begin_with_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    request, errors = slow_form(monkeypatch, evaluations="100", start="0.5, -1 0.5", batch="2")
    assert errors == {}
    settings = request.settings
    assert (settings.search, settings.evaluations, settings.initial) == ("surrogate", 100, 8)
    assert (settings.start, settings.batch) == (((0.5, -1.0, 0.5),), 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0.5, 1", "Your design: 3 numbers are needed, for x1, x2, x3, but there were 2"),
        ("0.5, 3, 0.5", "Your design: x2 must be from -2 to 2, but it was 3"),
        ("0.5, wide, 0.5", "Your design must be lists of values, one for each variable, but it was"),
    ],
)
def test_a_design_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch, text: str, words: str) -> None:
    request, errors = slow_form(monkeypatch, start=text)
    assert request is None
    assert errors["start"].startswith(words)
