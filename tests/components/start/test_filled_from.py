"""What the form opens with: the levels used last for a problem, or everything of a run with the next seed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from components.start.filled_from import remembered_levels, values_of
from mapelites import Settings, Tolerances
from mapelites.problems import get, own_problems
from mapelites.runs import RunRequest, Store
from tests.requests_and_stores import request

BEAM = """problem Own beam
variable b from 1 to 9
variable t from 1 to 9
minimise area [cm²]: b*t
subject to
    bending: 600/(b*t^2) <= 30 [MPa]
    slim: t <= 4*b [cm]
"""


def test_levels_typed_in_per_cent_are_remembered_in_per_cent_of_a_limit_that_changes(
    store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "beam.problem"
    file.write_text(BEAM)
    own_problems.watch([file])
    try:
        problem = get("own-beam")
        assert remembered_levels(store, problem) is None
        levels = Tolerances.of(problem, {"bending": ["0", "2%", "0.7"]}, hard=["slim"])
        store.create(RunRequest.of(problem, levels, Settings.of("directed", 2)))
        assert remembered_levels(store, problem) == levels
        file.write_text(BEAM.replace("<= 30", "<= 40"))
        own_problems.watch([file])
        found = remembered_levels(store, get("own-beam"))
    finally:
        own_problems.watch([])
    assert found is not None
    assert found.hard == ("slim",)
    assert found.levels[0] == pytest.approx((0.0, 0.7, 0.8)), "2 % of 40 MPa, and the 0.7 that was typed"


def test_a_form_filled_from_a_run_has_its_settings_and_the_next_seed(store: Store) -> None:
    asked = request("welded-beam", 4, seed=7)
    settings = Settings.of("paper-3", 4, seed=7, evaluations=12_345, sigma=0.3, crossover=False)
    run = store.run(store.create(replace(asked, spec=replace(asked.spec, settings=settings))))
    values = values_of(run)
    wanted = {"problem": "welded-beam", "search": "paper-3", "seed": "8", "evaluations": "12,345", "sigma": "0.3",
              "crossover": "no"}  # fmt: skip
    assert {name: values[name] for name in wanted} == wanted
