"""Both readings of a map, against the definition of them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapelites.core.archive import Archive, Elites
from mapelites.core.nested_map.fold import EMPTY, Fold
from mapelites.core.nested_map.reading import READINGS, Reading, rows_by_cell, usual_reading
from mapelites.core.problem import Constraint, Problem
from mapelites.core.tolerances import Tolerances
from mapelites.problems import get

CASES = st.tuples(st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 60), st.sampled_from(READINGS))


def archive_of(seed: int, constraints: int, points: int) -> Archive:
    """Few objectives and violations, so that there are ties; the first constraint is an equality."""
    names = [Constraint(f"g{i + 1}", "inequality") for i in range(constraints - 1)]
    names.append(Constraint("h1", "equality"))
    rng = np.random.default_rng(seed)

    def function(x: np.ndarray) -> tuple[float, list[float], list[float]]:
        return x[0], list(x[1:-1]), [x[-1]]

    problem = Problem("plain", np.full(constraints + 1, -9.0), np.full(constraints + 1, 9.0), tuple(names), function)
    levels = [sorted({0.0, *rng.choice([1e-4, 0.5, 1.0, 2.0, 3.0], size=rng.integers(0, 4))}) for _ in names]
    tolerances = Tolerances(tuple(each.name for each in names), tuple(map(tuple, levels)))
    x = rng.choice([-1.0, 0.0, 5e-5, 0.5, 1.0, 1.5, 2.5, 4.0], size=(points, constraints + 1))
    empty = Archive(problem, tolerances, Elites.empty(problem))
    return empty.add(x, rng.permutation(points), "test") if points else empty


def uppers(tolerances: Tolerances, i: int) -> list[float]:
    return [*tolerances.levels[i], np.inf]


def brute_force(
    archive: Archive, reading: Reading, axes: list[int], limits: np.ndarray, place: tuple[int, ...]
) -> float | None:
    """The best objective at a place, by the words of the definition."""
    found = []
    for f, raw in zip(archive.everything().f, archive.everything().violations, strict=True):
        violation = raw.copy()
        if reading == "up-to" and raw[-1] <= 1e-4:  # the equality is satisfied
            violation[-1] = 0.0
        inside = all(violation[i] <= limits[i] for i in range(len(limits)) if i not in axes)
        for i, b in zip(axes, place, strict=True):
            upper = uppers(archive.tolerances, i)
            inside = inside and violation[i] <= upper[b]
            if reading == "exact" and b:
                inside = inside and violation[i] > upper[b - 1]
        if inside:
            found.append(float(f))
    return min(found, default=None)


@settings(max_examples=60, deadline=None)
@given(CASES, st.data())
def test_every_cell_shows_the_best_solution_of_its_reading(
    case: tuple[int, int, int, Reading], data: st.DataObject
) -> None:
    seed, constraints, points, reading = case
    archive = archive_of(seed, constraints, points)
    axes = data.draw(st.permutations(range(constraints)))[: data.draw(st.integers(1, min(4, constraints)))]
    limits = np.array(data.draw(st.lists(st.sampled_from([0.0, 1e-4, 0.7, 2.0, np.inf]), min_size=constraints,
                                         max_size=constraints)))  # fmt: skip
    rows = rows_by_cell(archive, reading, axes, limits)
    assert rows.shape == tuple(archive.tolerances.shape[i] for i in axes)
    for place in product(*map(range, rows.shape)):
        row = int(rows[place])
        best = brute_force(archive, reading, axes, limits, place)
        assert (None if row == EMPTY else float(archive.everything().f[row])) == best
    if reading == "up-to" and rows.size:
        f = np.where(rows == EMPTY, np.inf, np.append(archive.everything().f, np.inf)[rows])
        worse = [(np.minimum.accumulate(f, axis=axis) == f).all() for axis in range(f.ndim)]
        assert all(worse)  # no step away from the feasible corner makes anything worse


def test_the_feasible_corner_read_up_to_holds_the_best_feasible_design_of_a_problem_with_equalities() -> None:
    archive = archive_of(7, 3, 400).rebin(Tolerances(("g1", "g2", "h1"), ((0.0, 1.0), (0.0, 1.0), (0.0, 0.5))))
    best = archive.best(feasible=True)
    assert best is not None
    row = rows_by_cell(archive, "up-to")[0, 0, 0]
    assert archive.everything().f[row] == best.f
    assert rows_by_cell(archive, "up-to")[1, 0, 1] == archive.answers().row([[1, 0, 1]])[0]


@pytest.mark.parametrize("reading", READINGS)
def test_a_block_alone_and_the_summary_of_blocks_show_what_the_whole_map_shows(reading: Reading) -> None:
    archive = archive_of(4, 5, 400)
    f = np.append(archive.everything().f, np.inf)
    for count in (3, 4):
        away = [";" + name for name in archive.tolerances.names[count:]]
        fold = Fold.of(archive.tolerances, away, (np.inf,) * count + (1.0,) * (5 - count), reading)
        whole = f[fold.rows_of(archive)]
        up, right = fold.y.inner, fold.x.inner
        for i, j in product(range(fold.blocks[0]), range(fold.blocks[1])):
            rows = slice(i * up, (i + 1) * up) if count == 4 else slice(None)
            part = whole[rows, j * right : (j + 1) * right]
            assert (f[fold.block(i, j).rows_of(archive)] == part).all()
        blocks = f[fold.summary().rows_of(archive)]
        assert blocks.shape == (fold.y.bins[0], fold.x.bins[0])
        for i, j in product(*map(range, blocks.shape)):
            inner = whole[i * up : (i + 1) * up, j * right : (j + 1) * right]
            allowed = inner[: max(up - 1, 1), : max(right - 1, 1)]
            assert blocks[i, j] == allowed.min()


def test_the_competition_at_the_papers_levels_is_read_exactly_and_everything_else_up_to() -> None:
    problem = get("C16", 10)
    paper = Tolerances.same(problem, (0, 1e-4, 1e-2, 1))
    assert usual_reading(problem, paper) == "exact"
    assert usual_reading(problem, Tolerances.same(problem, (0, 1))) == "up-to"
    beam = get("welded-beam")
    assert usual_reading(beam, Tolerances.default(beam)) == "up-to"
