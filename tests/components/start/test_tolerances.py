"""Chips to levels: what the form accepts and what it says about the rest."""

from __future__ import annotations

from typing import Any

import pytest

from app import create_app
from components.start import tolerances as tolerance_form
from components.start.chips import parse_levels, texts_of, wrong_places
from mapelites import illuminate
from mapelites.core.errors import InputError
from mapelites.core.problem import Constraint, Problem
from mapelites.core.tolerances import PAPER_LEVELS, Tolerances, short
from mapelites.problems import get
from mapelites.runs import Store

G1 = Constraint("g1", "inequality")
SHEAR = Constraint("shear", "inequality", limit=13600.0, sense="<=", unit="psi", meaning="in the weld")


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
        parse_levels(G1, chips)
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
    assert wrong_places(G1, chips) == places


def test_of_many_wrong_chips_some_are_named_and_the_rest_counted() -> None:
    with pytest.raises(InputError, match=r"but one was -5; and 4 more$"):
        parse_levels(G1, [f"-{k}" for k in range(1, 10)])


def test_chips_may_come_in_any_order_and_without_zero() -> None:
    assert parse_levels(G1, ["1", "1e-4", "0.5"]).levels == (0.0, 1e-4, 0.5, 1.0)
    assert parse_levels(G1, []).levels == (0.0,)
    assert parse_levels(G1, ["1 0.0001 0.5"]).texts == ("0", "1e-4", "0.5", "1")


def test_chips_in_per_cent_or_with_a_unit_stay_as_they_were_typed_and_come_in_order() -> None:
    row = parse_levels(SHEAR, ["10 %", "680 psi", "1%", "200"])
    assert row.levels == (0.0, 136.0, 200.0, 680.0, 1360.0)
    assert row.texts == ("0", "1%", "200", "680 psi", "10%")
    assert texts_of(SHEAR, row.levels) == ["0", "1%", "200", "5%", "10%"]
    with pytest.raises(InputError, match=r"^shear: its unit is psi, but a level was typed as '5 kPa'$"):
        parse_levels(SHEAR, ["5 kPa", "1%"])
    with pytest.raises(InputError, match=r"^g1: 5% cannot be worked out, because neither a limit nor a scale of g1"):
        parse_levels(G1, ["5%"])
    assert wrong_places(SHEAR, ["5%", "5 kPa", "680 psi"]) == [2, 3]
    assert parse_levels(SHEAR, ["0,1%, 5%", "1,360 psi"]).texts == ("0", "1%", "5%", "1360 psi")


def test_what_the_form_says_reads_back_as_the_tolerances() -> None:
    problem = Problem("two", [0.0], [1.0], (SHEAR, Constraint("h1", "equality")), abs)
    tolerances = Tolerances(("shear", "h1"), ((0.0, 680.0), (0.0, 1e-4)), ("h1",))
    form = tolerance_form.layout("run", problem, tolerances)
    stores = {each.id: each.data for each in form.children if hasattr(each, "data")}
    assert tolerance_form.read_tolerances(stores[tolerance_form.value_id("run")]) == tolerances
    known = stores[tolerance_form.constraints_id("run")]
    assert (known["chips"], known["hard"]) == ([["0", "5%"], ["0", "1e-4", "0.01", "1"]], ["h1"])
    said = str(form)
    for words in ("shear ≤ 13,600 psi", "up to 680 psi (5 %)", "more than 680 psi (5 %)", "hard: satisfied everywhere"):
        assert words in said


def test_who_presses_the_button_with_wrong_levels_is_told_only_what_is_wrong_with_them() -> None:
    problem = Problem("two", [0.0], [1.0], (SHEAR, Constraint("h1", "equality")), abs)
    known = tolerance_form.described_problem(problem)
    ids = [{"form": "run", "row": name} for name in ("shear", "h1")]
    said = tolerance_form.as_typed([["0", "1%", "5 kPa"], ["0", "much"]], ids, [[]], known)
    words = r"^levels of shear: its unit is psi, but a level was typed as '5 kPa'; levels of h1: a level must be a num"
    with pytest.raises(InputError, match=words):
        tolerance_form.read_tolerances(said)
    assert said["levels"] == [["0", "1%", "5 kPa"], ["0", "much"]], "nothing that was typed is lost"
    all_hard = tolerance_form.as_typed([["0"], ["0"]], ids, [["shear", "h1"]], known)
    with pytest.raises(InputError, match=r"^at least one constraint must be negotiable, but all are hard$"):
        tolerance_form.read_tolerances(all_hard)


def test_a_form_with_nothing_negotiable_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="at least one constraint must be negotiable, but all are hard"):
        tolerance_form.read_tolerances({"names": ["g1"], "levels": [[0]], "hard": ["g1"]})


@pytest.mark.parametrize("data", [None, {}, {"names": ["g1"]}, {"names": "g1", "levels": [[0]]}, [1]])
def test_data_that_is_no_form_is_refused(data: Any) -> None:
    with pytest.raises(InputError, match="levels for every constraint are needed, but none came"):
        tolerance_form.read_tolerances(data)


