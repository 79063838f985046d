"""Constraints that follow from each other are relaxed together, and only where somebody relaxes one of them."""

import numpy as np
import pytest

from mapelites import Tolerances
from mapelites.core.nested_map.usual import axis_groups, move_together
from mapelites.problems import get


@pytest.mark.parametrize(
    ("asked", "moved"),
    [
        ((0.0, 1e-4), (0.0, 1e-4)),  # satisfied: an equality's tolerance is no relaxation of the inequality beside it
        ((0.0, 0.01), (0.01, 0.01)),
        ((0.5, 1e-4), (0.5, 0.5)),
    ],
)
def test_a_group_moves_as_far_as_its_furthest_and_only_where_one_is_relaxed(
    asked: tuple[float, float], moved: tuple[float, float]
) -> None:
    problem = get("C18", 4)
    groups = axis_groups(problem, Tolerances.default(problem))
    assert groups == ((1, 0),)
    assert tuple(move_together(np.array(asked), np.array(problem.feasible_up_to), groups)) == moved
