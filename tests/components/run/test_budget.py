"""The table of how the budget went: everything is accounted for, whatever the search."""

from __future__ import annotations

from typing import Any

import pytest

from components.run.budget import table
from mapelites import Illumination, Settings, Tolerances
from mapelites.core.emitters import emitter_descriptions, operator_colours
from mapelites.problems import get
from mapelites.search.emitters import directed_emitters, operators_of, slow_emitters
from mapelites.search.emitters.surrogate import EMITTER as SURROGATE

EVALUATIONS = 12_000  # so many that all emitters have had a turn


def cells(component: Any) -> list[list[str]]:
    """The titles of the bars of every row."""
    return [[row.children[i].children.title for i in (2, 3)] for row in component.children[1].children]


def test_every_part_of_the_searches_and_every_operator_is_named() -> None:
    all_three = (directed_emitters(), slow_emitters(), (SURROGATE,))
    parts = {each.name for emitters in all_three for each in emitters}
    rows = table(dict.fromkeys(parts, 1), {}).children[1].children
    assert {row.children[0].children.lower() for row in rows} == parts == {each.name for each in emitter_descriptions()}
    assert set(operator_colours()) == {name for emitters in all_three for name in operators_of(emitters)}


@pytest.mark.parametrize("search", ["directed", "paper-3"])
def test_the_rows_add_up_to_the_whole(search: str) -> None:
    problem = get("C17", 10)
    run = Illumination(problem, Tolerances.default(problem), Settings.of(search, 10, evaluations=EVALUATIONS))
    run.advance(EVALUATIONS)
    operators = run.elites().operator.tolist()
    made = {name: operators.count(name) for name in operators}
    found = cells(table(run.spent, made))
    numbers = [[int(title.split()[0].replace(",", "")) for title in row] for row in found]
    assert [sum(column) for column in zip(*numbers, strict=True)] == [EVALUATIONS, len(operators)]
    emitters = [each for each in directed_emitters() if each.suits is None or each.suits(problem)]
    assert len(found) == (len(emitters) if search == "directed" else 1)


def test_a_run_that_has_not_begun_says_so() -> None:
    assert table({}, {}).children == "Nothing is spent yet."
