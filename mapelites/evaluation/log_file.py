"""The evaluations of a search, on disk: a file of records that only grows.

A record is written with one call to the system, so it outlives the process; the last one may be torn where the
machine went down, and carries a check sum that tells. Nothing that was answered is asked again.
"""

from __future__ import annotations

import errno
import logging
import mmap
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.evaluation.answer import TRIED_AGAIN, Answer, Array

BLOCK = 10_000  # records that are looked at together
CHECK = 4  # bytes of the check sum that ends a record

log = logging.getLogger(__name__)


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


def sound_records(content: bytes | mmap.mmap, problem: Problem) -> NDArray[Any]:
    """The records of a file without torn and damaged ones, each candidate once, in the order of their numbers."""
    records = all_sound_records(content, problem)
    _, first = np.unique(records["number"], return_index=True)
    return np.asarray(records[first])


def all_sound_records(content: bytes | mmap.mmap, problem: Problem) -> NDArray[Any]:
    """Likewise in the order in which they were written, with candidates of several searches."""
    kind = layout(problem)
    sound = [records[good] for records, good in _blocks(content, kind)]
    return np.concatenate(sound) if sound else np.empty(0, dtype=kind)


def count_damaged(content: bytes | mmap.mmap, problem: Problem) -> int:
    """How many records are not what was written; the last one, where it is torn, too."""
    kind = layout(problem)
    return sum(int((~good).sum()) for _, good in _blocks(content, kind)) + (len(content) % kind.itemsize > 0)


def _blocks(content: bytes | mmap.mmap, kind: np.dtype[Any]) -> Iterator[tuple[NDArray[Any], NDArray[np.bool_]]]:
    """Some records after the other, and which of them are sound."""
    size = kind.itemsize
    for start in range(0, len(content) // size * size, BLOCK * size):
        some = bytes(content[start : min(start + BLOCK * size, len(content) // size * size)])
        records = np.frombuffer(some, dtype=kind)
        sums = [zlib.crc32(some[place : place + size - CHECK]) for place in range(0, len(some), size)]
        yield records, records["check"] == np.array(sums, dtype=np.uint32)


class LogFile:
    """The log of one search, for the process that searches."""

    def __init__(self, path: Path, problem: Problem) -> None:
        self.path = path
        self._file: int | None = None
        self._problem, self._kind = problem, layout(problem)
        self._known: NDArray[Any] | None = None

    def find(self, number: int, x: Array) -> Answer | None:
        """What this candidate was answered before, or None."""
        records = self._records()
        place = int(np.searchsorted(records["number"], number))
        if place == len(records) or records["number"][place] != number or not np.array_equal(records["x"][place], x):
            return None
        record = records[place]
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
            raise self.failure(error) from error

    def _records(self) -> NDArray[Any]:
        if self._known is None:
            problem = self._problem
            try:
                with self._mapped() as content:
                    damaged, self._known = count_damaged(content, problem), self._read(content)
            except OSError as error:
                raise self.failure(error) from error
            if damaged:
                log.warning("%s: %d evaluations are not what was written; they are asked for again", self.path, damaged)
        return self._known

    def _read(self, content: bytes | mmap.mmap) -> NDArray[Any]:
        """The records that are known from the file, by ascending numbers."""
        return sound_records(content, self._problem)

    @contextmanager
    def _mapped(self) -> Iterator[bytes | mmap.mmap]:
        """The content of the file, not all of it in memory at once."""
        if not self.path.exists() or self.path.stat().st_size == 0:
            yield b""
            return
        with self.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            yield content

    def _opened(self) -> int:
        if self._file is None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            self._cut_torn_record()
        return self._file

    def _cut_torn_record(self) -> None:
        """It would shift those to come."""
        if self._file is not None:
            size = os.fstat(self._file).st_size
            os.ftruncate(self._file, size - size % self._kind.itemsize)

    def failure(self, error: OSError) -> Exception:
        """What is raised where the disk does not do its part."""
        return error


class ScriptLog(LogFile):
    """A log that outlives its search: a later one, perhaps with another budget, finds the solutions that it has."""

    def __init__(self, path: Path, problem: Problem) -> None:
        super().__init__(path, problem)
        self._places: dict[bytes, int] | None = None

    @property
    def count(self) -> int:
        """How many evaluations it had when it was opened."""
        return len(self._records())

    def find(self, number: int, x: Array) -> Answer | None:
        """What this candidate was answered before, or the same solution as another candidate; None for a new one."""
        found = super().find(number, x)
        if found is not None:
            return found
        records = self._records()
        if self._places is None:
            kept = np.flatnonzero(~np.isin(records["status"], TRIED_AGAIN))
            self._places = {records["x"][place].tobytes(): int(place) for place in kept}
        place = self._places.get(x.tobytes())
        return None if place is None else Answer(records["values"][place].copy(), int(records["status"][place]))

    def _read(self, content: bytes | mmap.mmap) -> NDArray[Any]:
        """Every sound record; of those with one number the last, which is of the latest search, comes first."""
        records = all_sound_records(content, self._problem)[::-1]
        return records[np.argsort(records["number"], kind="stable")]

    def failure(self, error: OSError) -> Exception:
        """The file by its name, and what happened."""
        return InputError(f"log: {self.path}: {error.strerror}")
