"""Mutated run files are refused with "not a run file, because ..." and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapelites.runs import Store
from tests.hostile.files import bombard
from tests.hostile.slowest import Slowest
from tests.runs.test_store import begin, finish
from tests.runs.tools import request


def run_files(store: Store) -> list[bytes]:
    """Runs to mutate: finished, half done with a checkpoint, not begun, and a saved map alone."""
    done = finish(store, request(evaluations=5_000))
    half = begin(store, request(evaluations=50_000_000))
    fresh = store.create(request())
    snapshot = store.snapshot(done)
    assert snapshot is not None
    return [store.export(done), store.export(half), store.export(fresh), snapshot.to_bytes()]


@pytest.mark.parametrize("seed", [1, 2])
def test_mutated_run_files_are_refused_in_words_or_harmless(tmp_path: Path, seed: int) -> None:
    store = Store(tmp_path)
    ends = bombard(store, run_files(store), 120, seed, Slowest())
    assert ends["refused"] > 50
