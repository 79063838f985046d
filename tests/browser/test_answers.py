"""What a constraint costs, asked as a person asks it: by tabs, sliders, fields and clicks, linked everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

from mapelites import Settings, Tolerances
from mapelites.answers import Designs, almost_feasible, front, least, price, ranking, read_margin, shortest
from mapelites.answers.words import worth
from mapelites.archive import Archive
from mapelites.problems.formulas import problem_of
from mapelites.runs import RunRequest
from mapelites.snapshot import Snapshot
from tests.browser.conftest import PHONE, Dashboard, Person, wait
from tests.browser.run_page import PLOT, clicks_cell, exact_objective, map_is_drawn, opens_run

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("answers")]


@pytest.fixture(scope="module")
def done(dashboard: Dashboard) -> str:
    return dashboard.finished(dashboard.start("C17", evaluations=40_000, search="directed"))


@pytest.fixture(scope="module")
def archive(dashboard: Dashboard, done: str) -> Archive:
    snapshot = dashboard.store.snapshot(done)
    assert snapshot is not None
    return snapshot.archive()


@pytest.fixture(scope="module")
def designs(archive: Archive) -> Designs:
    return Designs.of(archive)


def clicks_point(person: Person, graph: str, trace: int, place: int) -> None:
    """Press one point of a figure with the mouse."""
    script = (
        "const gd = document.querySelector('.graph-' + arguments[0] + ' .js-plotly-plot');"
        "gd.scrollIntoView({block: 'center'});"
        "const box = gd.getBoundingClientRect(), l = gd._fullLayout, t = gd._fullData[arguments[1]];"
        "return [box.left + l.xaxis._offset + l.xaxis.d2p(t.x[arguments[2]]),"
        " box.top + l.yaxis._offset + l.yaxis.d2p(t.y[arguments[2]])]"
    )
    still = (
        "const gd = document.querySelector('.graph-' + arguments[0] + ' .js-plotly-plot'), now = performance.now();"
        "if (!gd || !gd.on) { return false; }"
        "const note = () => { gd.plottedAt = performance.now(); };"
        "if (!gd.plottedAt) { note(); gd.on('plotly_afterplot', note); }"
        "return now - gd.plottedAt > 300"
    )
    person.sees(f".graph-{graph} .js-plotly-plot .points path")
    wait(lambda: person.driver.execute_script(still, graph))  # a press while it is drawn again would be lost
    x, y = person.driver.execute_script(script, graph, trace, place)

    def mouse(kind: str, button: str) -> None:
        event = {"type": kind, "x": x, "y": y, "button": button, "clickCount": 1}
        person.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    mouse("mouseMoved", "none")
    person.sees(f".graph-{graph} .hovertext")  # before that a press is not one on the point
    mouse("mousePressed", "left")
    mouse("mouseReleased", "left")


def test_a_person_sees_what_a_constraint_costs_and_opens_the_design_behind_a_number(
    person: Person, designs: Designs, done: str
) -> None:
    worths = ranking(designs, designs.satisfied)
    first, last = worths[0], worths[-1]
    opens_run(person, f"/run/{done}")
    person.sees("#answers-glance", shortest(designs))
    person.presses("#answers-glance button", "What does each constraint cost?")
    person.sees("#answers-sentence", worth(designs.names[first.constraint], first))
    person.sees_no("#run-map")
    name = designs.names[last.constraint]
    person.presses(".ranking button", name)
    person.sees("#answers-sentence", worth(name, last))
    wait(lambda: f"view=price&about={name}" in person.path)
    steps = price(designs, last.constraint, designs.satisfied).steps
    known = [step for step in steps if step.row is not None]
    clicks_point(person, "price", 0, len(known) - 1)
    wait(lambda: exact_objective(person) == known[-1].f)
    cell = int(designs.cells[known[-1].row])
    wait(lambda: f"cell={cell}" in person.path)
    pressed = person.sees(".steps .answer-design[aria-pressed=true]")
    assert float(pressed.get_attribute("data-exact")) == known[-1].f
    person.driver.refresh()
    person.sees("#answers-sentence", worth(name, last))
    wait(lambda: exact_objective(person) == known[-1].f)
    person.presses("[role=tab]", "Map")
    map_is_drawn(person.driver)
    wait(lambda: person.driver.execute_script("return document.getElementById('map-box').dataset.cell") == str(cell))


def test_sliders_and_typed_tolerances_give_the_best_design_within_them_at_once(
    person: Person, designs: Designs, done: str
) -> None:
    opens_run(person, f"/run/{done}?view=whatif")
    best = designs.best(designs.satisfied)
    assert best is not None
    shown = "#whatif-answer .objective [data-exact]"
    wait(lambda: float(person.asks("data-exact", shown)) == designs.f[best])
    person.presses(".allow-row:nth-of-type(1) .mantine-Slider-thumb")
    person.keys(Keys.END)
    free = designs.best(designs.limits({designs.names[0]: float("inf")}))
    wait(lambda: float(person.asks("data-exact", shown)) == designs.f[free])
    wait(lambda: f"allow={designs.names[0]}:any" in person.path)
    person.types(".allow-row:nth-of-type(3) .allow-value input", "0.3")
    both = designs.best(designs.limits({designs.names[0]: float("inf"), designs.names[2]: 0.3}))
    wait(lambda: float(person.asks("data-exact", shown)) == designs.f[both])
    person.types(".allow-row:nth-of-type(3) .allow-value input", "much")
    person.sees(".allow-row:nth-of-type(3)", "a number from 0 on")
    person.presses("#allow-reset")
    wait(lambda: float(person.asks("data-exact", shown)) == designs.f[best])
    person.presses("#whatif-answer .answer-design", "Show this design")
    wait(lambda: exact_objective(person) == designs.f[best])
    need = float((designs.f[best] + designs.f.min()) / 2)
    person.types("#answers-need", repr(need))
    ways = least(designs, need)
    person.sees("#least-answer tbody tr")
    told = [float(each.get_attribute("data-exact")) for each in person.all("#least-answer [data-exact]")]
    assert told == [designs.f[way.row] for way in ways]
    person.types("#answers-need", repr(float(designs.f.min()) - 1))
    person.sees("#least-answer", "Not found")


def test_the_best_feasible_design_behind_an_infeasible_elite_is_the_one_that_is_shown(
    person: Person, dashboard: Dashboard
) -> None:
    line = problem_of("variable x from -2 to 2\nvariable y from -2 to 2\nminimise y - x\nsubject to even: x = y")
    settings = Settings.of("directed", 2, evaluations=2_000)
    search = RunRequest.of(line, Tolerances.same(line, (0.0, 1.0)), settings).begin()
    search.advance(2_000)
    designs = Designs.of(search.archive())
    hidden = designs.best(designs.satisfied)
    assert hidden is not None
    assert hidden == designs.hidden
    run_id = dashboard.store.import_run(Snapshot.of(search, 1.0).to_bytes())
    opens_run(person, f"/run/{run_id}?view=whatif")
    person.presses("#whatif-answer .answer-design", "Show this design")
    wait(lambda: exact_objective(person) == designs.f[hidden])
    wait(lambda: "behind=yes" in person.path)
    person.sees("#whatif-answer .answer-design[aria-pressed=true]")
    person.driver.refresh()
    wait(lambda: exact_objective(person) == designs.f[hidden])
    person.presses("#inspector button", "Show the elite")
    elite = designs.row_of(int(designs.cells[hidden]))
    wait(lambda: exact_objective(person) == designs.f[elite])
    wait(lambda: "behind=yes" not in person.path)


def test_hard_constraints_stay_satisfied_and_near_misses_are_listed(
    person: Person, archive: Archive, designs: Designs, done: str
) -> None:
    opens_run(person, f"/run/{done}?view=almost&margin=1")
    rows = almost_feasible(designs, read_margin("1", designs), 1)
    assert rows
    wait(lambda: len(person.all("#almost-answer tbody tr")) == len(rows))
    listed = [float(each.get_attribute("data-exact")) for each in person.all("#almost-answer tbody [data-exact]")]
    assert listed == [designs.f[row] for row in rows]
    broken = designs.violations[rows[0]] > designs.satisfied
    name = next(each for each, is_broken in zip(designs.names, broken, strict=True) if is_broken)
    place = designs.names.index(name) + 1
    person.presses(f".allow-row:nth-of-type({place}) .allow-hard .mantine-Switch-track")
    wait(lambda: f"hard={name}" in person.path)
    strict = Designs.of(archive, (name,))
    fewer = almost_feasible(strict, read_margin("1", strict), 1) or ()
    wait(lambda: len(person.all("#almost-answer tbody tr")) == len(fewer))
    person.types("#answers-margin", "little")
    person.sees("#almost-answer [role=alert]", "The margin must be a number above 0")


def test_a_click_on_the_front_is_the_same_selection_everywhere(
    person: Person, archive: Archive, designs: Designs, done: str
) -> None:
    opens_run(person, f"/run/{done}?view=front")
    found = front(designs, "total")
    clicks_point(person, "front", 1, len(found.rows) - 1)
    wait(lambda: exact_objective(person) == designs.f[found.rows[-1]])
    person.presses(".mantine-SegmentedControl-label", "Maximal")
    wait(lambda: "measure=maximal" in person.path)
    person.sees(".answer-table thead", "maximal violation")
    person.presses("[role=tab]", "Relations")
    person.sees("#related-answer", "Constraints that depend on each other")
    person.presses(".correlation-cell[data-columns='g1,g2']")
    wait(lambda: "pair=g1,g2" in person.path)
    drawn = "return document.querySelector('.graph-pair .js-plotly-plot')._fullLayout.xaxis.title.text"
    wait(lambda: person.driver.execute_script(drawn) == "violation of g1")
    place = int(np.argmax(designs.violations[:, 0]))  # far from the others
    clicks_point(person, "pair", 0, place)
    same = designs.violations[:, :2] == designs.violations[place, :2]
    there = {float(f) for f in designs.f[same.all(axis=1)]}
    wait(lambda: exact_objective(person) in there)  # of designs at one place the last one drawn is on top
    person.presses("[role=tab]", "Map")
    fits = "return Math.abs(gd._fullLayout.width - document.getElementById('map-box').clientWidth) < 2"
    wait(lambda: person.driver.execute_script(PLOT + fits))  # it was drawn where nobody saw it
    other = int(designs.cells[found.rows[0]])
    clicks_cell(person, archive, other)
    wait(lambda: f"cell={other}" in person.path)
    person.presses("[role=tab]", "Trade-off")
    chosen = person.sees(".answer-table tr.is-chosen .answer-design")
    assert float(chosen.get_attribute("data-exact")) == archive.at(other).f  # type: ignore[union-attr]


def test_answers_follow_a_run_that_goes_on_and_other_levels_and_fit_a_phone(
    person: Person, dashboard: Dashboard, done: str
) -> None:
    run_id = dashboard.start("C16", evaluations=400_000, pace=2_000)
    person.resizes(PHONE)
    person.prefers("dark")
    person.goes_to(f"/run/{run_id}?view=relations")
    person.sees("#related-answer", "h2 = -h1")
    assert person.sideways() <= 0
    before = person.reads(".answers-body")
    wait(lambda: person.reads(".answers-body") != before)
    dashboard.store.stop(run_id)
    person.goes_to(f"/run/{run_id}?view=price&levels=0,1e-4,1;0,1;0,1;0,1e-4")
    person.sees("#rebin-note", "Re-binned from")
    person.sees("#answers-sentence")
    assert person.sideways() <= 0
    assert len(person.all(".allow-row")) == 4


def test_a_constraint_that_follows_from_another_goes_off_the_map_and_comes_back(
    person: Person, dashboard: Dashboard
) -> None:
    run_id = dashboard.finished(dashboard.start("C16", evaluations=40_000, search="directed"))
    places = PLOT + "return [gd.layout.meta.rows, gd.layout.meta.columns]"
    opens_run(person, f"/run/{run_id}?view=relations&axes=g2,g1&colour=age")
    person.presses("#related-answer button", "Take h2 off the map")
    wait(lambda: person.driver.execute_script(places) == [5, 25])
    wait(lambda: "axes=g2,g1,h1,;h2&colour=age" in person.path)
    assert "view=" not in person.path
    person.sees("#rest-button", "Other 1: any")
    person.driver.refresh()
    map_is_drawn(person.driver)
    wait(lambda: person.driver.execute_script(places) == [5, 25])
    person.presses("[role=tab]", "Relations")
    person.sees("#related-answer", "h2 is off the map.")
    person.presses("[role=tab]", "Map")
    person.presses(".map-toolbar button", "Axes")
    person.presses("#axes-all")
    wait(lambda: person.driver.execute_script(places) == [25, 25])
    wait(lambda: "axes=" not in person.path)
    person.sees_no("#rest-button")


def test_a_press_on_a_correlation_draws_the_pair_and_leaves_the_axes_of_the_map(person: Person, done: str) -> None:
    opens_run(person, f"/run/{done}?view=relations")
    for pair in ("objective,h1", "g2,h1"):
        person.presses(f".correlation-cell[data-columns='{pair}']")
        wait(lambda pair=pair: f"pair={pair}" in person.path)
    assert "axes=" not in person.path
