"""The contract of every kind of archive: the exact grid, the sparse grid, and centroids."""

from __future__ import annotations

import numpy as np
import pytest

from mapelites import Illumination, InputError, Settings, Tolerances
from mapelites.core.problem import Constraint, Problem
from mapelites.problems import get
from mapelites.search import state as state_module
from mapelites.search.centroids import Centroids

KINDS = ("exact grid", "sparse grid", "centroids")


class Recorded:
    """A problem of many constraints that remembers what it was asked."""

    def __init__(self, constraints: int) -> None:
        self.seen: list[tuple[np.ndarray, float, np.ndarray]] = []
        n = 6
        self._normals = np.random.default_rng(5).normal(size=(constraints, n))
        kinds = ["inequality"] * (constraints - 1) + ["equality"]
        names = tuple(Constraint(f"c{i + 1}", kind) for i, kind in enumerate(kinds))
        self.problem = Problem("recorded", np.full(n, -3.0), np.full(n, 3.0), names, self._evaluate)

    def _evaluate(self, x):
        values = self._normals @ x + 0.3 * np.sin(3 * x).sum()
        f = float((x**2).sum())
        self.seen.append((x.copy(), f, values))
        return f, list(values[:-1]), [values[-1]]


def made(kind, evaluations=8_000, search="paper-3"):
    recorded = Recorded({"exact grid": 4, "sparse grid": 11, "centroids": 11}[kind])
    changes = {"archive": "centroids", "centroids": 300} if kind == "centroids" else {}
    settings = Settings.of(search, 6, evaluations=evaluations, initial=500, **changes)
    tolerances = Tolerances.same(recorded.problem, [0.0, 0.5, 2.0, 5.0])
    return recorded, Illumination(recorded.problem, tolerances, settings)


def cells_of(search, violations):
    if search.centroids is not None:
        return search.centroids.cell(violations)
    return search.tolerances.cell(search.tolerances.bins(violations))


@pytest.mark.parametrize("kind", KINDS)
def test_every_cell_holds_the_best_of_all_that_ever_fell_into_it(kind):
    recorded, search = made(kind)
    search.advance(search.settings.evaluations)
    values = np.array([each[2] for each in recorded.seen])
    violations = np.concatenate([np.maximum(values[:, :-1], 0.0), np.abs(values[:, -1:])], axis=1)
    best: dict[int, tuple[float, int]] = {}
    for number, cell in enumerate(cells_of(search, violations).tolist(), start=1):
        best[cell] = min(best.get(cell, (np.inf, 0)), (recorded.seen[number - 1][1], number))
    elites = search.elites()
    found = {int(cell): (f, when) for cell, f, when in zip(
        cells_of(search, elites.violations), elites.f, elites.found_at, strict=True)}  # fmt: skip
    assert search.occupied == len(best)
    assert found == best
    assert len(best) > (1024 if kind == "sparse grid" else 60)  # so that the sparse one had to grow


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["paper-3", "directed"])
def test_a_search_put_away_and_taken_up_again_ends_bit_for_bit_in_the_same_state(kind, name):
    _, whole = made(kind, 3_000, name)
    whole.advance(3_000)
    _, cut = made(kind, 3_000, name)
    for _ in range(5):
        cut.advance(600)
        cut = Illumination.restore(cut.problem, cut.tolerances, cut.settings, cut.state())
    one, other = whole.state(), cut.state()
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert np.array_equal(whole.archive().elites.x, cut.archive().elites.x)


@pytest.mark.parametrize("name", ["paper-3", "directed"])
def test_a_sparse_grid_finds_exactly_what_the_exact_one_finds(name, monkeypatch):
    problem = get("C16", 10)
    settings = Settings.of(name, 10, evaluations=20_000)
    tolerances = Tolerances.same(problem, [0.0, *np.geomspace(1e-3, 20.0, 12).tolist()])
    exact = Illumination(problem, tolerances, settings)
    exact.advance(20_000)
    monkeypatch.setattr(state_module, "MOST_DENSE", 10)
    monkeypatch.setattr(state_module, "FIRST_CAPACITY", 16)  # so that it has to grow
    monkeypatch.setattr(state_module, "FIRST_BITS", 6)
    sparse = Illumination(problem, tolerances, settings)
    sparse.advance(20_000)
    assert exact.occupied > 200
    one, other = exact.state(), sparse.state()
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_cells_have_numbers_up_to_five_to_the_power_of_twenty_seven():
    recorded = Recorded(27)
    tolerances = Tolerances.default(recorded.problem)
    assert tolerances.cells == 5**27
    search = Illumination(recorded.problem, tolerances, Settings.of("paper-3", 6, evaluations=300, initial=100))
    search.advance(300)
    archive = search.archive()
    assert len(archive) == search.occupied > 10
    assert np.array_equal(tolerances.cell(tolerances.bins(archive.elites.violations)), archive.elites.cell)
    assert archive.statistics.coverage == len(archive) / 5**27
    assert archive.at(int(archive.elites.cell[-1])) is not None
    with pytest.raises(InputError, match=r"make 37,252,902,984,619,140,625 cells, but a map has at most 9,223"):
        Tolerances.same(Recorded(28).problem, (0.0, 1e-4, 1e-2, 1.0))


def test_the_same_seed_gives_the_same_centroids_and_another_seed_others():
    tolerances = Tolerances.same(Recorded(11).problem, [0.0, 0.5, 2.0])
    points = [Centroids.of(tolerances, 50, seed).points for seed in (1, 1, 2)]
    assert np.array_equal(points[0], points[1])
    assert not np.array_equal(points[0], points[2])
    assert ((points[0] >= 0.0) & (points[0] <= 1.0)).all()


def test_a_solution_that_keeps_every_constraint_has_a_centroid_of_its_own():
    tolerances = Tolerances.same(Recorded(5).problem, [0.0, 0.5, 2.0])
    centroids = Centroids.of(tolerances, 40, 1)
    assert centroids.cell(np.zeros((1, 5))).tolist() == [0]
    assert not centroids.points[0].any()


def test_a_centroid_is_the_nearest_one_in_orders_of_magnitude():
    tolerances = Tolerances.same(Recorded(3).problem, [0.0, 1e-3, 1.0])
    centroids = Centroids.of(tolerances, 60, 1)
    violations = 10.0 ** np.random.default_rng(2).uniform(-5, 3, (500, 3))
    low, high = np.log10(1e-3) - 2.0, np.log10(1.0) + 3.0
    places = 0.15 + 0.85 * np.clip((np.log10(violations) - low) / (high - low), 0, 1)
    distances = np.linalg.norm(places[:, None, :] - centroids.points[None], axis=2)
    chosen = centroids.cell(violations)
    assert np.allclose(distances[np.arange(500), chosen], distances.min(axis=1))


def test_a_checkpoint_of_another_map_is_refused():
    _, small = made("exact grid", 2_000)
    small.advance(2_000)
    narrow = Tolerances.same(small.problem, [0.0])
    with pytest.raises(InputError, match=r"checkpoint: there are 16 cells, but"):
        Illumination.restore(small.problem, narrow, small.settings, small.state())
