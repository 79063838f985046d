"""The trade-off front: objective against violation, the designs that nothing beats in both, and the knee."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mapelites.answers.designs import Designs
from mapelites.core.errors import unknown
from mapelites.core.problem import Array
from mapelites.core.statistics import counted_violations

SMALLEST = 1e-15  # of the largest number: what is below it counts as 0
WIDE = 100.0  # the ratio of the largest to the smallest number from which on orders of magnitude are compared

FEWEST = 3  # designs that make a curve with a knee

MEASURES: dict[str, Callable[[Array, Designs], Array]] = {
    "total": lambda v, designs: v.sum(axis=1),
    "mean": lambda v, designs: v.mean(axis=1),
    "maximal": lambda v, designs: v.max(axis=1),
    "relative": lambda v, designs: (v / designs.scale).sum(axis=1),
}


@dataclass(frozen=True)
class Front:
    """The violation of every design by one measure, the rows of the front from feasible on, and the knee's row."""

    violation: Array
    rows: tuple[int, ...]
    knee: int | None
    unit: str = ""  # of the violation: per cent of the limits, where each constraint has a limit or a scale


def trade_off_front(designs: Designs, measure: str = "total") -> Front:
    """The front of a map. A violation within the problem's own tolerance counts as none.

    Where every constraint has a limit or a scale, violations are taken together in per cent of these: psi and inches
    do not add up.
    """
    if measure not in MEASURES:
        raise unknown("measure", measure, MEASURES)
    counted, unit = counted_violations(designs.problem, designs.violations), ""
    references = [each.reference for each in designs.problem.constraints]
    if measure != "relative" and None not in references:
        counted, unit = 100.0 * counted / np.array(references, dtype=np.float64), "%"
    violation = MEASURES[measure](counted, designs)
    order = np.lexsort((designs.found.found_at, designs.f, violation))
    lowest = np.minimum.accumulate(designs.f[order])
    # In ascending violation a design is on the front where its objective is below all before it.
    better = np.r_[True, lowest[1:] < lowest[:-1]][: len(order)]
    rows = order[better]
    # Beyond the last levels nobody asked: there the knee is looked for only where there is nothing within them.
    inside = rows[np.all(designs.violations[rows] <= designs.scale, axis=1)]
    among = inside if len(inside) >= FEWEST else rows
    at = find_knee(axis_values(violation[among]), axis_values(designs.f[among]))
    return Front(violation, tuple(int(row) for row in rows), None if at is None else int(among[at]), unit)


def axis_values(values: Array) -> Array:
    """Numbers as they are, or their orders of magnitude where they differ by many.

    0 lies one order below the rest, and so does what is too small to count beside the largest.
    """
    positive = values[values > 0]
    if (values < 0).any() or not len(positive) or positive.max() < WIDE * positive.min():
        return values
    smallest = max(float(positive.min()), float(positive.max()) * SMALLEST)
    orders = np.full(values.shape, np.log10(smallest) - 1.0)
    return np.log10(values, out=orders, where=values >= smallest)


def find_knee(x: Array, y: Array) -> int | None:
    """The place on a falling curve farthest below the line between its ends; None where no place is.

    >>> find_knee(np.array([0.0, 1.0, 10.0]), np.array([10.0, 1.0, 0.0]))
    1
    """
    if len(x) < FEWEST or x[-1] == x[0] or y[-1] == y[0]:
        return None
    across, down = (x - x[0]) / (x[-1] - x[0]), (y - y[-1]) / (y[0] - y[-1])
    # Both scaled to run from 0 to 1, so the line between the ends is across + down = 1.
    below = 1.0 - across - down
    at = int(np.argmax(below))
    return at if below[at] > 0 else None
