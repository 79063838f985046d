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
from mapelites.evaluation.answer import Answer, Array

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
    kind = layout(problem)
    _, places = sound_places(content, problem)
    records = np.empty(len(places), dtype=kind)
    for start in range(0, len(places), BLOCK):
        some = places[start : start + BLOCK]
        parts = (content[place : place + kind.itemsize] for place in (some * kind.itemsize).tolist())
        records[start : start + BLOCK] = np.frombuffer(b"".join(parts), dtype=kind)
    return records


def sound_places(content: bytes | mmap.mmap, problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of these candidates, ascending, and which records of the file are theirs: little, however many."""
    kind = layout(problem)
    numbers, places, before = [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0
    for records, good in _blocks(content, kind):
        numbers.append(records["number"][good])
        places.append(before + np.flatnonzero(good))
        before += len(records)
    found, first = np.unique(np.concatenate(numbers), return_index=True)
    return found, np.concatenate(places)[first]


def all_sound_records(content: bytes | mmap.mmap, problem: Problem) -> NDArray[Any]:
    """Likewise in the order in which they were written, with the candidates of several searches."""
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
        self._known: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    def find(self, number: int, x: Array) -> Answer | None:
        """What this candidate was answered before, or None."""
        numbers, places = self._sound_places()
        place = int(np.searchsorted(numbers, number))
        if place == len(numbers) or numbers[place] != number:
            return None
        record = self._record(int(places[place]))
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
            raise self.failure(error) from error

    def _record(self, place: int) -> Any:
        """One record of the file; None where it is damaged by now."""
        size = self._kind.itemsize
        try:
            content = os.pread(self._opened(), size, place * size)
        except OSError as error:
            raise self.failure(error) from error
        if len(content) < size:
            return None
        record = np.frombuffer(content, dtype=self._kind)[0]
        return record if record["check"] == zlib.crc32(content[:-CHECK]) else None

    def _sound_places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if self._known is None:
            problem = self._problem
            try:
                with self._mapped() as content:
                    damaged, self._known = count_damaged(content, problem), sound_places(content, problem)
            except OSError as error:
                raise self.failure(error) from error
            if damaged:
                log.warning("%s: %d evaluations are not what was written; they are asked for again", self.path, damaged)
        return self._known

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
        self._answers: dict[bytes, Answer] | None = None

    @property
    def count(self) -> int:
        """How many solutions it had when it was opened."""
        return len(self._read())

    def find(self, number: int, x: Array) -> Answer | None:
        """What this solution was answered before, whatever its number was then; None for a new one."""
        return self._read().get(x.tobytes())

    def _read(self) -> dict[bytes, Answer]:
        if self._answers is None:
            try:
                with self._mapped() as content:
                    records = all_sound_records(content, self._problem)
            except OSError as error:
                raise self.failure(error) from error
            answers = [Answer(record["values"].copy(), int(record["status"])) for record in records]
            self._answers = {x.tobytes(): answer for x, answer in zip(records["x"], answers, strict=True)}
        return self._answers

    def failure(self, error: OSError) -> Exception:
        """The file by its name, and what happened."""
        return InputError(f"log: {self.path}: {error.strerror}")
