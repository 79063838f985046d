"""The gallery: engineering designs from their publications, each a small file of formulas in `data/gallery/`.

The files are examples of the format too: `--problems` takes them as they are.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import resources

from mapelites.core.problem import BY_NAME, Problem
from mapelites.problems.formulas import problem_of
from mapelites.problems.suites.suite import Suite

NAMES = (
    "tin-can", "pressure-vessel", "welded-beam", "welded-beam-cec2020", "tension-spring", "speed-reducer",
    "three-bar-truss", "i-beam", "himmelblau", "reactor-network", "haverly-pooling", "process-synthesis",
)  # fmt: skip


@cache
def text(name: str) -> str:
    """The file of a problem."""
    return (resources.files("mapelites.problems.suites") / "data" / "gallery" / f"{name}.problem").read_text("utf-8")


@cache
def get(name: str) -> Problem:
    """A problem of the gallery; a run stores its name alone."""
    return replace(problem_of(text(name)), name=name, source=BY_NAME)


SUITE = Suite(title="Gallery", order=10, names=NAMES, get=get)
