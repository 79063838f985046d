"""Faults at the doors of a store: the n-th write, read or statement fails, or brings a flipped byte.

The doors are the statements of its database, the files of its values and keepsakes, and what is synced. `Injector(0)`
only counts. Which byte flips is the seed's choice, so that whatever is found can be brought about again.
"""

from __future__ import annotations

import errno
import os
import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mapelites import InputError
from mapelites.core.archive import Archive
from mapelites.runs import Store
from mapelites.runs.claim import Claim
from mapelites.runs.errors import ClaimLostError
from mapelites.runs.storage import backup, disk, keepsakes, rebuild
from mapelites.runs.worker import RunWorker
from mapelites.system import files
from tests.runs.tools import assert_same, large_request, request, undisturbed

KINDS = ("write", "sync", "read", "flip", "statement", "name")
SMALL, LARGE = request("C17", 3_000), large_request(30_000)


@dataclass
class Injector:
    """Has the n-th thing of a kind go wrong, and counts them all."""

    kind: str = ""
    at: int = 0
    seed: int = 0
    counted: Counter[str] = field(default_factory=Counter)
    happened: str = ""

    def strikes(self, kind: str, what: object = "") -> bool:
        """Whether this one is it."""
        self.counted[kind] += 1
        if kind != self.kind or self.counted[kind] != self.at:
            return False
        self.happened = f"{kind} {self.at}: {what}"
        return True

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Stand in the doors."""
        self._install_files(patch)
        self._install_statements(patch)

    def _install_files(self, patch: pytest.MonkeyPatch) -> None:
        write, sync, read = disk.PlainDisk._write, files.sync_file, Path.read_bytes

        def failing_write(door: Any, path: str, pieces: Any, *further: Any) -> int:
            if self.strikes("write", path):
                with open(path, "xb") as torn:
                    torn.write(b"half")
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(door, path, pieces, *further)

        def failing_sync(path: Path) -> None:
            if self.strikes("sync", path):
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            sync(path)

        def failing_read(path: Path) -> bytes:
            content = read(path)
            if "/cache/" in str(path) or "/runs/" in str(path):
                if self.strikes("read", path):
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                if content and self.strikes("flip", path):
                    rng, changed = random.Random(self.seed + self.at), bytearray(content)
                    changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
                    return bytes(changed)
            return content

        patch.setattr(disk.PlainDisk, "_write", failing_write)
        for module in (disk, files, rebuild):
            patch.setattr(module, "sync_file", failing_sync)
        patch.setattr(Path, "read_bytes", failing_read)
        for module in (files, rebuild, backup):
            patch.setattr(module, "os", _Names(self))
        patch.setattr(keepsakes, "write_whole", files.write_whole)

    def _install_statements(self, patch: pytest.MonkeyPatch) -> None:
        plain = disk.PlainCache._con.fget  # type: ignore[attr-defined]

        def connection(cache: Any) -> Any:
            return _Connection(plain(cache), self)

        patch.setattr(disk.PlainCache, "_con", property(connection))


class _Names:
    """The module `os`, of which renaming and linking may fail."""

    def __init__(self, injector: Injector) -> None:
        self._injector = injector

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in ("replace", "link"):
            return real

        def act(source: Any, target: Any) -> None:
            if self._injector.strikes("name", target):
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            real(source, target)

        return act


class _Connection:
    """A connection of which a statement may fail."""

    def __init__(self, connection: sqlite3.Connection, injector: Injector) -> None:
        object.__setattr__(self, "_own", (connection, injector))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own[0], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._own[0], name, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Connection) and self._own[0] is other._own[0]

    def execute(self, statement: str, *values: Any) -> Any:
        connection, injector = self._own
        if statement != "ROLLBACK" and injector.strikes("statement", statement):
            raise sqlite3.OperationalError("disk I/O error")
        return connection.execute(statement, *values)

    def backup(self, other: sqlite3.Connection) -> None:
        self._own[0].backup(other)


@dataclass
class Acknowledged:
    """What a store said was done: runs with the states that they may have."""

    states: dict[str, tuple[str, ...]] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)


def use(path: Path, other: Path) -> Acknowledged:
    """All that is done with a store, one thing after the other; what fails has to say so in words."""
    done, store = Acknowledged(), None

    def attempt(act: Callable[[], Any]) -> Any:
        try:
            return act()
        except InputError as error:
            done.refused.append(str(error))
            return None

    store = attempt(lambda: Store(path)) or attempt(lambda: Store(path))
    if store is None:
        return done
    for asked in (SMALL, LARGE):
        run_id = attempt(lambda asked=asked: store.create(asked))
        if run_id is not None:
            done.states[run_id] = ("queued", "running", "paused", "finished")
            if attempt(lambda run_id=run_id: _search(store, run_id)):
                done.states[run_id] = ("finished",)
    first = next(iter(done.states), None)
    if first is not None:
        content = attempt(lambda: store.export(first))
        twin = content and attempt(lambda: store.import_run(content))
        if twin:
            done.states[twin] = (*done.states[first], "paused")
            if attempt(lambda: (store.delete(twin), True)) and attempt(lambda: (store.undelete(twin), True)):
                attempt(lambda: store.delete(twin))
            if attempt(lambda: store.purge(before=1e12)) == 1:
                done.erased.add(twin)
                del done.states[twin]
    for run_id in done.states:
        attempt(lambda run_id=run_id: store.snapshot(run_id))
        attempt(lambda run_id=run_id: store.export(run_id))
    attempt(store.repair)
    if attempt(lambda: store.backup(other.with_suffix(".backup"))):
        attempt(lambda: Store.restore(other.with_suffix(".backup"), other))
    attempt(store.runs)
    store.close()
    return done


def _search(store: Store, run_id: str) -> bool:
    """Whether the run was searched to its end, and that could be put down."""
    claim = Claim.take(store.entries, run_id)
    if claim is None:
        return False
    looks = iter(range(200))
    try:
        RunWorker(claim, lambda: next(looks, None) is None).work()
    except ClaimLostError:
        return False
    return store.run(run_id).state == "finished"


def check(path: Path, done: Acknowledged, archives: dict[object, Archive]) -> None:
    """Without faults now: all that was acknowledged is there, and every map that can be shown is the right one."""
    store = Store(path)
    store.repair()
    runs = {run.id: run for run in (*store.runs(), *store.deleted())}
    assert store.damaged() == {}
    for run_id, states in done.states.items():
        assert run_id in runs, f"run {run_id} vanished"
        assert runs[run_id].state in states, (runs[run_id].state, states)
    assert not done.erased & runs.keys()
    for run in runs.values():
        snapshot = store.snapshot(run.id)
        if run.state == "finished":
            assert snapshot is not None
            assert_same(snapshot.archive(), archives[run.request.spec.problem])
    store.close()


def right_archives() -> dict[object, Archive]:
    """What the two searches end in."""
    return {asked.spec.problem: undisturbed(asked) for asked in (SMALL, LARGE)}
