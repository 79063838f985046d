"""Two maps drawn to be compared."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from flask import Flask

from app import create_app
from components.compare.cells import cell_table, most_different, pressed_cell
from components.compare.curves import curves
from components.compare.maps import EQUAL, KINDS, ComparedArchives, difference_map, side_by_side, who_is_better
from components.compare.page import runs_in_address
from components.page_state.state import PageState
from components.shared.context import Context
from components.shared.queue import RunQueue
from components.shared.summary import shown_curve
from mapelites import Illumination, Settings, Tolerances
from mapelites.answers import Designs
from mapelites.core.errors import InputError
from mapelites.core.format import number
from mapelites.problems import get
from mapelites.runs import RunRequest, Store
from mapelites.snapshot.snapshot import Snapshot
from server.cache import open_memory
from tests.requests_and_stores import request


def snapshot(name: str = "C17", seed: int = 1, levels: tuple[float, ...] = (0.0, 1.0)) -> Snapshot:
    problem = get(name, 10)
    search = Illumination(
        problem, Tolerances.same(problem, levels), Settings.of("paper-3", 10, evaluations=4_000, seed=seed)
    )
    search.advance(4_000)
    curve = np.array([[1_000.0, 3.0, np.nan], [4_000.0, 9.0, 2.5]])
    return Snapshot.of(search, 1.0, curve)


@pytest.mark.parametrize("levels", [(0.0, 1.0), (0.0, 1e-4, 1e-2, 1.0)])  # read up to, and exactly
def test_every_place_of_either_map_is_told_by_who_is_better(levels: tuple[float, ...]) -> None:
    pair = ComparedArchives.of(snapshot(seed=1, levels=levels), snapshot(seed=2, levels=levels))
    assert pair.view.reading == ("exact" if len(levels) == 4 else "up-to")
    kinds, strength = who_is_better(pair)
    for place in np.ndindex(kinds.shape):
        one, two = (float(each[place]) for each in pair.objectives)
        apart = abs(one - two) / max(abs(one), abs(two), pair.least) if np.isfinite([one, two]).all() else np.inf
        expected = (
            None if np.isinf(one) and np.isinf(two) else "only A" if np.isinf(two) else "only B" if np.isinf(one)
            else "equal" if apart <= EQUAL else "A better" if one < two else "B better"
        )  # fmt: skip
        assert (None if kinds[place] < 0 else KINDS[kinds[place]]) == expected
    unequal = (kinds == 1) | (kinds == 3)
    apart = np.abs(pair.objectives[0][unequal] / pair.objectives[1][unequal] - 1)
    weakest, strongest = (np.argmin if up else np.argmax for up in (True, False))
    if unequal.sum() > 1:
        assert strength[unequal][weakest(apart)] <= strength[unequal][strongest(apart)]


def test_a_page_that_has_seen_everything_is_told_so_whatever_maps_and_curves_it_shows(store: Store) -> None:
    app = create_app(store)
    ids = [store.create(request()) for _ in range(2)]
    output = next(each for each in app.callback_map if each.startswith("..compare-maps.children"))
    spec = [_property(each) for each in output.strip(".").split("...")]
    seen = ["both", "light", False, *(store.run(run_id).version for run_id in ids)]
    values = {
        "compare-asked.data": {"number": 7, "at": 0}, "compare-view.value": "both", "scheme.data": "light",
        "compare-narrow.data": False, "compare-seen.data": seen, "compare-tick.interval": 1_000,
        "compare-ids.data": ids,
    }  # fmt: skip
    told = app.callback_map[output]

    def given(each: dict[str, str]) -> Any:
        name = f"{each['id']}.{each['property']}"
        if each["id"].startswith("{"):
            return [{"id": {"compare-map": i}, "property": "id", "value": {"compare-map": i}} for i in range(2)]
        return {**each, "value": values.get(name, "light")}

    body = {
        "output": output, "outputs": spec, "changedPropIds": ["compare-asked.data"],
        "inputs": [given(each) for each in told["inputs"]], "state": [given(each) for each in told["state"]],
    }  # fmt: skip
    answer = app.server.test_client().post("/_dash-update-component", json=body)
    assert answer.get_json()["response"] == {"compare-answered": {"data": 7}}


def _property(text: str) -> Any:
    """One output of a callback as a browser asks for it: of two maps and two curves, where it is for all."""
    name, _, what = text.rpartition(".")
    if not name.startswith("{"):
        return {"id": name, "property": what}
    (kind,) = json.loads(name)
    return [{"id": {kind: i}, "property": what} for i in range(2)]


def test_a_run_compared_with_itself_is_equal_everywhere() -> None:
    drawn = difference_map(ComparedArchives.of(snapshot(), snapshot()), dark=False, narrow=False)
    assert "A is better in 0, B in 0, and in" in drawn["counts"]
    assert "Neither map is better" in drawn["counts"]


def test_objectives_that_are_nothing_beside_those_usual_on_the_map_are_equal() -> None:
    pair = ComparedArchives.of(snapshot(seed=1), snapshot(seed=2))
    assert pair.gap_words(1e-12, 1e-15) == "equal within 0.1 %"
    assert pair.gap_words(1.0, 1.25) == "A better by 20 %"


def test_the_same_colour_means_the_same_value_on_both_maps() -> None:
    pair = ComparedArchives.of(snapshot(seed=1), snapshot(seed=2))
    drawn = side_by_side(pair, dark=False, narrow=False)
    fold, values = pair.view.fold(pair.first.tolerances), []
    for objectives, each in zip(pair.objectives, drawn["maps"], strict=True):
        z = each["data"][0]["z"]
        grid = np.frombuffer(base64.b64decode(z["bdata"]), dtype=z["dtype"]).reshape(fold.shape)
        filled = np.isfinite(objectives) & ~fold.beyond()
        values += list(zip(objectives[filled].tolist(), grid[filled].tolist(), strict=True))
    values.sort()
    assert [shade for _, shade in values] == sorted((shade for _, shade in values), reverse=True)
    assert values[0][1] == 255


def test_other_levels_are_put_into_the_cells_of_the_first() -> None:
    pair = ComparedArchives.of(snapshot(), snapshot(seed=2, levels=(0.0, 0.1, 1.0)))
    assert pair.second.tolerances == pair.first.tolerances
    assert pair.note == "B had other levels; its elites are shown in the cells of A."


def test_two_problems_have_no_difference() -> None:
    pair = ComparedArchives.of(snapshot(), snapshot("C01"))
    assert not pair.same_problem
    assert pair.note.startswith("Two different problems")
    assert len(side_by_side(pair, dark=False, narrow=False)["legend"]) == 2  # each has a scale of its own


def test_curves_leave_out_what_is_not_known_yet() -> None:
    cells, best = curves([("A", snapshot().curve, "#000")], dark=True)
    assert cells["data"][0]["x"] == [1_000.0, 4_000.0]
    assert (best["data"][0]["x"], best["data"][0]["y"]) == ([4_000.0], [2.5])


def test_curves_of_what_is_maximised_show_the_objective_as_people_mean_it(store: Store) -> None:
    problem = get("reactor-network")
    run = store.run(store.create(RunRequest.of(problem, Tolerances.default(problem), Settings.of("directed", 6))))
    assert shown_curve(run, np.array([[100.0, 3.0, -0.38]])).tolist() == [[100.0, 3.0, 0.38]]


def test_comparing_takes_two_to_six_runs(store: Store) -> None:
    context = Context(store, open_memory(Flask("test"), store.path / "figures"), RunQueue(store))
    a, b = store.create(request()), store.create(request(seed=2))
    assert [run.id for run in runs_in_address(context, f"{a}+{b}")] == [a, b]
    assert [run.id for run in runs_in_address(context, f"{a} {b}")] == [a, b]
    with pytest.raises(InputError, match="takes 2 to 6 different runs, but there were 1"):
        runs_in_address(context, f"{a}+{a}")
    with pytest.raises(InputError):
        runs_in_address(context, f"{a}+nosuchrun")


@pytest.mark.parametrize("levels", [(0.0, 1.0), (0.0, 1e-4, 1e-2, 1.0)])  # read up to, and exactly
def test_the_places_that_differ_most_come_first_and_only_those_that_both_filled(levels: tuple[float, ...]) -> None:
    pair = ComparedArchives.of(snapshot(seed=1, levels=levels), snapshot(seed=2, levels=levels))
    apart = [abs(float(pair.objectives[0][place] - pair.objectives[1][place])) for place in most_different(pair)]
    both = np.isfinite(pair.objectives[0]) & np.isfinite(pair.objectives[1])
    assert apart == sorted(apart, reverse=True)
    assert apart[0] == np.abs(pair.objectives[0][both] - pair.objectives[1][both]).max()
    assert len(apart) <= 6
    assert most_different(ComparedArchives.of(snapshot(), snapshot())) == []


def test_a_row_tells_what_the_maps_show_there_and_leads_to_it(store: Store) -> None:
    pair = ComparedArchives.of(snapshot(seed=1), snapshot(seed=2))
    runs = [store.run(store.create(request(seed=seed))) for seed in (1, 2)]
    place = most_different(pair)[0]  # of maps that are read up to
    assert pair.view.reading == "up-to"
    first = cell_table(pair, runs, place).children[1].children[0]  # type: ignore[union-attr]
    assert [cell.children.children for cell in first.children[1:3]] == [
        number(float(each[place])) for each in pair.objectives
    ]
    query = first.children[1].children.href.partition("?")[2]
    state = PageState.from_query(dict(parse_qsl(query)), runs[0].request.tolerances, pair.first.problem)
    answer = pair.first.answer(Designs.of(pair.first).limits(state.asked.allow))
    assert answer is not None
    assert answer.f == pair.objectives[0][place]


def test_of_designs_with_limits_only_what_lies_within_the_allowances_is_compared() -> None:
    problem = get("welded-beam")
    made = []
    for seed in (1, 2):
        search = Illumination(
            problem, Tolerances.default(problem), Settings.of("directed", 4, evaluations=8_000, seed=seed)
        )
        search.advance(8_000)
        made.append(Snapshot.of(search, 1.0, np.array([[8_000.0, 3.0, np.nan]])))
    pair = ComparedArchives.of(*made)
    places, beyond = most_different(pair), pair.view.fold(pair.first.tolerances).beyond()
    assert places
    assert not any(beyond[place] for place in places)
    said = difference_map(pair, dark=False, narrow=False)["counts"]
    assert "of 625 cells within the allowances A is better in" in said


def test_a_pressed_place_is_the_one_of_the_map_and_nonsense_is_none() -> None:
    pair = ComparedArchives.of(snapshot(seed=1), snapshot(seed=2))
    assert pressed_cell(pair, {"points": [{"x": 4, "y": 1}]}) == (1, 4)
    for junk in (
        None,
        [],
        "x",
        {"points": []},
        {"points": [7]},
        {"points": {"x": 1}},
        {"points": 1e308},
        {"points": [{"x": 99, "y": 0}]},
        {"points": [{"x": "1", "y": 1}]},
    ):
        assert pressed_cell(pair, junk) is None
