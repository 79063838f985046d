"""A run's page as a person uses it: watch the map fill, open a cell, understand it, take it away."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from components.run import head as run_head
from components.run import timeline
from mapelites import Settings, Tolerances
from mapelites.answers import Designs, headline
from mapelites.core.archive import Archive
from mapelites.problems import get
from mapelites.runs import RunRequest, Store
from mapelites.runs.claim import Claim
from mapelites.snapshot.snapshot import Snapshot
from mapelites.snapshot.spec import RunSpec
from tests.browser.conftest import Dashboard, Person, wait
from tests.browser.run_page import (
    PLOT,
    clicks_cell,
    exact_numbers,
    exact_objective,
    filled,
    map_is_drawn,
    map_top,
    opens_run,
    shape,
)

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("run_page")]
BUDGET = 20_000


@pytest.fixture(scope="module")
def done(dashboard: Dashboard, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run that is over, with five moments to look back at; with this seed it has found something feasible by then."""
    elsewhere = Store(tmp_path_factory.mktemp("elsewhere"))
    levels = Tolerances.default(get("C17", 10))
    request = RunRequest(RunSpec("C17", 10, levels, Settings.of("paper-3", 10, evaluations=BUDGET, seed=4)))
    run_id = elsewhere.create(request)
    claim = Claim.take(elsewhere.entries, run_id)
    assert claim is not None
    search, curve = request.begin(), []
    while not search.done:
        search.advance(BUDGET // 5)
        best = np.nan if search.best_feasible is None else search.best_feasible
        curve.append((search.evaluations, search.occupied, best))
        claim.publish(Snapshot.of(search, 1.0, np.array(curve)), state="finished" if search.done else None)
    content = elsewhere.export(run_id)
    elsewhere.close()
    return dashboard.store.import_run(content)


def archive_of(dashboard: Dashboard, run_id: str) -> Archive:
    snapshot = dashboard.store.snapshot(run_id)
    assert snapshot is not None
    return snapshot.archive()


def test_a_map_fills_while_its_run_goes_on_and_says_when_it_is_over(person: Person, dashboard: Dashboard) -> None:
    run_id = dashboard.start(evaluations=400_000, pace=2_000)
    opens_run(person, f"/run/{run_id}")
    person.sees("#run-state", "running")
    top = map_top(person)
    person.sees("#run-spent", "left")
    first = wait(lambda: filled(person))
    field = person.sees(".limit-field")
    field.send_keys("77")  # what somebody types is not taken away by what comes
    spent = person.reads("#run-spent")
    zoom = {"xaxis.range": [-0.5, 9.5]}
    person.driver.execute_script(PLOT + "window.Plotly.relayout(gd, arguments[0])", zoom)
    wait(lambda: filled(person) > first)
    wait(lambda: person.reads("#run-spent") != spent)
    assert person.driver.switch_to.active_element == field
    assert field.get_attribute("value").endswith("77")
    assert map_top(person) == top
    person.presses("#run-pace")
    person.presses("[role=option]", "Full speed")
    person.sees("#run-state", "finished")
    wait(lambda: filled(person) == dashboard.store.run(run_id).occupied)
    assert person.driver.execute_script(PLOT + "return gd._fullLayout.xaxis.range") == [-0.5, 9.5]
    assert map_top(person) == top
    person.presses("#limits-reset")  # what was typed has been taken
    wait(lambda: person.reads("#run-sentence") == headline(Designs.of(archive_of(dashboard, run_id))))
    person.presses("#zoom-reset")
    wait(lambda: person.driver.execute_script(PLOT + "return gd._fullLayout.xaxis.range") == [-0.5, 24.5])
    person.sees_no("#zoom-reset")


def test_the_design_shows_the_numbers_that_the_problem_itself_computes(
    person: Person, dashboard: Dashboard, done: str
) -> None:
    archive = archive_of(dashboard, done)
    elite = max(archive, key=lambda each: each.f)
    opens_run(person, f"/run/{done}")  # read exactly: the levels are the paper's
    clicks_cell(person, archive, elite.cell)
    wait(lambda: exact_objective(person) == elite.f)
    wait(lambda: f"cell={elite.cell}" in person.path)
    solution = [row[0] for row in exact_numbers(person, 1)]
    values = archive.problem.evaluate([solution])
    assert exact_objective(person) == values.f[0]
    rows = exact_numbers(person, 0)
    assert [row[0] for row in rows] == [*values.g[0], *values.h[0]]
    assert [row[1] for row in rows] == values.violations[0].tolist()
    person.sees("#inspector", f"Found at evaluation {elite.found_at:,}")
    person.presses("#inspector-python")
    person.sees("#inspector-python", "Copied")
    person.presses("#inspector-download")
    saved = wait(lambda: next((each for each in person.downloads if each.suffix == ".json"), None))
    assert json.loads(saved.read_text())["f"] == elite.f
    person.presses("#inspector-pin")
    person.sees("#inspector-pin", "Unpin")
    person.sees("#map-pinned")
    person.presses("#limits-reset")
    best = archive.best(feasible=True)
    assert best is not None
    wait(lambda: exact_objective(person) == best.f)
    person.sees("#inspector-against", "pinned → now")
    person.sees("select[data-set=run-colour]").send_keys("Operator")
    person.sees(".legend", "found by")
    person.sees("#map-readout", f"found by {elite.operator}")

    empty = next(cell for cell in range(archive.tolerances.cells) if archive.at(cell) is None)
    clicks_cell(person, archive, empty)
    person.sees("#inspector", "Nothing found here yet")


def test_a_cell_that_cannot_exist_says_so(person: Person, dashboard: Dashboard) -> None:
    run_id = dashboard.finished(dashboard.start("C02", evaluations=BUDGET))
    archive = archive_of(dashboard, run_id)
    opens_run(person, f"/run/{run_id}")
    person.sees(".legend", "cannot exist")
    clicks_cell(person, archive, int(np.flatnonzero(~archive.possible.ravel())[0]))
    person.sees("#inspector", "This cannot exist")


def test_a_run_can_be_paused_left_resumed_stopped_deleted_and_brought_back(
    person: Person, dashboard: Dashboard
) -> None:
    run_id = dashboard.start(evaluations=20_000_000, pace=20_000)
    opens_run(person, f"/run/{run_id}")
    person.presses("#run-pause")
    person.sees("#run-state", "paused")
    at = dashboard.store.run(run_id).evaluations
    opens_run(person, f"/run/{run_id}")
    person.sees("#run-state", "paused")
    person.sees("#run-spent", f"{at:,}")
    person.presses("#run-resume")
    wait(lambda: dashboard.store.run(run_id).evaluations > at)
    person.presses("#run-stop")
    person.sees("#run-state", "stopped")
    person.presses("#run-delete")
    person.sees("#run-trouble", "This run is deleted")
    assert dashboard.store.run(run_id).deleted is not None
    person.presses("#run-undelete")
    person.sees("#run-again")
    wait(lambda: dashboard.store.run(run_id).deleted is None)
    person.presses("#run-again")
    wait(lambda: person.path == f"/?from={run_id}")
    assert person.asks("value", "#start-seed") == str(dashboard.store.run(run_id).request.settings.seed + 1)


def test_the_timeline_stays_where_it_was_put_until_live_is_pressed(person: Person, dashboard: Dashboard) -> None:
    run_id = dashboard.start(evaluations=20_000_000, pace=10_000)
    opens_run(person, f"/run/{run_id}")
    wait(lambda: len(dashboard.store.history(run_id)) > 5)
    person.sees("#run-spent", "left")
    thumb = person.sees("#timeline-slider [role=slider]")
    thumb.send_keys(Keys.HOME)
    wait(lambda: "at=" in person.path)
    first = person.path
    thumb.send_keys(Keys.ARROW_RIGHT)
    wait(lambda: person.path != first)
    put = person.reads("#timeline-text")
    at = int(person.path.partition("at=")[2])
    assert put == f"evaluation {at:,}"
    shown = next(moment.occupied for moment in dashboard.store.history(run_id) if moment.evaluations == at)
    wait(lambda: filled(person) == shown)
    seen = dashboard.store.run(run_id).evaluations
    wait(lambda: dashboard.store.run(run_id).evaluations > seen + 15_000)
    assert person.reads("#timeline-text") == put
    assert filled(person) == shown
    assert person.driver.switch_to.active_element == thumb
    person.presses("#timeline-play")
    wait(lambda: person.reads("#timeline-text") != put)
    person.presses("#timeline-live")
    wait(lambda: "at=" not in person.path)
    dashboard.store.stop(run_id)
    person.sees("#run-state", "stopped")
    wait(lambda: filled(person) == dashboard.store.run(run_id).occupied)


def test_a_drag_on_the_timeline_goes_on_while_its_run_does(person: Person, dashboard: Dashboard) -> None:
    run_id = dashboard.start(evaluations=20_000_000, pace=10_000)
    opens_run(person, f"/run/{run_id}")
    wait(lambda: len(dashboard.store.history(run_id)) > 5)
    thumb, track = person.sees("#timeline-slider [role=slider]"), person.sees("#timeline-slider").rect
    drag = ActionChains(person.driver)
    drag.click_and_hold(thumb).move_by_offset(-int(track["width"] / 4), 0).perform()
    wait(lambda: "at=" in person.path)
    seen = dashboard.store.run(run_id).evaluations
    wait(lambda: int(person.reads("#run-spent b").replace(",", "")) > seen + 10_000)
    ActionChains(person.driver).move_by_offset(-int(0.76 * track["width"]), 0).perform()  # just past its beginning
    first = dashboard.store.history(run_id)[0].evaluations  # always kept, however many moments have come since
    wait(lambda: person.path.endswith(f"at={first}"))
    ActionChains(person.driver).release().perform()
    dashboard.store.stop(run_id)
    person.sees("#run-state", "stopped")
    moments = run_head.replayable_moments(dashboard.store.history(run_id))
    places = {timeline.slider_place(moments, at) for at in moments}
    thumb = person.sees("#timeline-slider [role=slider]")
    ActionChains(person.driver).click_and_hold(thumb).move_by_offset(7, 0).release().perform()
    wait(lambda: int(thumb.get_attribute("aria-valuenow")) in places)  # not between two moments


def test_a_link_opens_the_same_view_in_a_fresh_browser(person: Person, dashboard: Dashboard, done: str) -> None:
    archive = archive_of(dashboard, done)
    moment = dashboard.store.history(done)[1]
    best = archive.best()
    assert best is not None
    link = f"/run/{done}?at={moment.evaluations}&axes=h1,g1,g2&colour=age&cell={best.cell}"
    opens_run(person, link)
    person.sees("#timeline-text", f"{moment.evaluations:,}")
    person.sees("#run-sentence", "so far")  # the search went on from there
    person.sees(".legend", "found at evaluation")
    assert person.driver.execute_script(PLOT + "return gd.layout.meta.x") == [2, 1]
    elite = dashboard.store.snapshot(done, moment.version).archive().at(best.cell)  # type: ignore[union-attr]
    if elite is not None:
        wait(lambda: exact_objective(person) == elite.f)
    wait(lambda: person.path.partition("&allow")[0] == link)  # the sliders went to where the design lies
    person.presses("#axes summary")
    person.presses("#axes-menu button", "Swap x and y")
    wait(lambda: "axes=g1,h1,g2" in person.path)
    wait(lambda: person.driver.execute_script(PLOT + "return gd.layout.meta.x") == [0, 1])


def test_other_levels_bin_the_map_anew_and_can_be_searched_with(
    person: Person, dashboard: Dashboard, done: str
) -> None:
    opens_run(person, f"/run/{done}")
    assert shape(person) == (5, 25)
    person.presses(".rebin summary")
    person.presses(".rebin button", "Decades")
    wait(lambda: shape(person) == (8, 64))
    person.sees("#rebin-note", "Re-binned from")
    assert "levels=" in person.path
    person.driver.refresh()
    map_is_drawn(person.driver)
    wait(lambda: shape(person) == (8, 64))
    person.presses("#rebin-back")
    wait(lambda: shape(person) == (5, 25))
    person.sees_no("#rebin-note")
    person.presses(".rebin button", "Decades")
    wait(lambda: shape(person) == (8, 64))
    person.presses("#run-again-levels")
    wait(lambda: done not in person.path)
    created = dashboard.store.run(person.path.removeprefix("/run/").split("?")[0])
    assert created.request.tolerances.shape == (8, 8, 8)


def test_what_is_shown_can_be_taken_away(person: Person, dashboard: Dashboard, done: str) -> None:
    archive = archive_of(dashboard, done)
    opens_run(person, f"/run/{done}")
    for words in ("Map as PNG", "Map as SVG", "Elites as CSV", "Run as file"):
        if not person.driver.execute_script("return document.querySelector('.menu').open"):
            person.presses("#export")
        person.presses(".menu-item", words)
    wait(lambda: {each.suffix for each in person.downloads} >= {".png", ".svg", ".csv", ".npz"})
    files = {each.suffix: each.read_bytes() for each in person.downloads}
    rows = list(csv.DictReader(io.StringIO(files[".csv"].decode())))
    assert [float(row["f"]) for row in rows] == archive.elites.f.tolist()
    assert files[".png"].startswith(b"\x89PNG")
    assert b"objective" in files[".svg"]
    assert "125 cells of 3 constraints</text>" in files[".svg"].decode()
    copy = dashboard.store.import_run(files[".npz"])
    assert dashboard.store.run(copy).evaluations == BUDGET


def test_a_wrong_address_says_what_is_wrong_with_it(person: Person, done: str) -> None:
    person.goes_to("/run/nobody")
    person.sees("#page", "There is no such run")
    person.goes_to(f"/run/{done}?cell=9999")
    person.sees("#page", "the map has cells 0 to 124, but it was 9,999")
    person.goes_to(f"/run/{done}?axes=g9")
    person.sees("#page", "must be one of g1, g2, h1, but it was 'g9'")
