"""Slow evolution: differential evolution that lets feasibility come slowly."""

from __future__ import annotations

from mapelites.search.directed.memory import new_population
from mapelites.search.emitters.emitter import Emitter, Step


def _step() -> Step:
    from mapelites.search.directed.differential import SLOW_ENDS, evolving_step

    return evolving_step("slow", SLOW_ENDS)


EMITTER = Emitter(
    name="slow",
    order=30,
    label="Differential evolution that tightens the constraints slowly",
    operators={"slow evolution": "#56b4e9"},
    share=0.45,
    step=_step,
    memory=lambda n, constraints, _: new_population(n, constraints),
)
