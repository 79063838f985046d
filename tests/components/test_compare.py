"""Two maps drawn to be compared."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from flask import Flask

from components.cache import memory
from components.compare_cells import most_different, pressed_cell
from components.compare_curves import curves
from components.compare_maps import KINDS, Pair, difference, side_by_side, who_is_better
from components.context import Context
from components.map_fold import Fold
from components.runs_page_compare import chosen
from mapelites import Archive, Illumination, Settings, Tolerances
from mapelites.errors import InputError
from mapelites.problems import get
from mapelites.runs import Store
from mapelites.snapshot import Snapshot
from tests.components.conftest import request


def snapshot(name: str = "C17", seed: int = 1, levels: tuple[float, ...] = (0.0, 1.0)) -> Snapshot:
    problem = get(name, 10)
    search = Illumination(
        problem, Tolerances.same(problem, levels), Settings.of("paper-3", 10, evaluations=4_000, seed=seed)
    )
    search.advance(4_000)
    curve = np.array([[1_000.0, 3.0, np.nan], [4_000.0, 9.0, 2.5]])
    return Snapshot.of(search, 1.0, curve)


def test_every_cell_of_either_map_is_told_by_who_is_better() -> None:
    pair = Pair.of(snapshot(seed=1), snapshot(seed=2))
    both = Archive(pair.first.problem, pair.first.tolerances, pair.first.everything().and_(pair.second.everything()))
    kinds = who_is_better(pair, both)
    assert len(kinds) == len({*pair.first.elites.cell, *pair.second.elites.cell})
    for cell, kind in zip(both.elites.cell, kinds, strict=True):
        one, two = pair.first.at(int(cell)), pair.second.at(int(cell))
        expected = (
            "only A" if two is None else "only B" if one is None
            else "A better" if one.f < two.f else "B better" if one.f > two.f else "equal"
        )  # fmt: skip
        assert KINDS[kind][0] == expected


def test_a_run_compared_with_itself_is_equal_everywhere() -> None:
    drawn = difference(Pair.of(snapshot(), snapshot()), dark=False, narrow=False)
    assert "A is better in 0 cells, B in 0; equal in" in drawn["counts"]


def test_the_same_colour_means_the_same_value_on_both_maps() -> None:
    pair = Pair.of(snapshot(seed=1), snapshot(seed=2))
    drawn = side_by_side(pair, dark=False, narrow=False)
    shades: dict[int, set[float]] = {}
    values = []
    for archive, each in zip((pair.first, pair.second), drawn["maps"], strict=True):
        z = each["data"][0]["z"]
        grid = np.frombuffer(base64.b64decode(z["bdata"]), dtype=z["dtype"]).reshape(Fold.of(archive.tolerances).shape)
        for elite in archive:
            row, column = Fold.of(archive.tolerances).place(elite.cell)
            values.append((elite.f, int(grid[row, column])))
            shades.setdefault(int(grid[row, column]), set()).add(elite.f)
    values.sort()
    assert [shade for _, shade in values] == sorted((shade for _, shade in values), reverse=True)
    assert values[0][1] == 255


def test_other_levels_are_put_into_the_cells_of_the_first() -> None:
    pair = Pair.of(snapshot(), snapshot(seed=2, levels=(0.0, 0.1, 1.0)))
    assert pair.second.tolerances == pair.first.tolerances
    assert pair.note == "B had other levels; its elites are shown in the cells of A."


def test_two_problems_have_no_difference() -> None:
    pair = Pair.of(snapshot(), snapshot("C01"))
    assert not pair.same_problem
    assert pair.note.startswith("Two different problems")


def test_curves_leave_out_what_is_not_known_yet() -> None:
    cells, best = curves([("A", snapshot().curve, "#000")], dark=True)
    assert cells["data"][0]["x"] == [1_000.0, 4_000.0]
    assert (best["data"][0]["x"], best["data"][0]["y"]) == ([4_000.0], [2.5])


def test_comparing_takes_two_to_six_runs(store: Store) -> None:
    context = Context(store, memory(Flask("test"), store.path / "figures"))
    a, b = store.create(request()), store.create(request(seed=2))
    assert [run.id for run in chosen(context, f"{a}+{b}")] == [a, b]
    assert [run.id for run in chosen(context, f"{a} {b}")] == [a, b]
    with pytest.raises(InputError, match="takes 2 to 6 different runs, but there were 1"):
        chosen(context, f"{a}+{a}")
    with pytest.raises(InputError):
        chosen(context, f"{a}+nosuchrun")


def test_the_cells_that_differ_most_come_first_and_only_those_that_both_filled() -> None:
    pair = Pair.of(snapshot(seed=1), snapshot(seed=2))
    cells = most_different(pair)
    apart = []
    for cell in cells:
        one, two = pair.first.at(cell), pair.second.at(cell)
        assert one is not None
        assert two is not None
        apart.append(abs(one.f - two.f))
    assert apart == sorted(apart, reverse=True)
    assert len(cells) == 6
    assert most_different(Pair.of(snapshot(), snapshot())) == []


def test_a_pressed_cell_is_the_one_at_that_place_and_nonsense_is_none() -> None:
    pair = Pair.of(snapshot(seed=1), snapshot(seed=2))
    fold = Fold.of(pair.first.tolerances)
    assert pressed_cell(pair, {"points": [{"x": 4, "y": 2}]}) == fold.cell_at(pair.first, 2, 4)
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
