"""The evaluations of a run by workers, in its own log, where a full disk is told like everywhere in the store."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mapelites.core.archive import Elites
from mapelites.evaluation.log_file import LogFile, count_damaged, layout, sound_records
from mapelites.runs.errors import disk_error
from mapelites.runs.request import RunRequest
from mapelites.search.emitters import slow_operators

__all__ = ["EvaluationLog", "all_evaluations", "count_damaged", "layout", "sound_records"]


class EvaluationLog(LogFile):
    """The log of one run, for the process that searches."""

    def __init__(self, path: Path, request: RunRequest) -> None:
        super().__init__(path, request.get_problem())

    def failure(self, error: OSError) -> Exception:
        """What the store says of a disk that is full or gone."""
        return disk_error(self.path.parent.parent, error)


def all_evaluations(content: bytes, request: RunRequest, up_to: int | None) -> Elites:
    """All logged solutions, or those of the first so many candidates."""
    problem = request.get_problem()
    records = sound_records(content, problem)
    if up_to is not None:
        records = records[records["number"] <= up_to]
    values, m = records["values"], problem.inequalities
    names = np.array(slow_operators(), dtype="U16")
    return Elites(
        records["x"].astype(np.float64), values[:, 0].astype(np.float64), values[:, 1 : 1 + m].astype(np.float64),
        values[:, 1 + m :].astype(np.float64), records["number"].astype(np.int64),
        names[np.clip(records["operator"], 0, len(names) - 1)],
    )  # fmt: skip
