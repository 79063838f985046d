"""The panel of proofs on a run's page: what it says, what it asks for, and what it says where nothing can be proven."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from components.page_state.state import PageState
from components.page_state.view import Maps
from components.proof import panel, rest
from components.proof.findings import FindingsReader, proof_sentences, question_at
from mapelites import Settings, Tolerances
from mapelites.core.errors import InputError
from mapelites.problems import get
from mapelites.proof.proof import Proof
from mapelites.proof.proofs import Proofs
from mapelites.runs import RunRequest, Store
from mapelites.runs.jobs import Job
from mapelites.runs.jobs.kinds import check_job
from mapelites.snapshot.findings import Findings
from mapelites.snapshot.snapshot import Snapshot
from mapelites.snapshot.spec import RunSpec

LEVELS = (0, 0.05)


def run_of(store: Store, name: str = "three-bar-truss", search: str = "paper-1") -> str:
    problem = get(name)
    settings = Settings.of(search, problem.dimension, evaluations=600, initial=200)
    search = RunRequest(RunSpec.of(problem, Tolerances.same(problem, LEVELS), settings)).begin()
    search.advance(600)
    return store.import_run(Snapshot.of(search, 0.1).to_bytes())


def test_the_answer_at_the_sliders_is_told_with_its_bound_and_a_part_knows_what_is_proven(tmp_path: Path) -> None:
    store, problem = Store(tmp_path), get("three-bar-truss")
    run_id = run_of(store)
    maps, reader = Maps(store), FindingsReader(store)
    state = PageState.read({"allow": {"first": "0.05"}}, store.run(run_id).request.tolerances, problem)
    shown = maps.shown(run_id)
    question = question_at(state, shown)
    assert question.tolist() == [0.05, 0.0, 0.0]
    assert proof_sentences(reader, maps, state, shown) == []

    best = maps.archive(shown).answer(question)
    assert best is not None
    proof = Proof((0.05, 0.0, 0.0), "proven", best.f * (1 - 4e-4), best.f, tuple(best.x), (0.0,) * 3, 0.1, 1)
    job = store.jobs.take(store.jobs.job(run_id, store.jobs.ask(run_id, "prove", {}, lambda *given: {})))
    assert job is not None
    store.jobs.add(job, replace(Findings.none(problem), proofs=Proofs((proof,))))
    shown = maps.shown(run_id)
    (said,) = proof_sentences(reader, maps, state, shown)
    assert said.startswith("Where the sliders stand: ")
    assert said.endswith(" (0.04 %).")
    assert ", nobody below " in said
    assert reader.proven(shown.run)(question, best.f)
    assert not reader.proven(shown.run)(np.array([0.2, 0.0, 0.0]), best.f)


def test_who_rests_on_a_question_that_the_search_did_not_solve_gets_it_sharpened_once(tmp_path: Path) -> None:
    store, problem = Store(tmp_path), get("three-bar-truss")
    run_id = run_of(store)
    maps = Maps(store)

    def wanted(allowed: dict[str, str], run_id: str = run_id, jobs: tuple[Job, ...] = (), **other: object) -> object:
        state = PageState.read({"allow": allowed, **other}, store.run(run_id).request.tolerances, problem)
        return rest.wanted(state, maps.shown(run_id), jobs)

    request = wanted({"first": "0.03"})
    assert isinstance(request, dict)
    assert request["what"] == "question"
    assert request["tolerances"] == [0.03, 0.0, 0.0]
    job = store.jobs.job(run_id, store.jobs.ask(run_id, "sharpen", request, check_job))
    assert wanted({"first": "0.03"}, jobs=(job,)) is None  # it was asked already
    assert wanted({"first": "0.02"}, jobs=(job, job)) is None  # others wait
    assert wanted({}) is None  # nothing is relaxed
    assert wanted({"first": "0.03"}, at=200) is None  # an earlier moment
    assert wanted({"first": "0.05"}) is not None  # a level, but the paper's search solves no questions
    directed = run_of(store, search="directed")
    assert wanted({"first": "0.05"}, directed) is None
    assert wanted({"first": "0.03"}, directed) is not None


def test_a_job_is_shown_with_its_progress_its_time_left_and_what_came_of_it() -> None:
    job = Job("1", "2", "prove", {"what": "prices"}, "running", done=3, total=12, seconds_left=75.0, said="3 of 12")
    shown = str(panel._job(job))
    for words in ("Prove each limit and each pair", "3 of 12, about 1 min left", "Cancel", "value=25.0"):
        assert words in shown
    over = str(panel._job(replace(job, state="finished", spent=4.2, said="All of it.")))
    assert "done in 4.2 s" in over
    assert "Cancel" not in over


def test_where_nothing_can_be_proven_the_panel_says_why_and_still_sharpens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    typed, coded = store.run(run_of(store)), store.run(run_of(store, "C16"))
    assert str(panel.layout(typed)).count("disabled=True") == 1  # the clock that looks at jobs: there are none
    assert "so nothing can be proven of it" in str(panel.layout(coded))
    monkeypatch.setattr(panel, "available", lambda: False)
    shown = str(panel.layout(typed))
    assert "Proofs need the package pyscipopt, which is not installed: pip install " in shown
    assert shown.count("disabled=True") == 5


def test_only_times_that_are_offered_are_taken(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run_id = run_of(store)
    asked = panel._request(Maps(store), "lattice", "60", {}, run_id)
    assert asked == {"what": "lattice", "seconds": 60.0, "levels": [[0.0, 0.05]] * 3, "hard": []}
    with pytest.raises(InputError, match=r"^seconds must be one of 20, 60, 300, 1800, but they were '9'$"):
        panel._request(Maps(store), "lattice", "9", {}, run_id)
