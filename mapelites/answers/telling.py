"""The few designs of a map most worth a look, each with the reason why."""

from __future__ import annotations

from dataclasses import dataclass

from mapelites.answers.designs import Designs
from mapelites.answers.front import front
from mapelites.answers.price import ranking
from mapelites.answers.words import tolerance
from mapelites.problem import Array

MOST = 5


@dataclass(frozen=True)
class Telling:
    """One design and why it is worth a look."""

    row: int
    why: str


def telling(designs: Designs, limits: Array, most: int = MOST) -> tuple[Telling, ...]:
    """At most so many: the best within the tolerances, the knee, the best relaxations, the best overall."""
    if not len(designs):
        return ()
    reasons: list[tuple[int | None, str]] = [
        (designs.best(designs.satisfied), "the best feasible one"),
        (designs.best(limits), "the best within the tolerances allowed"),
    ]
    relaxations = [
        (worth.first.row, f"what relaxing {designs.names[worth.constraint]} to {tolerance(worth.first.tolerance)} buys")
        for worth in ranking(designs, limits)
        if worth.first is not None and worth.verdict != "hard"
    ]
    knee = (front(designs).knee, "the knee of the trade-off between objective and total violation")
    overall = (int(designs.by_objective[0]), "the lowest objective at any violation")
    reasons += [*relaxations[:1], knee, overall, *relaxations[1:]]
    found: dict[int, str] = {}
    for row, why in reasons:
        if row is not None:
            found.setdefault(row, why)
    return tuple(Telling(row, why) for row, why in list(found.items())[:most])
