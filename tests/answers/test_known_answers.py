"""On a problem whose answers are formulas, and on the pressure vessel, the answers are right."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest

from mapelites.answers import (
    Designs,
    largest_changes,
    least_relaxations,
    multipliers_at,
    price_of,
    rank_constraints,
    trade_off_front,
)
from mapelites.answers.words import relaxation_sentence, worth_sentence
from tests.answers.known import ACCURACY, BEST_VESSEL, CORNER, LEVELS, best_corner, corner_map, vessel, vessel_map


@pytest.fixture(scope="module")
def designs() -> Designs:
    return Designs.of(corner_map())


@pytest.mark.parametrize("held", [0.0, 0.1, 0.4])
def test_the_price_of_a_constraint_follows_its_formula_at_every_level(designs: Designs, held: float) -> None:
    limits = designs.limits({"g2": held})
    steps = price_of(designs, 0, limits).steps
    assert [step.tolerance for step in steps] == [*LEVELS, math.inf]
    for step in steps:
        assert step.f == pytest.approx(best_corner(min(step.tolerance, 1.0), held), abs=ACCURACY)


def test_the_ranking_tells_binding_from_free_and_by_how_much(designs: Designs) -> None:
    first, second, last = rank_constraints(designs, designs.limits({"g1": 0.2}))
    assert (designs.names[first.constraint], first.verdict) == ("g2", "binding")  # its allowance buys more
    assert first.gain == pytest.approx(best_corner(0.0) - best_corner(0.1), abs=ACCURACY)
    assert first.most == pytest.approx(best_corner(0.0) - best_corner(0.4), abs=ACCURACY)
    assert (designs.names[second.constraint], second.verdict) == ("g1", "binding")
    assert second.gain == pytest.approx(best_corner(0.2) - best_corner(0.4), abs=ACCURACY)
    assert second.per_unit == pytest.approx((best_corner(0.2) - best_corner(0.4)) / 0.2, abs=0.01)
    assert (designs.names[last.constraint], last.verdict) == ("g3", "free")
    assert last.alone > 1
    assert re.fullmatch(
        r"Nothing better than 1\.6\S* was found among the \d+ designs that relax only g3\.",
        worth_sentence(designs.problem.constraints[last.constraint], last),
    )


@pytest.mark.parametrize("need", [1.95, 1.85, 1.7, 1.4])
def test_the_question_asked_backwards_finds_the_least_level_of_the_formula(designs: Designs, need: float) -> None:
    relaxed = 1.0 - math.sqrt(need - 1.0)  # (1 - t)^2 + 1 = need
    expected = min(level for level in LEVELS if best_corner(level, 0.0) + ACCURACY < need)
    ways = least_relaxations(designs, need)
    alone = [way for way in ways if len(way.needed) == 1]
    assert len(alone) == 2
    for way in alone:
        assert way.needed[0].level == expected
        assert way.needed[0].violation >= relaxed
        assert way.needed[0].violation == pytest.approx(expected, abs=ACCURACY)
        assert designs.f[way.row] < need


def test_an_objective_out_of_reach_of_one_constraint_takes_two(designs: Designs) -> None:
    ways = least_relaxations(designs, 0.75)
    assert [designs.names[each.constraint] for each in ways[0].needed] == ["g1", "g2"]
    assert least_relaxations(designs, -1.0) == ()


def test_the_front_lies_on_the_formula_and_nothing_lies_below_it(designs: Designs) -> None:
    found = trade_off_front(designs, "total")
    bound = 2 * (1 - np.minimum(found.violation, 2.0) / 2) ** 2  # equal shares are best
    assert (designs.f >= bound - 1e-12).all()
    for level in LEVELS:
        near = min(found.rows, key=lambda row: abs(found.violation[row] - 2 * level))
        assert found.violation[near] == pytest.approx(2 * level, abs=2 * ACCURACY)
        assert designs.f[near] == pytest.approx(best_corner(level, level), abs=2 * ACCURACY)
    assert designs.f[found.rows[0]] == designs.f[designs.best(designs.satisfied)]


def test_the_local_multiplier_is_the_slope_of_the_price(designs: Designs) -> None:
    for level in LEVELS:
        row = designs.best(designs.limits({"g1": level}))
        assert row is not None
        found = multipliers_at(CORNER, designs.found.x[row])
        assert found is not None
        assert found.sound
        assert found.values == pytest.approx([2 * (1 - level), 2.0, 0.0], abs=0.02)


def test_only_the_variable_of_the_relaxed_constraint_moves(designs: Designs) -> None:
    first, second = largest_changes(designs, price_of(designs, 1, designs.satisfied))
    assert (first.variable, first.moves) == (1, True)
    assert first.values[: len(LEVELS)] == pytest.approx([1 - level for level in LEVELS], abs=ACCURACY)
    assert (second.variable, second.moves) == (0, False)


def test_the_sentence_on_the_pressure_vessel_is_right_when_both_designs_are_worked_out_by_hand() -> None:
    designs = Designs.of(vessel_map())
    said = 0
    for constraint in designs.problem.constraints[:3]:
        name = constraint.name
        steps = price_of(designs, designs.names.index(name), designs.satisfied).steps
        assert steps[0].f is not None
        assert BEST_VESSEL - 0.01 <= steps[0].f <= 1.02 * BEST_VESSEL
        for start, end in pairwise(steps):
            if end.row == start.row or math.isinf(end.tolerance):
                continue
            sentence = relaxation_sentence(constraint, start, end)
            tolerance = rf"(\S+) {constraint.unit}(?: \(\S+ %\))?"
            lowers = r"lowers the objective from (\S+) to (\S+) \((\S+) %\)\."
            pattern = rf"Relaxing {name} from {tolerance} to {tolerance} {lowers}"
            found = re.fullmatch(pattern, sentence)
            assert found is not None, sentence
            low, high, before, after, percent = (float(each.replace(",", "")) for each in found.groups())
            for row, cost, allowed in ((start.row, before, low), (end.row, after, high)):
                f, g = vessel(designs.found.x[row])
                assert f == pytest.approx(cost, rel=1e-4)
                limits = [allowed if each == name else 0.0 for each in designs.names]
                assert all(value <= limit + 1e-9 for value, limit in zip(g, limits, strict=True))
            assert percent == pytest.approx(100 * (after - before) / before, rel=0.06)
            said += 1
    assert said >= 3
