"""Chips to levels: what the form accepts and what it says about the rest."""

from __future__ import annotations

from typing import Any

import pytest

from app import create_app
from components import tolerance_form
from mapelites.errors import InputError
from mapelites.problem import Constraint, Problem
from mapelites.runs import Store
from mapelites.tolerances import PAPER_LEVELS, Tolerances, short


@pytest.mark.parametrize(
    ("chips", "words"),
    [
        (["0", "-1"], "g1: a level must not be negative, but one was -1"),
        (["0", "much"], "g1: a level must be a number, but one was 'much'"),
        (["0", "1e-4", "0.0001"], "g1: level 1e-4 is there twice"),
        (["-1", "abc", "0.01"],
         "g1: a level must not be negative, but one was -1; a level must be a number, but one was 'abc'"),
        (["0", "-1", "2", "2.0"], "g1: a level must not be negative, but one was -1; level 2 is there twice"),
        (["nan"], "g1: a level must be a finite number, but one was nan"),
        (
            [str(k) for k in range(1, 60)],
            "g1: at most 40 levels are possible, but there were 59 and the level 0, which is always there",
        ),
        ("0", "g1: levels must be a list, but they were '0'"),
        (None, "g1: levels must be a list, but they were None"),
        ([None], "g1: a level must be a number, but one was None"),
    ],
)  # fmt: skip
def test_a_wrong_chip_is_told_in_words(chips: Any, words: str) -> None:
    with pytest.raises(InputError) as told:
        tolerance_form.parse("g1", chips)
    assert str(told.value) == words


@pytest.mark.parametrize(
    ("chips", "places"),
    [
        (["0", "1e-4", "1"], []),
        (["0", "-1", "much", "1", None], [2, 3, 5]),
        (["1e-4", "1", "0.0001", "0", "0"], [3, 5]),
        ([str(k) for k in range(1, 42)], [40, 41]),
        ([str(k) for k in range(41)], [41]),
        (None, []),
    ],
)
def test_the_chips_that_are_wrong_are_known_by_their_places(chips: Any, places: list[int]) -> None:
    assert tolerance_form.wrong_places(chips) == places


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


def test_a_form_of_many_constraints_opens_with_levels_that_a_map_has_room_for_and_says_so() -> None:
    constraints = tuple(Constraint(f"g{i}", "inequality") for i in range(38))
    tolerances = Tolerances.default(Problem("many", [0.0], [1.0], constraints, abs))
    said = str(tolerance_form.layout("run", tolerances))
    assert "3 bins for each of 38 constraints. The paper's four levels would make more cells than a map has" in said
    few = Tolerances(("g1",), (PAPER_LEVELS,))
    assert "room for" not in str(tolerance_form.layout("run", few))


@pytest.mark.parametrize(
    ("old", "levels", "new", "expected"),
    [
        (4, PAPER_LEVELS, 38, ["0", "1e-4"]),  # untouched, so it goes along
        (38, (0.0, 1e-4), 4, ["0", "1e-4", "0.01", "1"]),
        (4, (0.0, 0.5), 20, ["0", "0.5"]),  # somebody's own
        (4, (0.0, 0.5, 1.0, 2.0), 38, ["0", "1e-4"]),  # for which there is no room
    ],
)
def test_levels_go_along_to_another_problem_where_there_is_room(
    store: Store, old: int, levels: tuple[float, ...], new: int, expected: list[str]
) -> None:
    browser = create_app(store).server.test_client()
    before = Tolerances(tuple(f"g{i}" for i in range(old)), (levels,) * old)
    row = {"form": "start", "row": tolerance_form.ALL_CONSTRAINTS}
    data = {"names": list(before.names), "levels": [list(each) for each in before.levels]}
    chips = [short(level) for level in levels]
    body = {
        "output": "start-rows.children",
        "outputs": {"id": "start-rows", "property": "children"},
        "changedPropIds": ["start-constraints.data"],
        "inputs": [
            {"id": "start-same", "property": "checked", "value": True},
            [],
            {"id": "start-constraints", "property": "data", "value": [f"g{i}" for i in range(new)]},
        ],
        "state": [
            {"id": "start-step", "property": "value", "value": "1e-4"},
            [{"id": row, "property": "value", "value": chips}],
            [{"id": row, "property": "id", "value": row}],
            {"id": "start-tolerances", "property": "data", "value": data},
        ],
    }
    answer = browser.post("/_dash-update-component", json=body)
    rows = answer.get_json()["response"]["start-rows"]["children"]
    assert rows[0]["props"]["children"][0]["props"]["value"] == expected
