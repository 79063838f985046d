"""Constraints that are functions of each other, found in samples and then proven for the whole space."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from mapelites.core.constraint import Relation
from mapelites.core.levels import short
from mapelites.core.problem import Array, Problem
from mapelites.proof.process import GaveUpError
from mapelites.proof.prover import Prover
from mapelites.proof.region import SAMPLES, SEED, Aim, Effort, Region

STRAIGHT = 1e-9  # how far samples may lie from a straight line, as a share of their spread
PROVEN = 1e-4  # within which share of the typical size of its constraints a relation is proven


@dataclass(frozen=True)
class FoundRelation:
    """Two constraints whose raw values obey first + factor * second = total, within `within` for every x."""

    first: str
    second: str
    factor: float
    total: float
    within: float

    @property
    def words(self) -> str:
        """The relation as people write it.

        >>> FoundRelation("g1", "g2", 1.0, -5.0, 1e-6).words
        'g1 + g2 = -5'
        """
        size = abs(self.factor)
        times = "" if size == 1 else f"{short(size)} "
        return f"{self.first} {'+' if self.factor > 0 else '-'} {times}{self.second} = {short(self.total)}"

    def as_relation(self) -> Relation | None:
        """What a problem declares, which is about sums alone."""
        return Relation(self.first, self.second, self.total) if self.factor == 1 else None


def find_relations(prover: Prover, effort: Effort) -> tuple[FoundRelation, ...]:
    """The pairs of constraints that are proven to lie on a line, wherever the variables are."""
    problem = prover.problem
    values = _sampled(problem)
    found = []
    for i, j in combinations(range(values.shape[1]), 2):
        candidate = _candidate(problem, values, i, j)
        if candidate is None:
            continue
        within = _proven_within(prover, i, j, candidate, effort)
        if within is not None:
            found.append(replace(candidate, within=within))
    return tuple(found)


def _sampled(problem: Problem) -> Array:
    rng = np.random.default_rng(SEED)
    x = rng.uniform(problem.lower, problem.upper, (SAMPLES, problem.dimension))
    with np.errstate(all="ignore"):
        values = problem.values(x)[:, 1:]
    usable: Array = values[np.isfinite(values).all(axis=1)]
    return usable


def _candidate(problem: Problem, values: Array, i: int, j: int) -> FoundRelation | None:
    """The line through the samples of two constraints, if they lie on one."""
    if len(values) < 3 or min(np.ptp(values[:, i]), np.ptp(values[:, j])) == 0:
        return None
    # Through the two samples that are furthest apart, so that rounding tells least.
    a, b = int(np.argmin(values[:, j])), int(np.argmax(values[:, j]))
    factor = _simple(-(values[b, i] - values[a, i]) / (values[b, j] - values[a, j]))
    sums = values[:, i] + factor * values[:, j]
    spread = np.ptp(values[:, i])
    if factor == 0 or np.ptp(sums) > STRAIGHT * spread:
        return None
    first, second = problem.constraints[i].name, problem.constraints[j].name
    return FoundRelation(first, second, factor, _simple(float(np.median(sums)), float(spread)), 0.0)


def _proven_within(prover: Prover, i: int, j: int, candidate: FoundRelation, effort: Effort) -> float | None:
    """How far from the line a point can be at most; None where that is not proven to be next to nothing."""
    count = len(prover.problem.constraints)
    anywhere = Region.up_to(np.full(count, np.inf))
    size = max(prover.sizes.constraints[i], abs(candidate.factor) * prover.sizes.constraints[j])
    furthest = 0.0
    for sign in (1.0, -1.0):
        coefficients = [0.0] * count
        coefficients[i], coefficients[j] = sign, sign * candidate.factor
        try:
            solved = prover.ask(anywhere, Aim("sum", coefficients=tuple(coefficients)), effort)
        except GaveUpError:
            return None
        if solved.bound is None:
            return None
        furthest = max(furthest, sign * candidate.total - solved.bound)
    return furthest if furthest <= PROVEN * size else None


def _simple(value: float, size: float = 1.0) -> float:
    """The number with the fewest digits that is all but the same."""
    for digits in range(15):
        rounded = float(f"{value:.{digits}e}")
        if abs(rounded - value) <= 1e-10 * max(abs(value), size):
            return rounded
    return float(value)
