"""The state of a run's page: what an edit of it costs, and that browser and server write the same address of it."""

from __future__ import annotations

import time

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.conftest import Dashboard, Person, wait
from tests.components.page_state.page_states import CASES, USUAL

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("page_state")]
MOST_REQUESTS = 3
REST_SECONDS = 2.0  # in which nothing more is asked: then an edit is over


@pytest.fixture(scope="module")
def done(dashboard: Dashboard) -> str:
    return dashboard.finished(dashboard.start(evaluations=20_000, seed=4))


def requests_answered(person: Person) -> int:
    """How many requests of the page the server has answered so far, but for its looks at what happens."""
    script = (
        "return performance.getEntriesByType('resource').filter(each => ['xmlhttprequest', 'fetch'].includes("
        "each.initiatorType) && !/\\/(status$|news\\?)/.test(each.name)).length"
    )
    return int(person.driver.execute_script(script))


def has_settled(person: Person) -> int:
    """Wait until the page asks no more, and return how often it has asked."""
    asked, since = requests_answered(person), time.monotonic()
    while time.monotonic() - since < REST_SECONDS:
        time.sleep(0.1)
        if requests_answered(person) != asked:
            asked, since = requests_answered(person), time.monotonic()
    return asked


@pytest.mark.parametrize("view", ["map", "price", "relations"])
def test_an_edit_of_a_level_costs_at_most_three_requests(person: Person, done: str, view: str) -> None:
    person.goes_to(f"/run/{done}?view={view}&cell=0")
    person.presses(".rebin summary")
    before = has_settled(person)
    person.sees(".rebin .level-chips input").send_keys("0.5", Keys.ENTER)
    wait(lambda: "levels=" in person.path)
    after = has_settled(person)
    assert 0 < after - before <= MOST_REQUESTS


def test_browser_and_server_write_the_same_address(person: Person, done: str) -> None:
    person.goes_to(f"/run/{done}")
    for query, changed in CASES:
        written = person.driver.execute_script("return window.pageState.address(arguments[0])", {**USUAL, **changed})
        assert written == query
