"""Levels are suggested before a run from a short search of what relaxing each constraint alone buys."""

import pytest

from mapelites.answers.suggestion import suggested_levels
from mapelites.core.errors import InputError
from mapelites.core.problem import Constraint, Problem
from mapelites.problems import get
from mapelites.runs.short_search import short_search


def test_each_suggested_step_buys_about_the_same_and_what_buys_nothing_keeps_its_levels() -> None:
    problem = get("welded-beam")
    levels = suggested_levels(short_search(problem)).levels
    shares = {each.name: [100 * level / each.reference for level in own]
              for each, own in zip(problem.constraints, levels, strict=True)}  # fmt: skip
    for name in ("shear", "bending", "fit", "buckling"):  # what they buy grows almost evenly
        assert shares[name] == pytest.approx([0, 2.5, 5, 7.5, 10], abs=0.5), name
    for name in ("cost", "weld", "deflection"):
        assert shares[name] == pytest.approx([0, 1, 2, 5, 10]), name


def test_a_function_of_somebody_is_not_searched_by_the_page() -> None:
    mine = Problem("mine", [0.0], [1.0], (Constraint("g", "inequality"),), lambda x: (x[0], [x[0] - 0.5], []))
    with pytest.raises(InputError, match="only a run evaluates it: start one with these levels, then press Suggested"):
        short_search(mine)
