"""The price of a constraint: the best objective against the tolerance allowed on it, the others held."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mapelites.answers.designs import Designs, Mask
from mapelites.core.problem import Array

Verdict = Literal["binding", "later", "free", "unknown", "blocking", "unmet", "together", "open", "hard"]
ORDER: tuple[Verdict, ...] = ("blocking", "unmet", "binding", "later", "together", "free", "unknown", "open", "hard")


@dataclass(frozen=True)
class PriceStep:
    """One tolerance, and the best design found within it; `row` and `f` are None where none was found."""

    tolerance: float
    row: int | None = None
    f: float | None = None


@dataclass(frozen=True)
class Price:
    """The step curve of one constraint, in ascending order of tolerance."""

    constraint: int
    steps: tuple[PriceStep, ...]

    @property
    def rows(self) -> tuple[int, ...]:
        """The designs along the curve, each once."""
        return tuple(dict.fromkeys(step.row for step in self.steps if step.row is not None))


@dataclass(frozen=True)
class RelaxationGain:
    """What relaxing one constraint buys, from where it is held.

    `start` is where it is held, `next` one level further, `first` the nearest step that buys anything, `alone`
    how many designs relax this one and no other, and `slight` says that the best of these gains nothing but rounding.
    `most` is what its allowance buys, its last level.

    binding    one level more lowers the objective
    later      one level more buys nothing, but a further one does
    free       designs were found that relax only this one, and none of them is better by more than rounding
    unknown    nothing was found that relaxes only this one
    blocking   nothing was found within the tolerances held; relaxing this one alone gives a design
    unmet      no design at all was found that keeps this one, and so nothing within the tolerances held
    together   nothing was found within the tolerances held, and relaxing this one alone does not help
    open       any violation is allowed already
    hard       marked hard: stays satisfied
    """

    constraint: int
    verdict: Verdict
    start: PriceStep
    next: PriceStep | None
    first: PriceStep | None
    alone: int
    slight: bool = False
    most: float = 0.0

    @property
    def told(self) -> PriceStep | None:
        """What a table tells of: one level more, or where that buys nothing the nearest step that does."""
        if self.verdict in ("hard", "open"):
            return None
        return self.next if self.verdict == "binding" else self.first or self.next

    @property
    def gain(self) -> float | None:
        """By how much one level more lowers the objective; None where there is nothing to compare."""
        if self.next is None or self.next.f is None or self.start.f is None:
            return None
        return self.start.f - self.next.f

    @property
    def per_unit(self) -> float | None:
        """The gain per unit of tolerance, over one level."""
        if self.gain is None or self.next is None or not math.isfinite(self.next.tolerance):
            return None
        return self.gain / (self.next.tolerance - self.start.tolerance)


def price_of(designs: Designs, constraint: int, limits: Array) -> Price:
    """The curve of one constraint over all its levels and where it is held now, the others held at `limits`."""
    breaks = designs.violations > limits
    tolerances = tuple(sorted({*designs.steps(constraint), float(limits[constraint])}))
    return _price(designs, constraint, breaks, breaks.sum(axis=1), tolerances)


def rank_constraints(designs: Designs, limits: Array) -> tuple[RelaxationGain, ...]:
    """All constraints, the one whose relaxation to its allowance buys most first, as the sentence tells them."""
    breaks = designs.violations > limits
    broken = breaks.sum(axis=1)
    worths = [_worth(designs, i, float(limits[i]), breaks, broken) for i in range(len(designs.names))]
    return tuple(sorted(worths, key=_order))


def _price(designs: Designs, constraint: int, breaks: Mask, broken: Array, tolerances: tuple[float, ...]) -> Price:
    """Rows that break no constraint but perhaps this one, the best of them for each tolerance."""
    order = designs.by_objective
    # A row is on this curve where all that it breaks, if anything, is this constraint.
    order = order[(broken == breaks[:, constraint])[order]]
    violation = designs.violations[order, constraint]
    steps = []
    for tolerance in tolerances:
        inside = violation <= tolerance
        row = int(order[np.argmax(inside)]) if inside.any() else None
        steps.append(PriceStep(tolerance, row, None if row is None else float(designs.f[row])))
    return Price(constraint, tuple(steps))


def _worth(designs: Designs, constraint: int, held: float, breaks: Mask, broken: Array) -> RelaxationGain:
    further = tuple(each for each in designs.steps(constraint) if each > held)
    start, *rest = _price(designs, constraint, breaks, broken, (held, *further)).steps
    following = rest[0] if rest else None
    found = [step for step in rest if step.f is not None and (start.f is None or step.f < start.f)]
    # What gains no more than rounding is found, yet helps nobody: the difference is what `slight` tells.
    helps = [step for step in found if start.f is None or step.f is None or start.f - step.f > designs.negligible]
    first = helps[0] if helps else None
    alone = int(((broken == 1) & breaks[:, constraint]).sum())
    allowed = [step.f for step in rest if step.f is not None and math.isfinite(step.tolerance)]
    most = 0.0 if start.f is None or not allowed else start.f - allowed[-1]
    verdict = _verdict(designs, constraint, start, following, first, alone)
    return RelaxationGain(
        constraint, verdict, start, following, first, alone, slight=bool(found) and not helps, most=most
    )


def _verdict(
    designs: Designs,
    constraint: int,
    start: PriceStep,
    following: PriceStep | None,
    first: PriceStep | None,
    alone: int,
) -> Verdict:
    if designs.names[constraint] in designs.hard:
        return "hard"
    if following is None:
        return "open"
    if start.f is None:
        # From here on nothing lies within the tolerances held: say whose fault that can be.
        if not (designs.violations[:, constraint] <= start.tolerance).any():
            return "unmet"
        return "blocking" if first is not None else "together"
    if first is None:
        return "free" if alone else "unknown"
    return "binding" if first is following else "later"


def _order(worth: RelaxationGain) -> tuple[float, ...]:
    """What the allowance buys; where nothing was found yet, the best that relaxing leads to."""
    place = float(ORDER.index(worth.verdict))
    found = math.inf if worth.first is None or worth.first.f is None else worth.first.f
    if worth.verdict in ("binding", "later") and worth.most > 0:
        return float(ORDER.index("binding")), -worth.most, worth.constraint
    return place, found, worth.constraint
