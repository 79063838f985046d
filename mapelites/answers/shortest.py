"""The shortest answer of a map: what relaxing buys, in one sentence that is true of all its constraints."""

from __future__ import annotations

import math

from mapelites.answers.designs import Designs
from mapelites.answers.least import least
from mapelites.answers.price import Step, Worth, price, ranking
from mapelites.answers.words import amount, next_to_nothing, nothing_within, relaxing
from mapelites.answers.words import worth as worth_in_words
from mapelites.problem import Array


def shortest(designs: Designs, limits: Array | None = None) -> str:
    """The nearest step of any one constraint whose gain can be seen; where nothing is feasible, what comes closest.

    `limits` are the tolerances to begin from, by default all satisfied.
    """
    held = designs.satisfied if limits is None else limits
    worths = ranking(designs, held)
    start = worths[0].start.f
    if start is None:
        if limits is None:
            return nothing_within(designs.names, least(designs, math.inf, most=1)[0])
        return worth_in_words(designs.names[worths[0].constraint], worths[0])
    seen = [(_nearness(designs, worth, step), worth, step) for worth in worths if (step := _seen(designs, worth, held))]
    if seen:
        _, worth, step = min(seen, key=lambda each: each[0])
        return relaxing(designs.names[worth.constraint], worth.start, step)
    if any(worth.slight or worth.first is not None for worth in worths):
        return next_to_nothing(start)
    return worth_in_words(designs.names[worths[0].constraint], worths[0])


def _seen(designs: Designs, worth: Worth, held: Array) -> Step | None:
    """The nearest step that lowers the objective by more than rounding and in the digits that are shown."""
    start = worth.start.f
    if start is None or worth.verdict == "hard":
        return None
    steps = (step for step in price(designs, worth.constraint, held).steps if step.tolerance > worth.start.tolerance)
    lower = (step for step in steps if step.f is not None and start - step.f > designs.negligible)
    return next((step for step in lower if step.f is not None and amount(step.f) != amount(start)), None)


def _nearness(designs: Designs, worth: Worth, step: Step) -> tuple[float, float]:
    return step.tolerance / float(designs.scale[worth.constraint]), math.inf if step.f is None else step.f