def test_levels_for_too_few_constraints_are_refused() -> None:
    with pytest.raises(InputError, match="2 constraints need 2 lists of levels, but there were 1"):
        tolerance_form.read_tolerances({"names": ["g1", "g2"], "levels": [[0]]})


@pytest.mark.parametrize(
    ("key", "step", "chips"),
    [
        ("percent", "", [["0", "1%", "2%", "5%", "10%"], ["0", "1e-4", "0.01", "1"]]),
        ("paper", "", [["0", "1e-4", "0.01", "1"]] * 2),
        ("decades", "", [["0", "1e-3%", "0.01%", "0.1%", "1%", "10%"],
                         ["0", "1e-4", "1e-3", "0.01", "0.1", "1", "10"]]),
        ("steps", "", [["0", "2%", "4%", "6%", "8%", "10%"], ["0", "1e-4", "2e-4", "3e-4", "4e-4", "5e-4"]]),
        ("steps", "1e-4", [["0", "1e-4", "2e-4", "3e-4", "4e-4", "5e-4"]] * 2),
    ],
)  # fmt: skip
def test_a_preset_fills_the_chips_of_every_constraint(key: str, step: str, chips: list[list[str]]) -> None:
    made = tolerance_form._preset(key, [SHEAR, G1], step, None, ())
    short_ones = [[text.replace("0.001", "1e-3") for text in each] for each in made]
    assert short_ones == [[text.replace("0.001", "1e-3") for text in each] for each in chips]
    for constraint, each in zip((SHEAR, G1), made, strict=True):
        parse_levels(constraint, each)


def test_a_suggestion_keeps_levels_for_what_is_hard_for_when_it_is_negotiable_again() -> None:
    problem = get("tin-can")
    archive = illuminate(problem, Tolerances.of(problem, {}, hard=["slim"]), evaluations=500, seed=1)
    volume, slim = tolerance_form._preset("suggested", problem.constraints, "", lambda: archive, ())
    assert (volume[-1], slim) == ("10%", ["0", "1%", "2%", "5%", "10%"])


def test_steps_may_be_in_per_cent_where_the_limits_are_known() -> None:
    assert tolerance_form._preset("steps", [SHEAR], "2%", None, ()) == [["0", "2%", "4%", "6%", "8%", "10%"]]
    with pytest.raises(InputError, match="g1: 2% cannot be worked out"):
        tolerance_form._preset("steps", [G1], "2%", None, ())
    with pytest.raises(InputError, match="ε must be a number, but it was 'x%'"):
        tolerance_form._preset("steps", [SHEAR], "x%", None, ())


def test_a_form_of_many_constraints_opens_with_levels_that_a_map_has_room_for_and_says_so() -> None:
    constraints = tuple(Constraint(f"g{i}", "inequality") for i in range(38))
    problem = Problem("many", [0.0], [1.0], constraints, abs)
    said = str(tolerance_form.layout("run", problem, Tolerances.default(problem)))
    assert "3 bins for each of 38 constraints. The paper's four levels would make more cells than a map has" in said
    few = Problem("few", [0.0], [1.0], constraints[:1], abs)
    assert "room for" not in str(tolerance_form.layout("run", few, Tolerances.default(few)))


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
    hard = {"form": "start", "hard": "all"}
    problem = Problem("p", [0.0], [1.0], tuple(Constraint(f"g{i}", "inequality") for i in range(new)), abs)
    data = {"names": list(before.names), "levels": [list(each) for each in before.levels]}
    chips = [short(level) for level in levels]
    body = {
        "output": "..start-rows.children...start-same.checked..",
        "outputs": [{"id": "start-rows", "property": "children"}, {"id": "start-same", "property": "checked"}],
        "changedPropIds": ["start-constraints.data"],
        "inputs": [
            {"id": "start-same", "property": "checked", "value": True},
            [],
            {"id": "start-constraints", "property": "data", "value": tolerance_form.described_problem(problem)},
            {"id": "start-searched", "property": "data", "value": None},
        ],
        "state": [
            {"id": "start-pressed", "property": "data", "value": None},
            {"id": "start-step", "property": "value", "value": "1e-4"},
            [{"id": row, "property": "value", "value": chips}],
            [{"id": row, "property": "id", "value": row}],
            [{"id": hard, "property": "value", "value": []}],
            {"id": "start-tolerances", "property": "data", "value": data},
            {"id": "start-problem", "property": "value", "value": "C01"},
            {"id": "start-dimension", "property": "value", "value": "10"},
        ],
    }
    answer = browser.post("/_dash-update-component", json=body)
    rows = answer.get_json()["response"]["start-rows"]["children"]
    assert rows[0]["props"]["children"][0]["props"]["value"] == expected


def test_constraints_that_follow_from_each_other_are_told_to_be_one_negotiable_thing() -> None:
    problem = get("C16", 10)
    said = str(tolerance_form.layout("run", problem, Tolerances.default(problem)))
    assert "h1 and h2 follow from each other and count as one negotiable thing" in said
    known = tolerance_form.described_problem(problem)["constraints"]
    assert [bool(each["meaning"]) for each in known] == [False, False, True, True]
