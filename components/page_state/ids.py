"""The ids of what the parts of a run's page share."""

from __future__ import annotations

RUN = "run-id"  # Store: the run's id
OWN_LEVELS = "run-own-levels"  # Store: the levels that the run searches with
STATE = "run-page-state"  # Store: the state of the page, gathered from the controls; `components/page_state/state.py`
TOLD = "run-told"  # Store: what each part of the page drew last
NAMES = "run-names"  # Store: the constraints' names
LATEST = "run-latest"  # Store: the newest version of the run, and its map
MOMENTS = "run-moments"  # Store: the evaluations of all moments that can be replayed
MOMENT = "run-moment"  # Store: the evaluation that is shown, or None for live
LEVELS = "run-levels"  # Store: levels that are not the run's own, or None
AXES = "run-axes"  # Store: the order of the constraints, or None for the usual one
AWAY = "run-away"  # Store: a constraint that shall go off the map, or come back
READING = "run-reading"  # Store: the reading that somebody chose, or None for the usual one
COLOUR = "run-colour"  # Store: what colour means, or None for the usual meaning
SCALE = "run-scale"  # Store: the scale of the colours
BLOCK = "run-block"  # Store: the block that is shown alone, or None for the whole map
ALLOW = "run-allow"  # Store: where the sliders stand, texts of tolerances by the constraints' names
HARD = "run-hard"  # Store: the constraints that somebody locked
NEEDED = "run-needed"  # Store: the tolerances that the chosen design needs, for the sliders to follow
PAIR = "run-pair"  # Store: two constraints that shall be the outer axes
BRUSH = "run-brush"  # Store: the brushes of the parallel coordinates, or None
OVERVIEW = "run-overview"  # Tabs: which view of all constraints is open
SELECTED = "run-selected"  # Store: the chosen cell, or None
BEHIND = "run-behind"  # Store: whether the best feasible solution is meant that the elite of the chosen cell hides
PINNED = "run-pinned"  # Store: the elite that others are compared with, or None
PINNED_CELL = "run-pinned-cell"  # Store: the cell it lies in at the levels shown, as text, or None
DRAWN = "run-drawn"  # Store: what the figure shows
NARROW = "run-narrow"  # Store: whether the screen is narrow
MAP = "run-map"  # Graph
MAP_BOX = "map-box"  # what can be focused around it
ANSWERS = "run-answers"  # Store: the question asked of the map, and everything it depends on


def version_store(part: str) -> str:
    """Store: the version of the run that a part of the page shall tell of; a live run's comes now and then."""
    return f"run-seen-{part}"
