"""Grid: neighbours of designs whose variables take only some values."""

from __future__ import annotations

from typing import NamedTuple

from mapelites.search.emitters.emitter import Emitter, Step


def _step() -> Step:
    from mapelites.search.directed.grid import walk_in_turn

    return walk_in_turn


def _memory(n: int, constraints: int, _questions: int) -> NamedTuple:
    from mapelites.search.directed.grid import new_walk

    return new_walk(n, constraints)


EMITTER = Emitter(
    name="grid",
    order=110,
    label="Neighbours of designs whose variables take only some values",
    operators={"grid": "#8a6bbe"},
    share=0.4,
    suits=lambda problem: bool(problem.steps.any()),
    step=_step,
    memory=_memory,
)
