"""Surrogate: the steps of the search for a few hundred evaluations, which has no other emitter."""

from __future__ import annotations

from mapelites.search.emitters.emitter import Emitter

EMITTER = Emitter(
    name="surrogate",
    order=90,
    label="Optima of models of f and of every constraint",
    operators={
        "design": "#6699cc",
        "corner": "#004488",
        "relaxed": "#997700",
        "empty cell": "#ee99aa",
        "restart": "#994455",
    },
)
