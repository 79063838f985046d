"""What a constraint costs, asked as a person asks it: by tabs, sliders, fields and clicks, linked everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from mapelites import Settings, Tolerances
from mapelites.answers import (
    Designs,
    almost_feasible,
    least_relaxations,
    price_of,
    rank_constraints,
    read_margin,
    trade_off_front,
)
from mapelites.answers.words import worth_sentence
from mapelites.core.archive import Archive
from mapelites.problems.formulas import problem_of
from mapelites.runs import RunRequest
from mapelites.snapshot.snapshot import Snapshot
from tests.browser.conftest import PHONE, Dashboard, Person, wait
from tests.browser.run_page import PLOT, exact_objective, opens_run

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("answers")]


@pytest.fixture(scope="module")
def done(dashboard: Dashboard) -> str:
    return dashboard.finished(dashboard.start("C17", evaluations=40_000, search="paper-1", seed=0))


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


def test_a_price_curve_opens_the_design_behind_each_of_its_points(person: Person, designs: Designs, done: str) -> None:
    opens_run(person, f"/run/{done}")
    last = rank_constraints(designs, designs.satisfied)[-1]
    name = designs.names[last.constraint]
    person.presses(".tab", "Price curves")
    person.presses(".ranking button", name)
    person.sees("#answers-sentence", worth_sentence(designs.problem.constraints[last.constraint], last))
    wait(lambda: f"view=price&about={name}" in person.path)
    steps = price_of(designs, last.constraint, designs.satisfied).steps
    known = [step for step in steps if step.row is not None]
    clicks_point(person, "price", 0, len(known) - 1)
    wait(lambda: exact_objective(person) == known[-1].f)
    cell = int(designs.cells[known[-1].row])
    wait(lambda: f"cell={cell}" in person.path)
    pressed = person.sees(".steps .answer-design[aria-pressed=true]")
    assert float(pressed.get_attribute("data-exact")) == known[-1].f
    person.driver.refresh()
    wait(lambda: exact_objective(person) == known[-1].f)


def test_the_least_to_relax_for_an_objective_that_is_needed(person: Person, designs: Designs, done: str) -> None:
    opens_run(person, f"/run/{done}")
    person.presses(".tab", "Least to relax")
    best = designs.best(designs.satisfied)
    assert best is not None
    need = float((designs.f[best] + designs.f.min()) / 2)
    person.types("#answers-need", repr(need))
    ways = least_relaxations(designs, need)
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
    opens_run(person, f"/run/{run_id}")
    wait(lambda: exact_objective(person) == designs.f[hidden])  # whatever its cell shows
    cell = int(designs.cells[hidden])
    person.goes_to(f"/run/{run_id}?cell={cell}")
    elite = designs.row_of(cell)
    wait(lambda: exact_objective(person) == designs.f[elite])
    person.goes_to(f"/run/{run_id}?cell={cell}&behind=yes")
    wait(lambda: exact_objective(person) == designs.f[hidden])


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
    person.presses(f".limit-lock[data-lock='{name}']")
    wait(lambda: f"hard={name}" in person.path)
    hard = archive.tolerances.with_hard(archive.problem, (name,))
    strict = Designs.of(archive.rebin(hard))
    fewer = almost_feasible(strict, read_margin("1", strict), 1) or ()
    wait(lambda: len(person.all("#almost-answer tbody tr")) == len(fewer))
    person.types("#answers-margin", "little")
    person.sees("#almost-answer [role=alert]", "The margin must be a number above 0")


def test_a_click_on_the_front_is_the_same_selection_everywhere(
    person: Person, archive: Archive, designs: Designs, done: str
) -> None:
    opens_run(person, f"/run/{done}?view=front")
    found = trade_off_front(designs, "total")
    clicks_point(person, "front", 1, len(found.rows) - 1)
    wait(lambda: exact_objective(person) == designs.f[found.rows[-1]])
    person.presses(".mantine-SegmentedControl-label", "Maximal")
    wait(lambda: "measure=maximal" in person.path)
    person.sees(".answer-table thead", "maximal violation")
    person.presses(".tab", "Relations")
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
    person.presses(".tab", "Relations")  # pressed again, it closes
    wait(lambda: "view=" not in person.path)


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
    assert len(person.all(".limit")) == 3  # h1 and h2 are one


def test_a_constraint_that_follows_from_another_goes_off_the_map_and_comes_back(
    person: Person, dashboard: Dashboard
) -> None:
    run_id = dashboard.finished(dashboard.start("C16", evaluations=40_000, search="directed"))
    places = PLOT + "return [gd.layout.meta.rows, gd.layout.meta.columns]"
    opens_run(person, f"/run/{run_id}?view=relations")
    wait(lambda: person.driver.execute_script(places) == [5, 25])  # h2 = -h1 is one axis
    person.presses("#related-answer button", "Put it back")
    wait(lambda: person.driver.execute_script(places) == [25, 25])
    wait(lambda: "axes=g1,g2,h1,h2" in person.path)
    person.presses("#related-answer button", "Take h2 off the map")
    wait(lambda: person.driver.execute_script(places) == [5, 25])
    person.presses("#axes summary")
    person.presses("#axes-menu button", "The usual axes")
    wait(lambda: "axes=" not in person.path)


def test_a_press_on_a_correlation_draws_the_pair_and_leaves_the_axes_of_the_map(person: Person, done: str) -> None:
    opens_run(person, f"/run/{done}?view=relations")
    for pair in ("objective,h1", "g2,h1"):
        person.presses(f".correlation-cell[data-columns='{pair}']")
        wait(lambda pair=pair: f"pair={pair}" in person.path)
    assert "axes=" not in person.path
