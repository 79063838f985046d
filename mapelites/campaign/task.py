"""What a process does with a task. Text goes in and bytes come out, so any executor on any machine will do."""

from __future__ import annotations

import json
import time

import numpy as np
from numpy.typing import NDArray

from mapelites.campaign.description import CampaignTask
from mapelites.core.errors import InputError
from mapelites.search import Illumination
from mapelites.snapshot.engine import engine_mark
from mapelites.snapshot.snapshot import Snapshot
from mapelites.snapshot.spec import RunSpec
from mapelites.system.files import json_of

CHECKPOINTS = 60
FIRST_CHECKPOINT = 100


def task_payload(task: CampaignTask) -> str:
    """A task as text, with the mark of the engine that is to do it."""
    return json.dumps({**task.spec.as_table(), "engine": engine_mark()})


def execute_task(text: str) -> bytes:
    """Do the run that `payload` described and return its snapshot's bytes."""
    table = json_of(text)
    if table["engine"] != engine_mark():
        raise InputError(
            f"a worker must have the search that the campaign began with, {table['engine']}, "
            f"but this one has {engine_mark()}: install the same version everywhere"
        )
    spec = RunSpec.from_table(table)
    search = Illumination(spec.get_problem(), spec.tolerances, spec.settings)
    started = time.perf_counter()
    curve = []
    for checkpoint in checkpoints(search.settings.evaluations):
        search.advance(int(checkpoint) - search.evaluations)
        best = search.best_feasible
        curve.append((search.evaluations, search.occupied, np.nan if best is None else best))
    return Snapshot.of(search, time.perf_counter() - started, np.array(curve, dtype=np.float64)).to_bytes()


def checkpoints(evaluations: int) -> NDArray[np.int64]:
    """Where the curve of a run is taken: evenly on a logarithmic scale, the same for every run of this budget.

    >>> checkpoints(200_000)[[0, -1]]
    array([   100, 200000])
    """
    first = min(FIRST_CHECKPOINT, evaluations)
    return np.unique(np.round(np.geomspace(first, evaluations, CHECKPOINTS)).astype(np.int64))
