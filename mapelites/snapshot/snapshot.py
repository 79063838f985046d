"""What a run looks like at one moment, and the one format in which it is streamed, saved and exported.

The bytes are a numpy `.npz`: plain arrays, and one JSON text with everything else. Nothing is pickled.
"""

from __future__ import annotations

import io
import json
import lzma
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapelites.core.archive import Archive, Elites
from mapelites.core.archive.empty import EmptyBlocks
from mapelites.core.errors import InputError
from mapelites.core.problem import Problem
from mapelites.core.tolerances import Tolerances
from mapelites.evaluation.queue import QueueEntry, read_queue
from mapelites.search.illumination import Illumination
from mapelites.search.outlook import Outlook
from mapelites.snapshot.npz import npz_bytes
from mapelites.snapshot.spec import RunSpec

FORMAT = 1
PIECE = 2**20  # bytes that are read at once
LONGEST_TEXT = 4 * 2**20  # bytes of JSON; what a run has to say of itself is some hundred kilobytes at most
UNREADABLE = (  # what reading an archive that somebody changed can raise
    ValueError, OSError, KeyError, EOFError, AttributeError, TypeError, NotImplementedError, RuntimeError, MemoryError,
    OverflowError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error,
)  # fmt: skip
ARRAY = re.compile(  # the header of plain numbers or texts, as `numpy.save` writes it
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][biufU]\d{1,9})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n",  # each but the last number ends at its comma
    re.DOTALL,
)
OUTLOOK, OUTLOOK_ARRAYS = "expected_", ("x", "values", "told", "found")
ELITE_ARRAYS = ("x", "f", "g", "h", "found_at", "operator")


@dataclass(frozen=True)
class Snapshot:
    """A run at one moment: what is searched, how, how far it is, and the elites it has."""

    spec: RunSpec
    evaluations: int
    refused: int
    seconds: float
    elites: Elites
    curve: NDArray[np.float64]  # (k, 3): evaluations, occupied cells, best feasible f (NaN before there is one)
    spent: Mapping[str, int] = field(default_factory=dict)  # evaluations by the part of the search that asked for them
    failures: Mapping[str, tuple[int, str]] = field(default_factory=dict)  # evaluations by workers, by kind
    queue: tuple[QueueEntry, ...] = ()  # evaluations under way, waiting, and ended lately
    outlook: Outlook | None = None  # what models expect; no part of the map
    proven_empty: Mapping[Tolerances, EmptyBlocks] = field(default_factory=dict)  # not in its bytes: jobs find it

    @classmethod
    def of(
        cls,
        search: Illumination,
        seconds: float,
        curve: NDArray[np.float64] | None = None,
        elites: Elites | None = None,
        outlook: Outlook | None = None,
    ) -> Snapshot:
        """The present moment of a search that has computed for so many seconds, with all its elites or with these."""
        return cls(
            RunSpec.of(search.problem, search.tolerances, search.settings, search.grid),
            search.evaluations,
            search.refused,
            seconds,
            search.elites() if elites is None else elites,
            np.empty((0, 3)) if curve is None else curve,
            search.spent,
            search.failures,
            search.queue(),
            outlook,
        )

    @property
    def best(self) -> float | None:
        """The lowest objective of all elites."""
        return float(self.elites.f.min()) if len(self.elites) else None

    def get_problem(self) -> Problem:
        """The problem itself."""
        return self.spec.get_problem()

    def archive(self) -> Archive:
        """The map."""
        problem, tolerances = self.get_problem(), self.spec.tolerances
        return Archive(problem, tolerances, self.elites, self.refused, self.evaluations, self.proven_empty)

    def with_curve(self, curve: NDArray[np.float64]) -> Snapshot:
        """The same moment with another curve."""
        return replace(self, curve=curve)

    def to_bytes(self) -> bytes:
        """The snapshot as the content of an `.npz` file."""
        return pack(*self.parts())

    def parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The JSON values and the arrays that such a file holds."""
        about = {
            "format": FORMAT,
            **self.spec.as_table(),
            "evaluations": self.evaluations,
            "refused": self.refused,
            "seconds": self.seconds,
            "spent": dict(self.spent),
            "failures": {kind: list(each) for kind, each in self.failures.items()},
            **({"queue": [each.as_list() for each in self.queue]} if self.queue else {}),
        }
        expected = {} if self.outlook is None else {
            f"{OUTLOOK}{name}": getattr(self.outlook, name) for name in OUTLOOK_ARRAYS
        }  # fmt: skip
        elites = {name: getattr(self.elites, name) for name in ELITE_ARRAYS}
        return about, {**elites, "curve": self.curve, **expected}

    @classmethod
    def from_bytes(cls, content: bytes) -> Snapshot:
        """A snapshot from the content of a file; an `InputError` says why where it is not one."""
        return cls.from_parts(*unpack(content))

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Snapshot:
        """Likewise from the JSON values and arrays of a file."""
        try:
            if about["format"] != FORMAT:
                raise InputError(f"its format is {about['format']}, but this version reads {FORMAT}")
            snapshot = cls(
                RunSpec.from_table(about),
                int(about["evaluations"]),
                int(about["refused"]),
                float(about["seconds"]),
                Elites(*(arrays[name] for name in ELITE_ARRAYS)),
                arrays["curve"],
                {str(name): int(count) for name, count in about["spent"].items()},
                {str(kind): (int(count), str(words)) for kind, (count, words) in about.get("failures", {}).items()},
                read_queue(about.get("queue", [])),
                outlook_in(arrays),
            )
            snapshot._check()
        except KeyError as missing:
            raise InputError(f"not a run file, because it has no {missing.args[0]!r}") from None
        except (InputError, ValueError, TypeError, OverflowError, AttributeError) as error:
            raise InputError(f"not a run file, because {error}") from None
        return snapshot

    def _check(self) -> None:
        problem, tolerances, budget = self.get_problem(), self.spec.tolerances, self.spec.settings.evaluations
        names = tuple(constraint.name for constraint in problem.constraints)
        if tolerances.places:
            tolerances.check_for(problem)
        elif tolerances.names != names:
            raise InputError(f"{problem.title} has constraints {names}, but the file has {tolerances.names}")
        self.elites.check_for(problem)
        if self.curve.ndim != 2 or self.curve.shape[1] != 3 or self.curve.dtype.kind != "f":
            raise InputError(f"the curve must have three columns, but its shape was {self.curve.shape}")
        if self.outlook is not None:
            self._check_outlook(self.outlook, problem)
        if not 0 <= self.evaluations <= budget or not math.isfinite(self.seconds):
            raise InputError(f"it is at evaluation {self.evaluations:,} of {budget:,}")

    @staticmethod
    def _check_outlook(outlook: Outlook, problem: Problem) -> None:
        k, width = len(outlook.x), 1 + len(problem.constraints)
        shapes = {"x": (k, problem.dimension), "values": (k, width), "told": (len(outlook.found), width),
                  "found": (len(outlook.found), width)}  # fmt: skip
        for name, shape in shapes.items():
            array = getattr(outlook, name)
            if array.shape != shape or array.dtype.kind != "f" or not np.isfinite(array).all():
                raise InputError(
                    f"{OUTLOOK}{name} must be finite, of shape {shape}, but it was {array.dtype} {array.shape}"
                )


def outlook_in(arrays: Mapping[str, NDArray[Any]]) -> Outlook | None:
    """What models expect, where the arrays of a file have that."""
    if f"{OUTLOOK}x" not in arrays:
        return None
    return Outlook(*(arrays[f"{OUTLOOK}{name}"] for name in OUTLOOK_ARRAYS))


def pack(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """JSON values and arrays as the content of one `.npz` file."""
    return npz_bytes({"about": as_text(about), **arrays})


def as_text(about: Mapping[str, Any]) -> NDArray[np.uint8]:
    """JSON values as an array."""
    return np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)


def unpack(content: bytes, longest: int = LONGEST_TEXT) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What `pack` put together; an `InputError` where the bytes are something else.

    The JSON has at most so many bytes: what is read of it may need thirty times as many.
    """
    if not content.startswith(b"PK"):  # what every zip archive begins with, and so every `.npz`
        raise InputError("not a run file, because it is not an .npz file")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            _check_room(file, len(content))
            arrays = {each.filename.removesuffix(".npy"): _array(_content(file, each)) for each in file.infolist()}
        about = _described(arrays.pop("about"), longest)
    except UNREADABLE as error:
        raise InputError(f"not a run file, because it cannot be read ({error})") from None
    if not isinstance(about, dict):
        raise InputError("not a run file, because its description is not a table")
    return about, arrays


