"""The card of a slow function's evaluations: what is under way, what failed and why, and what models expect."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from components.run.evaluations import EXPECTED, expected_maps, is_slow, model_errors, queue_summary, queue_table
from mapelites import Constraint, Illumination, Problem, Settings, Tolerances
from mapelites.core.errors import InputError
from mapelites.evaluation.answer import RunServices
from mapelites.evaluation.queue import QueueEntry
from mapelites.problems import get
from mapelites.runs import Run, RunRequest
from mapelites.snapshot.snapshot import Snapshot

ENTRIES = (
    QueueEntry(12, "corner", "under way", time.time() - 90.0, where="process 7"),
    QueueEntry(13, "relaxed", "waiting"),
    QueueEntry(11, "design", "fine", 0.0, 75.0, "process 7"),
    QueueEntry(9, "design", "raised", 0.0, 1.5, "node4, process 8", "RuntimeError: no convergence"),
)


def run_of(problem: Any, search: str = "surrogate", state: Any = "running", **settings: Any) -> Run:
    chosen = Settings.of(search, problem.dimension, **settings)
    return Run("r1", RunRequest.of(problem, Tolerances.default(problem), chosen), state)


def snapshot_of(problem: Any, evaluations: int) -> Snapshot:
    settings = Settings.of("surrogate", problem.dimension, evaluations=evaluations)
    search = Illumination(problem, Tolerances.default(problem), settings, RunServices())
    search.advance(evaluations)
    return Snapshot.of(search, 1.0, outlook=search.outlook())


def texts(component: Any) -> list[str]:
    """Everything that is said in it."""
    if isinstance(component, (list, tuple)):
        return [word for each in component for word in texts(each)]
    if isinstance(component, str):
        return [component]
    return texts(component.children) if getattr(component, "children", None) is not None else []


def test_the_queue_says_what_is_under_way_since_when_where_and_why_others_failed() -> None:
    run = run_of(get("welded-beam"))
    said = texts(queue_table(ENTRIES, run))
    assert any(words.endswith(" so far") for words in said)
    for words in ("under way", "process 7", "waiting", "1:15", "failed", "node4, process 8"):
        assert words in said
    assert said[-1] == "RuntimeError: no convergence"
    snapshot = Snapshot(run.request.spec, 11, 1, 1.0, None, np.empty((0, 3)), {}, {"raised": (1, "")}, ENTRIES)  # type: ignore[arg-type]
    assert queue_summary(snapshot, run) == "1 under way · 1 waiting · 1 failed"
    over = run_of(get("welded-beam"), state="finished")
    assert queue_summary(snapshot, over) == "1 failed"
    assert "so far" not in " ".join(texts(queue_table(ENTRIES, over)))


def test_only_runs_of_slow_functions_have_the_card() -> None:
    assert is_slow(run_of(get("welded-beam")))
    assert is_slow(run_of(get("welded-beam"), "directed", workers=2))
    assert not is_slow(run_of(get("welded-beam"), "directed"))


def test_what_models_expect_is_drawn_beside_what_was_found_without_any_mark_of_an_elite() -> None:
    snapshot = snapshot_of(get("welded-beam"), 60)
    assert Snapshot.from_bytes(snapshot.to_bytes()).outlook is not None
    maps = expected_maps(snapshot, dark=False)
    found, foretold = maps.children[2].children
    assert foretold.children[0].children == EXPECTED
    assert [len(each.children[1].figure["data"]) for each in (found, foretold)] == [2, 1]
    assert not {"best", "proven"} & {each.get("name") for each in foretold.children[1].figure["layout"]["shapes"]}
    said = texts(model_errors(snapshot))
    assert "shear" in said
    assert any(words.endswith("%)") for words in said)


def test_failures_are_in_the_queue_of_a_snapshot_and_survive_the_file() -> None:
    def function(x: Any) -> Any:
        if x[0] > 0.5:
            raise RuntimeError("no convergence")
        return x[0] + x[1], [0.4 - x[0] * x[1]], []

    snapshot = snapshot_of(Problem("half", [0, 0], [1, 1], (Constraint("g", "inequality"),), function), 12)
    failed = [each for each in snapshot.queue if each.state == "raised"]
    assert failed
    assert all("no convergence" in each.words for each in failed)
    assert {each.state for each in snapshot.queue} == {"fine", "raised"}


@pytest.mark.parametrize(
    "values",
    [
        [-1, "a", "fine", 0, 0, "", ""],
        [1, "a", "asleep", 0, 0, "", ""],
        [1, "a", "fine", float("nan"), 0, "", ""],
        [1, 5, "fine", 0, 0, "", ""],
    ],
)
def test_an_entry_from_a_file_is_checked(values: list[Any]) -> None:
    with pytest.raises(InputError, match="an evaluation must have a number, texts and times"):
        QueueEntry.from_list(values)
