"""The start page as a person uses it."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.browser.conftest import PHONE, Dashboard, Person, wait
from tests.browser.run_page import filled, map_is_drawn

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("start")]


def chips(person: Person) -> str:
    return ".level-chips input"


def red_chips(person: Person) -> list[str]:
    """The texts of the levels that are marked as wrong."""
    script = (
        "const error = document.querySelector('.level-chips .mantine-InputWrapper-error'); "
        "return Array.from(document.querySelectorAll('.level-chips .mantine-Pill-root')).filter(chip => "
        "error && getComputedStyle(chip).color === getComputedStyle(error).color).map(chip => chip.innerText)"
    )
    return list(person.driver.execute_script(script))


def test_one_press_starts_the_default_run_and_its_map_fills(person: Person, dashboard: Dashboard) -> None:
    person.goes_to("/")
    person.sees(".recent .empty", "No runs yet")
    person.sees("#start-cells", "36 cells = 6 × 6 bins")
    person.driver.execute_script("window.scrollTo(0, 300)")
    person.presses("#start-button")
    wait(lambda: person.path.startswith("/run/"))
    wait(lambda: person.driver.execute_script("return window.scrollY") == 0)
    run = dashboard.store.runs()[0]
    assert person.path == f"/run/{run.id}"
    assert (run.request.problem, run.request.dimension, run.request.watch) == ("tin-can", 2, 10.0)
    assert run.request.tolerances.levels == ((0, 10, 20, 50, 100), (0, 0.04, 0.08, 0.2, 0.4))  # per cents of its limits
    map_is_drawn(person.driver)
    wait(lambda: filled(person) > 10)
    dashboard.store.stop(run.id)
    person.presses(".brand")
    person.sees(".recent-item", "Tin can")
    person.sees(".recent-item .state", "stopped")
    person.sees(".recent-item .thumbnail[role=img]")


@pytest.mark.usefixtures("dashboard")
def test_levels_are_checked_as_they_are_typed(person: Person) -> None:
    person.goes_to("/?problem=C17")
    field = person.sees(chips(person))
    for wrong, words in (
        ("-1", "A level must not be negative, but one was -1"),
        ("much", "A level must be a number, but one was 'much'"),
        ("0.0001", "Level 1e-4 is there twice"),
        ("inf", "A level must be a finite number, but one was inf"),
    ):
        field.send_keys(wrong, Keys.ENTER)
        person.sees(".level-chips .mantine-InputWrapper-error", words)
        person.sees("#start-cells", "No map yet: a level is wrong.")
        wait(lambda chip=wrong: red_chips(person) == [chip])
        field.send_keys(Keys.BACKSPACE)
        person.sees("#start-cells", "125 cells")
        person.sees_no(".level-chips .mantine-InputWrapper-error")
    field.send_keys("0.5", Keys.ENTER)
    person.sees("#start-cells", "216 cells = 6 × 6 × 6 bins")
    person.sees(".bins", "(0.01, 0.5]")
    field.send_keys(",".join(f"{k}e9" for k in range(1, 42)), Keys.ENTER)
    person.sees(".level-chips .mantine-InputWrapper-error", "At most 40 levels are possible, but there were")
    person.presses("button", "Decades")
    person.sees("#start-cells", "512 cells")
    person.driver.execute_script("document.getElementById('start-same').click()")
    wait(lambda: len(person.all(".level-row")) == 3)
    person.all(chips(person))[1].send_keys(Keys.BACKSPACE)
    person.sees("#start-cells", "448 cells = 8 × 7 × 8 bins")


def test_levels_typed_faster_than_the_server_answers_are_all_in_the_run_that_is_started(
    person: Person, dashboard: Dashboard
) -> None:
    person.goes_to("/?problem=C17")
    person.is_far_from_the_server(milliseconds=300)
    person.sees(chips(person)).send_keys("0.7,0.5,", "0.3", Keys.ENTER, "0.1,0.02")
    person.sees("#start-button").click()
    wait(lambda: person.path.startswith("/run/"))
    run = dashboard.store.runs()[0]
    dashboard.store.stop(run.id)
    assert run.request.tolerances.levels[0] == (0, 1e-4, 0.01, 0.02, 0.1, 0.3, 0.5, 0.7, 1)


@pytest.mark.usefixtures("dashboard")
def test_another_problem_brings_its_formula_its_constraints_and_its_bounds(person: Person) -> None:
    person.goes_to("/?problem=C04")
    person.sees("#start-details math")
    person.sees("#start-cells", "625 cells")
    person.types("#start-problem", "rotated")
    person.sees("[role=option]", "C08")
    person.sees("#start-dimension").click()
    person.presses("#start-problem")
    person.keys("C06", Keys.ENTER)
    person.sees("#start-details", "-600 to 600")
    person.sees("#start-cells", "25 cells = 5 × 5 bins")
    person.types("#start-dimension", "11")
    person.sees(".mantine-InputWrapper-error", "C06: the dimension must be 10 or 30, but it was 11")
    person.types("#start-dimension", "30")
    person.sees("#start-details", "each of 30 variables")
    wait(lambda: person.asks("value", "#start-evaluations") == "600,000")


def test_a_wrong_field_says_so_beside_it_and_loses_nothing(person: Person, dashboard: Dashboard) -> None:
    before = len(dashboard.store.runs())
    person.goes_to("/?problem=C17")
    person.types("#start-seed", "12")
    person.types("#start-evaluations", "ten")
    person.sees(".mantine-InputWrapper-error", "Evaluations must be a whole number, but it was 'ten'")
    person.presses(".advanced summary")
    person.types("#start-sigma", "-3")
    person.sees(".mantine-InputWrapper-error", "Mutation step σ must be above 0 and at most 1,000,000, but it was -3")
    person.presses("#start-button")
    person.sees(".mantine-Notification-root", "Nothing started: 2 fields are wrong")
    assert len(dashboard.store.runs()) == before
    assert person.asks("value", "#start-seed") == "12"
    person.types("#start-evaluations", "3e3")
    person.types("#start-sigma", "0.25")
    person.sees_no(".mantine-InputWrapper-error")
    person.sees("#start-seed").send_keys(Keys.ENTER)
    wait(lambda: person.path.startswith("/run/"))
    settings = dashboard.store.runs()[0].request.settings
    assert (settings.evaluations, settings.seed, settings.sigma) == (3_000, 12, 0.25)


def test_full_speed_is_remembered_and_the_keyboard_alone_is_enough(person: Person, dashboard: Dashboard) -> None:
    person.resizes(PHONE)
    person.goes_to("/?problem=C17")
    assert person.sideways() <= 0
    person.presses("#start-pace label", "Full speed")
    person.goes_to("/runs")
    person.goes_to("/?problem=C17")
    wait(lambda: person.all("#start-pace input[value=full]")[0].is_selected())
    for _ in range(60):
        person.keys(Keys.TAB)
        if person.driver.switch_to.active_element.get_attribute("id") == "start-button":
            break
    person.keys(Keys.ENTER)
    wait(lambda: person.path.startswith("/run/"))
    run = dashboard.store.runs()[0]
    assert run.request.watch is None
    dashboard.finished(run.id)


def row_of(person: Person, name: str) -> WebElement:
    """The field of a constraint's levels."""
    script = (
        "return [...document.querySelectorAll('.level-row')].find(row => row.innerText.startsWith(arguments[0]))"
        "?.querySelector('input')"
    )
    return wait(lambda: person.driver.execute_script(script, name))


