"""A whole run as one `.npz` file, and back.

The file is a saved map, so everything that reads one reads it, with more beside: the run's record, its
history, its newest checkpoint and the log of its evaluations.
"""

from __future__ import annotations

import tempfile
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from mapelites.core.archive import Elites
from mapelites.core.errors import InputError
from mapelites.runs.claim import CURVE, moment_of, with_progress
from mapelites.runs.entries import ID, RunEntries
from mapelites.runs.history import MOST_MOMENTS, History, Moment
from mapelites.runs.record import Record, State
from mapelites.runs.request import RunRequest
from mapelites.runs.verification import Patience, check_elites, check_log, check_snapshot
from mapelites.snapshot.findings import Findings
from mapelites.snapshot.npz import NpzWriter
from mapelites.snapshot.snapshot import Snapshot, as_text, unpack

# What the parts of a file may have in all: they shrink little when they are written, and a file from somewhere may
# claim anything.
MOST_GROWTH = 16  # times the file
ONE_GROWTH = 2  # times the file, of one part: no moment is much larger than the newest, which is as it is
ALWAYS_ALLOWED = 2**26  # bytes
Arrays = Mapping[str, NDArray[Any]]


class Parts:
    """What `_as_array` compressed, by its name; read anew whenever it is wanted, so that one is in memory at a time."""

    def __init__(self, arrays: Arrays, size: int) -> None:
        self._arrays = arrays
        self._left = max(ALWAYS_ALLOWED, MOST_GROWTH * size)
        self._most = max(ALWAYS_ALLOWED, ONE_GROWTH * size)
        self._sizes: dict[str, int] = {}

    def read(self, name: str) -> bytes | None:
        """The content of one, or None where there is none."""
        if name not in self._arrays:
            return None
        content = _as_bytes(name, self._arrays[name], min(self._most, self._left + self._sizes.get(name, 0)))
        self._left -= len(content) - self._sizes.get(name, 0)
        self._sizes[name] = len(content)
        return content


def export(entries: RunEntries, run_id: str, file: IO[bytes]) -> None:
    """Write the file. However long the history is, no more than one snapshot of it is in memory at once."""
    with tempfile.TemporaryFile() as spool:
        with entries.database.still():
            record, history = entries.record(run_id), entries.history(run_id)
            places = {version: _spooled(entries.snapshot_bytes(run_id, version), spool) for version in history.versions}
            states = [entries.state_bytes(run_id, each.version) for each in record.checkpoints[-1:]]
            findings = entries.findings_bytes(run_id, record.findings) if record.findings else None
        changes = dict(history.bases)

        def content_of(version: int) -> bytes | None:
            place = places.get(version)
            if place is None:
                return None
            spool.seek(place[0])
            return spool.read(place[1])

        def whole(version: int) -> bytes | None:
            """A snapshot on its own, also where it was put down as the change of another one."""
            content = content_of(version)
            if content is None or version not in changes:
                return content
            snapshot = entries.put_together(run_id, version, content, content_of)
            return None if snapshot is None else snapshot.to_bytes()

        parts = {
            "checkpoint": states[0] if states else None, "evaluations": entries.log_bytes(run_id), "findings": findings,
        }  # fmt: skip
        _write(NpzWriter(file), record, history, parts, whole)


def _write(
    out: NpzWriter,
    record: Record,
    history: History,
    parts: Mapping[str, bytes | None],
    whole: Callable[[int], bytes | None],
) -> None:
    newest = None if record.snapshot is None else whole(record.snapshot)
    about, arrays = unpack(newest or _nothing_yet(record.request).to_bytes())
    for name, array in arrays.items():
        out.add(name, array)
    del arrays, newest
    there = []
    for row in history.as_table()["moments"]:
        content = whole(row[0])
        if content is not None:
            there.append(row)
            out.add(f"history_{row[0]}", _as_array(content))
    for name, part in parts.items():
        if part is not None:
            out.add(name, _as_array(part))
    kept = record.checkpoints[-1:] if parts["checkpoint"] is not None else ()
    table = replace(record, claim=None, wish=None, deleted=None, checkpoints=kept).as_table()
    out.add("about", as_text({**about, "run": table, "history": there}))
    out.close()


def _spooled(content: bytes | None, spool: IO[bytes]) -> tuple[int, int] | None:
    """Where it begins there, and its length."""
    if content is None:
        return None
    place = spool.tell()
    spool.write(content)
    return place, len(content)


def take_in(
    entries: RunEntries, content: bytes, check: Callable[[RunRequest], None], seconds: float | None = None
) -> str:
    """Put the run of a file into the store, after looking at every part of it; `check` may refuse what it asks for.

    Its solutions are evaluated for at most so many seconds of processor time.
    """
    patience = Patience(seconds)
    about, arrays = unpack(content)
    snapshot = Snapshot.from_bytes(content)
    check_snapshot(snapshot, snapshot.get_problem(), patience)
    record = _record(about, snapshot)
    check(record.request)
    parts = Parts(arrays, len(content))
    moments = _moments(about, parts, record, snapshot, patience)
    state = _state(parts, record, patience)
    log = parts.read("evaluations")
    if log is not None:
        check_log(log, record.request.get_problem(), patience)
    findings = _findings(parts, record, patience)
    record = replace(record, findings=0 if findings is None else 1)
    with entries.database.writing():
        free = ID.fullmatch(record.id) and entries.is_free(record.id)
        record = replace(record, id=record.id if free else entries.new_id())
        for moment, _ in moments:
            newest = snapshot.to_bytes() if "run" not in about else parts.read(f"history_{moment.version}")
            entries.database.put(f"snapshot/{record.id}/{moment.version}", newest or b"")
        kept = record.checkpoints[-1:] if state is not None else ()
        for checkpoint in kept:
            entries.database.put(f"state/{record.id}/{checkpoint.version}", state or b"")
        history = History(tuple(moment for moment, _ in moments), tuple(size for _, size in moments))
        entries.write_history(record.id, history)
        if log is not None:
            entries.write_log(record.id, log)
        if findings is not None:
            entries.database.put(f"findings/{record.id}/1", findings)
        size = history.size + sum(each.size for each in kept) + len(log or b"")
        return entries.write(replace(record, checkpoints=kept, size=size)).id


