"""The evaluations of a run by workers, on disk: a file of records that only grows.

A record is written with one call to the system, so it outlives the process; the last one may be torn where the
machine went down, and carries a check sum that tells. Nothing that was answered is asked again.
"""

from __future__ import annotations

import errno
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.archive import Elites
from mapelites.problem import Problem
from mapelites.runs.errors import disk_error
from mapelites.runs.request import RunRequest
from mapelites.slow import Answer
from mapelites.slow.answer import Array
from mapelites.slow.method import OPERATORS

CHECK = 4  # bytes of the check sum that ends a record


def layout(problem: Problem) -> np.dtype[Any]:
    """One record: the candidate's number, how it went, what made it, x, then f, g and h."""
    return np.dtype(
        [
            ("number", "<i8"),
            ("status", "<i4"),
            ("operator", "<i4"),
            ("x", "<f8", (problem.dimension,)),
            ("values", "<f8", (1 + len(problem.constraints),)),
            ("check", "<u4"),
        ]
    )


def sound_records(content: bytes, problem: Problem) -> NDArray[Any]:
    """The records of a file without torn and damaged ones, each candidate once, in the order of their numbers."""
    kind = layout(problem)
    whole = len(content) - len(content) % kind.itemsize
    records = np.frombuffer(content[:whole], dtype=kind)
    starts = range(0, whole, kind.itemsize)
    sums = [zlib.crc32(content[start : start + kind.itemsize - CHECK]) for start in starts]
    sound = records[records["check"] == np.array(sums, dtype=np.uint32)]
    _, first = np.unique(sound["number"], return_index=True)
    return np.asarray(sound[first])


class EvaluationLog:
    """The log of one run, for the process that searches."""

    def __init__(self, path: Path, request: RunRequest) -> None:
        self.path, self._request = path, request
        self._file: int | None = None
        self._kind = layout(request.get_problem())
        self._known: dict[int, Any] | None = None

    def find(self, number: int, x: Array) -> Answer | None:
        """What this candidate was answered before, or None."""
        record = self._records().get(number)
        if record is None or not np.array_equal(record["x"], x):
            return None
        return Answer(record["values"].copy(), int(record["status"]))

    def add(self, number: int, x: Array, operator: int, answer: Answer) -> None:
        """Keep an answer for good."""
        record = np.zeros(1, dtype=self._kind)
        record[0] = (number, answer.status, operator, x, answer.values, 0)
        record["check"] = zlib.crc32(record.tobytes()[:-CHECK])
        content = record.tobytes()
        try:
            if os.write(self._opened(), content) < len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self._cut_torn_record()
            raise disk_error(self._folder, error) from error

    def _records(self) -> dict[int, Any]:
        if self._known is None:
            try:
                content = self.path.read_bytes() if self.path.exists() else b""
            except OSError as error:
                raise disk_error(self._folder, error) from error
            records = sound_records(content, self._request.get_problem())
            self._known = {int(record["number"]): record for record in records}
        return self._known

    def _opened(self) -> int:
        if self._file is None:
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            self._cut_torn_record()
        return self._file

    def _cut_torn_record(self) -> None:
        """It would shift those to come."""
        if self._file is not None:
            size = os.fstat(self._file).st_size
            os.ftruncate(self._file, size - size % self._kind.itemsize)

    @property
    def _folder(self) -> Path:
        return self.path.parent.parent


def everything(content: bytes, request: RunRequest, up_to: int | None) -> Elites:
    """All logged solutions, or those of the first so many candidates."""
    problem = request.get_problem()
    records = sound_records(content, problem)
    if up_to is not None:
        records = records[records["number"] <= up_to]
    values, m = records["values"], problem.inequalities
    names = np.array(OPERATORS, dtype="U16")
    return Elites(
        records["x"].astype(np.float64), values[:, 0].astype(np.float64), values[:, 1 : 1 + m].astype(np.float64),
        values[:, 1 + m :].astype(np.float64), records["number"].astype(np.int64),
        names[np.clip(records["operator"], 0, len(names) - 1)],
    )  # fmt: skip
