"""What the solver is asked: which violations are allowed, and what is to be as small as possible."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from mapelites.core.problem import Array, Problem
from mapelites.core.tolerances import Indices, Tolerances
from mapelites.proof.solved import Solved

MARGIN = 1e-7  # by how much every limit is widened, as a share of the typical size of its constraint
SAMPLES = 512
CHECKS = 2048
SEED = 20_100
MOST_REGIONS = 64


@dataclass(frozen=True)
class Region:
    """The violations above `low` and up to `high` of every constraint, as in the bins of a map; either may be infinite.

    The solver cannot tell an end that belongs to a region from one that does not: to it both ends belong.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]

    @classmethod
    def up_to(cls, tolerances: Array) -> Region:
        """All violations within tolerances."""
        return cls((-math.inf,) * len(tolerances), tuple(float(each) for each in tolerances))

    @classmethod
    def of_bins(cls, tolerances: Tolerances, problem: Problem, first: Indices, last: Indices) -> tuple[Region, ...]:
        """All violations from one bin to another of every axis: one region, or several together.

        Of a group only the largest violation is above a bin's lower end, so there is a region for each member of it;
        where these would be too many, one region in which none need be above.
        """
        low, high = np.full(len(tolerances.names), -math.inf), np.full(len(tolerances.names), math.inf)
        satisfied = tolerances.largest(problem.feasible_up_to[None])[0]
        for i, (levels, name) in enumerate(zip(tolerances.levels, tolerances.names, strict=True)):
            if name in tolerances.hard:
                high[i] = satisfied[i]
                continue
            low[i] = levels[first[i] - 1] if first[i] else -math.inf
            high[i] = levels[last[i]] if last[i] < len(levels) else math.inf
        highs = tuple(map(float, tolerances.by_constraint(high)))
        members = tolerances.places or [(i,) for i in range(low.size)]
        above = [axis for axis in np.flatnonzero(np.isfinite(low)) if math.prod(map(len, members)) <= MOST_REGIONS
                 or len(members[axis]) == 1]  # fmt: skip
        found = []
        for chosen in product(*(members[axis] for axis in above)):
            lows = np.full(len(highs), -math.inf)
            lows[list(chosen)] = low[above]
            found.append(cls(tuple(map(float, lows)), highs))
        return tuple(found)

    def without_rim(self, rim: Array) -> Region:
        """The region without what lies within its lower ends by less than a rim."""
        return Region(tuple(float(low + each) for low, each in zip(self.low, rim, strict=True)), self.high)

    def without(self, constraints: Collection[int]) -> Region:
        """The region without the limits of some constraints."""
        high = (math.inf if i in constraints else each for i, each in enumerate(self.high))
        return Region(self.low, tuple(high))

    def holds(self, violations: Array) -> np.ndarray:
        """Which rows of violations lie in it."""
        inside: np.ndarray = np.all((violations > self.low) & (violations <= self.high), axis=-1)
        return inside


@dataclass(frozen=True)
class Aim:
    """What is made small: f, nothing, a relaxation that is shared out by weights, or a sum of raw values.

    With `weights`, the limit of constraint i is widened by r times its weight, and r is made small. With
    `coefficients`, the sum of the raw values of the constraints times these is made small. Where f is made small,
    only points with an f under `cutoff` are looked for: the bound is never above it.
    """

    kind: str = "objective"  # or feasibility, relaxation, sum
    weights: tuple[float, ...] = ()
    coefficients: tuple[float, ...] = ()
    cutoff: float = math.inf


@dataclass(frozen=True)
class Effort:
    """How long the solver may take: seconds, nodes (none for any number), the gap to reach, and its seed.

    With `processor_time` seconds are those that it computes, however busy the machine is.
    """

    seconds: float = 20.0
    nodes: int | None = None
    gap: float = 1e-4
    seed: int = 0
    processor_time: bool = False

    def after(self, solved: Solved) -> Effort | None:
        """What is left of it after an answer; None where that is nothing."""
        nodes = None if self.nodes is None else self.nodes - solved.nodes
        seconds = self.seconds - solved.seconds
        return replace(self, seconds=seconds, nodes=nodes) if seconds > 0 and (nodes is None or nodes > 0) else None


@dataclass(frozen=True)
class Sizes:
    """The typical size of f and of every constraint: the solver's tolerances are absolute, so it gets shares of these.

    `margins` is by how much each limit is widened for the solver, so that what it proves holds for every solution that
    our own evaluation accepts.
    """

    objective: float
    constraints: tuple[float, ...]

    @property
    def margins(self) -> Array:
        """One for each constraint, in its unit."""
        return MARGIN * np.array(self.constraints)


def typical_sizes(problem: Problem) -> Sizes:
    """Medians over points of the whole space, the same ones each time."""
    rng = np.random.default_rng(SEED)
    x = rng.uniform(problem.lower, problem.upper, (SAMPLES, problem.dimension))
    with np.errstate(all="ignore"):
        values = np.abs(problem.values(x))
    return Sizes(_typical(values[:, 0]), tuple(_typical(column) for column in values[:, 1:].T))


@dataclass(frozen=True)
class Samples:
    """The f and the violations, (batch, constraints), of points of the whole space."""

    f: Array
    violations: Array


def sampled(problem: Problem) -> Samples:
    """Points of the whole space, of next to its bounds, and with some variables at them; the same ones each time."""
    rng = np.random.default_rng(SEED)
    lower, upper, shape = problem.lower, problem.upper, (CHECKS, problem.dimension)
    anywhere = rng.uniform(lower, upper, shape)
    near = (upper - lower) * 10.0 ** rng.uniform(-9.0, 0.0, shape)
    beside = np.where(rng.random(shape) < 0.5, lower + near, upper - near)
    at = np.where(rng.random(shape) < 0.5, lower, upper)
    some = np.where(rng.random(shape) < 0.5, at, anywhere)
    with np.errstate(all="ignore"):
        values = problem.evaluate(problem.rounded(np.clip(np.concatenate([anywhere, beside, some]), lower, upper)))
    usable = np.isfinite(np.column_stack([values.f, values.g, values.h])).all(axis=1)
    return Samples(values.f[usable], values.violations[usable])


def _typical(values: Array) -> float:
    usable = values[np.isfinite(values) & (values > 0)]
    return float(np.median(usable)) if usable.size else 1.0