def _check_room(file: zipfile.ZipFile, size: int) -> None:
    """Before anything is read: what `pack` writes is as it is, so that a small file cannot become a large one."""
    for each in file.infolist():
        if each.compress_type != zipfile.ZIP_STORED or each.compress_size != each.file_size:
            raise ValueError(f"its part {each.filename[:40]!r} is compressed")
    room = sum(each.file_size for each in file.infolist())
    if room > size:
        raise ValueError(f"it has {size:,} bytes, but says that it holds {room:,}")


def _described(text: NDArray[Any], longest: int) -> Any:
    if text.nbytes > longest:
        raise ValueError(f"its description has {text.nbytes:,} bytes, but may have {longest:,}")
    content = text.tobytes()
    about = json.loads(content)
    if b"\\ud" in content.lower():  # half of a character, which JSON can spell and nothing can write
        json.dumps(about, ensure_ascii=False).encode()
    return about


def _content(file: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytearray:
    """The bytes of a part, which the array is made of: the largest ones are in memory only once."""
    content = bytearray(part.file_size)
    view, place = memoryview(content), 0
    with file.open(part) as opened:
        while piece := opened.read(PIECE):
            view[place : place + len(piece)] = piece
            place += len(piece)
    if place < part.file_size:
        raise EOFError(f"its part {part.filename[:40]!r} is cut off")
    return content


def _array(content: bytearray) -> NDArray[Any]:
    """One array. `numpy.load` would take its header for a piece of Python; here only the one form fits."""
    header = ARRAY.match(content)
    if header is None:
        raise ValueError("it holds something that is not an array")
    kind, by_columns, shape = (each.decode() for each in header.groups())
    flat = np.frombuffer(content, kind, offset=header.end())
    sides = [int(each) for each in shape.split(",") if each.strip()]
    return flat.reshape(sides, order="F" if by_columns == "True" else "C")
