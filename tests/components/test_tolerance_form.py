"""Chips to levels: what the form accepts and what it says about the rest."""

from __future__ import annotations

from typing import Any

import pytest

from components import tolerance_form
from mapelites.errors import InputError
from mapelites.tolerances import PAPER_LEVELS, Tolerances


@pytest.mark.parametrize(
    ("chips", "words"),
    [
        (["0", "-1"], "g1: a level must not be negative, but one was -1"),
        (["0", "much"], "g1: a level must be a number, but one was 'much'"),
        (["0", "1e-4", "0.0001"], "g1: level 1e-4 is there twice"),
        (["-1", "abc", "0.01"],
         "g1: a level must not be negative, but one was -1; a level must be a number, but one was 'abc'"),
        (["nan"], "g1: a level must be a finite number, but one was nan"),
        ([str(k) for k in range(1, 60)], "g1: at most 40 levels are possible, but there were 60"),
        ("0", "g1: levels must be a list, but they were '0'"),
        (None, "g1: levels must be a list, but they were None"),
        ([None], "g1: a level must be a number, but one was None"),
    ],
)  # fmt: skip
def test_a_wrong_chip_is_told_in_words(chips: Any, words: str) -> None:
    with pytest.raises(InputError) as told:
        tolerance_form.parse("g1", chips)
    assert str(told.value) == words


def test_of_many_wrong_chips_some_are_named_and_the_rest_counted() -> None:
    with pytest.raises(InputError, match=r"but one was -5; and 4 more$"):
        tolerance_form.parse("g1", [f"-{k}" for k in range(1, 10)])


def test_chips_may_come_in_any_order_and_without_zero() -> None:
    assert tolerance_form.parse("g1", ["1", "1e-4", "0.5"]) == (0.0, 1e-4, 0.5, 1.0)
    assert tolerance_form.parse("g1", []) == (0.0,)


def test_what_the_form_says_reads_back_as_the_tolerances() -> None:
    tolerances = Tolerances(("g1", "h1"), (PAPER_LEVELS, (0.0, 0.25)))
    form = tolerance_form.layout("run", tolerances)
    stores = {each.id: each.data for each in form.children if hasattr(each, "data")}
    assert tolerance_form.read(stores[tolerance_form.value_id("run")]) == tolerances
    assert stores[tolerance_form.constraints_id("run")] == ["g1", "h1"]


@pytest.mark.parametrize("data", [None, {}, {"names": ["g1"]}, {"names": "g1", "levels": [[0]]}, [1]])
def test_data_that_is_no_form_is_refused(data: Any) -> None:
    with pytest.raises(InputError, match="levels for every constraint are needed, but none came"):
        tolerance_form.read(data)


def test_levels_for_too_few_constraints_are_refused() -> None:
    with pytest.raises(InputError, match="2 constraints need 2 lists of levels, but there were 1"):
        tolerance_form.read({"names": ["g1", "g2"], "levels": [[0]]})


def test_presets_are_valid_levels() -> None:
    made = {key: preset[2](1e-4) for key, preset in tolerance_form.PRESETS.items()}
    assert made["paper"] == PAPER_LEVELS
    assert made["decades"] == (0.0, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)
    assert made["steps"] == (0.0, 1e-4, 2e-4, 3e-4, 4e-4, 5e-4)
    for levels in made.values():
        Tolerances(("g1",), (levels,))
