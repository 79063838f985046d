"""Sentences say what the numbers say, and "not found" where there is nothing."""

from __future__ import annotations

import math
import random

import pytest

from mapelites.answers import PriceStep, RelaxationGain
from mapelites.answers.words import (
    at_least,
    broken_by,
    format_apart,
    percent_change,
    plain_number,
    relaxation_sentence,
    worth_sentence,
)
from mapelites.core.constraint import Constraint
from mapelites.core.format import amount

G1 = Constraint("g1", "inequality")


@pytest.mark.parametrize(
    ("start", "end", "sentence"),
    [
        (PriceStep(0, 1, 6059.714), PriceStep(0.01, 2, 5912.3),
         "Relaxing g2 from 0 to 0.01 lowers the objective from 6,060 to 5,912 (-2.4 %)."),
        (PriceStep(0, 1, 1.0), PriceStep(0.01, 1, 1.0),
         "Relaxing g2 from 0 to 0.01 buys nothing: the objective stays at 1."),
        (PriceStep(0), PriceStep(0.01, 2, 7.5),
         "Relaxing g2 from 0 to 0.01 gives a first design, with objective 7.5; without it none was found."),
        (PriceStep(0), PriceStep(0.01), "Relaxing g2 from 0 to 0.01 does not help: no design was found within it."),
        (PriceStep(1e-4, 1, 2.0), PriceStep(math.inf, 2, -1.0),
         "Allowing any violation of g2 instead of 1e-4 lowers the objective from 2 to -1."),
        (PriceStep(0, 1, 1.0), PriceStep(1e-4, 2, 1 - 3e-9),
         "Relaxing g2 from 0 to 1e-4 lowers the objective from 1 to 0.999999997 (-3e-7 %)."),
    ],
)  # fmt: skip
def test_a_sentence_names_both_tolerances_and_both_objectives(start: PriceStep, end: PriceStep, sentence: str) -> None:
    assert relaxation_sentence(Constraint("g2", "inequality"), start, end) == sentence


def test_what_is_broken_is_told_with_its_value_on_the_side_of_the_limit_where_it_lies() -> None:
    load = Constraint("load", "inequality", limit=6000.0, sense=">=", unit="lb")
    volume = Constraint("volume", "equality", limit=2.0, sense="=", unit="l")
    assert broken_by(load, 300.0) == "load by 300 lb (5 %) to 5,700 lb"
    assert broken_by(volume, 0.1, -0.1) == "volume by 0.1 l (5 %) to 1.9 l"
    assert broken_by(volume, 0.1) == "volume by 0.1 l (5 %)"


def test_every_verdict_has_its_sentence() -> None:
    one, two = PriceStep(0, 1, 3.0), PriceStep(0.1, 2, 2.0)
    assert worth_sentence(G1, RelaxationGain(0, "hard", one, two, two, 1)) == "g1 is marked hard and stays satisfied."
    assert (
        worth_sentence(G1, RelaxationGain(0, "open", one, None, None, 0)) == "Any violation of g1 is allowed already."
    )
    assert worth_sentence(G1, RelaxationGain(0, "free", one, two, None, 2)) == (
        "Nothing better than 3 was found among the 2 designs that relax only g1."
    )
    assert worth_sentence(G1, RelaxationGain(0, "free", one, two, None, 1)) == (
        "Nothing better than 3 was found among the one design that relaxes only g1."
    )
    assert worth_sentence(G1, RelaxationGain(0, "unknown", one, two, None, 0)) == (
        "Nothing was found that relaxes only g1, so what it would buy is not known."
    )
    assert worth_sentence(G1, RelaxationGain(0, "later", one, PriceStep(0.1, 1, 3.0), PriceStep(1.0, 2, 2.0), 1)) == (
        "Within one level more of g1 nothing better was found. "
        "Relaxing g1 from 0 to 1 lowers the objective from 3 to 2 (-33 %)."
    )
    assert worth_sentence(G1, RelaxationGain(0, "together", PriceStep(0), PriceStep(0.1), None, 0)) == (
        "Relaxing g1 alone does not help: within the other tolerances no design was found."
    )
    assert worth_sentence(G1, RelaxationGain(0, "unmet", PriceStep(0), PriceStep(0.1), PriceStep(1.0, 3, 9.0), 1)) == (
        "No design was found that keeps g1 within 0. Relaxing g1 from 0 to 1 gives a first design, with objective 9; "
        "without it none was found."
    )


def test_two_numbers_get_as_many_digits_as_tell_them_apart() -> None:
    assert format_apart(123456.7, 123456.8) == ("1.234567e5", "1.234568e5")
    assert format_apart(0.0, 5.0) == ("0", "5")
    assert format_apart(-1.5, -1.5) == ("-1.5", "-1.5")
    assert (amount(99996.0), amount(99994.0), amount(9999.4)) == ("100,000", "99,990", "9,999")
    assert percent_change(0.0, 1.0) == ""
    assert percent_change(-2.0, -3.0) == " (-50 %)"
    assert percent_change(1.0, -1.0) == ""


def test_a_tolerance_that_is_told_holds_the_violation_it_is_told_for() -> None:
    random_ = random.Random(1)
    known = (0.13330038348025547, 9.222352491633501e-05, 150523.80671984245)
    for value in (*known, *(10 ** random_.uniform(-9, 9) for _ in range(2_000))):
        for digits in (3, 4):
            told = plain_number(at_least(value, digits))
            assert value <= told <= value * (1 + 10 ** (1 - digits))
    assert at_least(0.01) == "0.01"
