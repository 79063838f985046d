"""A store with a few runs in it, made without a worker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mapelites import Settings, Tolerances
from mapelites.problems import get
from mapelites.runs import RunRequest, Store
from mapelites.snapshot.spec import RunSpec


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "store")
    yield made
    made.close()


def request(problem: str = "C17", dimension: int = 10, search: str = "paper-3", seed: int = 1) -> RunRequest:
    levels = Tolerances.default(get(problem, dimension))
    return RunRequest(RunSpec(problem, dimension, levels, Settings.of(search, dimension, seed=seed)))


def with_spec(asked: RunRequest, **changes: Any) -> RunRequest:
    """The same request with something else in what it describes."""
    return replace(asked, spec=replace(asked.spec, **changes))
