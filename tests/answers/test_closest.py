"""Where nothing is feasible: how close the solutions come, and which constraints exclude each other."""

from __future__ import annotations

import numpy as np
import pytest

from mapelites import Tolerances, illuminate
from mapelites.answers.closest import closest, closest_sentence, conflict
from mapelites.core.archive import Archive, Elites
from mapelites.core.problem import Constraint, Problem
from mapelites.problems import get


def apart(x):
    """g1 and g2 exclude each other, g3 is always kept."""
    return x[0], [x[0] - 0.2, 0.5 - x[0], -1.0], []


NAMED = tuple(Constraint(f"g{i}", "inequality") for i in (1, 2, 3))
APART = Problem("apart", [0.0], [1.0], NAMED, apart, title="Apart")


def archive_of(problem: Problem, x: list[list[float]]) -> Archive:
    nothing = Archive(problem, Tolerances.default(problem), Elites.empty(problem))
    return nothing.add(x, range(1, 1 + len(x)), "random")


def test_constraints_that_exclude_each_other_are_found_and_others_are_left_out() -> None:
    archive = archive_of(APART, [[0.1], [0.3], [0.6]])
    assert conflict(archive) == (0, 1)
    found = closest(archive)
    assert found is not None
    assert found.x.tolist() == [0.3]
    assert found.mean_violation == pytest.approx((0.1 + 0.2) / 3)
    assert not found.proven
    assert closest_sentence(archive) == (
        "No feasible solution is known. The nearest has a mean violation of 0.1: it breaks g2 by 0.2 and g1 by 0.1. "
        "No known solution satisfies g1 and g2 together, though some satisfy all but one of them."
    )


def test_one_constraint_that_nothing_satisfies_is_a_conflict_by_itself() -> None:
    archive = archive_of(APART, [[0.3], [0.4]])
    assert len(conflict(archive)) == 1
    assert closest_sentence(archive).endswith("No known solution satisfies g2 at all.")


def test_a_map_with_a_feasible_solution_or_with_none_has_nothing_to_say() -> None:
    problem = get("himmelblau")
    assert closest(illuminate(problem, search="paper-3", evaluations=5_000)) is None
    empty = Archive(problem, Tolerances.default(problem), Elites.empty(problem))
    assert closest_sentence(empty) == ""


def test_the_two_limits_of_rc51_that_the_code_has_in_conflict_are_told_from_known_points() -> None:
    problem = get("RC51")
    x = np.zeros((1, 59))
    x[0, [12, 36]] = 3.85, 9.2
    archive = archive_of(problem, x.tolist())
    found = closest(archive)
    assert found is not None
    assert found.proven
    assert closest_sentence(archive).startswith(
        "No point of RC51 Beef cattle ration (case 1) is feasible. The nearest "
    )
