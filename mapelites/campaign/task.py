"""What a process does with a task. Text goes in and bytes come out, so any executor on any machine will do."""

from __future__ import annotations

import json
import time
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mapelites.campaign.description import Task
from mapelites.errors import InputError
from mapelites.problems import get
from mapelites.search import Illumination, Settings
from mapelites.snapshot import Snapshot
from mapelites.tolerances import Tolerances

CHECKPOINTS = 60
FIRST_CHECKPOINT = 100


def payload(task: Task) -> str:
    """A task as text, with the mark of the engine that is to do it."""
    return json.dumps(
        {
            "problem": task.instance.problem,
            "dimension": task.instance.dimension,
            "names": list(task.tolerances.names),
            "levels": [list(levels) for levels in task.tolerances.levels],
            "settings": task.settings.as_dict(),
            "engine": engine_mark(),
        }
    )


def execute(text: str) -> bytes:
    """Do the run that `payload` described and return its snapshot's bytes."""
    table = json.loads(text)
    if table["engine"] != engine_mark():
        raise InputError(
            f"a worker must have the search that the campaign began with, {table['engine']}, "
            f"but this one has {engine_mark()}: install the same version everywhere"
        )
    problem = get(table["problem"], table["dimension"])
    tolerances = Tolerances(tuple(table["names"]), tuple(tuple(levels) for levels in table["levels"]))
    search = Illumination(problem, tolerances, Settings.from_dict(table["settings"]))
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


@cache
def engine_mark() -> str:
    """A short text that differs where the source of problems or searches differs."""
    here = Path(__file__).parent.parent
    files = [here / name for name in ("kernels.py", "problem.py", "rounding.py", "tolerances.py", "archive.py")]
    folders = [path for name in ("search", "slow", "problems") for path in (here / name).rglob("*.*")]
    digest = sha256()
    for path in (*files, *sorted(path for path in folders if path.suffix in (".py", ".json", ".problem"))):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]
