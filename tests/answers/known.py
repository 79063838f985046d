"""Problems whose answers are formulas, and maps of them that a real search made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from mapelites import Archive, Constraint, Problem, Tolerances, illuminate
from mapelites.core.archive import Elites
from mapelites.problems import get

LEVELS = (0.0, 0.1, 0.2, 0.4)
ACCURACY = 1e-3  # of the search, in the objective


def corner(x: Sequence[float]) -> tuple[float, list[float], list[float]]:
    """x^2 + y^2 with x >= 1 and y >= 1; within tolerances t the optimum is (1 - t1)^2 + (1 - t2)^2."""
    return x[0] ** 2 + x[1] ** 2, [1.0 - x[0], 1.0 - x[1], x[0] + x[1] - 3.9], []


CORNER = Problem("corner", [0.0, 0.0], [2.0, 2.0], tuple(Constraint(f"g{i}", "inequality") for i in (1, 2, 3)), corner)


def best_corner(*tolerances: float) -> float:
    """The formula."""
    return sum((1.0 - min(each, 1.0)) ** 2 for each in tolerances)


def vessel(x: Sequence[float]) -> tuple[float, list[float]]:
    """The pressure vessel worked out by hand: its cost, and the four constraints as they are printed."""
    shell, head, radius, length = x
    cost = 0.6224 * shell * radius * length + 1.7781 * head * radius**2
    cost += 3.1661 * shell**2 * length + 19.84 * shell**2 * radius
    volume = math.pi * radius**2 * length + 4.0 / 3.0 * math.pi * radius**3
    return cost, [0.0193 * radius - shell, 0.00954 * radius - head, 1_296_000.0 - volume, length - 240.0]


BEST_VESSEL = 6059.714335  # the optimum that the literature reports for this form, such as He and Wang (2007)


@cache
def corner_map() -> Archive:
    return illuminate(CORNER, Tolerances.same(CORNER, LEVELS), search="directed", evaluations=20_000, seed=1)


@cache
def vessel_map() -> Archive:
    levels = {"shell": (0.0, 0.01, 0.05), "head": (0.0, 0.01, 0.05), "volume": (0.0, 1e3, 1e4), "length": (0.0, 10.0)}
    problem = get("pressure-vessel")
    return illuminate(problem, Tolerances.of(problem, levels), search="directed", evaluations=60_000, seed=1)


def hiding_map() -> Archive:
    """Levels without an equality's own tolerance: the best feasible design lies behind an infeasible elite."""
    line = Problem("line", [-2.0], [2.0], (Constraint("h1", "equality"),), lambda x: (-float(x[0]), [], [float(x[0])]))
    empty = Archive(line, Tolerances.same(line, (0.0, 1.0)), Elites.empty(line))
    return empty.add(np.array([[5e-5], [0.5], [1.5]]), np.arange(3), "random")


def random_map(seed: int, designs: int = 60, constraints: int = 3) -> Archive:
    """A map of points anywhere, some of them exactly on a constraint's limit, so that naive answers can be compared."""
    random = np.random.default_rng(seed)

    def function(x: np.ndarray) -> tuple[float, list[float], list[float]]:
        steps = np.round(4 * np.sin(7 * x[0] + np.arange(constraints)) + 3 * x[1] + 1) / 4
        return float(np.sin(5 * x[0]) + x[1]), steps[:-1].tolist(), [float(steps[-1]) / 2]

    kinds = [*["inequality"] * (constraints - 1), "equality"]
    names = tuple(Constraint(f"c{i}", kind) for i, kind in enumerate(kinds))  # type: ignore[arg-type]
    problem = Problem("random", [-1.0, -1.0], [1.0, 1.0], names, function)
    empty = Archive(problem, Tolerances.same(problem, (0.0, 0.25, 1.0)), Elites.empty(problem))
    return empty.add(random.uniform(-1, 1, (designs, 2)), np.arange(designs), "random")
