"""The Relax page as a newcomer meets it: cell, sliders, design and sentence say the same, and what the engine says."""

from __future__ import annotations

import re

import numpy as np
import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from mapelites import Settings, Tolerances
from mapelites.answers import Designs, headline
from mapelites.core.archive import Archive
from mapelites.core.nested_map.usual import usual_view
from mapelites.problems import get
from mapelites.runs import RunRequest
from tests.browser.conftest import PHONE, Dashboard, Person, wait
from tests.browser.run_page import (
    PLOT,
    clicks_cell,
    clicks_place,
    exact_numbers,
    exact_objective,
    filled,
    map_is_drawn,
    opens_run,
    slides,
)

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("relax")]
META = PLOT + "return gd.layout.meta."


@pytest.fixture(scope="module")
def beam(dashboard: Dashboard) -> str:
    """Seven constraints with limits, so the map is read up to its levels and shows the four that buy most."""
    problem = get("welded-beam")
    settings = Settings.of("directed", problem.dimension, evaluations=30_000)
    return dashboard.finished(dashboard.store.create(RunRequest.of(problem, Tolerances.default(problem), settings)))


def archive_of(dashboard: Dashboard, run_id: str) -> Archive:
    snapshot = dashboard.store.snapshot(run_id)
    assert snapshot is not None
    return snapshot.archive()


def says(person: Person, sentence: str) -> None:
    wait(lambda: person.reads("#run-sentence").replace("\u00a0", " ") == sentence)


