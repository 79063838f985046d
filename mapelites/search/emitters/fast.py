"""Fast evolution: differential evolution that asks for feasibility at once."""

from __future__ import annotations

from mapelites.search.directed.memory import new_population
from mapelites.search.emitters.emitter import Emitter, Step


def _step() -> Step:
    from mapelites.search.directed.differential import FAST_ENDS, evolving_step

    return evolving_step("fast", FAST_ENDS)


EMITTER = Emitter(
    name="fast",
    order=40,
    label="Differential evolution that asks for feasibility at once",
    operators={"fast evolution": "#8c6d31"},
    share=0.25,
    corner=True,
    step=_step,
    memory=lambda n, constraints, _: new_population(n, constraints),
)
