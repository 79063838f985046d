"""A real dashboard with a real worker, and a real browser that complains about what a person would not see."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from dash.testing.browser import Browser
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from werkzeug.serving import BaseWSGIServer, make_server

from app import create_app
from mapelites import Settings, Tolerances
from mapelites.problems import get
from mapelites.runs import RunRequest, Store
from mapelites.runs.supervisor import start_supervisor
from mapelites.snapshot.spec import RunSpec
from server.access import HERE, Access

WIDE, PHONE = (1400, 1000), (390, 844)
PATIENCE = 60  # seconds; the machine may be busy, and the worker may have to compile first
# The first visible element of a kind with some text in it. The driver's own answer to that walks through every element
# inside, many times a second, which on a large page is more work than the page itself.
VISIBLE = """
  const [selector, text] = arguments;
  const hasArea = (each) => { const box = each.getBoundingClientRect(); return box.width > 0 && box.height > 0; };
  const hasBox = (each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && hasArea(each);
  const isShown = (each) => hasBox(each) || [...each.querySelectorAll("*")].some(hasBox);
  const says = (each) => !text || (each.innerText ?? each.textContent).replaceAll("\\u00a0", " ").includes(text);
  return [...document.querySelectorAll(selector)].find((each) => isShown(each) && says(each)) ?? null;
"""

# Bring an element into sight, and tell where it is.
PLACE = "arguments[0].scrollIntoView({block: 'center'}); return JSON.stringify(arguments[0].getBoundingClientRect())"
STANDS_SECONDS = 0.08  # that it has to stay there: what is still moving is pressed beside


def pytest_setup_options() -> Options:
    """Options for every browser of the tests; the default window is too small to click in."""
    options = Options()
    options.add_argument("--window-size={},{}".format(*WIDE))
    options.add_argument("--force-prefers-reduced-motion")
    return options


@dataclass
class Dashboard:
    """A dashboard that runs: its address, its store, and the processes behind it."""

    store: Store
    supervisor: Popen[bytes]
    server: BaseWSGIServer

    @property
    def url(self) -> str:
        return f"http://localhost:{self.server.server_port}"

    def start(self, problem: str = "C17", dimension: int = 10, *, pace: float | None = None, **settings: Any) -> str:
        """Create a run as a form would and return its id."""
        search = settings.pop("search", "paper-3")
        levels = Tolerances.default(get(problem, dimension))
        chosen = Settings.of(search, dimension, **settings)
        return self.store.create(RunRequest(RunSpec(problem, dimension, levels, chosen), pace))

    def restart_worker(self) -> None:
        """Start another supervisor where the first one is gone."""
        self.supervisor = start_supervisor(self.store.path)

    def finished(self, run_id: str) -> str:
        """Wait until a run is over and return its id."""
        wait(lambda: self.store.run(run_id).state in ("finished", "stopped", "failed"))
        assert self.store.run(run_id).state == "finished"
        return run_id


def wait(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Wait until something is so; what it is, is returned."""
    # An update took an element away while it was looked at, or had not yet brought it or laid it out.
    moved = (StaleElementReferenceException, ElementNotInteractableException, IndexError)
    return WebDriverWait(None, seconds, poll_frequency=0.05, ignored_exceptions=moved).until(lambda _: condition())


def serve(store: Store, port: int = 0, problems: Sequence[Path] = (), access: Access = HERE) -> BaseWSGIServer:
    """A web server over a store, in a thread of its own."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", port, create_app(store, access=access, problems=problems).server, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """One dashboard for all tests of a file, with an empty store at first."""
    path = tmp_path_factory.mktemp("store")
    store = Store(path)
    running = Dashboard(store, start_supervisor(path), serve(store))
    yield running
    running.server.shutdown()
    running.server.server_close()
    running.supervisor.terminate()
    running.supervisor.wait(PATIENCE)
    store.close()


class Person:
    """Somebody at a browser: goes to pages, types, presses, and reads."""

    def __init__(self, browser: Browser, dashboard: Dashboard) -> None:
        self.browser, self.dashboard = browser, dashboard
        self.driver = browser.driver
        self.driver.implicitly_wait(0)  # `wait` does it; else every look for what is not there takes two seconds
        self.expected: tuple[str, ...] = ()  # parts of console messages that a test provokes

    def goes_to(self, path: str) -> None:
        """Open a page and wait until it has content."""
        self.driver.get(self.dashboard.url + path)
        self.sees("#page > *")

    def sees(self, selector: str, text: str = "") -> WebElement:
        """Wait for something visible (with some text in it) and return it."""
        return wait(lambda: self.driver.execute_script(VISIBLE, selector, text))

    def reads(self, selector: str, text: str = "") -> str:
        """What stands in something visible, however often the page puts another in its place meanwhile."""
        return str(wait(lambda: (self.sees(selector, text).text,))[0])

    def asks(self, attribute: str, selector: str, text: str = "") -> str | None:
        """An attribute of something visible, likewise."""
        found: str | None = wait(lambda: (self.sees(selector, text).get_attribute(attribute),))[0]
        return found

    def sees_no(self, selector: str) -> None:
        """Wait until nothing of the kind is visible."""
        wait(lambda: self.driver.execute_script(VISIBLE, selector, "") is None)

    def all(self, selector: str) -> list[WebElement]:
        """What is there right now."""
        return list(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def presses(self, selector: str, text: str = "") -> None:
        """Click something as soon as it can be clicked."""
        wait(lambda: _clicked(self.driver, self.sees(selector, text)))

    def types(self, selector: str, text: str) -> None:
        """Replace what stands in a field, and leave it."""
        field = self.sees(selector)
        field.send_keys(Keys.CONTROL + "a")
        field.send_keys(text)

    def keys(self, *keys: str) -> None:
        """Press keys where the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def resizes(self, size: tuple[int, int]) -> None:
        """Give the window's inside this width and height, also one narrower than a window can be."""
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefers(self, scheme: str) -> None:
        """Have a system that is light or dark."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def is_far_from_the_server(self, milliseconds: int) -> None:
        """Have every request take so long on its way."""
        self.driver.execute_cdp_cmd("Network.enable", {})
        network = {"offline": False, "latency": milliseconds, "downloadThroughput": -1, "uploadThroughput": -1}
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", network)

    def sideways(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(self.driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth"))

    @property
    def path(self) -> str:
        """What stands in the address bar after the server's name."""
        return str(self.driver.current_url).removeprefix(self.dashboard.url)

    @property
    def downloads(self) -> list[Path]:
        """The files downloaded so far, whole ones only."""
        return [each for each in Path(self.browser.download_path).iterdir() if each.suffix != ".crdownload"]

    def is_content(self) -> None:
        """No severe console message and no request to anywhere else."""
        severe = [entry["message"] for entry in self.browser.get_logs()]
        assert [text for text in severe if not any(part in text for part in self.expected)] == []
        asked = self.driver.execute_script("return performance.getEntriesByType('resource').map(each => each.name)")
        assert [name for name in asked if not name.startswith((self.dashboard.url, "data:", "blob:"))] == []


def _clicked(driver: Any, element: WebElement) -> bool:
    try:
        place = driver.execute_script(PLACE, element)
        time.sleep(STANDS_SECONDS)
        if driver.execute_script(PLACE, element) != place:
            return False
        element.click()
    except (ElementClickInterceptedException, StaleElementReferenceException):
        return False
    return True


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests of a process: to start one takes as long as many a test."""
    with Browser(
        browser="chrome",
        headless=request.config.getoption("headless"),
        options=[pytest_setup_options()],
        download_path=str(tmp_path_factory.mktemp("download")),
        percy_run=False,
    ) as opened:
        yield opened


def _like_new(browser: Browser, url: str) -> None:
    """Leave nothing of the test before: no page, no storage, no cookie, no file, no other window or scheme."""
    driver = browser.driver
    ActionChains(driver).reset_actions()
    driver.get("about:blank")
    for command, values in (
        ("Network.clearBrowserCookies", {}),
        ("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "all"}),
        ("Emulation.clearDeviceMetricsOverride", {}),
        ("Emulation.setEmulatedMedia", {"features": []}),
        ("Network.disable", {}),
    ):
        driver.execute_cdp_cmd(command, values)
    for file in Path(browser.download_path).iterdir():
        file.unlink()
    browser.get_logs()


@pytest.fixture
def person(browser: Browser, dashboard: Dashboard) -> Iterator[Person]:
    """Somebody at a browser that is like new; in the end nothing may have gone wrong behind their back."""
    _like_new(browser, dashboard.url)
    somebody = Person(browser, dashboard)
    yield somebody
    somebody.is_content()
