"""The paper's operators: mutation and crossover of elites, as in Algorithm 1.

The emitter is the first one, so that its operators are the first three of every search.
"""

from __future__ import annotations

from mapelites.search.emitters.emitter import Emitter, Propose, Step


def _step() -> Step:
    from mapelites.search.directed.operators import mutate_in_turn

    return mutate_in_turn


def _propose() -> Propose:
    from mapelites.search.paper import propose_rows

    return propose_rows


EMITTER = Emitter(
    name="paper",
    order=10,
    label="Random samples, then mutation and crossover of elites",
    operators={"random": "#0072b2", "mutation": "#e69f00", "crossover": "#009e73"},
    share=0.04,
    slow_share=0.1,
    step=_step,
    propose=_propose,
)
