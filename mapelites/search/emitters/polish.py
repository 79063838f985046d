"""Polish: local descent to the best feasible solution near a promising one."""

from __future__ import annotations

from mapelites.search.directed.memory import new_solver
from mapelites.search.emitters.emitter import Emitter, Propose, Step


def _step() -> Step:
    from mapelites.search.directed.polish import polish_in_turn

    return polish_in_turn


def _propose() -> Propose:
    from mapelites.search.parallel.modelled import POLISH, proposer_of

    return proposer_of(POLISH)


EMITTER = Emitter(
    name="polish",
    order=60,
    label="Local descent on the objective from the best solutions",
    operators={"polish": "#332288"},
    share=0.2,
    slow_share=0.25,
    corner=True,
    step=_step,
    propose=_propose,
    memory=lambda n, constraints, _: new_solver(n, constraints),
)
