"""Levels for a function of somebody's own come from a short run of the worker, never from the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from flask import Flask

from components.shared.context import Context
from components.shared.queue import RunQueue
from components.start.searched import EVALUATIONS, NAME, found_for
from components.start.tolerances import NotYetFoundError
from mapelites import Illumination, Settings
from mapelites.answers.suggestion import suggested_levels
from mapelites.core.errors import InputError
from mapelites.problems import own_problems
from mapelites.runs import Store
from mapelites.runs.claim import Claim
from mapelites.snapshot.snapshot import Snapshot
from server.cache import open_memory

BEAM = """from mapelites import problem


@problem(bounds={"b": (1, 9), "t": (1, 9)}, inequalities=["bending <= 30 MPa"])
def own_beam(x):
    return x[0] * x[1], [600 / (x[0] * x[1] ** 2)], []
"""


@pytest.fixture
def context(store: Store, tmp_path: Path) -> Iterator[Context]:
    (tmp_path / "beam.py").write_text(BEAM)
    own_problems.watch([tmp_path / "beam.py"])
    yield Context(store, open_memory(Flask(__name__), tmp_path), RunQueue(store))
    own_problems.watch([])


def test_one_short_run_finds_levels_for_a_python_function(context: Context) -> None:
    store = context.store
    with pytest.raises(NotYetFoundError, match="only a run evaluates: a short one, of 200 evaluations") as begun:
        found_for(context, "own-beam", "2")
    (run,) = store.runs()
    assert (run.id, run.labels.name, run.request.settings.evaluations) == (begun.value.run_id, NAME, EVALUATIONS)
    with pytest.raises(NotYetFoundError) as again:
        found_for(context, "own-beam", "2")
    assert again.value.run_id == run.id, "the run that goes on is waited for, and no other begun"
    _finish(store, run.id)
    (levels,) = suggested_levels(found_for(context, "own-beam", "2")).levels
    shares = [level / 0.3 for level in levels]  # per cent of 30 MPa; the optimum's area goes with 1 over the limit
    assert shares == pytest.approx([0, 2.4, 4.8, 7.4, 10], abs=0.5)
    assert len(store.runs()) == 1


def _finish(store: Store, run_id: str) -> None:
    """What a worker does of it, here."""
    claim = Claim.take(store.entries, run_id)
    assert claim is not None
    problem = own_problems.loaded(store.run(run_id).request.get_problem())
    search = Illumination(problem, store.run(run_id).request.tolerances, Settings.of("paper-3", 2, evaluations=20_000))
    search.advance(20_000)
    claim.publish(Snapshot.of(search, 1.0, np.array([[20_000.0, 1.0, 1.0]])), state="finished")


def test_a_problem_that_is_not_there_is_refused_in_words(context: Context) -> None:
    with pytest.raises(InputError, match="choose a problem first"):
        found_for(context, "nothing", "2")
