"""Repair: steps onto the violated constraints, of elites and within the evolutions."""

from __future__ import annotations

from mapelites.search.emitters.emitter import Emitter, Propose, Step


def _step() -> Step:
    from mapelites.search.directed.repair import mend_in_turn

    return mend_in_turn


def _propose() -> Propose:
    from mapelites.search.parallel.modelled import REPAIR, proposer_of

    return proposer_of(REPAIR)


EMITTER = Emitter(
    name="repair",
    order=50,
    label="Newton steps onto violated constraints, within the evolutions too",
    operators={"repair": "#f0e442"},
    share=0.02,
    slow_share=0.1,
    step=_step,
    propose=_propose,
)
