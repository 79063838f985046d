"""Curves: feasible regions as thin as threads, followed to their ends."""

from __future__ import annotations

from typing import NamedTuple

from mapelites.search.emitters.emitter import Emitter, Step


def _step() -> Step:
    from mapelites.search.directed.curves import follow_in_turn

    return follow_in_turn


def _memory(n: int, constraints: int, _questions: int) -> NamedTuple:
    from mapelites.search.directed.curves import new_curves

    return new_curves(n, constraints)


EMITTER = Emitter(
    name="curves",
    order=120,
    label="Feasible regions as thin as threads, followed to their ends",
    operators={"curve": "#a0522d"},
    share=0.2,
    suits=lambda problem: problem.inequalities < len(problem.constraints),
    step=_step,
    memory=_memory,
)
