"""A problem with more constraints than a map shows, and one whose evaluations fail, as a person meets them."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from components.map_fold import Fold
from mapelites import Settings, Tolerances
from mapelites.archive import Archive
from mapelites.problems import get
from mapelites.runs import RunRequest, Store
from tests.browser.conftest import PHONE, Dashboard, Person, wait
from tests.browser.run_page import exact_objective, opens_run

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("many")]


@pytest.fixture(scope="module")
def reducer(dashboard: Dashboard) -> str:
    """A finished run of a problem with eleven constraints."""
    problem = get("speed-reducer")
    settings = Settings.of("directed", problem.dimension, evaluations=30_000)
    return dashboard.finished(dashboard.store.create(RunRequest.of(problem, Tolerances.default(problem), settings)))


def archive_of(dashboard: Dashboard, run_id: str) -> Archive:
    snapshot = dashboard.store.snapshot(run_id)
    assert snapshot is not None
    return snapshot.archive()


def cells_shown(person: Person) -> np.ndarray:
    text = person.driver.execute_script("return document.querySelector('#run-map .js-plotly-plot').layout.meta.cells")
    return np.frombuffer(base64.b64decode(text), dtype="<i8")


def test_eleven_constraints_are_seen_four_at_a_time_in_pairs_and_all_at_once(
    person: Person, dashboard: Dashboard, reducer: str
) -> None:
    archive = archive_of(dashboard, reducer)
    opens_run(person, f"/run/{reducer}")
    person.sees("#rest-button", "Other 7: any")
    feasible = archive.best(feasible=True)
    assert feasible is not None
    fold = Fold.of(archive.tolerances)
    # Its place shows a better one, which is infeasible.
    assert fold.cell_at(archive, *fold.place(feasible.cell)) != feasible.cell
    person.presses("[data-goto=goto-feasible]")
    wait(lambda: exact_objective(person) == feasible.f)
    person.presses("#inspector-close")

    person.presses('[data-pair="stress2,slender"]')
    wait(lambda: "axes=stress2,slender," in person.path)
    order = person.path.partition("axes=")[2].partition("&")[0].split(",")
    any_bin = Fold.of(archive.tolerances, order)
    expected = np.append(archive.elites.cell, -1)[any_bin.rows_of_elites(archive)].ravel()
    wait(lambda: np.array_equal(cells_shown(person), expected))

    person.presses("#rest-button")
    person.presses("#rest-within")
    person.sees("#rest-button", "Other 7: within tolerance")
    wait(lambda: "rest=w0,w0" in person.path)
    kept = Fold.of(archive.tolerances, order, ("w0",) * 11)
    wait(lambda: (cells_shown(person) >= 0).sum() == (kept.rows_of_elites(archive) >= 0).sum())
    person.keys(Keys.ESCAPE)

    person.presses("[role=tab]", "Parallel coordinates")
    person.sees("#parallel-words", f"{len(archive):,} elites")
    axis = person.sees(".parallel-axis[data-axis='11']")
    ActionChains(person.driver).move_to_element_with_offset(axis, 15, 200).click_and_hold().move_by_offset(
        0, 95
    ).release().perform()
    wait(lambda: "brush=11:" in person.path)
    person.sees("#parallel-words", "pass every brush")
    person.presses("#parallel-list .text-button")
    best = archive.best()
    assert best is not None
    wait(lambda: exact_objective(person) == best.f)
    wait(lambda: f"cell={best.cell}" in person.path)

    person.goes_to(person.path)  # the address alone opens the same view
    person.sees("#parallel-words", "pass every brush")
    person.sees("#rest-button", "Other 7: within tolerance")
    wait(lambda: exact_objective(person) == best.f)
    person.presses(".clear-brush")
    wait(lambda: "brush" not in person.path)
    person.resizes(PHONE)
    wait(lambda: person.sideways() <= 0)


def test_failed_evaluations_are_told_in_words(
    person: Person, dashboard: Dashboard, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from tests.slow import black_boxes as boxes
    from tests.slow.test_runs import finish, registered

    elsewhere = Store(tmp_path_factory.mktemp("elsewhere"))
    with registered(boxes.moody) as asked:
        run_id = dashboard.store.import_run(elsewhere.export(finish(elsewhere, asked)))
        opens_run(person, f"/run/{run_id}")
        person.presses(".failures summary")
        person.sees(".failures", "by an exception")
        person.sees(".failures", "the solver did not converge")
        person.sees(".failures", "its process was killed by SIGKILL")
    elsewhere.close()
