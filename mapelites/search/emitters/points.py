"""Points: the optimum without the constraints, squeezed to the last bit where it nearly satisfies them."""

from __future__ import annotations

from typing import NamedTuple

from mapelites.search.emitters.emitter import Emitter, Step


def _step() -> Step:
    from mapelites.search.directed.points import seek_in_turn

    return seek_in_turn


def _memory(n: int, constraints: int, _questions: int) -> NamedTuple:
    from mapelites.search.directed.points import new_points

    return new_points(n, constraints)


EMITTER = Emitter(
    name="points",
    order=130,
    label="The optimum without the constraints, and from there to them",
    operators={"point": "#5f7a8a"},
    share=0.1,
    suits=lambda problem: bool(problem.constraints),
    step=_step,
    memory=_memory,
)
