"""What stands around every page: theme, help, errors, and what happens when the server or the worker goes away."""

from __future__ import annotations

import signal

import pytest
from selenium.webdriver.common.keys import Keys

from mapelites.problems import names
from tests.browser.conftest import PHONE, Dashboard, Person, serve, wait

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("shell")]


def scheme(person: Person) -> str:
    return str(person.driver.execute_script("return document.documentElement.dataset.mantineColorScheme"))


@pytest.mark.usefixtures("dashboard")
def test_the_theme_follows_the_system_until_it_is_switched_and_is_remembered(person: Person) -> None:
    person.prefers("dark")
    person.goes_to("/")
    wait(lambda: scheme(person) == "dark")
    person.prefers("light")
    wait(lambda: scheme(person) == "light")
    person.presses("#scheme-toggle")
    wait(lambda: scheme(person) == "dark")
    person.goes_to("/runs")
    wait(lambda: scheme(person) == "dark")


@pytest.mark.usefixtures("dashboard")
def test_navigation_help_and_wrong_addresses(person: Person) -> None:
    person.goes_to("/")
    wait(lambda: person.driver.title == "Explore · Illuminate")
    person.presses(".navigation-link", "Problems")
    wait(lambda: person.path == "/problems")
    person.sees(".navigation-link[aria-current=page]", "Problems")
    wait(lambda: person.driver.title == "Problems · Illuminate")
    person.driver.back()
    person.sees(".navigation-link[aria-current=page]", "Explore")
    person.sees("#start-button")
    person.driver.find_element("css selector", "body").send_keys("?")
    person.sees("#help .mantine-Modal-content, .mantine-Modal-content", "How to read a map")
    person.keys(Keys.ESCAPE)
    person.sees_no(".mantine-Modal-content")
    person.goes_to("/nowhere")
    person.sees("h1", "There is no page here")
    person.goes_to("/run/nosuchrun")
    person.sees("h1", "There is no such run")
    person.presses("#page a", "To the start page")
    person.sees("#start-button")


@pytest.mark.usefixtures("dashboard")
def test_problems_are_typeset_and_found_and_lead_to_the_form(person: Person) -> None:
    person.goes_to("/problems")
    wait(lambda: len(person.all("article math")) > 40)
    person.sees("#problems-found", f"{len(names())} problems")
    person.types("#problems-search", "rotated")
    person.sees("#problems-found", "13 problems")  # five of CEC 2010 and eight of CEC 2017
    rotated = {"C06", "C08", "C10", "C11", "C15"}
    wait(lambda: rotated <= {card.text[:3] for card in person.all("article") if card.is_displayed()})
    assert len([card for card in person.all("article") if card.is_displayed()]) == 13
    person.types("#problems-search", "unheard of")
    person.sees("#problems-none", "No problem matches")
    person.types("#problems-search", "C12")
    person.presses("[aria-label='Illuminate C12']")
    person.sees("#start-cells", "25 cells = 5 × 5 bins")
    assert person.path == "/?problem=C12"


@pytest.mark.usefixtures("dashboard")
def test_every_page_fits_its_window(person: Person) -> None:
    for size, paths in ((PHONE, ("/problems", "/runs", "/")), ((2560, 1300), ("/", "/runs"))):
        person.resizes(size)
        for path in paths:
            person.goes_to(path)
            person.sees("#page h1")
            assert person.sideways() <= 0, (path, size)


@pytest.mark.usefixtures("dashboard")
def test_one_late_answer_is_not_yet_a_server_that_is_gone(person: Person) -> None:
    person.goes_to("/")
    person.driver.execute_script(
        "window.asked = 0; window.said = []; const ask = window.fetch; "
        "new MutationObserver(() => said.push(document.getElementById('banner').textContent))"
        ".observe(document.getElementById('banner'), {childList: true}); "
        "window.fetch = (url, how) => String(url).endsWith('/status') && ++asked === 1 "
        "? Promise.reject(new DOMException('late', 'AbortError')) : ask(url, how)"
    )
    wait(lambda: person.driver.execute_script("return asked") >= 3)
    assert person.driver.execute_script("return said") == []


def test_a_server_that_goes_away_is_said_and_comes_back_by_itself(person: Person, dashboard: Dashboard) -> None:
    person.expected = ("net::ERR_", "Failed to fetch", "the server did not respond")
    person.goes_to("/")
    person.types("#start-seed", "77")
    port = dashboard.server.server_port
    dashboard.server.shutdown()
    dashboard.server.server_close()
    person.sees("#banner", "The server does not answer")
    dashboard.server = serve(dashboard.store, port)
    person.sees_no("#banner")
    assert person.asks("value", "#start-seed") == "77"
    run_id = dashboard.start("C17", evaluations=3_000)
    person.sees(".recent-item", "C17 10D")
    dashboard.finished(run_id)


def test_a_worker_that_goes_away_is_said_and_runs_wait_for_it(person: Person, dashboard: Dashboard) -> None:
    person.goes_to("/")
    dashboard.supervisor.send_signal(signal.SIGKILL)
    dashboard.supervisor.wait()
    person.sees("#banner", "The worker that searches is not running")
    run_id = dashboard.start("C01", evaluations=3_000)
    person.sees(".recent-item .state", "waiting")
    dashboard.restart_worker()
    person.sees_no("#banner")
    dashboard.finished(run_id)
    person.sees(".recent-item .state", "finished")
