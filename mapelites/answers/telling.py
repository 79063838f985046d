"""The few designs of a map most worth a look, each with the reason why."""

from __future__ import annotations

from dataclasses import dataclass

from mapelites.answers.designs import Designs
from mapelites.answers.front import trade_off_front
from mapelites.answers.price import rank_constraints
from mapelites.core.problem import Array
from mapelites.core.terms import violation_text

MOST = 5


@dataclass(frozen=True)
class NotableDesign:
    """One design and why it is worth a look."""

    row: int
    why: str


def notable_designs(designs: Designs, limits: Array, most: int = MOST) -> tuple[NotableDesign, ...]:
    """At most so many: the best feasible, within the tolerances and within the allowances, the knee, relaxations."""
    if not len(designs):
        return ()
    reasons: list[tuple[int | None, str]] = [
        (designs.best(designs.satisfied), "the best feasible one"),
        (designs.best(limits), "the best within the tolerances allowed"),
    ]
    relaxations = [
        (
            worth.first.row,
            f"what relaxing {designs.names[worth.constraint]} to "
            f"{violation_text(designs.problem.constraints[worth.constraint], worth.first.tolerance)} buys",
        )
        for worth in rank_constraints(designs, limits)
        if worth.first is not None and worth.verdict != "hard"
    ]
    knee = (trade_off_front(designs).knee, "the knee of the trade-off between objective and total violation")
    allowed = (designs.best(designs.tolerances.allowance), "the best within your allowances")
    reasons += [*relaxations[:1], knee, allowed, *relaxations[1:]]
    found: dict[int, str] = {}
    for row, why in reasons:
        if row is not None:
            found.setdefault(row, why)
    return tuple(NotableDesign(row, why) for row, why in list(found.items())[:most])
