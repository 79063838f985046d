"""What the inspector works out: places on rulers, neighbours, texts in full precision, and pinned elites."""

from __future__ import annotations

import json

import pytest

from components.map import ruler
from components.run import inspector_parts as parts
from mapelites import illuminate
from mapelites.core.archive import Archive
from mapelites.problems import get


@pytest.fixture(scope="module")
def archive() -> Archive:
    return illuminate(get("C17", 10), evaluations=20_000)


def test_copied_texts_hold_the_stored_doubles(archive: Archive) -> None:
    for elite in list(archive)[::7]:
        texts = parts.copied_texts(archive, elite)
        names: dict[str, object] = {}
        exec(texts["python"], names)  # the text is a program, and its own test
        assert names["x"] == elite.x.tolist()
        values = archive.problem.evaluate([names["x"]])
        assert names["f"] == values.f[0]
        assert names["g"] == values.g[0].tolist()
        record = json.loads(texts["json"])
        assert record["f"] == elite.f
        assert [record[name] for name in archive.problem.variables] == elite.x.tolist()


def test_places_on_a_ruler_ascend_with_the_violation_and_zero_has_its_own() -> None:
    levels = (0.0, 1e-4, 1e-2, 1.0)
    places = [ruler.ruler_place(each, levels) for each in (0.0, 1e-30, 1e-5, 1e-4, 1e-2, 0.5, 1.0, 50.0, 1e20)]
    assert places == sorted(places)
    assert places[0] == 0.0
    assert places[1] == ruler.ZERO_SHARE
    assert places[-1] == 1.0


def test_a_pinned_elite_is_worked_out_anew_from_its_variables(archive: Archive) -> None:
    elite = next(iter(archive))
    again = parts.pinned_elite(archive, {"x": elite.x.tolist(), "f": "a lie"})
    assert again is not None
    assert again.f == elite.f
    assert again.violations.tolist() == elite.violations.tolist()


@pytest.mark.parametrize(
    "content", [None, "x", {}, {"x": 3}, {"x": [1.0]}, {"x": ["1"] * 10}, {"x": [float("nan")] * 10}]
)
def test_a_pinned_elite_that_makes_no_sense_is_none(archive: Archive, content: object) -> None:
    assert parts.pinned_elite(archive, content) is None


def test_every_constraint_that_shares_an_axis_is_listed_with_its_own_values() -> None:
    whole = illuminate(get("RC41"), search="paper-3", evaluations=2_100)
    elite = next(iter(whole.by_axis))
    text = str(parts.shared_axis_members(whole, elite))
    assert "real currents: 37, " in text
    assert "imaginary currents: 37, " in text
    same = whole.at(elite.cell)
    assert same is not None
    assert all(repr(float(each)) in text for each in same.h)
    assert parts.shared_axis_members(whole.by_axis, elite) == []