class Mouse:
    """Somebody with a mouse."""

    def __init__(self, person: Person) -> None:
        self.person = person

    def starts(self) -> None:
        self.person.presses("#start-button")

    def slides_to_the_end(self, name: str) -> None:
        """Press the last tick of a slider."""
        slider = self.person.sees(f".limit-slider[aria-label='Tolerance allowed on {name}']")
        self.person.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", slider)
        width, height = slider.size["width"], slider.size["height"]
        at_end = (width - 4, height // 2)
        ActionChains(self.person.driver).move_to_element_with_offset(slider, *at_end).click().perform()

    def goes_to_cell(self, row: int, column: int) -> None:
        clicks_place(self.person, row, column)


class Keyboard(Mouse):
    """Somebody with nothing but keys."""

    def starts(self) -> None:
        self._tabs_to("id", "start-button")
        self.person.keys(Keys.ENTER)

    def slides_to_the_end(self, name: str) -> None:
        self._tabs_to("aria-label", f"Tolerance allowed on {name}")
        self.person.keys(Keys.END)

    def goes_to_cell(self, row: int, column: int) -> None:
        self._tabs_to("id", "map-box")
        self.person.keys(Keys.HOME, *[Keys.ARROW_DOWN] * 20, *[Keys.ARROW_UP] * row, *[Keys.ARROW_RIGHT] * column)
        self.person.keys(Keys.ENTER)

    def _tabs_to(self, attribute: str, value: str) -> None:
        for _ in range(80):
            self.person.keys(Keys.TAB)
            if self.person.driver.switch_to.active_element.get_attribute(attribute) == value:
                return
        raise AssertionError(f"the tab key never led to {value}")


class DarkPhone(Mouse):
    """Somebody with a phone, in the dark."""

    def __init__(self, person: Person) -> None:
        super().__init__(person)
        person.resizes(PHONE)
        person.prefers("dark")


def shown_objective(person: Person) -> float:
    """The design's, also where it lies in a sheet that is not open."""
    script = "return document.querySelector('#inspector .objective-box [data-exact]')?.dataset.exact ?? 'nan'"
    return float(person.driver.execute_script(script))


@pytest.mark.parametrize("hands", [Mouse, Keyboard, DarkPhone])
def test_the_first_five_minutes_of_a_newcomer(person: Person, dashboard: Dashboard, hands: type[Mouse]) -> None:
    newcomer = hands(person)
    person.goes_to("/")
    person.sees("#start-cells", "36 cells")
    newcomer.starts()
    wait(lambda: "/run/" in person.path)
    run_id = person.path.removeprefix("/run/").split("?")[0]
    map_is_drawn(person.driver)
    wait(lambda: filled(person))
    dashboard.store.set_pace(run_id, None, None)  # somebody in a hurry
    person.sees("#run-state", "finished")
    archive = archive_of(dashboard, run_id)
    designs = Designs.of(archive)
    says(person, headline(designs))  # it has something to say
    assert "buys most: " in headline(designs)
    name = wait(lambda: person.reads(".limit-name"))  # of the row that comes first, as it is first in the sentence
    assert f", {name} buys most" in headline(designs)
    level = archive.tolerances.levels[designs.names.index(name)][-1]

    newcomer.slides_to_the_end(name)  # a slider moves the design, the sentence, the cross-hair and the address
    answer = archive.answer({name: level})
    assert answer is not None
    wait(lambda: shown_objective(person) == answer.f)
    says(person, headline(designs, designs.limits({name: level})))
    wait(lambda: f"allow={name}:" in person.path)

    fold = usual_view(archive).fold(archive.tolerances)  # a press on a cell moves the sliders
    newcomer.goes_to_cell(fold.shape[0] - 2, fold.shape[1] - 2)
    limits = np.maximum(designs.satisfied, [levels[-1] for levels in archive.tolerances.levels])
    both = archive.answer(limits)
    assert both is not None
    wait(lambda: shown_objective(person) == both.f)
    at_end = (
        "return [...document.querySelectorAll('.limits-rows > .limit .limit-slider')].every(s => s.value === s.max)"
    )
    wait(lambda: person.driver.execute_script(at_end))
    says(person, headline(designs, limits))
    values = archive.problem.evaluate([[row[0] for row in exact_numbers(person, 1)]])
    assert shown_objective(person) == values.f[0]  # as the engine computes it from the variables that are shown

    link = person.path  # a link shows a colleague the same
    person.goes_to("/runs")
    person.goes_to(link)
    map_is_drawn(person.driver)
    wait(lambda: shown_objective(person) == both.f)
    says(person, headline(designs, limits))
    assert person.sideways() <= 0


def test_many_constraints_show_the_four_that_buy_most_and_the_star_is_feasible(
    person: Person, dashboard: Dashboard, beam: str
) -> None:
    archive = archive_of(dashboard, beam)
    opens_run(person, f"/run/{beam}")
    order = usual_view(archive).order[:4]
    shown = person.driver.execute_script(META + "x.concat(gd.layout.meta.y).map(i => gd.layout.meta.names[i])")
    assert shown == [order[0], order[2], order[1], order[3]]
    person.sees(".legend-reading", "the best design if you allow up to this")
    feasible = archive.best(feasible=True)
    assert feasible is not None
    slides(person, order[0], Keys.END)
    wait(lambda: exact_objective(person) < feasible.f)
    clicks_cell(person, archive, feasible.cell)
    wait(lambda: exact_objective(person) == feasible.f)
    person.sees("#inspector", "feasible")
    assert person.path == f"/run/{beam}"
    person.presses("#limits-undo")  # the sliders go back to where they stood before the press
    wait(lambda: exact_objective(person) < feasible.f)
    person.presses("#limits-undo")
    wait(lambda: person.path == f"/run/{beam}")
    person.sees_no("#limits-undo")

    person.presses(".switch-button", "Exactly")  # never both kinds of words on one plot
    wait(lambda: person.driver.execute_script(META + "reading") == "exact")
    person.sees(".legend-reading", "by exactly so much")
    wait(lambda: person.driver.execute_script(META + "labels[0]")[1:3] == ["0 to 1 %", "1 to 2 %"])
    person.presses(".switch-button", "Up to")
    wait(lambda: person.driver.execute_script(META + "labels[0]")[1:3] == ["≤ 1 %", "≤ 2 %"])


def test_a_typed_tolerance_and_a_lock_are_taken_and_what_is_wrong_is_said(
    person: Person, dashboard: Dashboard, beam: str
) -> None:
    opens_run(person, f"/run/{beam}")
    field = ".limit-field[aria-label='Tolerance allowed on shear, typed']"
    for typed, psi in (("3 %", 408.0), ("1,000 psi", 1000.0)):
        person.types(field, typed + Keys.ENTER)
        wait(lambda psi=psi: exact_objective(person) == archive_of(dashboard, beam).answer({"shear": psi}).f)
    person.sees("#proof-jobs", "Sharpen this question")  # who rests at no level of the run gets a sharper answer
    wait(lambda: all(job.state == "finished" for job in dashboard.store.jobs.jobs(beam)))
    wait(lambda: exact_objective(person) == archive_of(dashboard, beam).answer({"shear": 1000.0}).f)
    person.types(field, "much" + Keys.ENTER)
    person.sees(f"{field}[aria-invalid=true]")
    person.presses(".limit-lock[data-lock=shear]")
    person.sees(".limit.is-hard", "shear")
    wait(lambda: person.path.endswith("hard=shear"))
    wait(lambda: "shear" not in person.reads("#run-sentence"))
    names = "x.concat(gd.layout.meta.y).map(i => gd.layout.meta.names[i])"
    wait(lambda: "shear" not in person.driver.execute_script(META + names))
    person.presses(".limit-lock[data-lock=shear]")
    wait(lambda: "hard" not in person.path)


def test_a_block_opens_alone_and_the_way_back_is_beside_it(person: Person, dashboard: Dashboard, beam: str) -> None:
    opens_run(person, f"/run/{beam}")
    area = person.sees("#run-map .nsewdrag")
    ActionChains(person.driver).move_to_element(area).perform()
    person.sees(".echo-cell")  # the same inner cell in every block
    assert len(person.all(".echo-cell")) == 36
    person.sees(".echo-column", "shear ≤")
    opener, block = person.sees("#map-open").size, area.size["width"] / 6  # it leaves the block's cells to be pressed
    assert opener["width"] < block / 3
    person.presses("#map-open")
    wait(lambda: person.driver.execute_script(META + "rows") == 6)
    wait(lambda: "block=" in person.path)
    assert re.fullmatch(r"All blocks › shear .*, \w+ .*", person.reads("#map-where"))
    person.sees("#map-selection")
    wait(lambda: cross_hair(person) == pytest.approx(list(map_area(person)), abs=1))
    person.presses("#map-where button", "All blocks")
    wait(lambda: person.driver.execute_script(META + "rows") == 36)
    wait(lambda: "block=" not in person.path)


def map_area(person: Person) -> tuple[float, float]:
    """Where the cells of the map begin and how wide they are together, in its box."""
    script = PLOT + "const x = gd._fullLayout.xaxis; return [x._offset, x._length]"
    left, width = person.driver.execute_script(script)
    return float(left), float(width)


def cross_hair(person: Person) -> list[float]:
    """Where the line across begins and how long it is, in the box of the map."""
    script = (
        "const style = document.getElementById('map-selection').style, at = (name) => parseFloat(style.getPropertyValue"
        "(name)); return [at('left') - at('--left'), at('--left') + at('width') + at('--right')]"
    )
    return list(person.driver.execute_script(script))


def test_it_can_be_read_and_moved_by_keyboard_alone(person: Person, dashboard: Dashboard, beam: str) -> None:
    archive = archive_of(dashboard, beam)
    opens_run(person, f"/run/{beam}")
    for _ in range(60):
        person.keys(Keys.TAB)
        if person.driver.switch_to.active_element.get_attribute("id") == "map-box":
            break
    person.sees("#map-readout", "best feasible")
    person.keys(Keys.ARROW_RIGHT, Keys.ARROW_UP)
    ActionChains(person.driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
    person.sees("#map-cursor")
    order = usual_view(archive).order
    limits = {order[0]: 0, order[2]: 1, order[3]: 1} | {order[0]: 1}
    levels = {name: archive.tolerances.levels[archive.tolerances.names.index(name)][i] for name, i in limits.items()}
    answer = archive.answer(levels)
    assert answer is not None
    person.sees("#map-readout", "against feasible")
    person.keys(Keys.ENTER)
    wait(lambda: exact_objective(person) == answer.f)
    person.keys("b")
    wait(lambda: "block=0,1" in person.path)
    person.keys(Keys.ESCAPE)
    wait(lambda: "block=" not in person.path)
    assert person.driver.switch_to.active_element.get_attribute("id") == "map-box"


def test_on_a_dark_phone_sentence_and_map_come_first_and_the_design_from_below(
    person: Person, dashboard: Dashboard, beam: str
) -> None:
    archive = archive_of(dashboard, beam)
    person.resizes(PHONE)
    person.prefers("dark")
    opens_run(person, f"/run/{beam}")
    says(person, headline(Designs.of(archive)))
    wait(lambda: person.sideways() <= 0)
    places = [person.sees(each).rect["y"] for each in ("#run-sentence", "#map-box", "#limits")]
    assert places == sorted(places)
    assert person.driver.execute_script(PLOT + "return gd.layout.font.color") == "#e6e8ec"
    person.sees_no("#inspector")
    clicks_place(person, 1, 7)
    sheet = person.sees("#inspector.is-open").rect
    assert sheet["width"] == person.driver.execute_script("return document.documentElement.clientWidth")
    chosen = person.sees("#map-selection")
    assert chosen.location_once_scrolled_into_view["y"] + chosen.size["height"] < person.all("#inspector")[0].rect["y"]
    person.presses("#inspector-close")
    person.sees_no("#inspector")


@pytest.mark.parametrize(
    ("earlier", "shows"),
    [
        ("view=whatif&allow=shear:680", "#limits .is-moved"),
        ("view=price&about=fit", "#answers-sentence"),
        ("view=almost", "#almost-answer"),
        ("rest=any,any,any,any,any,any,any", "#limits .is-moved"),
    ],
)
def test_links_of_before_lead_to_the_right_place(person: Person, beam: str, earlier: str, shows: str) -> None:
    opens_run(person, f"/run/{beam}?{earlier}")
    person.sees(shows)
