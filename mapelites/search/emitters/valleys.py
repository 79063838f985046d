"""Valleys: lines through the best solution, and descents from behind the hills along them."""

from __future__ import annotations

from typing import NamedTuple

from mapelites.search.emitters.emitter import Emitter, Step


def _step() -> Step:
    from mapelites.search.directed.valleys import search_valleys

    return search_valleys


def _memory(n: int, constraints: int, _questions: int) -> NamedTuple:
    from mapelites.search.directed.valleys import new_valleys

    return new_valleys(n, constraints)


EMITTER = Emitter(
    name="valleys",
    order=100,
    label="Lines through the best solution, and descents from behind hills",
    operators={"valley": "#661100"},
    share=0.1,
    step=_step,
    memory=_memory,
)
