"""A store with a few runs in it, made without a worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mapelites import Settings, Tolerances
from mapelites.problems import get
from mapelites.runs import RunRequest, Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "store")
    yield made
    made.close()


def request(problem: str = "C17", dimension: int = 10, search: str = "paper-3", seed: int = 1) -> RunRequest:
    levels = Tolerances.default(get(problem, dimension))
    return RunRequest(problem, dimension, levels, Settings.of(search, dimension, seed=seed))