def test_levels_in_per_cent_and_hard_marks_are_typed_remembered_and_copied_to_the_next_run(
    person: Person, dashboard: Dashboard
) -> None:
    person.goes_to("/?problem=welded-beam&dimension=4")
    person.sees("#start-cells", "279,936 cells")
    person.driver.execute_script("document.getElementById('start-same').click()")
    wait(lambda: len(person.all(".level-row")) == 7)
    person.sees(".level-row", "shear ≤ 13,600 psi")
    person.sees(".level-row", "up to 680 psi (5 %)")
    person.sees(".level-row", "fit (typical size 0.21 in)")
    row_of(person, "shear").send_keys("20%", Keys.ENTER, "100 kPa", Keys.ENTER)
    person.sees(".level-chips .mantine-InputWrapper-error", "Its unit is psi, but a level was typed as '100 kPa'")
    person.sees("#start-cells", "No map yet: a level is wrong.")
    row_of(person, "shear").send_keys(Keys.BACKSPACE, "100 psi", Keys.ENTER)
    person.sees(".level-row", "up to 2,720 psi (20 %)")
    person.sees(".level-row", "up to 100 psi (0.735 %)")
    for name in ("cost", "weld", "deflection", "bending"):
        person.presses(".hard-marks label", name)
    person.sees("#start-cells", "288 cells = 8 × 6 × 6 bins; 4 hard")
    person.presses("#start-button")
    wait(lambda: person.path.startswith("/run/"))
    run = dashboard.store.runs()[0]
    assert run.request.tolerances.hard == ("bending", "cost", "weld", "deflection")
    assert run.request.tolerances.levels[0] == (0.0, 100.0, 136.0, 272.0, 680.0, 1360.0, 2720.0)
    dashboard.store.stop(run.id)
    person.goes_to("/?problem=welded-beam&dimension=4")
    person.sees("#start-cells", "288 cells = 8 × 6 × 6 bins; 4 hard")
    person.goes_to(f"/?from={run.id}")
    person.sees("#start-cells", "288 cells = 8 × 6 × 6 bins; 4 hard")
    assert person.sees("#start-seed").get_attribute("value") == "2"
    person.presses("button", "Suggested")
    wait(lambda: "2,720 psi" not in person.sees("#start-rows").text)
    person.sees("#start-cells", "bins; 4 hard")
