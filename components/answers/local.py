"""What of an answer costs evaluations of the problem: asked for only where they are cheap, and remembered."""

from __future__ import annotations

import logging

import numpy as np

from components.shared.context import Context
from components.shared.format import count, duration
from mapelites.answers import Designs, Multipliers, RecognisedRelation, multipliers_at, recognise_relations
from mapelites.answers.multipliers import evaluations_needed
from mapelites.problems.own.files import AbsentError
from mapelites.runs import Run

AFFORDABLE = 0.25  # seconds
POINTS = 64

log = logging.getLogger("dashboard")


def local_multipliers(context: Context, run: Run, designs: Designs, row: int | None) -> Multipliers | str | None:
    """The multipliers at a design; a text says why there are none."""
    if row is None:
        return None
    needed = evaluations_needed(designs.problem)
    seconds = _seconds(run, needed)
    if seconds > AFFORDABLE:
        return f"its {count(needed)} evaluations would take {duration(seconds)}"
    x = designs.found.x[row]

    def made() -> list[float] | str:
        try:
            found = multipliers_at(designs.problem, x)
        except AbsentError as error:
            return str(error)
        except Exception as error:  # somebody's own function may fail in any way
            log.warning("no multipliers for %s: %s", run.id, error)
            return f"the problem fails beside this design ({type(error).__name__})"
        return "the problem has no slope here" if found is None else [found.unexplained, *found.values.tolist()]

    known = context.cache.remember(("multipliers", run.id, x.tobytes().hex()), made)
    return known if isinstance(known, str) else Multipliers(np.array(known[1:]), known[0])


def related_constraints(context: Context, run: Run, designs: Designs) -> tuple[RecognisedRelation, ...]:
    """The constraints that depend on each other; random points are asked for where they are cheap."""
    points = POINTS if _seconds(run, POINTS) <= AFFORDABLE else 0
    try:
        return recognise_relations(designs, points)
    except Exception as error:  # somebody's own function may fail at points that no search came to
        log.warning("no random points for %s: %s", run.id, error)
        return recognise_relations(designs)


def _seconds(run: Run, evaluations: int) -> float:
    """How long so many evaluations take, by what the run has needed so far."""
    return evaluations * run.seconds / run.evaluations if run.evaluations else 0.0
