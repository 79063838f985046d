"""Aim: local descent that brings the constraints' values into a neighbouring cell."""

from __future__ import annotations

from mapelites.search.directed.memory import new_solver
from mapelites.search.emitters.emitter import Emitter, Propose, Step


def _step() -> Step:
    from mapelites.search.directed.aim import aim_in_turn

    return aim_in_turn


def _propose() -> Propose:
    from mapelites.search.parallel.modelled import AIM, proposer_of

    return proposer_of(AIM)


EMITTER = Emitter(
    name="aim",
    order=70,
    label="Local descent aimed at a neighbouring cell",
    operators={"aim": "#882255"},
    share=0.12,
    slow_share=0.15,
    step=_step,
    propose=_propose,
    memory=lambda n, constraints, _: new_solver(n, constraints),
)