def _nothing_yet(request: RunRequest) -> Snapshot:
    elites = Elites.empty(request.get_problem())
    return Snapshot(request.spec, 0, 0, 0.0, elites, np.empty((0, 3)))


def _record(about: Mapping[str, Any], snapshot: Snapshot) -> Record:
    """The run's record, in a state in which nothing works on it; how far the run is, its newest snapshot says."""
    table = about["run"] if "run" in about else _record_of_map(snapshot).as_table()
    try:
        record = Record.from_table(str(table["id"]), table)
    except (InputError, KeyError, TypeError) as error:
        raise InputError(f"not a run file, because its record cannot be used ({error})") from None
    if record.request.spec != snapshot.spec:
        raise InputError("not a run file, because its map is of another search than its record")
    if record.snapshot is None and (snapshot.evaluations or len(snapshot.elites)):
        raise InputError("not a run file, because its record knows of no map, but there is one")
    if record.snapshot is not None and "run" in about:
        record = with_progress(record, moment_of(snapshot, record.snapshot), snapshot, snapshot.best)
    state: State = "paused" if record.state in ("queued", "running") else record.state
    return replace(record, state=state, claim=None, wish=None, deleted=None)


def _record_of_map(snapshot: Snapshot) -> Record:
    """A record for a map that was saved without one."""
    whole = snapshot.evaluations == snapshot.spec.settings.evaluations
    archive, now = snapshot.archive(), time.time()
    numbers = archive.statistics
    return Record(
        "", RunRequest(snapshot.spec), "finished" if whole else "stopped", created=now, started=now, finished=now,
        seconds=snapshot.seconds, evaluations=snapshot.evaluations, occupied=numbers.occupied,
        best_feasible=numbers.best_feasible, best=numbers.best, refused=snapshot.refused, version=1, snapshot=1,
    )  # fmt: skip


def _moments(
    about: Mapping[str, Any], parts: Parts, record: Record, newest: Snapshot, patience: Patience
) -> list[tuple[Moment, int]]:
    """The history's moments with the sizes of their snapshots, each looked at, one after the other."""
    if "run" not in about:
        moment = Moment(1, newest.evaluations, newest.seconds, record.occupied, record.best_feasible)
        return [(moment, len(newest.to_bytes()))]
    try:
        history = History.from_table({"moments": about["history"][: MOST_MOMENTS + 1], "leaving": []})
    except (InputError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"not a run file, because its history cannot be used ({error})") from None
    found = []
    for version in (moment.version for moment in history.moments):
        content = parts.read(f"history_{version}")
        if content is None:
            raise InputError(f"not a run file, because its moment {version} is missing")
        snapshot = Snapshot.from_bytes(content)
        if snapshot.spec != newest.spec:
            raise InputError(f"not a run file, because moment {version} is of another search")
        check_snapshot(snapshot, snapshot.get_problem(), patience)
        if version == record.snapshot and snapshot.to_bytes() != newest.to_bytes():
            raise InputError(f"not a run file, because its newest moment {version} is another map than its own")
        found.append((moment_of(snapshot, version), len(content)))
    if record.snapshot is not None and record.snapshot not in [moment.version for moment, _ in found]:
        raise InputError(f"not a run file, because its newest moment {record.snapshot} is missing")
    steps = np.diff([moment.evaluations for moment, _ in found])
    if np.any(steps <= 0) or len({moment.version for moment, _ in found}) < len(found):
        raise InputError("not a run file, because its moments do not come one after the other")
    return found


def _state(parts: Parts, record: Record, patience: Patience) -> bytes | None:
    """The checkpoint, looked at: a search can go on from it."""
    content = parts.read("checkpoint")
    if not record.checkpoints:
        return None
    if content is None:
        raise InputError("not a run file, because its checkpoint is missing")
    _, state = unpack(content)
    state.pop(CURVE, None)
    try:
        elites = record.request.begin(state).elites()
    except (KeyError, ValueError, IndexError, TypeError) as error:
        raise InputError(f"not a run file, because its checkpoint cannot be used ({error})") from None
    check_elites(elites, record.request.get_problem(), patience)
    return content


def _findings(parts: Parts, record: Record, patience: Patience) -> bytes | None:
    """What jobs found, looked at."""
    content = parts.read("findings")
    if content is None:
        return None
    problem = record.request.get_problem()
    check_elites(Findings.from_bytes(content, problem).elites, problem, patience)
    return content


def _as_array(content: bytes) -> NDArray[np.uint8]:
    # Compressed, because these are zip archives themselves: of half a file, the last whole one of them
    # would be taken for the file.
    return np.frombuffer(zlib.compress(content, 1), dtype=np.uint8)


def _as_bytes(name: str, array: NDArray[Any], most: int) -> bytes:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise InputError(f"not a run file, because {name} must be bytes, but it was {array.dtype}")
    try:
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(array.tobytes(), most + 1)  # 0 would stand for any number
    except zlib.error as error:
        raise InputError(f"not a run file, because {name} cannot be read ({error})") from None
    if len(content) > most or not unpacker.eof:
        raise InputError(f"not a run file, because {name} is cut off, or larger than a file of its size can hold")
    return content
