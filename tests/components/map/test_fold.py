"""Where cells lie on the folded map."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapelites.core.archive import Archive, Elites
from mapelites.core.errors import InputError
from mapelites.core.nested_map.fold import EMPTY, Fold
from mapelites.core.problem import Constraint, Problem, Relation
from mapelites.core.tolerances import Tolerances
from mapelites.problems import get


def problem_of(constraints: int) -> Problem:
    """f is the first variable, and the violation of each constraint is one of the others."""
    names = tuple(Constraint(f"g{i + 1}", "inequality") for i in range(constraints))
    size = constraints + 1
    return Problem("plain", np.zeros(size), np.full(size, 9.0), names, lambda x: (x[0], list(x[1:]), []))


def archive_of(tolerances: Tolerances, points: list[list[float]]) -> Archive:
    problem = problem_of(len(tolerances.names))
    nothing = Archive(problem, tolerances, Elites.empty(problem))
    return nothing.add(points, 1, "test") if points else nothing


def levels(*shape: int) -> Tolerances:
    return Tolerances(tuple(f"g{i + 1}" for i in range(len(shape))), tuple(tuple(range(n - 1)) for n in shape))


@pytest.mark.parametrize(
    ("shape", "rows", "columns"), [((4,), 1, 4), ((4, 3), 3, 4), ((4, 3, 2), 3, 8), ((4, 3, 2, 5), 15, 8)]
)
def test_one_constraint_is_a_strip_two_a_grid_and_more_are_nested(
    shape: tuple[int, ...], rows: int, columns: int
) -> None:
    assert Fold.of(levels(*shape)).shape == (rows, columns)


@given(st.permutations(range(4)), st.integers(0, 4 * 3 * 2 * 5 - 1))
def test_every_cell_has_one_place_and_every_place_one_cell(order: list[int], cell: int) -> None:
    tolerances = levels(4, 3, 2, 5)
    fold = Fold.of(tolerances, [tolerances.names[i] for i in order])
    assert fold.cell_at(archive_of(tolerances, []), *fold.place(cell)) == cell


def test_inner_bins_lie_within_the_outer_bin_of_the_same_direction() -> None:
    tolerances = levels(4, 3, 2, 5)
    cell = int(tolerances.cell([[3, 1, 1, 2]])[0])
    assert Fold.of(tolerances).place(cell) == (1 * 5 + 2, 3 * 2 + 1)
    assert Fold.of(tolerances, ["g2", "g1", "g4", "g3"]).place(cell) == (3 * 2 + 1, 1 * 5 + 2)


def test_a_fifth_constraint_is_folded_away_and_the_best_elite_over_its_bins_is_shown() -> None:
    tolerances = levels(2, 2, 2, 2, 3)
    archive = archive_of(tolerances, [[5.0, 0, 0, 0, 0, 0], [3.0, 0, 0, 0, 0, 9], [4.0, 0, 0, 0, 0, 1]])
    fold = Fold.of(tolerances)
    shown = fold.rows_of(archive)
    assert (shown != EMPTY).sum() == 1
    assert archive.everything().f[shown[0, 0]] == 3.0
    assert archive.at(fold.cell_at(archive, 0, 0)).f == 3.0  # type: ignore[union-attr]


def test_cells_that_cannot_exist_are_found_whichever_way_the_map_is_folded() -> None:
    problem = get("C16", 10)
    tolerances = Tolerances.default(problem)
    archive = Archive(problem, tolerances, Elites.empty(problem))
    for names in (["g1", "g2", "h1", "h2"], ["h2", "g1", "h1", "g2"]):
        fold = Fold.of(tolerances, names)
        impossible = fold.impossible(archive)
        assert impossible.sum() == 625 - 125
        for cell in np.flatnonzero(~archive.possible.ravel())[::40]:
            assert impossible[fold.place(int(cell))]


def test_a_place_with_an_elite_is_never_called_impossible() -> None:
    tolerances = levels(3, 3)
    related = replace(problem_of(2), relations=(Relation("g1", "g2", -1.0),))  # which does not hold
    archive = Archive(related, tolerances, Elites.empty(related)).add([[0.0, 1.0, 1.0]], 1, "test")
    fold = Fold.of(tolerances)
    impossible = fold.impossible(archive)
    assert not impossible[fold.place(int(archive.elites.cell[0]))]
    assert impossible.sum() == 4 - 1


def test_the_feasible_corner_takes_in_the_bins_within_an_equalitys_tolerance() -> None:
    problem = get("C17", 10)
    fold = Fold.of(Tolerances.default(problem))
    assert fold.feasible_boxes(problem) == [(0, 0, 2, 1)]
    outer = Fold.of(Tolerances.default(problem), ["h1", "g2", "g1"])
    assert outer.feasible_boxes(problem) == [(0, 0, 1, 1), (5, 0, 6, 1)]


def test_a_constraint_off_the_map_has_no_axis_and_the_best_elite_over_its_bins_is_shown() -> None:
    tolerances = levels(2, 3, 2)
    archive = archive_of(tolerances, [[5.0, 0, 0, 0], [3.0, 0, 9, 0], [4.0, 0, 1, 0], [1.0, 1, 0, 1]])
    fold = Fold.of(tolerances, ["g3", ";g2", "g1"])
    assert (fold.x.constraints, fold.y.constraints, fold.hidden) == ((2,), (0,), (1,))
    shown = fold.rows_of(archive)
    assert shown.shape == (2, 2)
    assert archive.everything().f[shown[0, 0]] == 3.0
    assert archive.at(fold.cell_at(archive, 0, 0)).f == 3.0  # type: ignore[union-attr]
    assert archive.everything().f[shown[1, 1]] == 1.0


def test_the_feasible_corner_stays_where_what_is_off_the_map_follows_from_what_is_on_it() -> None:
    problem = get("C16", 10)  # h2 = -h1
    tolerances = Tolerances.default(problem)
    whole, without = Fold.of(tolerances), Fold.of(tolerances, [";h2"])
    assert without.feasible_boxes(problem) == [(0, 0, 2, 1)]
    assert whole.feasible_boxes(problem) == [(0, 0, 2, 2)]
    assert Fold.of(tolerances, [";g2"]).feasible_boxes(problem) == []  # a solution there may break g2
    archive = Archive(problem, tolerances, Elites.empty(problem))
    assert not without.impossible(archive).any()


def test_a_map_without_any_constraint_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="a map needs one constraint at least, but all of g1, g2 were taken off"):
        Fold.of(levels(2, 2), [";g1", ";g2"])


def test_an_unknown_constraint_or_place_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="a constraint must be one of g1, g2, but it was 'h9'"):
        Fold.of(levels(2, 2), ["h9"])
    with pytest.raises(InputError, match="the map has 2 rows and 2 columns, but it was 2, 0"):
        Fold.of(levels(2, 2)).cell_at(archive_of(levels(2, 2), []), 2, 0)
