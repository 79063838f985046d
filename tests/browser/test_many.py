"""A problem with more constraints than a map shows, and one whose evaluations fail, as a person meets them."""

from __future__ import annotations

import pytest
from selenium.webdriver import ActionChains

from mapelites import Settings, Tolerances
from mapelites.core.archive import Archive
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


def test_eleven_constraints_are_seen_four_at_a_time_in_pairs_and_all_at_once(
    person: Person, dashboard: Dashboard, reducer: str
) -> None:
    archive = archive_of(dashboard, reducer)
    opens_run(person, f"/run/{reducer}")
    feasible = archive.best(feasible=True)
    assert feasible is not None
    wait(lambda: exact_objective(person) == feasible.f)
    person.presses('[data-pair="stress2,slender"]')
    wait(lambda: "axes=stress2,slender," in person.path)
    shown = "return document.querySelector('#run-map .js-plotly-plot').layout.meta"
    wait(lambda: person.driver.execute_script(f"{shown}.x[0]") == archive.tolerances.names.index("stress2"))

    person.presses("[role=tab]", "Parallel coordinates")
    person.sees("#parallel-words", f"{len(archive):,} elites")
    axis = person.sees(".parallel-axis[data-axis='11']")
    person.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", axis)
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
    wait(lambda: exact_objective(person) == best.f)
    person.presses(".clear-brush")
    wait(lambda: "brush" not in person.path)
    person.resizes(PHONE)
    wait(lambda: person.sideways() <= 0)


def test_failed_evaluations_are_told_in_words(
    person: Person, dashboard: Dashboard, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from tests.evaluation import black_boxes as boxes
    from tests.runs.test_slow_functions import finish, registered

    elsewhere = Store(tmp_path_factory.mktemp("elsewhere"))
    with registered(boxes.moody) as asked:
        run_id = dashboard.store.import_run(elsewhere.export(finish(elsewhere, asked)))
        opens_run(person, f"/run/{run_id}")
        person.presses("#budget-summary")
        person.presses(".failures summary")
        person.sees(".failures", "by an exception")
        person.sees(".failures", "the solver did not converge")
        person.sees(".failures", "its process was killed by SIGKILL")
    elsewhere.close()
