"""The one description of a run, and the source of its problem, as values that are put down and read again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mapelites import InputError, Settings, Tolerances, problems
from mapelites.core.problem import BY_NAME, ProblemSource
from mapelites.problems.suites import gallery
from mapelites.snapshot import RunSpec

TYPED = ProblemSource("formulas", gallery.text("three-bar-truss"))


def spec_of(problem: str, source: ProblemSource = BY_NAME) -> RunSpec:
    found = problems.find_problem(problem, problems.get(problem).dimension, source)
    return RunSpec.of(found, Tolerances.default(found), Settings.of("directed", found.dimension, seed=3))


@pytest.mark.parametrize("spec", [spec_of("C16"), spec_of("three-bar-truss", TYPED)])
def test_what_was_put_down_as_json_is_read_as_the_same_value(spec: RunSpec) -> None:
    assert RunSpec.from_table(json.loads(json.dumps(spec.as_table()))) == spec


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("", BY_NAME),
        ("minimise: x", ProblemSource("formulas", "minimise: x")),
        ('{"file": "beam.py"}', ProblemSource("file", '{"file": "beam.py"}')),
        ({"kind": "formulas", "text": "minimise: x"}, ProblemSource("formulas", "minimise: x")),
    ],
)
def test_the_one_text_of_earlier_versions_is_read_too(value: object, source: ProblemSource) -> None:
    assert ProblemSource.from_value(value) == source


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (7, "a source must be a table with kind and text, but it was 7"),
        ({"kind": "tale", "text": "once"}, "the kind of a source"),
        ({"kind": "file", "text": ""}, "a source of kind file has a text, but it was ''"),
        ({"kind": "name", "text": "C01"}, "a source of kind name has no text, but it was 'C01'"),
    ],
)
def test_a_source_that_is_none_is_refused_in_words(value: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ProblemSource.from_value(value)


def test_checking_a_request_begins_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def begun(*_: object) -> None:
        raise AssertionError("a search was begun")

    monkeypatch.setattr("mapelites.search.illumination.new_state", begun)
    spec = spec_of("C16")
    spec.check()
    assert spec.empty_archive().statistics.occupied == 0
    with pytest.raises(InputError, match="C16 10D has constraints g1, g2, h1, h2, but the levels were for g1"):
        replace(spec, tolerances=Tolerances(("g1",), ((0.0,),))).check()
