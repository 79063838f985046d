"""Run files with something wrong in them, anywhere: in the bytes, in the arrays, or in what is said about them."""

from __future__ import annotations

import json
import random
import zlib
from typing import Any

import numpy as np

from mapelites.core.errors import InputError
from mapelites.runs import Store
from mapelites.snapshot.snapshot import pack, unpack
from tests.hostile import junk
from tests.hostile.slowest import Slowest
from tests.runs.tools import assert_true_to_itself


def mutated(random_: random.Random, content: bytes) -> bytes:
    """Another file, made from one that is right."""
    while (changed := _changed(random_, content)) == content:
        pass
    return changed


def _changed(random_: random.Random, content: bytes) -> bytes:
    kind = random_.random()
    if kind < 0.4:
        return junk.damaged_bytes(random_, content)
    about, arrays = unpack(content)
    if kind < 0.7:
        return pack(junk.damaged(random_, about), arrays)
    name = random_.choice([*arrays])
    if kind < 0.8:
        inner = junk.damaged_bytes(random_, _inflated(arrays[name]))
        return pack(about, {**arrays, name: np.frombuffer(zlib.compress(inner), dtype=np.uint8)})
    if kind < 0.85:
        del arrays[name]
    else:
        arrays[name] = _other(random_, arrays[name])
    return pack(about, arrays)


def _inflated(array: Any) -> bytes:
    try:
        return zlib.decompress(array.tobytes())
    except zlib.error:
        return bytes(array.tobytes())


def _other(random_: random.Random, array: Any) -> Any:
    changes = (
        lambda: array[:-1], lambda: array.T, lambda: array[None], lambda: np.array(junk.text_of(junk.value(random_))),
        lambda: array.astype("U10"), lambda: np.zeros(array.shape, complex), lambda: np.full(array.shape, np.nan),
        lambda: np.full(array.shape, -1), lambda: np.full(array.shape, np.inf), lambda: np.array([]),
        lambda: np.array(7), lambda: np.zeros((0, *array.shape)), lambda: np.full(array.shape, 2**62),
        lambda: np.full(array.shape, "x" * 40),
    )  # fmt: skip
    return random_.choice(changes)()


def refused_or_sound(store: Store, content: bytes) -> str:
    """Import it. Where it is refused, in the words there are for that; where not, every use of the run works and every
    elite has the numbers of its solution.
    """
    try:
        run_id = store.import_run(content)
    except InputError as error:
        if type(error) is InputError and str(error).startswith("not a run file, because "):
            return "refused"
        raise
    run = store.run(run_id)
    json.dumps(store.entries.record(run_id).as_table(), allow_nan=False)
    for moment in store.history(run_id):
        archive = store.snapshot(run_id, moment.version).archive()  # type: ignore[union-attr]
        if archive.problem.source.kind != "file":
            assert_true_to_itself(archive)
        assert archive.statistics is not None
        assert len(list(archive)) <= run.request.tolerances.cells
    store.export(run_id)
    store.delete(run_id)
    store.purge(before=1e12)
    return "taken in"


def bombard(store: Store, files: list[bytes], count: int, seed: int, slowest: Slowest) -> dict[str, int]:
    """Import so many mutated files; how many were refused, and how many were harmless."""
    random_, known = random.Random(seed), [run.id for run in store.runs()]
    ends = {"refused": 0, "taken in": 0}
    for number in range(count):
        content = mutated(random_, random_.choice(files))
        try:
            with slowest.timing(f"file {number} of seed {seed}"):
                ends[refused_or_sound(store, content)] += 1
        except Exception as error:
            raise AssertionError(f"file {number} of seed {seed}: {type(error).__name__}: {error}") from error
    assert [run.id for run in store.runs()] == known, "nothing is left of what was refused"
    return ends
